import Foundation
import MergewalkTestSupport

/// A clean table of invented data; its first row is the header.
struct CorpusTable {
  var name: String
  var rows: [[String]]
  /// Whether some cells have characters that need quotes.
  var needsQuotes: Bool {
    rows.contains { $0.contains { cell in cell.unicodeScalars.contains { ",;|\t\"\n".unicodeScalars.contains($0) } } }
  }

  var width: Int { rows[0].count }

  /// All tables, the same each time.
  static let all: [CorpusTable] = [orders, staff, readings, cities, letters, wide, codes, shop]

  private static func rows(
    _ header: [String], _ count: Int, seed: UInt64, _ row: (Int, inout SeededGenerator) -> [String]
  )
    -> [[String]]
  {
    var random = SeededGenerator(seed: seed)
    return [header] + (0..<count).map { row($0, &random) }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static let places = ["Köln", "Arles", "São Paulo", "Łódź", "Lund", "Cork", "Reykjavík", "Graz"]
  private static let words = [
    "harbour", "lamp", "walnut", "river", "copper", "sail", "meadow", "quilt", "orbit", "lantern", "velvet", "pepper",
  ]

  private static func sentence(_ random: inout SeededGenerator, _ count: ClosedRange<Int>) -> String {
    let picked = (0..<Int.random(in: count, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
    return picked.joined(separator: " ")
  }

  static let orders = CorpusTable(
    name: "orders",
    rows: rows(["order_id", "customer", "ordered", "amount", "qty", "note", "link"], 40, seed: 1) { i, random in
      let note: String
      switch i % 5 {
      case 0: note = ""
      case 1: note = "leave at \"\(sentence(&random, 1...1))\" gate"
      case 2: note = "\(sentence(&random, 2...3)), then \(sentence(&random, 1...2))"
      default: note = sentence(&random, 2...5)
      }
      return [
        "\(1000 + i)", i % 3 == 0 ? "Fischer, \(places[i % 8])" : "Amara \(words[i % 12].capitalized)",
        "2024-0\(1 + i % 9)-\(two(1 + i % 28))", "\(Int.random(in: 1...900, using: &random)).\(two(i * 7 % 100))",
        "\(1 + i % 6)", note, "https://example.org/o/\(1000 + i)?ref=\(words[i % 12])",
      ]
    })

  static let staff = CorpusTable(
    name: "staff",
    rows: rows(["Name", "Geboren", "Gehalt", "Ort", "Aktiv"], 35, seed: 2) { i, random in
      [
        "\(["Jürgen", "Zoë", "Élodie", "Nils", "Bjørn"][i % 5]) \(words[i % 12].capitalized)",
        "\(two(1 + i % 28)).\(two(1 + i % 12)).19\(50 + i)",
        "\(Int.random(in: 1...9, using: &random)).\(100 + i * 13 % 900),\(two(i % 100))", places[i % 8],
        i % 3 == 0 ? "false" : "true",
      ]
    })

  static let readings = CorpusTable(
    name: "readings",
    rows: rows(["time", "station", "temp", "humidity", "status"], 50, seed: 3) { i, random in
      [
        "\(two(i % 24)):\(two(i * 7 % 60)):00", "ST-\(100 + i % 4)",
        i % 11 == 3 ? "NA" : "\(Int.random(in: -20...40, using: &random)).\(i % 10)",
        "\(Int.random(in: 10...99, using: &random))", i % 7 == 0 ? "drift" : "ok",
      ]
    })

  static let cities = CorpusTable(
    name: "cities",
    rows: rows(["city", "country", "mayor", "motto"], 30, seed: 4) { i, random in
      [
        "\(places[i % 8]) \(words[i % 12])", ["France", "Poland", "Ireland", "Iceland"][i % 4],
        "\(words[(i + 3) % 12].capitalized) O'\(words[(i + 5) % 12].capitalized)",
        "\(sentence(&random, 2...4)), \(sentence(&random, 1...3)).",
      ]
    })

  static let letters = CorpusTable(
    name: "letters",
    rows: rows(["id", "title", "body"], 25, seed: 5) { i, random in
      [
        "\(i + 1)", sentence(&random, 1...3).capitalized,
        i % 4 == 0
          ? "Dear \(words[i % 12]),\n\(sentence(&random, 3...6)).\n\nYours"
          : "\(sentence(&random, 4...8)); \(sentence(&random, 1...2))",
      ]
    })

  static let wide = CorpusTable(
    name: "wide",
    rows: rows((1...24).map { "v\($0)" }, 30, seed: 6) { i, random in
      (0..<24).map { $0 == 0 ? "\(i)" : "\(Double(Int.random(in: -9999...9999, using: &random)) / 100)" }
    })

  static let codes = CorpusTable(
    name: "codes",
    rows: rows(["code", "label"], 40, seed: 7) { i, random in
      ["\(Character(UnicodeScalar(UInt8(65 + i % 26))))\(i)", sentence(&random, 1...3)]
    })

  static let shop = CorpusTable(
    name: "shop",
    rows: rows(["DAY", "HOUR", "Count", "ITEM", "Price", "Kind", "Text", "Page", "Remarks"], 40, seed: 8) { i, random in
      [
        "\(two(1 + i % 28))/0\(1 + i % 9)/2021", "\(two(i % 24)):15", "\(i % 4)", "AB-\(7000 + i * 37)",
        "$\(i * 3 % 90).\(two(i * 17 % 100))",
        i % 3 == 0 ? "Sailor's \(words[i % 12]), \(i)\" wide" : "\(words[i % 12].capitalized)-\(words[(i + 1) % 12])",
        "The \(sentence(&random, 3...6)), and it won't \(words[i % 12]); \(sentence(&random, 2...4)).",
        "https://shop.example/p/AB_\(i).html", "",
      ]
    })
}

/// How a table is written.
struct CorpusWriting {
  /// Which cells get quotes.
  enum Quoting {
    case needed
    case all
    case text
    case never
  }

  var delimiter = ","
  var quote: Character = "\""
  var quoting = Quoting.needed
  /// What stands before a quote inside quotes; nil: it is doubled.
  var escape: Character?
  var lineEnd = "\n"
  var endsWithLineEnd = true

  func cell(_ text: String) -> String {
    let special = text.unicodeScalars.contains { scalar in
      delimiter.unicodeScalars.contains(scalar) || scalar == quote.unicodeScalars.first || scalar == "\n"
        || scalar == "\r"
    }
    let isText = !text.isEmpty && !text.unicodeScalars.allSatisfy { "0123456789.-:".unicodeScalars.contains($0) }
    switch quoting {
    case .never: return text
    case .needed: if !special { return text }
    case .text: if !special && !isText { return text }
    case .all: break
    }
    var result = ""
    for character in text {
      if character == quote { result.append(escape ?? quote) }
      if let escape, character == escape { result.append(escape) }
      result.append(character)
    }
    return "\(quote)\(result)\(quote)"
  }

  func line(_ row: [String]) -> String { row.map(cell).joined(separator: delimiter) }

  func text(_ rows: [[String]]) -> String { join(rows.map(line)) }

  func join(_ lines: [String]) -> String { lines.joined(separator: lineEnd) + (endsWithLineEnd ? lineEnd : "") }
}
