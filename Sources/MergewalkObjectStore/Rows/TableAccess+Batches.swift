import MergewalkSQLite

/// Rows by their primary keys, as fetch requests want them.
extension TableAccess {
  /// The reader of rows with the columns of some slots.
  package func reader(_ slots: [Int], _ options: FetchedRowReader.Options) -> FetchedRowReader {
    FetchedRowReader(self, slots: slots, options: options)
  }

  /// Fetches the rows with primary keys, in one statement; keys that are not in the table yield nothing.
  ///
  /// - Parameters:
  ///   - keys: Ascending for speed.
  ///   - slots: The slots that are fetched; `nil` for all.
  package func fetchRows(
    primaryKeys keys: [Int64], slots: [Int]? = nil, options: FetchedRowReader.Options = .init(), into buffer: RowBuffer
  ) throws(StoreError) {
    guard !keys.isEmpty else { return }
    try backing?.willRead(root: table.rootEntity, primaryKeys: keys)
    let slots = slots ?? storedSlots
    let statement = try objectStatement(fetchSQL(slots: slots))
    try withPrimaryKeys(keys, buffer) { () throws(StoreError) in
      try reader(slots, options).read(statement, into: buffer)
    }
  }

  /// The rows that are related to objects, in one statement.
  ///
  /// - Parameters:
  ///   - owners: The primary keys of the objects, ascending.
  ///   - join: The table of the pairs with its columns for the owners and for these rows, or `nil` when the rows
  ///     themselves name their owners.
  ///   - ownerColumn: The column with the owner's primary key.
  ///   - orderColumn: The column with the position in the relationship.
  ///   - body: Is called with each owner, in their order, and the place of a row that belongs to it.
  package func fetchMembers(
    of owners: [Int64], join: (table: String, other: String)?, ownerColumn: String, orderColumn: String?,
    options: FetchedRowReader.Options, into buffer: RowBuffer,
    body: (_ owner: Int64, _ row: Int, _ order: Int64) -> Void
  ) throws(StoreError) {
    guard !owners.isEmpty else { return }
    try backing?.willRead(table: join?.table ?? table.name, membersBy: ownerColumn, of: owners)
    let pairs = join == nil ? "t" : "j"
    let order = orderColumn.map { "\(pairs).\($0)" } ?? "0"
    let source =
      join.map { join in
        "\(join.table) AS j ON j.\(ownerColumn) = k.c0 CROSS JOIN \(table.name) AS t ON t.Z_PK = j.\(join.other)"
      } ?? "\(table.name) AS t ON t.\(ownerColumn) = k.c0"
    let statement = try objectStatement(
      "SELECT \(selectList(storedSlots)), k.c0, \(order) FROM \(primaryKeySource.name) AS k CROSS JOIN \(source)")
    let last = statement.columnCount - 2
    let reader = reader(storedSlots, options)
    if backing != nil, join == nil, case .slot(let slot)? = table.columns.first(where: { $0.name == ownerColumn })?.role
    {
      for owner in owners { try takeOrderKeys(slot: slot, target: owner, in: buffer) }
    }
    try withPrimaryKeys(owners, buffer) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() {
        try FetchedRowReader.checkRoom(in: buffer, statement)
        let row = reader.readRow(statement, into: buffer)
        body(statement.integer(last), row, statement.integer(last + 1))
      }
    }
  }
}
