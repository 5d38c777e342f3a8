import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport

/// Everything that was read of a source, in a form that can be compared.
struct DatabaseReading: Equatable, CustomStringConvertible {
  /// One line for each record, good or refused, in the order of the source.
  var lines: [String] = []
  /// The names of the columns.
  var columns: [String] = []
  /// The failure that ended the reading, and its code.
  var failure: String?
  var code: ReadError.Code?

  var description: String { (lines + [failure.map { "failed: " + $0 } ?? "end"]).joined(separator: "\n") }

  /// Reads everything.
  static func of(
    _ format: RecordFormat, _ path: String, columns: ColumnRequest = .all, limit: BatchLimit = BatchLimit()
  ) -> DatabaseReading {
    var reading = DatabaseReading()
    do throws(ReadError) {
      var reader = try format.reader(source: ByteSource(path: path), columns: columns, index: 3)
      reading.columns = reader.columns
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: limit) {
        let count = batch.recordCount + batch.errors.count
        if count == 0 || count > limit.records || batch.source != 3 { reading.lines.append("bad batch") }
        reading.append(batch)
      }
      if batch.recordCount != 0 || !batch.errors.isEmpty { reading.lines.append("records behind the end") }
    } catch {
      reading.failure = "\(error.message) [\(error.code.rawValue)]".replacingOccurrences(of: path, with: "PATH")
      if error.position.line > 0 { reading.failure?.append(" at \(error.position.line)") }
      reading.code = error.code
    }
    return reading
  }

  private mutating func append(_ batch: RecordBatch) {
    var found: [(Int, String)] = []
    for record in 0..<batch.recordCount {
      let position = batch.records[record]
      let fields = (0..<batch.columnCount).map { Self.show(batch, record, $0) }.joined(separator: "|")
      found.append((position.index, "\(position.line): \(fields)"))
    }
    for error in batch.errors {
      let raw = String(decoding: error.raw.prefix(200), as: UTF8.self)
      found.append((error.recordIndex, "\(error.code.rawValue)@\(error.position.line):\(error.position.column) \(raw)"))
    }
    lines += found.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// A field: `·` absent, `∅` null, text in « », numbers behind #, true and false behind ?.
  private static func show(_ batch: RecordBatch, _ record: Int, _ column: Int) -> String {
    let text = batch.text(record, column) ?? ""
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

struct TestDatabase {
  let folder = TemporaryFolder()
  let path: String

  /// Makes a database with statements.
  init(_ sql: String..., name: String = "data.db") throws {
    path = folder.file(name)
    let connection = try Connection(path: path, mode: .create)
    for statement in sql { try connection.execute(statement) }
    try connection.close()
  }

  func read(
    _ rows: SQLiteSourceOptions.Rows = .onlyTable, columns: ColumnRequest = .all, limit: BatchLimit = BatchLimit(),
    blobs: SQLiteSourceOptions.Blobs = .base64, maxRecordBytes: Int = 16 << 20
  ) -> DatabaseReading {
    DatabaseReading.of(
      .sqlite(SQLiteSourceOptions(rows: rows, blobs: blobs, maxRecordBytes: maxRecordBytes)), path, columns: columns,
      limit: limit)
  }

  /// The names in the folder, sorted.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

  var bytes: [UInt8] { FileManager.default.contents(atPath: path).map { Array($0) } ?? [] }

  func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}
