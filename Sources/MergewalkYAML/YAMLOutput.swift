/// A value to be written as YAML.
///
/// Block values have their own lines, flow values are on one line. A flow value contains only flow values; block values
/// inside it are written in flow form.
package indirect enum YAMLOutput: Sendable, Hashable {
  /// Text written as it is: a number, `true`, `null`.
  case literal(String)
  /// Text, quoted where it would mean something else without quotes.
  case string(String)
  /// Text that is always in double quotes.
  case quoted(String)
  case list([YAMLOutput])
  case flowList([YAMLOutput])
  /// Keys and values on lines of their own, in this order.
  case mapping([(key: String, value: YAMLOutput)])
  /// Keys and values on one line, in this order.
  case flowMapping([(key: String, value: YAMLOutput)])

  /// The document's text, ending in a line feed.
  ///
  /// - Complexity: O(text).
  package var text: String {
    var out = ""
    switch self {
    case .mapping(let entries) where !entries.isEmpty: Self.write(entries, indentation: 0, to: &out)
    case .list(let items) where !items.isEmpty: Self.write(items, indentation: 0, to: &out)
    default:
      writeFlow(to: &out, isInFlow: false)
      out += "\n"
    }
    return out
  }

  private static func write(_ entries: [(key: String, value: YAMLOutput)], indentation: Int, to out: inout String) {
    for (i, entry) in entries.enumerated() {
      // The first line of a mapping in a list stands behind the dash.
      if i > 0 || !out.hasSuffix("- ") { out += String(repeating: " ", count: indentation) }
      out += YAMLText.scalar(entry.key, inFlow: false) + ":"
      switch entry.value {
      case .mapping(let inner) where !inner.isEmpty:
        out += "\n"
        write(inner, indentation: indentation + 2, to: &out)
      case .list(let items) where !items.isEmpty:
        out += "\n"
        write(items, indentation: indentation + 2, to: &out)
      default:
        out += " "
        entry.value.writeFlow(to: &out, isInFlow: false)
        out += "\n"
      }
    }
  }

  private static func write(_ items: [YAMLOutput], indentation: Int, to out: inout String) {
    for item in items {
      out += String(repeating: " ", count: indentation) + "- "
      switch item {
      case .mapping(let inner) where !inner.isEmpty: write(inner, indentation: indentation + 2, to: &out)
      default:
        item.writeFlow(to: &out, isInFlow: false)
        out += "\n"
      }
    }
  }

  private func writeFlow(to out: inout String, isInFlow: Bool) {
    switch self {
    case .literal(let text): out += text
    case .string(let text): out += YAMLText.scalar(text, inFlow: isInFlow)
    case .quoted(let text): out += YAMLText.quoted(text)
    case .list(let items), .flowList(let items):
      out += "["
      for (i, item) in items.enumerated() {
        if i > 0 { out += ", " }
        item.writeFlow(to: &out, isInFlow: true)
      }
      out += "]"
    case .mapping(let entries), .flowMapping(let entries):
      guard !entries.isEmpty else {
        out += "{}"
        return
      }
      out += "{ "
      for (i, entry) in entries.enumerated() {
        if i > 0 { out += ", " }
        out += YAMLText.scalar(entry.key, inFlow: true) + ": "
        entry.value.writeFlow(to: &out, isInFlow: true)
      }
      out += " }"
    }
  }

  /// Compares structure and text.
  package static func == (left: YAMLOutput, right: YAMLOutput) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
