import MergewalkSQLite

/// Queries of an import of whole lists: for many objects at once, each in one statement.
extension LinkAccess {
  /// Calls `body` with every stored pair of some objects.
  ///
  /// - Parameters:
  ///   - keys: The primary keys of the objects, ascending for speed.
  ///   - isOwner: Whether the objects are on the owner's side.
  /// - Complexity: One statement.
  package func forEachPair(
    of keys: [Int64], isOwner: Bool, _ body: (LinkRow) -> Void
  ) throws(StoreError) {
    guard !keys.isEmpty else { return }
    let own = isOwner ? names.owner : names.target
    let statement = try statement(
      "SELECT j.\(names.owner), j.\(names.target), \(names.order.map { "j." + $0 } ?? "0"), "
        + "\(names.inverseOrder.map { "j." + $0 } ?? "0") "
        + "FROM \(source.name) AS k CROSS JOIN \(names.table) AS j ON j.\(own) = k.c0")
    try withKeys(keys) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() {
        body(
          LinkRow(
            owner: statement.integer(0), target: statement.integer(1), order: statement.integer(2),
            inverseOrder: statement.integer(3)))
      }
    }
  }

  /// The greatest positions that owners have in the ordered relationships of some targets.
  ///
  /// - Complexity: One statement.
  package func lastInverseOrders(
    of targets: [Int64], isOwner: Bool
  ) throws(StoreError) -> [Int64: Int64] {
    guard !targets.isEmpty, let order = isOwner ? names.inverseOrder : names.order else { return [:] }
    let own = isOwner ? names.target : names.owner
    let statement = try statement(
      "SELECT k.c0, max(j.\(order)) FROM \(source.name) AS k CROSS JOIN \(names.table) AS j ON j.\(own) = k.c0 "
        + "GROUP BY k.c0")
    var found: [Int64: Int64] = [:]
    try withKeys(targets) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() { found[statement.integer(0)] = statement.integer(1) }
    }
    return found
  }

  private func withKeys(_ keys: [Int64], _ body: () throws(StoreError) -> Void) throws(StoreError) {
    let places = ContiguousArray(0..<Int32(keys.count))
    try keys.withUnsafeBufferPointer { keys throws(StoreError) in
      try places.withUnsafeBufferPointer { places throws(StoreError) in
        guard let first = keys.baseAddress else { return }
        source.fill(
          rows: places, columns: Array(repeating: .integers(first), count: 5), arena: noBytes)
        defer { source.clear() }
        try body()
      }
    }
  }
}

extension TableAccess {
  /// Calls `body` with every row whose to-one relationship at `slot` refers to one of some objects.
  ///
  /// - Parameter owners: The primary keys of the objects, ascending for speed.
  /// - Complexity: One statement.
  package func forEachMember(
    slot: Int, of owners: [Int64], _ buffer: RowBuffer,
    _ body: (_ owner: Int64, _ primaryKey: Int64, _ order: Int64) -> Void
  ) throws(StoreError) {
    guard !owners.isEmpty else { return }
    try backing?.willRead(root: table.rootEntity, referringBy: slot, to: owners)
    let order = table.orderKeyColumn(slot: slot).map { "t." + $0 } ?? "0"
    let statement = try objectStatement(
      "SELECT k.c0, t.Z_PK, ifnull(\(order), 0) FROM \(primaryKeySource.name) AS k CROSS JOIN \(table.name) AS t "
        + "ON t.\(column(slot)) = k.c0")
    try withPrimaryKeys(owners, buffer) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() { body(statement.integer(0), statement.integer(1), statement.integer(2)) }
    }
  }

  /// Fetches the rows whose to-one relationship at `slot` refers to one of some objects and appends them to the buffer,
  /// in the order of the objects.
  ///
  /// - Parameters:
  ///   - owners: The primary keys of the objects, ascending for speed.
  ///   - slots: The columns to fetch, `slot` among them; the cells of other slots stay null.
  /// - Complexity: One statement.
  package func fetchMembers(
    slot: Int, of owners: [Int64], slots: [Int], into buffer: RowBuffer
  ) throws(StoreError) {
    guard !owners.isEmpty else { return }
    try backing?.willRead(root: table.rootEntity, referringBy: slot, to: owners)
    let statement = try objectStatement(
      "SELECT \(selectList(slots)) FROM \(primaryKeySource.name) AS k CROSS JOIN \(table.name) AS t "
        + "ON t.\(column(slot)) = k.c0")
    let reader = FetchedRowReader(self, slots: slots)
    try withPrimaryKeys(owners, buffer) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() { reader.append(statement, to: buffer) }
    }
  }
}
