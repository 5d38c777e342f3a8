import MergewalkDiagnostics

/// Drives a parser over a text stream: fills batches, carries the unused tail of one batch to the next, grows memory.
///
/// Bytes are read straight into the batch. What a batch does not use (a partial record, or whole records beyond the
/// limit) is copied to `carry` once and handed out from there piece by piece, so that small batches do not move a large
/// tail again and again. An incomplete record is parsed again only when the text behind the cursor has doubled, which
/// keeps the work linear in the length of the longest record.
struct StreamingReader<Parser: RecordParser> {
  var parser: Parser
  private var stream: TextStream
  private let maxRecordBytes: Int

  /// Text that was read and not used: `carry[carryStart..<carryEnd]`.
  private var carry: ContiguousArray<UInt8> = []
  private var carryStart = 0
  private var carryEnd = 0
  /// The offset in the decoded text of the first unused byte.
  private var offset = 0
  private var check = TextCheck()
  private var atEnd = false
  private var failure: ReadError?
  /// Why the stream cannot be read further; what was read of it before may not be used yet.
  private var streamFailure: ReadError?
  /// The average record length so far, to read about what a batch needs.
  private var averageRecord = 128

  /// The number of bytes that the parsers may read behind the text.
  static var padding: Int { 64 }
  private static var largestRead: Int { 1 << 20 }
  private static var smallestRead: Int { 1 << 12 }

  init(
    _ source: any ByteStream, parser: Parser, encoding: TextEncoding, maxRecordBytes: Int
  ) throws(ReadError) {
    stream = TextStream(source, encoding: encoding)
    self.parser = parser
    // Half a GiB of records, one more record as long, and both unescaped, stay below what UInt32 can address.
    self.maxRecordBytes = min(max(1, maxRecordBytes), 1 << 29)
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }
  /// Whether the text is the input's bytes; known once something was read.
  var isUTF8: Bool { stream.isUTF8 }

  /// Fills the batch; see `RecordReader`.
  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let found = try parse(into: &batch, limit: limit, keep: false) != nil
    batch.account += parser.account
    parser.account.removeAll()
    return found
  }

  /// Fills a batch with the next records, which stay unread; what is skipped before a full batch does not.
  ///
  /// - Returns: the parser behind the records; nil at the end of the input.
  mutating func peek(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Parser? {
    try parse(into: &batch, limit: limit, keep: true)
  }

  private mutating func parse(
    into batch: inout RecordBatch, limit: BatchLimit, keep: Bool
  ) throws(ReadError) -> Parser? {
    let limit = limit.fitting(columns: parser.columnCount)
    batch.clear(columnCount: parser.columnCount)
    batch.lineEnds = Parser.lineEnds
    if let failure { throw failure }
    while true {
      let before = keep ? (parser, check) : nil
      var window = ParseWindow(origin: offset, cursor: 0, end: 0, isLast: false)
      var carried = 0
      let isFull = fill(&batch, &window, &carried, limit: limit)
      let count = batch.recordCount + batch.errors.count
      let isKept = keep && (count > 0 || !isFull)
      let used = max(window.cursor, window.kept)
      if let map = stream.map {
        batch.encoding = stream.encoding
        batch.mapOffsets(map, origin: window.origin, end: window.end)
        if !isKept { forgetOffsets(batch, window) }
      }
      let behind = parser
      if let before, isKept {
        window.cursor = 0
        (parser, check) = before
      } else {
        account(for: batch, window)
      }
      store(batch, window, carried: carried)
      if isKept, let met = failure {
        // Reading again meets it again.
        failure = nil
        if count == 0 { throw met }
      }
      // What was passed over filled a batch: its memory is used again.
      if count == 0, isFull { continue }
      batch.byteCount = used
      batch.unescapeFields()
      if count > 0 {
        averageRecord = max(1, used / count)
        return behind
      }
      if let failure { throw failure }
      return nil
    }
  }

  /// Parses until the batch is full, the input ends, or nothing more can be read of it.
  ///
  /// - Returns: whether the batch is full.
  private mutating func fill(
    _ batch: inout RecordBatch, _ window: inout ParseWindow, _ carried: inout Int, limit: BatchLimit
  ) -> Bool {
    var wanted = 1
    // Why there is no more text: records may have become whole before that.
    var met: ReadError?
    while true {
      if met == nil, window.end - window.cursor < wanted, !window.isLast {
        do { try readMore(&batch, &window, &carried, limit: limit, wanted: wanted) } catch { met = error }
      }
      switch parser.parse(into: &batch, window: &window, limit: limit, check: &check) {
      case .full: return true
      case .needsSpace: batch.reserveRecords(max(64, batch.recordCount * 2))
      case .failed(let problem):
        failure = ReadError(mapped(problem, batch, window), path: path)
        return false
      case .needsInput:
        let open = window.end - window.cursor
        if isTooLong(batch, window) {
          switch parser.refuseLong(into: &batch, window: &window, limit: maxRecordBytes) {
          case .failed(let problem):
            failure = ReadError(mapped(problem, batch, window), path: path)
            return false
          case .full: return true
          case .needsInput, .needsSpace: break
          }
        }
        if let met {
          failure = met
          return false
        }
        if window.isLast { return false }
        // So much tells that a record is too long.
        wanted = max(1, open + 1, min(2 * open, maxRecordBytes + 2))
      }
    }
  }

  /// Whether the unfinished record at the cursor is longer than one may be.
  ///
  /// A CR at the end may be the line's end, and what seems to be a mark stands before the record: these do not count. Only
  /// so many marks are waited for that memory stays bounded.
  private func isTooLong(_ batch: RecordBatch, _ window: ParseWindow) -> Bool {
    let (start, end) = (window.cursor, window.end)
    let counted = end > start && batch.bytes[end - 1] == 13 ? end - start - 1 : end - start
    if counted <= maxRecordBytes { return false }
    if window.isLast || counted > Self.smallestRead { return true }
    return batch.bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { !ByteOrderMark.isBegun($0, ByteOrderMark.endOfAll($0, start, end), end) } ?? true
    }
  }

  /// Counts the text that the window moved over.
  private mutating func account(for batch: RecordBatch, _ window: ParseWindow) {
    parser.account.bytes += window.cursor
    if window.origin == 0, window.cursor >= 3, Self.hasMark(batch) {
      parser.account.skipped.add(.byteOrderMark, lines: 0, bytes: 3)
    }
  }

  private static func hasMark(_ batch: RecordBatch) -> Bool {
    batch.bytes[0] == 0xEF && batch.bytes[1] == 0xBB && batch.bytes[2] == 0xBF
  }

  /// A failure with its offset in the file in place of that in the decoded text.
  private func mapped(_ failure: ParseFailure, _ batch: RecordBatch, _ window: ParseWindow) -> ParseFailure {
    guard let map = stream.map else { return failure }
    var failure = failure
    var cursor = map.cursor()
    failure.position.byteOffset = batch.bytes.withUnsafeBytes { all in
      map.raw(
        of: failure.position.byteOffset, &cursor, UnsafeRawBufferPointer(rebasing: all[..<window.end]),
        origin: window.origin)
    }
    return failure
  }

  /// Releases the offsets of what the batch used.
  private mutating func forgetOffsets(_ batch: RecordBatch, _ window: ParseWindow) {
    batch.bytes.withUnsafeBytes { all in
      let text = UnsafeRawBufferPointer(rebasing: all[..<window.end])
      stream.map?.forget(before: window.origin + window.cursor, text, origin: window.origin)
    }
  }

  /// Adds text behind the window until there are `wanted` unused bytes or the input ends.
  private mutating func readMore(
    _ batch: inout RecordBatch, _ window: inout ParseWindow, _ carried: inout Int, limit: BatchLimit, wanted: Int
  ) throws(ReadError) {
    let (guess, overflow) = limit.records.multipliedReportingOverflow(by: averageRecord + averageRecord / 4)
    let budget = min(limit.bytes, overflow ? .max : guess) - window.end
    let size = max(min(max(budget, Self.smallestRead), Self.largestRead), wanted - (window.end - window.cursor))
    let first = window.origin == 0 && window.end == 0
    while true {
      // What room there is will do if it is worth a read, so that many short reads do not each enlarge the batch.
      var size = size
      let room = batch.bytes.count - Self.padding - window.end
      if room >= Self.smallestRead {
        size = min(size, room)
      } else {
        batch.reserveBytes(used: window.end, window.end + size + Self.padding)
      }
      let left = carryEnd - carryStart - carried
      if left > 0 {
        let count = min(size, left)
        let from = carryStart + carried
        batch.bytes.withUnsafeMutableBytes { target in
          carry.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: target[window.end...])
              .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[from..<from + count]))
          }
        }
        carried += count
        window.end += count
        window.isLast = atEnd && left == count
      } else if !atEnd {
        if let streamFailure { throw streamFailure }
        let end = window.end
        let count: Int
        do throws(ReadError) {
          count = try batch.bytes.withUnsafeMutableBufferPointer { (target) throws(ReadError) in
            try stream.read(
              into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: target[end..<end + size])))
          }
        } catch {
          streamFailure = error
          throw error
        }
        window.end += count
        if count == 0 { atEnd = true }
        window.isLast = count == 0
      } else {
        window.isLast = true
      }
      batch.bytes.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        check.advance(
          base, origin: window.origin, end: window.end, isLast: window.isLast, verified: stream.verifiedText)
      }
      if first, window.cursor == 0 {
        // A byte order mark is looked for once its three bytes are there.
        if window.end < 3, !window.isLast { continue }
        if window.end >= 3, Self.hasMark(batch) { window.cursor = 3 }
      }
      if window.isLast || window.end - window.cursor >= wanted { return }
    }
  }

  /// Keeps what the batch did not use for the next one.
  private mutating func store(_ batch: RecordBatch, _ window: ParseWindow, carried: Int) {
    offset = window.origin + window.cursor
    if window.end == carried {
      // All of it came from the carry, and may still be there.
      carryStart += window.cursor
      if carryStart == carryEnd {
        carryStart = 0
        carryEnd = 0
      }
      return
    }
    let rest = window.end - window.cursor
    if carry.count < rest { carry = ContiguousArray(zeros: max(rest, 2 * carry.count)) }
    carry.withUnsafeMutableBytes { target in
      batch.bytes.withUnsafeBytes { source in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[window.cursor..<window.end]))
      }
    }
    carryStart = 0
    carryEnd = rest
  }
}

extension ReadError {
  init(_ problem: ParseFailure, path: String) {
    self.init(problem.code, path: path, position: problem.position, message: problem.message)
  }
}

extension RecordBatch {
  /// Makes room for `count` bytes, keeping the first `used`.
  mutating func reserveBytes(used: Int, _ count: Int) {
    if bytes.count >= count { return }
    bytes = bytes.enlarged(to: max(count, 2 * used), keeping: min(used, bytes.count))
  }

  /// The number of entries that may be written behind the last field.
  static var fieldPadding: Int { 16 }

  /// Makes room for `count` records of `columnCount` fields.
  mutating func reserveRecords(_ count: Int) {
    let fields = count * columnCount + Self.fieldPadding
    if starts.count < fields {
      starts = starts.enlarged(to: fields, keeping: starts.count)
      lengths = lengths.enlarged(to: fields, keeping: lengths.count)
      states = states.enlarged(to: fields, keeping: states.count)
    }
    if records.count < count { records = records.enlarged(to: count, keeping: records.count) }
  }
}
