import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkRecordFormats

/// An object as a file with tests describes it: some of its attributes and relationships.
struct ExpectedRow: Sendable {
  indirect enum Value: Sendable {
    case attribute(AttributeDescription, AttributeValue)
    /// The object that a to-one relationship refers to, or nothing.
    case one(RelationshipDescription, ExpectedRow?)
    case many(RelationshipDescription, [ExpectedRow])
  }
  /// A property with what it has to hold.
  struct Field: Sendable {
    var name: String
    var value: Value
    var position: SourcePosition
  }

  let entity: EntityDescription
  let fields: [Field]
  let position: SourcePosition

  /// The row as messages show it.
  var summary: String {
    let parts = fields.map { "\($0.name): \(Self.summary($0.value))" }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private static func summary(_ value: Value) -> String {
    switch value {
    case .attribute(_, let value): return ValueWords.text(value)
    case .one(_, let row): return row?.summary ?? "null"
    case .many(_, let rows): return "[\(rows.map(\.summary).joined(separator: ", "))]"
    }
  }
}

/// Values as files with tests have them.
enum ValueWords {
  /// A value as messages show it.
  static func text(_ value: AttributeValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .decimal(let number): number.description
    case .string(let text): "“" + cut(text) + "”"
    case .uri(let text): text
    case .date(let seconds): InstantText.text(seconds)
    case .binary(let bytes): "“" + cut(Base64.text(bytes)) + "”"
    case .uuid(let high, let low): UUIDText.text(high, low)
    }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count > 80 ? String(text.prefix(60)) + "…" : text
  }
}
