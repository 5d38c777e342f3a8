import MergewalkDiagnostics
import MergewalkRecordFormats
import MergewalkTestSupport

/// Everything a reader said about an input, in a form that can be compared.
struct Reading: Equatable, CustomStringConvertible {
  /// One line for each record, good or refused, in the order of the file.
  var lines: [String] = []
  /// The failure that ended the reading.
  var failure: String?
  /// What became of the text.
  private var account = TextAccount()

  var description: String { (lines + [failure.map { "failed: " + $0 } ?? "end"]).joined(separator: "\n") }

  init(lines: [String] = [], failure: String? = nil) {
    self.lines = lines
    self.failure = failure
  }

  /// Reads everything with fresh batches of the given limit.
  static func of(_ open: () throws(ReadError) -> some RecordReader, limit: BatchLimit = BatchLimit()) -> Reading {
    var reading = Reading()
    do {
      var reader = try open()
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: limit) { reading.append(batch) }
      reading.account += batch.account
      if !reading.account.isBalanced { reading.lines.append("not balanced: \(reading.account)") }
      if batch.recordCount != 0 || !batch.errors.isEmpty { reading.lines.append("records behind the end") }
    } catch {
      let place = error.position.line == 0 ? "" : "@\(error.position.line):\(error.position.column)"
      reading.failure = error.code.rawValue + place
    }
    return reading
  }

  mutating func append(_ batch: RecordBatch) {
    account += batch.account
    var found: [(Int, String)] = []
    for record in 0..<batch.recordCount {
      let position = batch.records[record]
      let fields = (0..<batch.columnCount).map { Self.show(batch, record, $0) }.joined(separator: "|")
      found.append((position.index, fields))
    }
    for error in batch.errors {
      found.append((error.recordIndex, "\(error.code.rawValue)@\(error.position.line):\(error.position.column)"))
    }
    lines += found.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Two are equal that say the same of records.
  static func == (left: Reading, right: Reading) -> Bool { left.lines == right.lines && left.failure == right.failure }

  /// A record: its number, how many bytes it has, and of each field where it stands and what it is.
  static func line(_ batch: RecordBatch, _ record: Int) -> String {
    var line = "\(batch.records[record].index) \(batch.raw(record).count)"
    for column in 0..<batch.columnCount {
      let place = batch.position(record, column)
      line += " \(place.line):\(place.column):\(place.byteOffset) \(show(batch, record, column))"
    }
    return line
  }

  /// A field: `·` absent, `∅` null, quoted text in « », others as they are.
  static func show(_ batch: RecordBatch, _ record: Int, _ column: Int) -> String {
    let raw = batch.text(record, column) ?? ""
    // By scalar: CRLF is one Character.
    let hasLineEnds = raw.utf8.contains { $0 == 10 || $0 == 13 }
    let text =
      hasLineEnds ? String(raw.unicodeScalars.map { $0 == "\n" ? "⏎" : $0 == "\r" ? "␍" : Character($0) }) : raw
    return switch batch.state(record, column) {
    case .absent: "·"
    case .null: "∅"
    case .text: text
    case .quoted: "«\(text)»"
    case .number: "#\(text)"
    case .true, .false: "?\(text)"
    case .json: "$\(text)"
    }
  }
}

/// The ways in which an input may arrive.
///
/// Unoptimized, some of them: CI runs these tests once more, optimized, under AddressSanitizer.
func arrivals(_ bytes: [UInt8]) -> [[Int]] {
  var result = [[Int.max], [1], [7], [1, 2, 5, 3]]
  if Soak.readersAreWhole { result += [[2], [3], [64]] }
  if bytes.count < 80 { result += (1..<max(2, bytes.count)).map { [$0, Int.max] } }
  return result
}
