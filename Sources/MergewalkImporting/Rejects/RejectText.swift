import MergewalkBytes
import MergewalkDiagnostics
import MergewalkRecordFormats

/// The lines of a rejects file, as bytes that grow at their end; `docs/rejects.md` describes their members.
struct RejectText {
  private var buffer = JSONBytes()
  /// The name of the run in each line.
  let run: String

  /// No lines yet.
  ///
  /// - Parameter run: what names the run in each line.
  init(run: String) { self.run = run }

  var bytes: [UInt8] { buffer.bytes }

  /// Forgets the first `count` bytes.
  mutating func removeFirst(_ count: Int) { buffer.removeFirst(count) }

  /// Adds a line.
  ///
  /// - Parameter raw: the record's bytes without its line end. They are written whole: as a string when they are UTF-8,
  ///   else in base64.
  mutating func add(_ reject: Reject, raw: UnsafeRawBufferPointer) {
    buffer.open(UInt8(ascii: "{"))
    buffer.member("run", run)
    buffer.member("file", reject.file)
    if let member = reject.member { buffer.member("member", member) }
    if let part = reject.part { buffer.member("import", part) }
    buffer.member("record", reject.record)
    append(reject.reason)
    if !reject.also.isEmpty {
      buffer.key("also")
      buffer.open(UInt8(ascii: "["))
      for reason in reject.also {
        buffer.separate()
        buffer.open(UInt8(ascii: "{"))
        append(reason)
        buffer.close(UInt8(ascii: "}"))
      }
      buffer.close(UInt8(ascii: "]"))
    }
    if let header = reject.header { buffer.member("header", HeaderText.text(header)) }
    if reject.indent > 0 { buffer.member("indent", reject.indent) }
    if let namespaces = reject.namespaces, !namespaces.isEmpty { buffer.member("namespaces", namespaces) }
    if let width = reject.width { buffer.member("width", width.rawValue) }
    if reject.isCut { buffer.member("cut", true) }
    if raw.isUTF8 {
      buffer.key("raw")
      buffer.string(raw)
    } else {
      buffer.key("raw_base64")
      buffer.base64(raw)
    }
    buffer.close(UInt8(ascii: "}"))
    buffer.endLine()
  }

  /// Adds a line about an object of the store that could not be deleted.
  mutating func add(object: String, entity: String, code: RejectCode, message: String) {
    buffer.open(UInt8(ascii: "{"))
    buffer.member("run", run)
    buffer.member("entity", entity)
    buffer.member("object", object)
    buffer.member("code", code.rawValue)
    buffer.member("message", message)
    buffer.close(UInt8(ascii: "}"))
    buffer.endLine()
  }

  private mutating func append(_ reason: Reject.Reason) {
    buffer.member("line", reason.position.line)
    buffer.member("byte_offset", reason.position.byteOffset)
    buffer.member("column", reason.position.column)
    if let field = reason.field { buffer.member("field", field) }
    if let entity = reason.entity { buffer.member("entity", entity) }
    if let attribute = reason.attribute { buffer.member("attribute", attribute) }
    buffer.member("code", reason.code.rawValue)
    buffer.member("message", reason.message)
  }
}
