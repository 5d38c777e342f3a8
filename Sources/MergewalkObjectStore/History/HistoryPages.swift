import CMergewalkSQLite
import MergewalkSQLite

/// Transactions in the order of their numbers, read in pages.
struct HistoryTransactionPages {
  private static let size = 128

  private let reader: HistoryReader
  private let statement: Statement
  private let last: Int64
  private let date: Double?
  private var position: Int64
  private var page: [PersistentHistoryTransaction] = []
  private var index = 0
  private var isEnded = false

  /// - Parameter date: Only later transactions are read; seconds since 2001-01-01 00:00:00 UTC.
  init(_ reader: HistoryReader, after position: Int64, through last: Int64, date: Double?) throws(StoreError) {
    self.reader = reader
    self.position = position
    self.last = last
    self.date = date
    let time = reader.layout.transactions.contains("ZTIMESTAMP") ? "t.ZTIMESTAMP" : "NULL"
    let texts = HistoryTables.Origin.allCases.map(reader.column).joined(separator: ", ")
    // A number that is none would not get the reading on.
    let sql =
      "SELECT t.Z_PK, \(time), \(texts) FROM ATRANSACTION AS t WHERE t.Z_PK > ?1 AND t.Z_PK <= ?2 "
      + "AND typeof(t.Z_PK) = 'integer'\(date == nil ? "" : " AND t.ZTIMESTAMP > ?3") ORDER BY t.Z_PK LIMIT \(Self.size)"
    statement = try reader.store.connection.prepare(sql)
  }

  /// The next transaction, without changes; `nil` at the end.
  mutating func next() throws(StoreError) -> PersistentHistoryTransaction? {
    if index == page.count { try read() }
    guard index < page.count else { return nil }
    defer { index += 1 }
    return page[index]
  }

  private mutating func read() throws(StoreError) {
    page.removeAll(keepingCapacity: true)
    index = 0
    if isEnded { return }
    try reader.requireOpen()
    statement.bind(1, position)
    statement.bind(2, last)
    if let date { statement.bind(3, date) }
    defer { statement.reset() }
    while try statement.step() { page.append(transaction(statement)) }
    isEnded = page.count < Self.size
    position = page.last?.transactionNumber ?? last
  }

  private func transaction(_ row: Statement) -> PersistentHistoryTransaction {
    let number = row.integer(0)
    let hasTime = row.type(1) == SQLITE_INTEGER || row.type(1) == SQLITE_FLOAT
    func text(_ origin: HistoryTables.Origin) -> String? {
      let column = Int32(2 + origin.rawValue)
      return row.type(column) == SQLITE_TEXT ? row.text(column) : nil
    }
    return PersistentHistoryTransaction(
      transactionNumber: number, storeID: reader.store.identifier, timestamp: hasTime ? row.double(1) : 0,
      author: text(.author), contextName: text(.contextName), bundleID: text(.bundleID), processID: text(.processID),
      token: PersistentHistoryToken(store: reader.store, number: number))
  }
}

/// Changes in the order of their transactions and of their own numbers, read in pages.
struct HistoryChangePages {
  private static let size = 512

  /// A change that was read.
  struct Read {
    let transaction: Int64
    /// The change; `nil` when it makes no sense.
    let change: PersistentHistoryChange?
  }

  private let reader: HistoryReader
  private let statement: Statement
  private let last: Int64
  private var decoder: HistoryDecoder
  private var position: (transaction: Int64, change: Int64)
  private var page: [Read] = []
  private var index = 0
  private var isEnded = false

  /// - Parameter condition: Which changes are wanted, as SQL that follows other conditions.
  init(
    _ reader: HistoryReader, after transaction: Int64, through last: Int64, condition: String
  ) throws(StoreError) {
    self.reader = reader
    self.last = last
    let decoder = HistoryDecoder(reader)
    self.decoder = decoder
    position = (transaction, Int64.max)
    // Numbers that are none belong to no transaction, and would not get the reading on.
    let sql =
      "SELECT \(decoder.columns.joined(separator: ", ")) FROM ACHANGE WHERE ZTRANSACTIONID >= ?1 "
      + "AND (ZTRANSACTIONID, Z_PK) > (?1, ?2) AND ZTRANSACTIONID <= ?3 AND typeof(ZTRANSACTIONID) = 'integer' "
      + "AND typeof(Z_PK) = 'integer'\(condition) ORDER BY ZTRANSACTIONID, Z_PK LIMIT \(Self.size)"
    statement = try reader.store.connection.prepare(sql)
  }

  /// The next change of a transaction; `nil` when it has no more.
  ///
  /// Changes of earlier transactions are skipped.
  mutating func next(of transaction: Int64) throws(StoreError) -> Read? {
    while true {
      if index == page.count {
        // Whole transactions that are not wanted are not read.
        if position.transaction < transaction { position = (transaction - 1, Int64.max) }
        try read()
      }
      guard index < page.count else { return nil }
      let read = page[index]
      if read.transaction > transaction { return nil }
      index += 1
      if read.transaction == transaction { return read }
    }
  }

  private mutating func read() throws(StoreError) {
    page.removeAll(keepingCapacity: true)
    index = 0
    if isEnded { return }
    try reader.requireOpen()
    statement.bind(1, position.transaction)
    statement.bind(2, position.change)
    statement.bind(3, last)
    defer { statement.reset() }
    while try statement.step() {
      position = (statement.integer(1), statement.integer(0))
      page.append(Read(transaction: position.transaction, change: decoder.change(statement)))
    }
    isEnded = page.count < Self.size
  }
}
