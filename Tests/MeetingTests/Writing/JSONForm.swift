/// Writes JSON in its three forms.
enum JSONForm {
  static func write(_ items: [Item], _ scenario: Scenario) -> String {
    let values = items.map { item in
      switch item {
      case .record(let cell): text(cell)
      case .broken(let cell): scenario.format == .ndjson ? String(text(cell).dropLast()) : "17"
      }
    }
    switch scenario.format {
    case .ndjson: return values.map { $0 + "\n" }.joined()
    case .json: return "{\"meta\": {\"a\": [1, {}]}, \"items\": [\n" + values.joined(separator: ",\n") + "\n]}\n"
    default: return values.map { "\u{1E}" + $0 + "\n" }.joined()
    }
  }

  /// A value as JSON.
  static func text(_ cell: Cell) -> String {
    switch cell {
    case .absent, .null: "null"
    case .text(let text): "\"" + escaped(text) + "\""
    case .number(let text): text
    case .boolean(let text): text.lowercased()
    case .list(let cells): "[" + cells.map(text).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\"" + escaped($0.name) + "\": " + text($0.value) }.joined(separator: ", ") + "}"
    }
  }

  /// A text between the quotes of JSON.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result.append("\\")
        result.append(scalar)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result.append(
          contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

/// Writes XML: members are elements, those whose names begin with `@` attributes, lists elements of one name.
enum XMLForm {
  static func write(_ items: [Item], _ scenario: Scenario) -> String {
    var text =
      "<?xml version=\"1.0\" encoding=\"\(scenario.encoding.nameInXML)\"?>\n<shop "
      + "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n<meta><item/></meta><items>\n"
    for item in items {
      switch item {
      case .record(let cell): text += element("item", cell) + "\n"
      case .broken(let cell):
        // Text beside elements in an element that is a column, of the record as a whole.
        var broken = cell
        broken.set(scenario.path(scenario.hasElements ? "age" : "label")[...], .text("MIXED"))
        text += element("item", broken).replacing(">MIXED<", with: "><b/>text<") + "\n"
      }
    }
    return text + "</items></shop>\n"
  }

  static func element(_ name: String, _ cell: Cell) -> String {
    switch cell {
    case .absent: return ""
    case .null: return "<\(name) xsi:nil=\"true\"/>"
    case .text(let text), .number(let text), .boolean(let text): return "<\(name)>\(escaped(text))</\(name)>"
    case .list(let cells): return cells.map { element(name, $0) }.joined()
    case .object(let members):
      var attributes = ""
      var content = ""
      for member in members {
        guard member.name.first == "@" else {
          content += element(member.name, member.value)
          continue
        }
        attributes += " \(member.name.dropFirst())=\"\(escaped(member.value.spelling ?? ""))\""
      }
      return "<\(name)\(attributes)>\(content)</\(name)>"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("\n", with: "&#10;").replacing("\t", with: "&#9;")
  }
}

/// Writes YAML in block style.
enum YAMLForm {
  static func write(_ items: [Item], _ scenario: Scenario) -> String {
    var text = "meta: [1, { a: b }]\nitems:\n"
    for item in items {
      switch item {
      case .record(.object(let members)):
        text += "  - " + block(members, indent: "    ") + "\n"
      case .record, .broken: text += "  - 17\n"
      }
    }
    return items.isEmpty ? "items: []\n" : text
  }

  static func block(_ members: [Cell.Member], indent: String) -> String {
    if members.isEmpty { return "{}" }
    return members.map { JSONForm.text(.text($0.name)) + ": " + value($0.value, indent: indent) }
      .joined(separator: "\n" + indent)
  }

  private static func value(_ cell: Cell, indent: String) -> String {
    switch cell {
    case .absent, .null: "~"
    case .text: JSONForm.text(cell)
    case .number(let text), .boolean(let text): text
    case .list(let cells):
      cells.isEmpty ? "[]" : cells.map { "\n" + indent + "- " + value($0, indent: indent + "  ") }.joined()
    case .object(let members):
      members.isEmpty ? "{}" : "\n" + indent + "  " + block(members, indent: indent + "  ")
    }
  }
}

/// Writes property lists in XML.
enum PropertyListForm {
  static func write(_ items: [Item], _ scenario: Scenario) -> String {
    var text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict><key>items</key><array>\n"
    for item in items {
      switch item {
      case .record(let cell): text += value(cell) + "\n"
      case .broken: text += "<string>17</string>\n"
      }
    }
    return text + "</array></dict></plist>\n"
  }

  private static func value(_ cell: Cell) -> String {
    switch cell {
    case .absent, .null: ""
    case .text(let text): "<string>\(escaped(text))</string>"
    case .number(let text): text.contains { ".eE".contains($0) } ? "<real>\(text)</real>" : "<integer>\(text)</integer>"
    case .boolean(let text): text.lowercased() == "true" ? "<true/>" : "<false/>"
    case .list(let cells): "<array>" + cells.map(value).joined() + "</array>"
    case .object(let members):
      "<dict>" + members.map { "<key>\(escaped($0.name))</key>" + value($0.value) }.joined() + "</dict>"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
