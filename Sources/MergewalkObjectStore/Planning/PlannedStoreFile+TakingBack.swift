import CMergewalkSQLite
package import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// Finds the rows that a planned run has changed and changed back.
  ///
  /// Large values in files are compared by what they are: rows name the files again that they named before the run, and
  /// the others go. What the store derives from other objects does not matter, nor does a row's position in an ordered
  /// relationship, which belongs to the owner. Rows have the times again that they were saved before the run. It has a
  /// transaction of its own; done once more, it does nothing.
  ///
  /// - Parameters:
  ///   - lists: To-many relationships of the hierarchy that have to be what they were as well.
  ///   - onlyFinds: Whether all rows stay as they are.
  /// - Returns: The rows that are what they were before the run.
  package func takeBackChanges(
    root: RootIndex, primaryKeys: [Int64], lists: [RelationshipDescription], onlyFinds: Bool = false
  ) throws(StoreError) -> [Int64] {
    guard case .plannedFile(let file) = undo else { return [] }
    try begin()
    let entity = schema.table(forRoot: root)
    let large = schema.model.family(of: root).flatMap(\.attributes).filter(\.allowsExternalBinaryDataStorage)
      .compactMap { entity.columnName(slot: $0.slot) }
    let taken = try file.takeBackChanges(
      entity.name, primaryKeys, without: schema.computedColumns[entity.name, default: []].union(entity.positionColumns),
      files: Set(large), times: schema.timeColumns(of: entity.name), lists: lists.compactMap(schema.memberQuery),
      onlyFinds: onlyFinds)
    try externalFiles.add(obsolete: taken.left)
    try commit()
    externalFiles.keep(taken.named)
    return taken.rows
  }
}

extension StoreSchema {
  /// For each table, the columns that the store computes from other objects.
  var computedColumns: [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for attribute in derivedAttributes where attribute.value != nil {
      columns[attribute.table, default: []].insert(attribute.column)
    }
    for attribute in countedAttributes { columns[attribute.table, default: []].insert(attribute.column) }
    return columns
  }

  /// The columns of a table with the time of a save, from which no other value is taken.
  fileprivate func timeColumns(of table: String) -> Set<String> {
    let sources = Set(derivedAttributes.compactMap(\.source))
    return Set(derivedAttributes.filter { $0.table == table && $0.value == nil }.map(\.column)).subtracting(sources)
  }

  /// The statement that reads the keys of an object's members in a to-many relationship, in their order if they have one;
  /// `nil` for a relationship that is not stored.
  fileprivate func memberQuery(_ relationship: RelationshipDescription) -> String? {
    func query(_ table: String, _ owner: String, _ member: String, _ order: String?) -> String {
      "SELECT \(member) FROM \(table) WHERE \(owner) = ?1 ORDER BY \(order.map { $0 + ", " } ?? "")\(member)"
    }
    let (entity, slot) = (relationship.declaringEntity, relationship.slot)
    if let table = joinTable(entity: entity, slot: slot), let side = table.side(entity: entity, slot: slot) {
      return query(table.name, side.ownerColumn, side.targetColumn, side.orderColumn)
    }
    let table = table(forRoot: model.entities[relationship.destinationEntity].root)
    if relationship.inverseSlot >= 0 {
      let inverse = relationship.inverseSlot
      return table.columnName(slot: inverse).map { query(table.name, $0, "Z_PK", table.orderKeyColumn(slot: inverse)) }
    }
    func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
    return name(.reverse(ofSlot: slot, ownerEntity: entity)).map {
      query(table.name, $0, "Z_PK", name(.reverseOrderKey(ofSlot: slot, ownerEntity: entity)))
    }
  }
}

extension EntityTable {
  /// The columns with positions in ordered relationships of other objects.
  fileprivate var positionColumns: [String] {
    columns.filter { column in
      switch column.role {
      case .orderKey, .reverseOrderKey: true
      default: false
      }
    }.map(\.name)
  }
}

extension PlannedStoreFile {
  /// - Parameters:
  ///   - other: The columns that do not matter.
  ///   - files: The columns whose values may be in files.
  ///   - times: The columns with the time of a save.
  ///   - lists: Statements that read the members of an object.
  ///   - onlyFinds: Whether all rows stay as they are.
  /// - Returns: The rows, the files that they named and no longer do, and those that they name again.
  fileprivate func takeBackChanges(
    _ table: String, _ primaryKeys: [Int64], without other: Set<String>, files: Set<String>, times: Set<String>,
    lists: [String], onlyFinds: Bool
  ) throws(StoreError) -> (rows: [Int64], left: Set<String>, named: Set<String>) {
    let columns = try TableColumns(table, base)
    let own = columns.names.indices.filter { columns.names[$0] != "Z_OPT" && !other.contains(columns.names[$0]) }
    let large = Set(own.filter { files.contains(columns.names[$0]) })
    let timed = Set(own.filter { times.contains(columns.names[$0]) })
    let select = "SELECT \(columns.list(withRow: false)) FROM \(columns.table) WHERE Z_PK = ?1"
    let (now, before) = (try overlay.prepare(select), try base.prepare(select))
    // None of these rows waits: a row that waits was written once, and so differs.
    now.use = .bookkeeping
    var members: [(now: Statement, before: Statement)] = []
    for query in lists { try members.append((overlay.prepare(query), base.prepare(query))) }
    var same: [Int64] = []
    var (left, named) = (Set<String>(), Set<String>())
    for key in primaryKeys {
      if waits(key, table) { continue }
      now.bind(1, key)
      before.bind(1, key)
      defer {
        now.reset()
        before.reset()
      }
      guard try now.step(), try before.step() else { continue }
      // The files are compared last, as they are read for it.
      let others = own.filter { !RowTransfer.areSame(now, before, Int32($0)) }
      let values = others.filter { !timed.contains($0) }
      guard values.allSatisfy(large.contains), try haveSameMembers(key, members),
        values.allSatisfy({ haveSameValue(now.bytes(Int32($0)), before.bytes(Int32($0))) })
      else { continue }
      same.append(key)
      if onlyFinds { continue }
      for column in values.lazy.map({ Int32($0) }) {
        if let name = ExternalData.fileName(Array(now.bytes(column))) { left.insert(name) }
        if let name = ExternalData.fileName(Array(before.bytes(column))) { named.insert(name) }
      }
      now.reset()
      for column in others { try set(columns, column, of: key, as: before) }
    }
    return (same, left, named)
  }

  /// Whether an object has the members that it had before the run.
  private func haveSameMembers(
    _ key: Int64, _ lists: [(now: Statement, before: Statement)]
  ) throws(StoreError) -> Bool {
    for (now, before) in lists {
      now.bind(1, key)
      before.bind(1, key)
      defer {
        now.reset()
        before.reset()
      }
      var goesOn = true
      while goesOn {
        goesOn = try now.step()
        guard try before.step() == goesOn, !goesOn || now.integer(0) == before.integer(0) else { return false }
      }
    }
    return true
  }

  /// Whether two cells of large values stand for the same bytes, in whatever files they are.
  private func haveSameValue(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard !left.isEmpty, !right.isEmpty else { return false }
    return ExternalData.bytes(Array(left), store: base.path).flatMap { bytes in
      ExternalData.bytes(Array(right), store: base.path).map { $0 == bytes }
    } ?? false
  }

  /// Makes one cell of a planned row what it is in another one.
  private func set(_ columns: TableColumns, _ column: Int, of key: Int64, as row: Statement) throws(StoreError) {
    let update = try overlay.prepare(
      "UPDATE \(columns.table) SET \(SQLQuoting.name(columns.names[column])) = ?2 WHERE Z_PK = ?1")
    update.use = .bookkeeping
    update.bind(1, key)
    sqlite3_bind_value(update.handle, 2, sqlite3_column_value(row.handle, Int32(column)))
    try update.run()
  }
}
