import MergewalkBytes
import MergewalkImporting

/// The changes that `--diff` shows.
enum ChangesOutput {
  static func json(_ change: ObjectChange) -> JSONText {
    [
      "change": .string(change.kind.rawValue), "entity": .string(change.entity),
      "object": .string("\(change.entity)/p\(change.primaryKey)"), "key": .text(change.key),
      "properties": .object(change.properties.map { ($0.name, json($0)) }),
    ]
  }

  private static func json(_ property: ObjectChange.Property) -> JSONText {
    [
      "before": value(property.before), "after": value(property.after),
      "before_bytes": property.before?.wholeLength.map { .integer($0) },
      "after_bytes": property.after?.wholeLength.map { .integer($0) },
      "before_key": property.before?.target?.key.map { .string($0) },
      "after_key": property.after?.target?.key.map { .string($0) },
    ]
  }

  private static func value(_ value: ObjectChange.Value?) -> JSONText {
    guard let value else { return .null }
    if !value.isText {
      if value.text == "true" || value.text == "false" { return .boolean(value.text == "true") }
      if let number = Int(value.text) { return .integer(number) }
      if let number = Double(value.text) { return .decimal(number, digits: 15) }
    }
    return .string(value.text)
  }

  /// The changes as a person reads them.
  static func words(_ changes: [ObjectChange], wanted: Int) -> String {
    var lines: [String] = []
    for change in changes {
      let sign =
        switch change.kind {
        case .inserted: "+"
        case .updated: "~"
        case .deleted: "-"
        }
      lines.append("\(sign) \(change.entity) \(name(change.key, change.primaryKey))")
      let width = change.properties.map(\.name.count).max() ?? 0
      for property in change.properties {
        let name = property.name + String(repeating: " ", count: width - property.name.count)
        switch change.kind {
        case .inserted: lines.append("    \(name)  \(text(property.after))")
        case .updated: lines.append("    \(name)  \(text(property.before)) → \(text(property.after))")
        case .deleted: lines.append("    \(name)  \(text(property.before))")
        }
      }
    }
    if changes.isEmpty { return "  changes  none" }
    if changes.count >= wanted {
      let shown = changes.count == 1 ? "change" : Figures.count(changes.count, "change")
      lines.append("  (the first \(shown); --diff shows more)")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ value: ObjectChange.Value?) -> String {
    guard let value else { return "nothing" }
    guard value.isText else { return value.text }
    if let target = value.target { return "\(target.entity) \(name(target.key, target.primaryKey))" }
    return "\"" + escaped(value.text) + "\"" + (value.wholeLength.map { "… (\($0) bytes)" } ?? "")
  }

  /// The name of an object: the values of its key, else its primary key.
  private static func name(_ key: String?, _ primaryKey: Int64) -> String { key.map(escaped) ?? "p\(primaryKey)" }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || isHidden(scalar):
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether a character shows nothing, or changes how what follows is shown.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
