import MergewalkObjectModel
package import MergewalkSQLite

extension StoreSchema {
  /// Fits the schema to an existing store: checks that all tables and columns are there and takes over real names.
  ///
  /// Entity numbers come from the store's `Z_PRIMARYKEY`, by name; a row that kept the name that an entity had before it
  /// was renamed is known by its number. Columns are found by name, so their order does not matter.
  /// Where the rules are uncertain (which end of a relationship inside one entity names the join table, suffixes of
  /// join columns) the store's own names win. ``indexes`` keeps only those that the store really has, ``missingIndexes``
  /// gets the others.
  ///
  /// - Throws: ``StoreError`` with `missingTable`, `missingColumn`, `damagedMetadata` or `sqlite`.
  package func adapted(to connection: Connection) throws(StoreError) -> StoreSchema {
    let path = connection.name
    let rows = try adoptedRows(connection)
    let numbers = rows.map { $0?.number ?? 0 }
    var schema = numbers == entityNumbers ? self : StoreSchema(model: model, numbers: numbers)
    let present = try SchemaCatalog(connection)
    for i in schema.tables.indices {
      var table = schema.tables[i]
      // The table of an entity that was renamed may have kept its name too.
      if present.tables[table.name.uppercased()] == nil, let row = rows[table.rootEntity.index] {
        let other = "Z" + row.name.uppercased()
        if present.tables[other] != nil { schema.rename(table: i, to: other) }
        table = schema.tables[i]
      }
      guard let columns = present.tables[table.name.uppercased()] else {
        throw StoreError(.missingTable, path: path, message: "there is no table \(table.name)")
      }
      let missing = table.columns.filter { !columns.contains($0.name.uppercased()) }
      guard missing.isEmpty else {
        throw StoreError(
          .missingColumn, path: path,
          message: "table \(table.name) has no column \(missing.map(\.name).joined(separator: ", "))")
      }
    }
    var taken = Set<String>()
    for i in schema.joinTables.indices {
      guard let adopted = present.adopt(schema.joinTables[i], taken: taken) else {
        throw StoreError(
          .missingTable, path: path,
          message: "there is no join table \(schema.joinTables[i].name) with the columns "
            + schema.joinTables[i].keyColumns.joined(separator: ", "))
      }
      taken.insert(adopted.name.uppercased())
      schema.joinTables[i] = adopted
    }
    let expected = schema.indexes + schema.missingIndexes
    schema.missingIndexes = []
    schema.indexes = expected.filter { present.indexes.contains($0.name.uppercased()) }
    for index in expected where !present.indexes.contains(index.name.uppercased()) {
      if try !connection.hasIndex(like: index) { schema.missingIndexes.append(index) }
    }
    return schema
  }

  /// The rows that the store's `Z_PRIMARYKEY` has for the model's entities; `nil` for entities outside the configuration.
  private func adoptedRows(_ connection: Connection) throws(StoreError) -> [PrimaryKeyRow?] {
    let known = matching(try PrimaryKeyRow.read(connection))
    var rows: [PrimaryKeyRow?] = []
    var owners: [Int: String] = [:]
    for (index, number) in entityNumbers.enumerated() {
      guard number > 0 else {
        rows.append(nil)
        continue
      }
      guard let row = known[model.entities[index].name], row.number > 0, row.number <= greatestEntityNumber else {
        throw StoreError(
          .damagedMetadata, path: connection.name,
          message: "Z_PRIMARYKEY has no row for entity \(model.entities[index].name), or one with a wrong number")
      }
      // The number is the table's primary key, unless another tool has written the table anew.
      if let other = owners.updateValue(model.entities[index].name, forKey: row.number) {
        throw StoreError(
          .damagedMetadata, path: connection.name,
          message: "Z_PRIMARYKEY gives \(other) and \(model.entities[index].name) the same number, \(row.number)")
      }
      rows.append(row)
    }
    return rows
  }

  /// The rows of `Z_PRIMARYKEY` by the model's names of their entities.
  ///
  /// An entity without a row of its name has the row of its number, if that has the name of no other entity: Core Data
  /// leaves the old name of a renamed entity there.
  func matching(_ rows: [PrimaryKeyRow]) -> [String: PrimaryKeyRow] {
    let stored = model.entities.filter { entityNumbers[$0.index] > 0 }
    let names = Set(stored.map(\.name))
    var result = Dictionary(rows.filter { names.contains($0.name) }.map { ($0.name, $0) }) { first, _ in first }
    let others = Dictionary(
      rows.filter { $0.isOfModel && !names.contains($0.name) }.map { ($0.number, $0) }
    ) { first, _ in first }
    for entity in stored where result[entity.name] == nil { result[entity.name] = others[entityNumbers[entity.index]] }
    return result
  }

  /// Takes over the name that an entity's table has.
  private mutating func rename(table index: Int, to name: String) {
    let table = tables[index]
    tables[index] = EntityTable(rootEntity: table.rootEntity, name: name, columns: table.columns)
    for i in indexes.indices where indexes[i].table == table.name { indexes[i].table = name }
  }
}

extension Connection {
  /// Whether a table has an index over the columns of another one: Core Data's earlier versions called them otherwise.
  fileprivate func hasIndex(like index: IndexDefinition) throws(StoreError) -> Bool {
    guard index.condition == nil else { return false }
    let find = try prepare(
      """
      SELECT count(*) FROM pragma_index_list(?) l WHERE l.partial = 0 AND l."unique" >= ? AND ? =
        (SELECT group_concat(upper(name)) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno))
      """)
    find.bind(1, text: index.table)
    find.bind(2, Int64(index.isUnique ? 1 : 0))
    find.bind(3, text: index.columns.joined(separator: ",").uppercased())
    return try find.step() && find.integer(0) > 0
  }
}

/// The tables, columns and indexes that a database really has; all names in upper case.
struct SchemaCatalog {
  /// For each table its columns in order.
  private(set) var tables: [String: [String]] = [:]
  /// The names of the explicit indexes.
  private(set) var indexes = Set<String>()

  init(_ connection: Connection) throws(StoreError) {
    let list = try connection.prepare(
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY c.cid")
    while try list.step() { tables[list.text(0).uppercased(), default: []].append(list.text(1).uppercased()) }
    let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    while try names.step() { indexes.insert(names.text(0).uppercased()) }
  }

  /// The join table as it really is, or `nil` when no table fits.
  func adopt(_ join: JoinTable, taken: Set<String>) -> JoinTable? {
    for candidate in candidates(join) where !taken.contains(candidate.name.uppercased()) {
      guard let columns = tables[candidate.name.uppercased()] else { continue }
      if let fitted = fit(candidate, columns) { return fitted }
    }
    return nil
  }

  /// The expected table and, when both ends are in one entity, the one named after the other end.
  private func candidates(_ join: JoinTable) -> [JoinTable] {
    guard !join.isReflexive, join.master.entity == join.inverse.entity else { return [join] }
    let other = JoinTable(name: join.inverse.targetColumn, master: join.inverse, inverse: join.master)
    return [join, other]
  }

  /// Takes over columns that differ from the expected ones by a numeric suffix only.
  private func fit(_ join: JoinTable, _ columns: [String]) -> JoinTable? {
    guard
      let owner = find(join.master.ownerColumn, in: columns, except: nil),
      let target = find(join.master.targetColumn, in: columns, except: owner)
    else { return nil }
    var result = join
    result.master.ownerColumn = owner
    result.master.targetColumn = target
    result.inverse.ownerColumn = join.isReflexive ? owner : target
    result.inverse.targetColumn = join.isReflexive ? target : owner
    for side in [\JoinTable.master, \JoinTable.inverse] {
      guard let expected = result[keyPath: side].orderColumn else { continue }
      guard let real = find(expected, in: columns, except: nil) else { return nil }
      result[keyPath: side].orderColumn = real
    }
    return result
  }

  private func find(_ expected: String, in columns: [String], except taken: String?) -> String? {
    let expected = expected.uppercased()
    let free = columns.filter { $0 != taken }
    if free.contains(expected) { return expected }
    let stem = String(expected.reversed().drop { $0.isNumber }.reversed())
    return free.first { $0.hasPrefix(stem) && $0.dropFirst(stem.count).allSatisfy(\.isNumber) }
  }
}

/// The greatest entity number that is believed: tables are as long as it, so a damaged one must not decide how long.
private let greatestEntityNumber = 1 << 20
