import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport

/// Makes records that are hard to tell apart, and writes them as files.
struct RecordGenerator {
  var random: SeededGenerator
  /// Whether members may be absent: NDJSON only.
  let allowsAbsent: Bool
  /// How many different keys there are.
  let keyCount: Int

  /// Texts that some comparison or other takes for equal, or sorts elsewhere than SQLite does.
  static let texts: [String] = [
    "\u{E9}", "e\u{301}", "E\u{301}", "10", "9", "007", "7", "07", "1e1", "+7", "-0", "0", "Z", "z", "a", "ab", "a ",
    " a", "a\u{1}", "\u{1F642}", "\u{FFFD}", "\u{10000}", "\u{E000}", "stra\u{DF}e", "STRASSE", "prefix__1",
    "prefix__2",
    "prefix__", "prefix__11", "a,b", "say \"a\"", "two\nlines", "sixteen bytes 16", "seventeen bytes17",
    "a rather long key that differs at its end 1", "a rather long key that differs at its end 2", "'", "%", "NULL",
    "\u{212B}", "\u{C5}", "A\u{30A}", "\u{FB01}", "fi", "\u{3B1}\u{345}", "tab\there", "\\", "\\N.",
  ]

  static let integers: [String] = [
    "0", "1", "-1", "7", "007", "9", "10", "100", "9223372036854775807", "-9223372036854775808", "9007199254740992",
    "9007199254740993", "+7", "-9007199254740993", "9223372036854775806", "4294967296", "4294967297",
  ]

  mutating func records(_ count: Int) -> [MadeRecord] { (0..<count).map { _ in record() } }

  private mutating func record() -> MadeRecord {
    var record: MadeRecord = [:]
    record["sku"] = key(Self.texts, keyCount)
    record["number"] = key(Self.integers, max(2, keyCount / 3))
    record["label"] = cell(Self.texts, 6)
    record["amount"] = cell(Self.integers + ["x", "1.5"], 9)
    record["email"] = key(Self.texts, max(2, keyCount / 2))
    record["age"] = cell(Self.integers, 3)
    record["team_name"] = key(Self.texts, 4)
    record["team_motto"] = cell(Self.texts, 2)
    record["code"] = key(Self.integers, max(2, keyCount / 2))
    record["title"] = cell(Self.texts, 3)
    record["maker_name"] = key(Self.texts, 3)
    record["maker_country"] = key(Self.texts, 2)
    return record
  }

  private mutating func key(_ pool: [String], _ count: Int) -> CellText {
    switch Int.random(in: 0..<24, using: &random) {
    case 0: .text("")
    case 1: .null
    case 2 where allowsAbsent: .absent
    default: .text(pool[Int.random(in: 0..<min(count, pool.count), using: &random)])
    }
  }

  private mutating func cell(_ pool: [String], _ count: Int) -> CellText {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: .text("")
    case 1: .null
    case 2, 3: allowsAbsent ? .absent : .text(pool[0])
    case 4 where Int.random(in: 0..<3, using: &random) == 0: .text(pool.randomElement(using: &random) ?? "")
    default: .text(pool[Int.random(in: 0..<min(count, pool.count), using: &random)])
    }
  }

  // MARK: Files

  static let columns = [
    "sku", "number", "label", "amount", "email", "age", "team_name", "team_motto", "code", "title", "maker_name",
    "maker_country", "serial", "badge",
  ]

  /// The records as CSV with the null token `\N`.
  static func csv(_ records: [MadeRecord]) -> String {
    var text = columns.joined(separator: ",") + "\n"
    for record in records {
      let fields = columns.map { column in
        switch record[column] ?? .text("") {
        case .absent: preconditionFailure("a CSV file has no absent fields")
        case .null: "\\N"
        case .text(let text) where text.isEmpty: ""
        case .text(let text): "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
      }
      text += fields.joined(separator: ",") + "\n"
    }
    return text
  }

  /// The records as NDJSON; numbers that JSON can spell are numbers.
  static func ndjson(_ records: [MadeRecord]) -> String {
    let numeric: Set = ["number", "amount", "age", "code"]
    var text = ""
    for record in records {
      var members: [String] = []
      for column in columns {
        switch record[column] ?? .absent {
        case .absent: break
        case .null: members.append("\"\(column)\":null")
        case .text(let text) where numeric.contains(column) && Int64(text).map { String($0) == text } == true:
          members.append("\"\(column)\":\(text)")
        case .text(let text): members.append("\"\(column)\":\(quoted(text))")
        }
      }
      text += "{" + members.joined(separator: ",") + "}\n"
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20: result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The format of ``csv(_:)``.
  static var csvFormat: RecordFormat {
    var options = CSVOptions()
    options.nullTokens = ["\\N"]
    return .csv(options)
  }
}
