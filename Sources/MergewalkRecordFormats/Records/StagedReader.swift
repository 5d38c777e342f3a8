/// A parser that cannot stop where a batch is full: a C library's callbacks, or one element that is many records.
protocol PushParser {
  /// The number of columns it stores.
  var columnCount: Int { get }
  var lineEnds: LineEnds { get }

  /// Reads on and appends what records and errors it finds to the batch, any number of them.
  ///
  /// How much it reads must depend on the text, not on how the text arrives.
  ///
  /// - Returns: false at the end of the input.
  mutating func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool
}

extension PushParser {
  var lineEnds: LineEnds { .lineFeed }
}

/// Drives a ``PushParser``: hands out batches of the asked size, and keeps what is beyond for the next one.
struct StagedReader<Parser: PushParser> {
  var parser: Parser
  private let index: Int
  /// Records and errors beyond the last batch, of which some may have been handed out.
  private var rest = RecordBatch()
  private var nextRecord = 0
  private var nextError = 0
  private var failure: ReadError?
  private var isAtEnd = false

  init(_ parser: Parser, index: Int) {
    self.parser = parser
    self.index = index
  }

  /// Fills the batch; see ``RecordReader``.
  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let limit = limit.fitting(columns: parser.columnCount)
    batch.start(columnCount: parser.columnCount, source: index)
    batch.lineEnds = parser.lineEnds
    takeRest(into: &batch, limit)
    while !isFull(batch, limit), !isAtEnd {
      do {
        if try !parser.advance(into: &batch) { isAtEnd = true }
      } catch {
        failure = error
        isAtEnd = true
      }
    }
    keepRest(of: &batch, limit)
    if batch.recordCount + batch.errors.count > 0 { return true }
    if let failure { throw failure }
    return false
  }

  private func isFull(_ batch: RecordBatch, _ limit: BatchLimit) -> Bool {
    batch.recordCount + batch.errors.count >= limit.records || batch.byteCount + batch.errorBytes >= limit.bytes
  }

  /// Moves records from the rest to the batch, in the order of the input.
  private mutating func takeRest(into batch: inout RecordBatch, _ limit: BatchLimit) {
    if nextRecord < rest.recordCount || nextError < rest.errors.count {
      batch.encoding = rest.encoding
      batch.member = rest.member
      batch.scopes = rest.scopes
      batch.lineEnds = rest.lineEnds
    }
    while !isFull(batch, limit) {
      let hasRecord = nextRecord < rest.recordCount
      guard hasRecord || nextError < rest.errors.count else { break }
      let errorIndex = nextError < rest.errors.count ? rest.errors[nextError].recordIndex : .max
      if hasRecord, rest.records[nextRecord].index < errorIndex {
        batch.append(nextRecord, of: rest)
        nextRecord += 1
      } else {
        batch.appendError(rest.errors[nextError])
        nextError += 1
      }
    }
    if nextRecord == rest.recordCount, nextError == rest.errors.count, nextRecord + nextError > 0 {
      rest.clear()
      nextRecord = 0
      nextError = 0
    }
  }

  /// Keeps what is beyond the limit for the next batch.
  private mutating func keepRest(of batch: inout RecordBatch, _ limit: BatchLimit) {
    let (records, errors) = batch.counts(within: limit)
    guard records < batch.recordCount || errors < batch.errors.count else { return }
    rest.start(columnCount: batch.columnCount, source: index)
    rest.member = batch.member
    rest.scopes = batch.scopes
    nextRecord = 0
    nextError = 0
    for record in records..<batch.recordCount { rest.append(record, of: batch) }
    for error in errors..<batch.errors.count { rest.appendError(batch.errors[error]) }
    rest.encoding = batch.encoding
    rest.lineEnds = batch.lineEnds
    batch.truncate(records: records, errors: errors)
  }
}

extension RecordBatch {
  /// How many of the records and of the errors are in the batch when it ends where the limit says.
  fileprivate func counts(within limit: BatchLimit) -> (records: Int, errors: Int) {
    var record = 0
    var error = 0
    while record < recordCount || error < errors.count {
      if record + error >= limit.records { break }
      let errorIndex = error < errors.count ? errors[error].recordIndex : .max
      if record < recordCount, records[record].index < errorIndex {
        if record > 0, Int(records[record].rawStart) >= limit.bytes { break }
        record += 1
      } else {
        error += 1
      }
    }
    return (record, error)
  }
}
