import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkRecordFormats

/// Reads the rows of a statement as records.
struct SQLiteRecordReader: RecordReader {
  let columns: [String]
  private let index: Int
  private let database: SourceDatabase
  private let rows: DatabaseRows
  /// Denies what is no reading, as long as a query from outside may run.
  private let query: GuardedQuery?
  /// The statement's columns that are stored.
  private let positions: [Int32]
  private let blobs: SQLiteSourceOptions.Blobs
  private let limit: Double
  /// The seconds of processor time that a recursive statement may still take; nil for one that ends by itself.
  private var secondsLeft: Double?
  private var builder: RowRecordBuilder
  private var recordCount = 0
  private var isAtEnd = false
  private var failure: ReadError?

  /// Opens a database and prepares to read its rows.
  init(
    source: ByteSource, options: SQLiteSourceOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    database = try SourceDatabase(source)
    self.index = index
    blobs = options.blobs
    limit = options.recursionSeconds
    switch options.rows {
    case .query(let text):
      let query = try Self.prepare(text, database)
      self.query = query
      rows = query.rows
      let names = (0..<query.rows.columnCount).map { query.rows.columnName($0) }
      (columns, positions) = try Self.choose(request, names, database.path)
    case .onlyTable, .table:
      var name: String?
      if case .table(let wanted) = options.rows { name = wanted }
      let table = try SourceTable(named: name, in: database)
      var chosen = table.columns
      if case .named(let wanted) = request {
        for name in wanted where !table.columns.contains(name) {
          throw Self.missing(name, table.columns, "“\(table.name)”", database.path)
        }
        chosen = wanted
      }
      columns = chosen
      positions = chosen.indices.map { Int32($0) }
      if table.isView {
        let query = try Self.prepare(table.query(chosen), database)
        self.query = query
        rows = query.rows
      } else {
        query = nil
        do throws(StoreError) {
          rows = try database.reading.rows(table.query(chosen))
        } catch {
          throw database.failure(error)
        }
      }
    }
    if query?.isRecursive == true { secondsLeft = limit }
    builder = RowRecordBuilder(columns: columns, maxRecordBytes: options.maxRecordBytes)
  }

  var bytesRead: Int { database.bytesRead }

  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let limit = limit.fitting(columns: columns.count)
    batch.start(columnCount: columns.count, source: index)
    if let failure { throw failure }
    let count: Int
    if let left = secondsLeft {
      let start = SystemClock.ofThread
      count = database.reading.interruptible(
        { SystemClock.ofThread - start > left }, { readRows(into: &batch, limit: limit) })
      secondsLeft = left - (SystemClock.ofThread - start)
    } else {
      count = readRows(into: &batch, limit: limit)
    }
    if count > 0 { return true }
    if let failure { throw failure }
    return false
  }

  /// Appends rows up to a limit, and says how many; what ends them too early is the failure.
  private mutating func readRows(into batch: inout RecordBatch, limit: BatchLimit) -> Int {
    var count = 0
    while !isAtEnd, count < limit.records, batch.byteCount + batch.errorBytes < limit.bytes {
      do throws(StoreError) {
        guard try rows.step() else {
          isAtEnd = true
          database.close()
          break
        }
      } catch {
        failure = rowFailure(error)
        isAtEnd = true
        database.close()
        break
      }
      for position in positions { append(position) }
      builder.endRecord(index: recordCount, into: &batch)
      recordCount += 1
      count += 1
    }
    return count
  }

  /// Appends a value by what the row has, whatever the column was declared as.
  @inline(__always)
  private mutating func append(_ position: Int32) {
    switch rows.storage(position) {
    case .null: builder.null()
    case .integer: builder.integer(rows.integer(position))
    case .real: builder.double(rows.double(position))
    case .blob:
      let bytes = rows.bytes(position)
      switch blobs {
      case .base64: builder.base64(bytes)
      case .hex: builder.hexadecimal(bytes)
      case .text: builder.text(bytes)
      }
    case .text:
      if database.isUTF16 { appendUTF16(position) } else { builder.text(rows.bytes(position)) }
    }
  }

  /// Appends a text of a database that keeps UTF-16; SQLite itself would repair what is none.
  private mutating func appendUTF16(_ position: Int32) {
    let units = rows.utf16(position)
    guard var text = String(validating: units, as: UTF16.self) else {
      let column = positions.firstIndex(of: position).map { columns[$0] } ?? ""
      var repaired = String(decoding: units, as: UTF16.self)
      return repaired.withUTF8 {
        builder.unreadable(
          .invalidText, "the text of “\(column)” is not valid UTF-16", shownAs: UnsafeRawBufferPointer($0))
      }
    }
    text.withUTF8 { builder.text(UnsafeRawBufferPointer($0)) }
  }

  /// A failure behind the rows that were read.
  private func rowFailure(_ error: StoreError) -> ReadError {
    var failure = database.failure(error)
    failure.position = SourcePosition(line: recordCount + 1, column: 1, byteOffset: 0)
    if error.cause?.kind == .interrupted {
      failure.code = .recursionLimit
      failure.message =
        "the recursive query has taken \(limit) s of processor time for \(PrintableText.count(recordCount, "row"))"
        + " and has not ended; if it "
        + "must end by itself, give it a condition or LIMIT, or raise “recursion_time”"
      return failure
    }
    // Errors that the statement itself makes, such as a sum beyond 64 bits, and what the guard denies.
    guard let cause = error.cause, Self.isOfStatement(cause.kind) else { return failure }
    failure.code = .invalidQuery
    failure.message = "the query failed after \(PrintableText.count(recordCount, "row")): \(cause.message)"
    return failure
  }

  /// Whether a failure is the statement's own fault.
  private static func isOfStatement(_ kind: DatabaseFailure.Kind) -> Bool {
    kind == .statement || kind == .tooLarge || kind == .overflow
  }

  // MARK: Preparing

  private static func prepare(_ text: String, _ database: SourceDatabase) throws(ReadError) -> GuardedQuery {
    do throws(QueryFailure) {
      return try database.reading.query(text)
    } catch {
      switch error {
      case .refused(let reason):
        throw ReadError(
          .invalidQuery, path: database.path,
          message: "the query \(reason); only a single SELECT, WITH or VALUES that reads this database is run")
      case .store(let error):
        guard let cause = error.cause, isOfStatement(cause.kind) else { throw database.failure(error) }
        throw ReadError(.invalidQuery, path: database.path, message: "the query cannot be read: \(cause.message)")
      }
    }
  }

  /// The columns of a query that are stored, and where they are.
  private static func choose(
    _ request: ColumnRequest, _ names: [String], _ path: String
  ) throws(ReadError) -> ([String], [Int32]) {
    var known: [String: Int32] = [:]
    var folded: Set<String> = []
    for (position, name) in names.enumerated() {
      if name.isEmpty {
        throw ReadError(
          .emptyHeader, path: path, message: "column \(position + 1) of the query has no name; give it one with AS",
          hasCure: true)
      }
      if !folded.insert(name.lowercased()).inserted {
        throw ReadError(
          .duplicateHeader, path: path,
          message: "two columns of the query are called “\(name)”; give one of them another name with AS",
          hasCure: true)
      }
      known[name] = Int32(position)
    }
    guard case .named(let wanted) = request else { return (names, names.indices.map { Int32($0) }) }
    var positions: [Int32] = []
    for name in wanted {
      guard let position = known[name] else { throw missing(name, names, "the query", path) }
      positions.append(position)
    }
    return (wanted, positions)
  }

  private static func missing(
    _ name: String, _ names: [String], _ place: String, _ path: String
  ) -> ReadError {
    ReadError(
      .missingColumn, path: path, message: "\(place) has no column “\(name)”; \(SourceTable.hint(name, names))")
  }
}
