package import MergewalkObjectModel
import MergewalkSQLite

/// Where the store keeps a to-many relationship that is not the inverse of a to-one relationship.
package enum LinkStorage: Hashable {
  /// In the join table at this position of the schema's list.
  case join(Int)
  /// In columns of the destination's table: the to-many relationship at `slot`, declared by `ownerEntity`, has no
  /// inverse, so each destination belongs to one owner at most.
  case reverse(ownerEntity: Int, slot: Int, destinationRoot: RootIndex)
}

/// A pair of related objects as the store keeps it, seen from the owner's side.
///
/// The owner is the object on the master side of a join table, or the object that has the relationship.
package struct LinkRow: Hashable {
  /// The primary key of the owner.
  package var owner: Int64
  /// The primary key of the other object.
  package var target: Int64
  /// The target's position in the owner's relationship, when that is ordered.
  package var order: Int64
  /// The owner's position in the target's relationship, when that is ordered.
  package var inverseOrder: Int64
  /// The index of the owner's own entity; used by columns of a destination's table only.
  package var ownerEntity: Int32

  package init(owner: Int64, target: Int64, order: Int64 = 0, inverseOrder: Int64 = 0, ownerEntity: Int32 = -1) {
    self.owner = owner
    self.target = target
    self.order = order
    self.inverseOrder = inverseOrder
    self.ownerEntity = ownerEntity
  }
}

/// The statements of one relationship that is kept as pairs.
package final class LinkAccess {
  private let connection: Connection
  let source: CellSource
  private let storage: LinkStorage
  private let schema: StoreSchema
  /// Who may bring pairs into the table before they are read.
  var backing: IncrementalBacking?
  let names: Names
  private let entityNumbers: EntityNumberTable
  private var statements: [String: Statement] = [:]

  /// The table and the columns of the pairs; names of columns that the table has not are `nil`.
  struct Names {
    var table: String
    var owner: String
    var target: String
    var order: String?
    var inverseOrder: String?
    var ownerEntity: String?
    var isJoin: Bool
  }

  init(
    _ storage: LinkStorage, number: Int, connection: Connection, schema: StoreSchema,
    entityNumbers: EntityNumberTable
  ) throws(StoreError) {
    self.connection = connection
    self.storage = storage
    self.schema = schema
    self.entityNumbers = entityNumbers
    switch storage {
    case .join(let position):
      let table = schema.joinTables[position]
      names = Names(
        table: table.name, owner: table.master.ownerColumn, target: table.master.targetColumn,
        order: table.master.orderColumn, inverseOrder: table.isReflexive ? nil : table.inverse.orderColumn,
        isJoin: true)
    case .reverse(let ownerEntity, let slot, let destinationRoot):
      let table = schema.table(forRoot: destinationRoot)
      func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
      guard let owner = name(.reverse(ofSlot: slot, ownerEntity: ownerEntity)) else {
        preconditionFailure("\(table.name) has no column for the to-many relationship at slot \(slot)")
      }
      names = Names(
        table: table.name, owner: owner, target: "Z_PK",
        order: name(.reverseOrderKey(ofSlot: slot, ownerEntity: ownerEntity)),
        ownerEntity: name(.reverseEntity(ofSlot: slot, ownerEntity: ownerEntity)), isJoin: false)
    }
    source = try CellSource(name: "mergewalk_links\(number)", columnCount: 5, connection: connection)
  }

  // MARK: Reading

  /// Where the pairs are, seen from one side: the table, its columns for the objects on this side and on the other one,
  /// and the column with the position when there is one; the table is `nil` when it is the other objects' own.
  package func columns(isOwner: Bool) -> (table: String?, own: String, other: String, order: String?) {
    (
      names.isJoin ? names.table : nil, isOwner ? names.owner : names.target, isOwner ? names.target : names.owner,
      isOwner ? names.order : names.inverseOrder
    )
  }

  /// Calls `body` with the other end of every stored pair of an object, and its position when there is one.
  ///
  /// - Parameter isOwner: Whether the object is on the owner's side.
  package func forEachPartner(
    of primaryKey: Int64, isOwner: Bool, _ body: (_ partner: Int64, _ order: Int64) -> Void
  ) throws(StoreError) {
    try backing?.willRead(storage, of: [primaryKey], isOwner: isOwner)
    let (own, other) = isOwner ? (names.owner, names.target) : (names.target, names.owner)
    let order = (isOwner ? names.order : names.inverseOrder) ?? "0"
    let statement = try statement("SELECT \(other), \(order) FROM \(names.table) WHERE \(own) = ?")
    statement.bind(1, primaryKey)
    defer { statement.reset() }
    while try statement.step() { body(statement.integer(0), statement.integer(1)) }
  }

  /// The stored pair of two objects with its positions; `nil` when they are not related.
  package func pair(owner: Int64, target: Int64) throws(StoreError) -> LinkRow? {
    try backing?.willRead(storage, of: [owner], isOwner: true)
    // Only the other side's list has the position there.
    if names.inverseOrder != nil { try backing?.willRead(storage, of: [target], isOwner: false) }
    let statement = try statement(
      "SELECT \(names.order ?? "0"), \(names.inverseOrder ?? "0"), \(names.ownerEntity ?? "0") FROM \(names.table) "
        + "WHERE \(names.owner) = ? AND \(names.target) = ?")
    statement.bind(1, owner)
    statement.bind(2, target)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    // Whoever takes the pair apart may make it again later.
    let entity = names.ownerEntity == nil ? nil : schema.entityIndex(number: Int(statement.integer(2)))
    return LinkRow(
      owner: owner, target: target, order: statement.integer(0), inverseOrder: statement.integer(1),
      ownerEntity: entity.map { Int32($0) } ?? -1)
  }

  /// The owner that the destination's table names for an object; `nil` for none.
  ///
  /// Not for join tables.
  package func storedOwner(of target: Int64) throws(StoreError) -> Int64? {
    try backing?.willRead(storage, of: [target], isOwner: false)
    let statement = try statement("SELECT \(names.owner) FROM \(names.table) WHERE \(names.target) = ?")
    statement.bind(1, target)
    defer { statement.reset() }
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }

  // MARK: Writing

  /// Stores pairs; a pair that is there already takes the new positions.
  package func insert(_ rows: [LinkRow]) throws(StoreError) {
    guard names.isJoin else { return try assign(rows) }
    var columns = [(names.owner, "r.c0"), (names.target, "r.c1")]
    var update: [String] = []
    for (name, value) in [(names.order, "r.c2"), (names.inverseOrder, "r.c3")] {
      guard let name else { continue }
      columns.append((name, value))
      update.append("\(name) = excluded.\(name)")
    }
    let action = update.isEmpty ? "NOTHING" : "UPDATE SET \(update.joined(separator: ", "))"
    try run(
      "INSERT INTO \(names.table) (\(columns.map(\.0).joined(separator: ", "))) "
        + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(source.name) AS r WHERE true "
        + "ON CONFLICT DO \(action)", rows,
      leftOut: "NOT \(exists(columns.map { "\($0) IS \($1)" }))")
  }

  /// Writes the positions of pairs that are stored.
  package func updateOrders(_ rows: [LinkRow]) throws(StoreError) {
    let places = [(names.order, "c2"), (names.inverseOrder, "c3")].compactMap { name, value in
      name.map { (name: $0, value: value) }
    }
    guard !places.isEmpty else { return }
    let assignments = places.map { "\($0.name) = r.\($0.value)" }
    try run(
      "UPDATE \(names.table) SET \(assignments.joined(separator: ", ")) FROM \(source.name) AS r "
        + "WHERE \(names.table).\(names.owner) = r.c0 AND \(names.table).\(names.target) = r.c1", rows,
      leftOut: exists([
        "\(names.owner) = r.c0", "\(names.target) = r.c1",
        isNotGiven([(names.owner, "c0"), (names.target, "c1")] + places),
      ]))
  }

  /// Removes pairs; those that are gone already do not matter.
  package func delete(_ rows: [LinkRow]) throws(StoreError) {
    if names.isJoin {
      try run(
        "DELETE FROM \(names.table) WHERE rowid IN (SELECT j.rowid FROM \(source.name) AS r "
          + "CROSS JOIN \(names.table) AS j ON j.\(names.owner) = r.c0 AND j.\(names.target) = r.c1)", rows,
        leftOut: exists(["\(names.owner) = r.c0", "\(names.target) = r.c1"]))
    } else {
      let columns = [names.owner, names.order, names.ownerEntity].compactMap { $0 }
      try run(
        "UPDATE \(names.table) SET \(columns.map { $0 + " = NULL" }.joined(separator: ", ")) "
          + "FROM \(source.name) AS r WHERE \(names.table).Z_PK = r.c1 AND \(names.table).\(names.owner) = r.c0", rows,
        leftOut: exists(["\(names.owner) = r.c0", "\(names.target) = r.c1"]))
    }
  }

  /// Writes the owners into the destination's rows.
  private func assign(_ rows: [LinkRow]) throws(StoreError) {
    var assignments = ["\(names.owner) = r.c0"]
    if let order = names.order { assignments.append("\(order) = r.c2") }
    if let entity = names.ownerEntity { assignments.append("\(entity) = r.c4") }
    try run(
      "UPDATE \(names.table) SET \(assignments.joined(separator: ", ")) FROM \(source.name) AS r "
        + "WHERE \(names.table).Z_PK = r.c1", rows,
      leftOut: exists(["Z_PK = r.c1", isNotGiven([("Z_PK", "c1"), (names.owner, "c0")])]))
  }

  /// The condition that columns have the values of no pair: of several for one row any may have been written.
  private func isNotGiven(_ columns: [(name: String, value: String)]) -> String {
    "(\(columns.map { "ifnull(\($0.name), '')" }.joined(separator: ", "))) NOT IN "
      + "(SELECT \(columns.map(\.value).joined(separator: ", ")) FROM \(source.name))"
  }

  /// The condition that the table has a row for a pair, `r`.
  private func exists(_ conditions: [String]) -> String {
    "EXISTS (SELECT 1 FROM \(names.table) WHERE \(conditions.joined(separator: " AND ")))"
  }

  /// Runs a statement for pairs.
  ///
  /// - Parameter leftOut: The condition on a pair, `r`, that should hold for none afterwards.
  private func run(_ sql: String, _ rows: [LinkRow], leftOut: String) throws(StoreError) {
    guard !rows.isEmpty else { return }
    let statement = try statement(sql)
    let places = ContiguousArray(0..<Int32(rows.count))
    // One list of numbers after the other, so that one piece of memory holds all five columns.
    let count = rows.count
    var numbers = ContiguousArray<Int64>()
    numbers.reserveCapacity(count * 4)
    for row in rows { numbers.append(row.owner) }
    for row in rows { numbers.append(row.target) }
    for row in rows { numbers.append(row.order) }
    for row in rows { numbers.append(row.inverseOrder) }
    let entities = ContiguousArray(rows.map(\.ownerEntity))
    try numbers.withUnsafeBufferPointer { numbers throws(StoreError) in
      try entities.withUnsafeBufferPointer { entities throws(StoreError) in
        try places.withUnsafeBufferPointer { places throws(StoreError) in
          guard let first = numbers.baseAddress, let entity = entities.baseAddress else { return }
          source.fill(
            rows: places,
            columns: [
              .integers(first), .integers(first + count), .integers(first + 2 * count),
              .integers(first + 3 * count), .entityNumbers(entity, numbers: entityNumbers.numbers),
            ], arena: noBytes)
          defer { source.clear() }
          try statement.run()
          if connection.changes < count,
            try connection.integer("SELECT count(*) FROM \(source.name) AS r WHERE \(leftOut)") ?? 0 > 0
          {
            throw .leftOut(names.table, connection)
          }
        }
      }
    }
  }

  func statement(_ sql: String) throws(StoreError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try connection.prepare(sql)
    statements[sql] = statement
    return statement
  }
}
