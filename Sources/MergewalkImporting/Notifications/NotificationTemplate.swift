import MergewalkBytes

/// A text with placeholders, `{{name}}`, for facts about a run at its end.
public struct NotificationTemplate: Sendable, Hashable {
  /// The meaning of a placeholder.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case pipeline, run, status, reasons, message, store, started, host
    case exitCode = "exit_code"
    case read, inserted, updated, unchanged, skipped, rejected, seconds
    case rejectsFile = "rejects_file"
    case report

    /// Whether it stands for a number, which has no quotes in JSON.
    public var isNumber: Bool {
      switch self {
      case .exitCode, .read, .inserted, .updated, .unchanged, .skipped, .rejected, .seconds: true
      default: false
      }
    }
  }

  /// The value that replaces a placeholder.
  public enum Value: Sendable, Hashable {
    case text(String)
    /// A number, formatted.
    case number(String)
  }

  /// The reason why a text is not a template.
  public struct ParseError: Error, Sendable, CustomStringConvertible {
    /// The text between the braces.
    public var name: String
    /// The position of the braces, in bytes.
    public var offset: Int

    /// One sentence.
    public var description: String { "no value of a run is called “\(name)” (at byte \(offset) of the template)" }
  }

  private enum Piece: Sendable, Hashable {
    case text(String)
    case value(Name)
  }

  /// The text of the template.
  public let source: String
  private var pieces: [Piece] = []

  /// Reads a template.
  ///
  /// - Throws: ``ParseError`` for a placeholder that is unknown or not closed.
  public init(_ source: String) throws(ParseError) {
    self.source = source
    var rest = source[...]
    while let open = rest.firstRange(of: "{{") {
      let offset = source.utf8.distance(from: source.startIndex, to: open.lowerBound)
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
        throw ParseError(name: String(rest[open.upperBound...].prefix(40)), offset: offset)
      }
      let name = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
      guard let known = Name(rawValue: name) else { throw ParseError(name: name, offset: offset) }
      if open.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<open.lowerBound]))) }
      pieces.append(.value(known))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
  }

  /// Whether the text is a JSON object or array; inserted texts are then escaped.
  public var isJSON: Bool {
    let first = source.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    return (first == UInt8(ascii: "{") && !source.hasPrefix("{{")) || first == UInt8(ascii: "[")
  }

  /// The text with values in place of the placeholders; a missing value is empty.
  ///
  /// - Parameter redact: Removes secrets; called with the template's own text and with each value before it is escaped.
  public func text(_ values: [Name: Value], redact: (String) -> String = { $0 }) -> String {
    var result = ""
    for piece in pieces {
      switch piece {
      case .text(let text): result += redact(text)
      case .value(let name):
        switch values[name] {
        case .text(let text)?: result += isJSON ? Self.escaped(redact(text)) : redact(text)
        case .number(let digits)?: result += digits
        case nil: break
        }
      }
    }
    return result
  }

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var text = text
    text.withUTF8 { bytes.append(escaped: UnsafeRawBufferPointer($0), .lines) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The default body of notifications: one object; `text` is what chat programs show.
  public static let standard: NotificationTemplate = {
    let members = Name.allCases.map { name in
      "\"\(name.rawValue)\": " + (name.isNumber ? "{{\(name.rawValue)}}" : "\"{{\(name.rawValue)}}\"")
    }
    let text = "{\"text\": \"{{pipeline}}: {{message}}\", " + members.joined(separator: ", ") + "}"
    guard let template = try? NotificationTemplate(text) else { preconditionFailure("the standard body is a template") }
    return template
  }()
}
