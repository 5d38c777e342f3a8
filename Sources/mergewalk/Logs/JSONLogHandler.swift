import MergewalkBytes
import MergewalkImporting
import Logging

/// Writes each log event as one line to standard error: a JSON object, or text.
///
/// Source: swift-log's `LogHandler`, https://github.com/apple/swift-log.
struct LineLogHandler: LogHandler {
  /// How a line is written.
  enum Style {
    case json, text
  }

  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  private let label: String
  private let style: Style

  init(label: String, style: Style, level: Logger.Level) {
    self.label = label
    self.style = style
    logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }
    let time = RunIdentity.timestamp(RunIdentity(pipeline: "").started)
    switch style {
    case .json:
      let object: JSONText = [
        "time": .string(time), "level": .string(event.level.rawValue), "logger": .string(label),
        "message": .string(event.message.description),
      ]
      Console.words(object.with(.named(fields, Self.json)).text)
    case .text:
      let rest = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.text($0.value))" }
      let parts = [time, event.level.rawValue, event.message.description] + rest
      Console.words(parts.joined(separator: " "))
    }
  }

  /// Numbers and truths stay what they are, although swift-log carries them as what can be described.
  private static func json(_ value: Logger.MetadataValue) -> JSONText {
    switch value {
    case .string(let text): return .string(text)
    case .array(let items): return .array(items.map(json))
    case .dictionary(let members): return .named(members, json)
    case .stringConvertible(let value):
      if let number = value as? Int { return .integer(number) }
      if let number = value as? Double { return .decimal(number, digits: 3) }
      if let truth = value as? Bool { return .boolean(truth) }
      return .string(value.description)
    }
  }

  private static func text(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .stringConvertible(let value as Double): return Figures.fixed(value, digits: 3)
    case .string(let text) where text.contains { $0 == " " || $0 == "\"" || $0.isNewline } || text.isEmpty:
      return JSONText.string(text).text
    case .array, .dictionary: return json(value).text
    default: return value.description
    }
  }
}
