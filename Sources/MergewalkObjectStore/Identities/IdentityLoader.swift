package import MergewalkObjectModel
import MergewalkSQLite

/// Puts whole objects with given identities into the table of one entity, columns straight from a batch.
///
/// Unlike `TableAccess` it needs no rows in a buffer: the cells are ranges of the batch's own bytes.
package final class IdentityLoader {
  private let source: CellSource
  private let keys: CellSource
  private let insertStatement: Statement
  private let findStatement: Statement

  /// Prepares the statements.
  ///
  /// - Parameters:
  ///   - number: A number that no other loader of the connection has.
  ///   - columns: The columns that batches fill, the identity first. Entity number, version and the columns with the
  ///     entity numbers of others are filled by the loader.
  package init(
    store: PersistentStore, entity: EntityDescription, number: Int, columns: [ColumnDefinition]
  ) throws(StoreError) {
    let schema = store.schema
    let table = schema.table(forRoot: entity.root)
    store.file.needsDerivedValues = true
    source = try CellSource(
      name: "mergewalk_objects\(number)", columnCount: columns.count, connection: store.connection)
    keys = try CellSource(name: "mergewalk_identities\(number)", columnCount: 1, connection: store.connection)
    var names = ["Z_ENT", "Z_OPT"] + columns.map(\.name)
    var values = ["\(schema.entityNumbers[entity.index])", "1"] + columns.indices.map { "s.c\($0)" }
    for (index, column) in columns.enumerated() {
      // Of objects that are not there yet the entity is filled in at the end.
      guard let (name, other) = schema.entityColumn(of: column.role, in: table), other.name != table.name else {
        continue
      }
      names.append(name)
      values.append("(SELECT d.Z_ENT FROM \(other.name) AS d WHERE d.Z_PK = s.c\(index))")
    }
    insertStatement = try store.connection.prepare(
      "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))"
        + " FROM \(source.name) AS s")
    findStatement = try store.connection.prepare(
      "SELECT k.c0 FROM \(keys.name) AS k CROSS JOIN \(table.name) AS t ON t.Z_PK = k.c0")
  }

  /// Inserts objects.
  ///
  /// - Parameters:
  ///   - rows: The positions in the columns, none of whose identities is in the table.
  ///   - cells: One column of cells for each column that batches fill, in their order.
  ///   - arena: What the cells' ranges refer to.
  /// - Complexity: One statement; ascending identities append to the table.
  package func insert(
    rows: UnsafeBufferPointer<Int32>, cells: [CellColumnView], arena: UnsafeRawPointer
  ) throws(StoreError) {
    guard !rows.isEmpty else { return }
    source.fill(rows: rows, columns: cells.map { .cells($0.tags, $0.payloads) }, arena: arena)
    defer { source.clear() }
    try insertStatement.run()
  }

  /// The identities among those at `rows` that are in the table already.
  package func present(
    rows: UnsafeBufferPointer<Int32>, identities: CellColumnView, arena: UnsafeRawPointer
  ) throws(StoreError) -> Set<Int64> {
    guard !rows.isEmpty else { return [] }
    keys.fill(rows: rows, columns: [.cells(identities.tags, identities.payloads)], arena: arena)
    defer { keys.clear() }
    defer { findStatement.reset() }
    var found = Set<Int64>()
    while try findStatement.step() { found.insert(findStatement.integer(0)) }
    return found
  }
}

extension StoreSchema {
  /// The column with the entity number of the object that a column refers to, and the table of that object; `nil` when
  /// the column refers to nothing or nothing inherits from the entity it refers to.
  func entityColumn(of role: ColumnDefinition.Role, in table: EntityTable) -> (name: String, other: EntityTable)? {
    switch role {
    case .slot(let slot):
      guard let name = table.destinationEntityColumn(slot: slot),
        let destination = destination(slot: slot, root: table.rootEntity), entityNumbers[destination] > 0
      else { return nil }
      return (name, self.table(forRoot: model.entities[destination].root))
    case .reverse(let slot, let owner):
      let role = ColumnDefinition.Role.reverseEntity(ofSlot: slot, ownerEntity: owner)
      guard let column = table.columns.first(where: { $0.role == role }) else { return nil }
      return (column.name, self.table(forRoot: model.entities[owner].root))
    default: return nil
    }
  }

  /// The index of the entity that the to-one relationship at `slot` below `root` refers to; `nil` for attributes.
  func destination(slot: Int, root: RootIndex) -> Int? {
    for entity in model.family(of: root) {
      if let found = entity.relationships.first(where: { $0.slot == slot && !$0.isToMany }) {
        return found.destinationEntity
      }
    }
    return nil
  }
}
