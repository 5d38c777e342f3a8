import MergewalkBytes

/// One line of a rejects file: a record that was not imported, and why; or an object that was not deleted.
///
/// `docs/rejects.md` describes the members; those that a line does not have are empty or nil here.
package struct RejectLine: Sendable {
  /// The number of the line in the rejects file, from 1.
  package var line = 0
  /// The offset of the line's first byte in the rejects file, from 0.
  package var byteOffset = 0
  /// The run that rejected the record.
  package var run = ""
  /// The input that the record is from.
  package var file = ""
  /// The member of the archive that the record is from; nil when the input is no archive.
  package var member: String?
  /// The import of the pipeline that rejected it; nil when the pipeline has only one.
  package var part: String?
  /// The record's number in its file, from 1.
  package var record = 0
  /// The line of its file where the fault stands, from 1.
  package var sourceLine = 0
  /// The column of the fault in bytes, from 1.
  package var sourceColumn = 0
  /// The same place in bytes from the start of its file; nil when the line does not say it.
  package var sourceOffset: Int?
  /// The source's column that is to blame; nil for the whole record.
  package var field: String?
  /// The entity that the field was for.
  package var entity: String?
  /// The attribute that the field was for.
  package var attribute: String?
  /// The URI of the object that the line is about; nil for lines about records.
  package var object: String?
  /// Why the record was rejected.
  package var code = ""
  /// The message: found, then expected.
  package var message = ""
  /// Further reasons as JSON text; nil when there are none.
  package var also: String?
  /// The record's bytes; nil when the line has none.
  package var raw: [UInt8]?
  /// Whether ``raw`` is only the beginning of the record.
  package var isCut = false
  /// Whether fields are missing or surplus, where their number is the reason.
  package var width: RecordError.WidthFault?
  /// The names of the file's columns; nil when the line does not carry them.
  package var header: [String]?
  /// The number of spaces that stood before the record's first line, which matter in YAML.
  package var indent = 0
  /// The declarations of namespaces around the record in its XML document; empty when there are none.
  package var namespaces = ""

  /// Whether the line has nothing of a reject, as lines of other JSON: no code, no file, no object and no record.
  package var isBlank: Bool { code.isEmpty && file.isEmpty && object == nil && raw == nil }

  /// A line of nothing.
  package init() {}

  /// The end of a replay's name, behind that of its pipeline.
  package static let replayMark = " (replay)"

  /// Whether a replay has rejected the record: its place is that of a line, and says nothing of a field.
  package var isReplayed: Bool { pipeline?.hasSuffix(Self.replayMark) ?? false }

  /// The name of the pipeline that rejected the record, from ``run``; nil when that does not say one.
  package var pipeline: String? {
    if let at = run.lastIndex(of: "@") { return String(run[..<at]) }
    return run.hasSuffix("/stores") ? String(run.dropLast("/stores".count)) : nil
  }
}

/// Reads the lines of a rejects file one after the other.
package struct RejectLines {
  /// A member of a line, in the order in which the reader is asked for them.
  private enum Member: Int, CaseIterable {
    case run, file, member, part, code, object, raw, base64, isCut, header, indent, namespaces, offset, record
    // What is said about the record, which importing it again does not need.
    case line, column, field, entity, attribute, message, also, width

    var name: String {
      switch self {
      case .part: "import"
      case .base64: "raw_base64"
      case .isCut: "cut"
      case .offset: "byte_offset"
      default: "\(self)"
      }
    }
  }

  private var reader: NDJSONReader
  private var batch = RecordBatch()
  private var nextRecord = 0
  private var nextError = 0
  /// The line before, without its record: its texts serve the next lines, too, which mostly have the same ones.
  private var last = RejectLine()
  /// The text of the header of ``last``.
  private var lastHeader: String?

  /// Opens a rejects file; it may be packed.
  ///
  /// - Parameter reasons: Whether lines say where the faults are and what they are, beside the code.
  /// - Throws: what opening a file throws.
  package init(_ source: ByteSource, reasons: Bool = true) throws(ReadError) {
    var options = NDJSONOptions()
    // A record of 16 MiB may take six times as much as an escaped string.
    options.maxRecordBytes = 256 << 20
    let members = reasons ? Member.allCases : Member.allCases.filter { $0.rawValue < Member.line.rawValue }
    reader = try NDJSONReader(source: source, options: options, columns: .named(members.map(\.name)))
  }

  /// The bytes read from the file so far.
  package var bytesRead: Int { reader.bytesRead }

  /// The next line: what it says, or why it says nothing; nil at the end.
  package mutating func next() throws(ReadError) -> Result<RejectLine, RecordError>? {
    if nextRecord >= batch.recordCount, nextError >= batch.errors.count {
      nextRecord = 0
      nextError = 0
      guard try reader.read(into: &batch, limit: BatchLimit(records: 256, bytes: 1 << 20)) else { return nil }
    }
    let errorIndex = nextError < batch.errors.count ? batch.errors[nextError].recordIndex : .max
    if nextRecord < batch.recordCount, batch.records[nextRecord].index < errorIndex {
      nextRecord += 1
      return .success(line(nextRecord - 1))
    }
    nextError += 1
    return .failure(batch.errors[nextError - 1])
  }

  private mutating func line(_ record: Int) -> RejectLine {
    var line = RejectLine()
    line.line = batch.records[record].line
    line.byteOffset = batch.records[record].byteOffset
    line.run = text(record, .run, last.run) ?? ""
    line.file = text(record, .file, last.file) ?? ""
    line.member = text(record, .member, last.member)
    line.part = text(record, .part, last.part)
    line.record = number(record, .record)
    line.sourceLine = number(record, .line)
    line.sourceColumn = number(record, .column)
    line.sourceOffset = text(record, .offset).flatMap { Int($0) }
    line.field = text(record, .field, last.field)
    line.entity = text(record, .entity, last.entity)
    line.attribute = text(record, .attribute, last.attribute)
    line.object = text(record, .object)
    line.code = text(record, .code, last.code) ?? ""
    line.message = text(record, .message) ?? ""
    line.also = text(record, .also)
    line.width = text(record, .width).flatMap { RecordError.WidthFault(rawValue: $0) }
    line.isCut = text(record, .isCut) == "true"
    let header = text(record, .header, lastHeader)
    line.header = header == lastHeader ? last.header : header.flatMap(HeaderText.names)
    line.indent = min(max(0, number(record, .indent)), 1 << 16)
    line.namespaces = text(record, .namespaces, last.namespaces) ?? ""
    (last, lastHeader) = (line, header)
    line.raw = bytes(record, .raw) ?? bytes(record, .base64).flatMap { Base64.decode($0, .padded) }
    return line
  }

  private func has(_ record: Int, _ member: Member) -> Bool {
    guard member.rawValue < batch.columnCount else { return false }
    let state = batch.state(record, member.rawValue)
    return state != .absent && state != .null
  }

  private func bytes(_ record: Int, _ member: Member) -> [UInt8]? {
    has(record, member) ? batch.bytes(record, member.rawValue) : nil
  }

  /// A member's text: that of the line before, if it is the same.
  private func text(_ record: Int, _ member: Member, _ last: String? = nil) -> String? {
    guard has(record, member) else { return nil }
    return batch.withField(record, member.rawValue) { bytes in
      if let last, last.utf8.elementsEqual(bytes) { return last }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func number(_ record: Int, _ member: Member) -> Int { text(record, member).flatMap { Int($0) } ?? 0 }
}

/// The names of columns as one line of CSV.
package enum HeaderText {
  /// The line: names with commas between them, in quotes where they need them.
  package static func text(_ names: [String]) -> String {
    names.map { name in
      let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0 != 34 && $0 != 44 && $0 != 10 && $0 != 13 }
      return isPlain ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
    }.joined(separator: ",")
  }

  /// The names that a line gives; nil when it is none.
  package static func names(_ text: String) -> [String]? {
    let source = ByteSource(bytes: Array((text + "\n").utf8), path: "header")
    return try? CSVReader(source: source).header
  }
}
