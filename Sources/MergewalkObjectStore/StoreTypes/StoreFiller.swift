public import MergewalkObjectModel
import MergewalkSQLite

/// Adds the records of a store kept elsewhere to the store's tables, one after the other.
///
/// ```swift
/// try filler.begin(person, primaryKey: 17, version: 2)
/// try filler.set(.string("Ada"), for: name)
/// try filler.set([StoredReference(company, 3)], for: employer)
/// try filler.end()
/// ```
///
/// Targets of relationships may come later. Both ends of a relationship may be set; the positions in an ordered one are
/// those of its list.
public final class StoreFiller {
  /// The model.
  public var model: ManagedObjectModel { store.model }
  /// The metadata; a store that loads sets those in its file.
  public var metadata: StoreMetadata

  let store: PersistentStore
  /// Whether records may be there already, and what is set replaces what they have.
  private let replaces: Bool
  private var writers: [RootIndex: RowWriter] = [:]
  private var row: RowWriter?
  private var entity: EntityDescription?
  private var primaryKey: Int64 = 0
  private var staged: [Member] = []
  private var stagedKeys: [Int: Int] = [:]
  private var stage: Statement?
  private(set) var maxima: [RootIndex: Int64] = [:]
  /// The records that replaced others or were new, by root entity.
  private(set) var seen: [RootIndex: Set<Int64>] = [:]

  /// A to-many relationship whose members were set.
  private struct Member {
    var table: RelationshipTable
    var sourceRoot: RootIndex
  }

  /// The statement that writes rows of one table.
  private final class RowWriter {
    let statement: Statement
    /// For each slot its parameter, and that of the entity number behind it.
    let parameters: [Int: (value: Int32, entity: Int32?)]

    init(_ store: PersistentStore, root: RootIndex, replaces: Bool) throws(StoreError) {
      let table = store.schema.table(forRoot: root)
      let (names, places) = table.rowColumns
      let update =
        replaces
        ? " ON CONFLICT (Z_PK) DO UPDATE SET "
          + names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ") : ""
      statement = try store.connection.prepare(
        "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES "
          + "(\(names.map { _ in "?" }.joined(separator: ", ")))\(update)")
      // Parameters count from 1.
      parameters = places.mapValues { ($0.value + 1, $0.entity.map { $0 + 1 }) }
    }
  }

  init(_ store: PersistentStore, replaces: Bool) throws(StoreError) {
    self.store = store
    self.replaces = replaces
    metadata = store.file.metadata
    try store.connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS mergewalk_members (relationship INTEGER, owner INTEGER, target INTEGER, "
        + "position INTEGER); DELETE FROM mergewalk_members")
    stage = try store.connection.prepare("INSERT INTO mergewalk_members VALUES (?, ?, ?, ?)")
  }

  // MARK: - Records

  /// Starts a record.
  ///
  /// - Parameters:
  ///   - entity: Its entity, which is not abstract and belongs to the store.
  ///   - primaryKey: Its primary key, above 0.
  ///   - version: The number of saves, from 1.
  /// - Throws: ``StoreError`` with `damagedFile` or `sqlite`.
  public func begin(_ entity: EntityDescription, primaryKey: Int64, version: Int64 = 1) throws(StoreError) {
    guard store.contains(entity), !entity.isAbstract else {
      throw damaged("there are no objects of entity \(entity.name) in the store")
    }
    guard primaryKey > 0, primaryKey < Int64.max else {
      throw damaged("\(primaryKey) is not a primary key: they go from 1 to 2⁶³ - 2")
    }
    let root = entity.root
    if writers[root] == nil {
      writers[root] = try RowWriter(store, root: root, replaces: replaces)
    }
    row = writers[root]
    self.entity = entity
    self.primaryKey = primaryKey
    maxima[root] = max(maxima[root] ?? 0, primaryKey)
    if replaces { seen[root, default: []].insert(primaryKey) }
    guard let statement = row?.statement else { return }
    statement.clearBindings()
    statement.bind(1, primaryKey)
    statement.bind(2, Int64(store.schema.entityNumbers[entity.index]))
    statement.bind(3, max(1, version))
  }

  /// Sets the value of an attribute; attributes that are not set are null.
  ///
  /// Attributes that are not stored are skipped.
  public func set(_ value: AttributeValue, for attribute: AttributeDescription) throws(StoreError) {
    guard let row, let parameter = row.parameters[attribute.slot]?.value else { return }
    if attribute.allowsExternalBinaryDataStorage, case .binary(let bytes) = value {
      row.statement.bind(parameter, copying: [ExternalData.inlineTag] + bytes)
      return
    }
    (QueryBuilder.binding(value)?.0 ?? .null).bind(to: row.statement, parameter)
  }

  /// Sets the records that a relationship refers to; relationships that are not stored are skipped.
  ///
  /// - Throws: ``StoreError`` with `damagedFile` if a to-one relationship gets several.
  public func set(_ references: [StoredReference], for relationship: RelationshipDescription) throws(StoreError) {
    guard let row else { return }
    if relationship.isToMany {
      try setMembers(references, of: primaryKey, for: relationship)
      return
    }
    guard let parameters = row.parameters[relationship.slot] else { return }
    guard references.count <= 1 else {
      throw damaged(
        "\(entity?.name ?? "").\(relationship.name) refers to one object, but \(references.count) are given")
    }
    guard let reference = references.first else { return }
    guard reference.primaryKey > 0 else {
      throw damaged("\(relationship.name) refers to \(reference.primaryKey), which is not a primary key")
    }
    row.statement.bind(parameters.value, reference.primaryKey)
    if let parameter = parameters.entity {
      row.statement.bind(parameter, Int64(store.schema.entityNumbers[reference.entity.index]))
    }
  }

  /// Ends the record.
  ///
  /// - Throws: ``StoreError`` with `damagedFile` if there already is a record with its key or unique values.
  public func end() throws(StoreError) {
    guard let row, let entity else { return }
    self.row = nil
    do {
      try row.statement.run()
    } catch {
      guard let cause = error.cause, cause.kind.isConstraint else { throw error }
      throw damaged("\(entity.name) \(primaryKey) cannot be stored: \(cause.message)")
    }
  }

  /// Records the greatest primary key ever assigned below a root entity.
  public func setMaximum(_ maximum: Int64, of root: EntityDescription) {
    maxima[root.root] = max(maxima[root.root] ?? 0, min(maximum, Int64.max - 1))
  }

  // MARK: - Relationships

  /// Takes the members of a to-many relationship of a record.
  ///
  /// - Parameter positions: Their positions where they are not the usual ones.
  func setMembers(
    _ references: [StoredReference], at positions: [Int64]? = nil, of owner: Int64,
    for relationship: RelationshipDescription
  ) throws(StoreError) {
    let key = relationship.declaringEntity << 32 | relationship.slot
    var number = stagedKeys[key]
    if number == nil {
      guard let table = RelationshipTable(relationship, in: store.schema) else { return }
      number = staged.count
      staged.append(Member(table: table, sourceRoot: store.model.entities[relationship.declaringEntity].root))
      stagedKeys[key] = number
    }
    guard let number, let stage else { return }
    let table = staged[number].table
    // What the rows of the destination say themselves need not be said again.
    if table.kind == .inverse, table.order == nil, !replaces { return }
    if replaces {
      if table.kind == .join {
        // Pairs that stay keep their positions on the other side; no record has this key, but its owner has members.
        stage.bind(1, Int64(number))
        stage.bind(2, owner)
        stage.bind(3, Int64(0))
        stage.bind(4, Int64(0))
        try stage.run()
      } else {
        try store.connection.execute(
          "UPDATE \(table.table) SET \(table.owner) = NULL WHERE \(table.owner) = \(owner)")
      }
    }
    for (index, reference) in references.enumerated() {
      stage.bind(1, Int64(number))
      stage.bind(2, owner)
      stage.bind(3, reference.primaryKey)
      stage.bind(4, positions?[index] ?? OrderKey.usual(index))
      try stage.run()
    }
  }

  /// Writes the relationships, now that all records are there.
  func finish() throws(StoreError) {
    for (number, member) in staged.enumerated() { try write(member.table, number) }
    try store.connection.execute("DELETE FROM mergewalk_members")
    staged.removeAll()
    stagedKeys.removeAll()
    if !replaces { try completeEntities() }
  }

  private func write(_ table: RelationshipTable, _ number: Int) throws(StoreError) {
    let members = "mergewalk_members AS m WHERE m.relationship = \(number) AND m.target > 0"
    var assignments = table.order.map { ["\($0) = m.position"] } ?? []
    switch table.kind {
    case .join:
      if replaces {
        try store.connection.execute(
          "DELETE FROM \(table.table) WHERE \(table.owner) IN (SELECT owner FROM mergewalk_members "
            + "WHERE relationship = \(number)) AND (\(table.owner), \(table.target)) NOT IN (SELECT owner, target "
            + "FROM mergewalk_members WHERE relationship = \(number))")
      }
      let names = [table.owner, table.target] + [table.order].compactMap { $0 }
      let action = table.order.map { "UPDATE SET \($0) = excluded.\($0)" } ?? "NOTHING"
      try store.connection.execute(
        "INSERT INTO \(table.table) (\(names.joined(separator: ", "))) SELECT m.owner, m.target"
          + (table.order == nil ? "" : ", m.position") + " FROM \(members) ON CONFLICT DO \(action)")
      if table.isReflexive {
        try store.connection.execute(
          "INSERT OR IGNORE INTO \(table.table) (\(names.joined(separator: ", "))) SELECT m.target, m.owner"
            + (table.order == nil ? "" : ", m.position") + " FROM \(members)")
      }
      return
    case .reverse:
      assignments.append("\(table.owner) = m.owner")
    case .inverse:
      if replaces { assignments.append("\(table.owner) = m.owner") }
    }
    if let column = table.ownerEntity, table.kind == .reverse || replaces {
      assignments.append("\(column) = (SELECT o.Z_ENT FROM \(table.source) AS o WHERE o.Z_PK = m.owner)")
    }
    guard !assignments.isEmpty else { return }
    let same = table.kind == .inverse && !replaces ? " AND \(table.table).\(table.owner) = m.owner" : ""
    try store.connection.execute(
      "UPDATE \(table.table) SET \(assignments.joined(separator: ", ")) FROM \(members)"
        + " AND \(table.table).Z_PK = m.target\(same)")
  }

  /// Puts the numbers of their own entities beside to-one relationships whose objects were named by an ancestor.
  private func completeEntities() throws(StoreError) {
    for table in store.schema.tables {
      for column in table.columns {
        guard let (name, other) = store.schema.entityColumn(of: column.role, in: table) else { continue }
        try store.connection.execute(
          "UPDATE \(table.name) SET \(name) = d.Z_ENT FROM \(other.name) AS d "
            + "WHERE d.Z_PK = \(table.name).\(column.name) AND \(table.name).\(name) IS NOT d.Z_ENT")
      }
    }
  }

  /// Checks that ``metadata`` belongs to this version of the model, if the store's options require it.
  ///
  /// - Throws: ``StoreError`` with `incompatibleModel`, or `damagedMetadata` if there is no UUID.
  public func checkMetadata() throws(StoreError) {
    guard StoreUUID.isValid(metadata.uuid) else {
      throw StoreError(.damagedMetadata, path: store.path, message: "“\(metadata.uuid)” is not a UUID in upper case")
    }
    try metadata.requireHashes(of: store.schema, path: store.path, options: store.options)
  }

  /// An error about what the file holds.
  func damaged(_ message: String) -> StoreError { StoreError(.damagedFile, path: store.path, message: message) }
}

@available(*, unavailable, message: "a filler is confined to the task of its store")
extension StoreFiller: Sendable {}
