/// A small reader of OpenMetrics text that refuses what the specification forbids.
///
/// Source: OpenMetrics 1.0, sections "Text format" and "ABNF".
enum OpenMetricsText {
  struct Fault: Error { var message: String }
  struct Sample {
    var name: String
    var labels: [String: String]
    var value: Double
  }
  struct Family {
    var name: String
    var type: String
    var unit: String?
    var help: String?
    var samples: [Sample] = []
  }

  static func parse(_ text: String) throws -> [Family] {
    guard text.hasSuffix("# EOF\n") else { throw Fault(message: "the text does not end with # EOF and a line end") }
    var families: [Family] = []
    var seen: Set<String> = []
    for line in text.dropLast("# EOF\n".count).split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("# ") {
        try metadata(line.dropFirst(2), &families)
        continue
      }
      let sample = try sample(line)
      guard let last = families.indices.last, families[last].name == sample.name else {
        throw Fault(message: "\(sample.name) is not of the family before it")
      }
      let key = sample.name + sample.labels.sorted { $0.key < $1.key }.map { "\u{0}\($0.key)\u{0}\($0.value)" }.joined()
      guard seen.insert(key).inserted else { throw Fault(message: "\(line) occurs twice") }
      families[last].samples.append(sample)
    }
    for family in families {
      if let unit = family.unit, !family.name.hasSuffix("_" + unit) {
        throw Fault(message: "\(family.name) lacks \(unit)")
      }
    }
    guard Set(families.map(\.name)).count == families.count else { throw Fault(message: "a family stands twice") }
    return families
  }

  private static func metadata(_ text: Substring, _ families: inout [Family]) throws {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, isName(parts[1]) else { throw Fault(message: "# \(text)") }
    if parts[0] == "TYPE" {
      guard ["gauge", "counter", "info", "stateset", "histogram", "summary", "unknown"].contains(parts[2]) else {
        throw Fault(message: "no type \(parts[2])")
      }
      return families.append(Family(name: String(parts[1]), type: String(parts[2])))
    }
    guard let last = families.indices.last, families[last].name == parts[1], families[last].samples.isEmpty else {
      throw Fault(message: "\(text) stands outside its family")
    }
    switch parts[0] {
    case "UNIT": families[last].unit = String(parts[2])
    case "HELP": families[last].help = String(parts[2])
    default: throw Fault(message: "# \(text)")
    }
  }

  private static func sample(_ line: Substring) throws -> Sample {
    var rest = line
    let name = rest.prefix { $0 != "{" && $0 != " " }
    guard isName(name) else { throw Fault(message: "no name in “\(line)”") }
    rest = rest.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest.removeFirst()
      while rest.first != "}" {
        let label = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(label.count)
        guard isName(label), rest.hasPrefix("=\"") else { throw Fault(message: "no label in “\(line)”") }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.first, character != "\"" {
          rest.removeFirst()
          guard character == "\\" else {
            value.append(character)
            continue
          }
          switch rest.popFirst() {
          case "n": value.append("\n")
          case "\\": value.append("\\")
          case "\"": value.append("\"")
          default: throw Fault(message: "no escape in “\(line)”")
          }
        }
        guard rest.popFirst() == "\"", labels.updateValue(value, forKey: String(label)) == nil else {
          throw Fault(message: "a label in “\(line)” is not closed, or stands twice")
        }
        if rest.first == "," { rest.removeFirst() }
        guard !rest.isEmpty else { throw Fault(message: "“\(line)” is not closed") }
      }
      rest.removeFirst()
    }
    guard rest.first == " ", let value = Double(rest.dropFirst()) else {
      throw Fault(message: "no number in “\(line)”")
    }
    return Sample(name: String(name), labels: labels, value: value)
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    String(text).wholeMatch(of: #/[a-zA-Z_][a-zA-Z0-9_]*/#) != nil
  }
}
