import MergewalkPropertyLists
import MergewalkTestSupport

/// Trees and the texts of their forms, written in many ways that mean the same.
enum PropertyListWriters {
  /// Pieces of texts that forms have to take care of.
  static let pieces = [
    "a", "Zoë", "\"", "'", ";", ",", "=", "\n", "\t", "\\", "&", "<", ">", "]]>", "{", "}", "(", ")", "//", "/*", "日本",
    "e\u{301}", "👩‍👩‍👧", "\u{7F}", "\u{85}", "\u{2028}", "\u{10FFFF}", "null", "1", "0x1F", "key", "value", "-",
  ]

  static func text(_ generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...5, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
  }

  /// A random value; `onlyText` leaves out what OpenStep text has no way to write.
  static func tree(_ generator: inout SeededGenerator, depth: Int = 4, onlyText: Bool = false) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
    case 0, 1: return .string(text(&generator))
    case 2:
      return .data((0..<Int.random(in: 0...40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    case 3 where !onlyText:
      let value = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0...63, using: &generator)
      return value > UInt64(Int64.max)
        ? .unsigned(value) : .integer(Bool.random(using: &generator) ? Int64(value) : -Int64(value))
    case 4 where !onlyText:
      return .real(
        Double.random(in: -1e6...1e6, using: &generator) * [1, 1e-9, 1e30].randomElement(using: &generator)!)
    case 5 where !onlyText: return .boolean(Bool.random(using: &generator))
    case 6 where !onlyText: return .date(Double(Int.random(in: -10_000_000_000...10_000_000_000, using: &generator)))
    case 7...: return depth % 2 == 0 ? array(&generator, depth, onlyText) : dictionary(&generator, depth, onlyText)
    default: return .string(text(&generator))
    }
  }

  private static func array(_ generator: inout SeededGenerator, _ depth: Int, _ onlyText: Bool) -> PropertyList {
    .array(
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in tree(&generator, depth: depth - 1, onlyText: onlyText) }
    )
  }

  private static func dictionary(_ generator: inout SeededGenerator, _ depth: Int, _ onlyText: Bool) -> PropertyList {
    var entries: [PropertyList.Entry] = []
    for number in 0..<Int.random(in: 0...4, using: &generator) {
      let name = text(&generator) + String(number)
      entries.append(PropertyList.Entry(name, tree(&generator, depth: depth - 1, onlyText: onlyText)))
    }
    return .dictionary(entries)
  }

  /// The JSON that columns have; `onlyText` as OpenStep has scalars.
  static func json(_ list: PropertyList, onlyText: Bool = false) -> String {
    switch list {
    case .dictionary(let entries):
      "{" + entries.map { quote($0.key) + ":" + json($0.value, onlyText: onlyText) }.joined(separator: ",") + "}"
    case .array(let elements): "[" + elements.map { json($0, onlyText: onlyText) }.joined(separator: ",") + "]"
    case .string(let text): quote(text)
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .data(let bytes): quote(base64(bytes))
    case .date(let seconds): quote(iso(seconds))
    case .uid(let value): "{\"CF$UID\":\(value)}"
    }
  }

  static func quote(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var result = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).map { start + $0 < bytes.count ? Int(bytes[start + $0]) : 0 }
      let digits = [
        group[0] >> 2, (group[0] & 3) << 4 | group[1] >> 4, (group[1] & 15) << 2 | group[2] >> 6, group[2] & 63,
      ]
      let count = min(3, bytes.count - start) + 1
      result += String(digits[..<count].map { alphabet[$0] }) + String(repeating: "=", count: 4 - count)
    }
    return result
  }

  /// An instant of whole seconds, computed day by day from year to year.
  static func iso(_ seconds: Double) -> String {
    var days = Int((seconds / 86400).rounded(.down))
    let time = Int(seconds) - days * 86400
    var year = 2001
    func length(_ year: Int) -> Int { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
    while days < 0 {
      year -= 1
      days += length(year)
    }
    while days >= length(year) {
      days -= length(year)
      year += 1
    }
    var month = 1
    for count in [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
      if days < count { break }
      days -= count
      month += 1
    }
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let date = String(String(10000 + year).dropFirst()) + "-" + two(month) + "-" + two(days + 1)
    return date + "T" + two(time / 3600) + ":" + two(time / 60 % 60) + ":" + two(time % 60) + "Z"
  }

  // MARK: XML

  /// The XML form, with white space, comments, CDATA sections and character references here and there.
  static func xml(_ list: PropertyList, _ generator: inout SeededGenerator) -> String {
    let header = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "",
      "<?xml version='1.0'?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\""
        + " \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<!-- a list -->",
    ]
    return header.randomElement(using: &generator)! + "<plist version=\"1.0\">" + element(list, &generator)
      + "</plist>\n"
  }

  private static func element(_ list: PropertyList, _ generator: inout SeededGenerator) -> String {
    let space = ["", "\n\t", "<!-- <array> -->", " "].randomElement(using: &generator)!
    switch list {
    case .dictionary(let entries):
      if entries.isEmpty, Bool.random(using: &generator) { return space + "<dict/>" }
      var result = space + "<dict>"
      for entry in entries {
        result += space + "<key>" + escaped(entry.key, &generator) + "</key>" + element(entry.value, &generator)
      }
      return result + space + "</dict>"
    case .array(let elements):
      return space + "<array>" + elements.map { element($0, &generator) }.joined() + space + "</array>"
    case .string(let text):
      return space + (text.isEmpty ? "<string/>" : "<string>" + escaped(text, &generator) + "</string>")
    case .integer(let value): return space + "<integer>\(value)</integer>"
    case .unsigned(let value):
      return space + "<integer>" + (Bool.random(using: &generator) ? "\(value)" : "0x" + String(value, radix: 16))
        + "</integer>"
    case .real(let value): return space + "<real>\(value)</real>"
    case .boolean(let value): return space + "<\(value)/>"
    case .data(let bytes):
      let text = base64(bytes)
      let cut = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &generator))
      return space + "<data>\n\t" + text[..<cut] + "\n " + text[cut...] + "</data>"
    case .date(let seconds): return space + "<date>\(iso(seconds))</date>"
    case .uid(let value): return space + "<dict><key>CF$UID</key><integer>\(value)</integer></dict>"
    }
  }

  private static func escaped(_ text: String, _ generator: inout SeededGenerator) -> String {
    if !text.contains("]]>"), Int.random(in: 0..<5, using: &generator) == 0 { return "<![CDATA[\(text)]]>" }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case _ where Int.random(in: 0..<10, using: &generator) == 0: result += "&#x\(String(scalar.value, radix: 16));"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  // MARK: OpenStep text

  /// OpenStep text, with white space, comments, quotes and escapes here and there.
  static func text(_ list: PropertyList, _ generator: inout SeededGenerator) -> String {
    let space = ["", "\n\t", "/* { * / */", " // }\n", " "].randomElement(using: &generator)!
    switch list {
    case .dictionary(let entries):
      var result = space + "{"
      for entry in entries {
        result += space + string(entry.key, &generator) + space + "=" + text(entry.value, &generator) + space + ";"
      }
      return result + space + "}"
    case .array(let elements):
      let comma = !elements.isEmpty && Bool.random(using: &generator) ? "," : ""
      return space + "(" + elements.map { text($0, &generator) + space }.joined(separator: ",") + comma + space + ")"
    case .data(let bytes):
      let digits = bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }
      return space + "<" + digits.joined(separator: ["", " "].randomElement(using: &generator)!) + ">"
    case .string(let value): return space + string(value, &generator)
    case .integer, .unsigned, .real, .boolean, .date, .uid: preconditionFailure("OpenStep text has no such values")
    }
  }

  private static func string(_ text: String, _ generator: inout SeededGenerator) -> String {
    let isPlain =
      !text.isEmpty && !text.hasPrefix("/")
      && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7A || $0 == 0x2D }
    // A slash behind it would be one of its characters.
    if isPlain, Bool.random(using: &generator) { return text + " " }
    let quote: Unicode.Scalar = Bool.random(using: &generator) ? "\"" : "'"
    var result = String(quote)
    for scalar in text.unicodeScalars {
      switch scalar {
      case quote, "\\": result += "\\" + String(scalar)
      case "\n" where Bool.random(using: &generator): result += "\\n"
      case _ where Int.random(in: 0..<10, using: &generator) == 0:
        for unit in String(scalar).utf16 { result += "\\U" + String(0x10000 + Int(unit), radix: 16).dropFirst() }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + String(quote)
  }
}
