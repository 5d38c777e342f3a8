import Foundation
import MergewalkPropertyLists
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Property lists: random ones") struct PropertyListPropertyTests {
  /// A list of records with one column each.
  private static func list(_ generator: inout SeededGenerator, onlyText: Bool) -> PropertyList {
    .array(
      (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        .dictionary([.init("r", PropertyListWriters.tree(&generator, onlyText: onlyText))])
      })
  }

  /// What the reader says of each record's column.
  private static func expected(_ list: PropertyList, onlyText: Bool) -> [String] {
    (list.elements ?? []).map { record in
      let value = record["r"] ?? .array([])
      let json = PropertyListWriters.json(value)
      switch value {
      case .dictionary, .array: return show("$" + json)
      case .string(let text): return onlyText ? show("«\(text)»") : show("«\(text)»")
      case .integer, .unsigned, .real: return "#" + json
      case .boolean: return "?" + json
      case .data(let bytes): return PropertyListWriters.base64(bytes)
      case .date(let seconds): return PropertyListWriters.iso(seconds)
      case .uid: return "$" + json
      }
    }
  }

  private static func show(_ text: String) -> String {
    String(text.unicodeScalars.map { $0 == "\n" ? "⏎" : $0 == "\r" ? "␍" : Character($0) })
  }

  private func check(_ bytes: [UInt8], _ expected: [String], _ seed: UInt64, isPlain: (String) -> Bool = { _ in false })
  {
    let whole = readList(bytes, ["r"])
    #expect(whole.failure == nil, "seed \(seed)")
    // Strings without quotes are shown without them.
    let found = whole.lines.map { isPlain($0) ? "«\($0)»" : $0 }
    #expect(found == expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    for chunks in [[1], [7], [3, 16, 1]] {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 3, bytes: 50)] {
        #expect(readList(bytes, ["r"], chunks: chunks, limit: limit) == whole, "seed \(seed)")
      }
    }
    #expect(readList(bytes).failure == nil, "seed \(seed)")
  }

  @Test("XML reads as what was written, and Foundation agrees that it is that", arguments: Soak.seeds(40))
  func xml(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = Self.list(&generator, onlyText: false)
    let text = PropertyListWriters.xml(list, &generator)
    check(Array(text.utf8), Self.expected(list, onlyText: false), seed)
    let judged = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
    // CoreFoundation takes references to characters beyond 16 bits for something else, so only the shape is compared.
    #expect((judged as? [Any])?.count == list.elements?.count, "seed \(seed)")
  }

  @Test("the binary form reads as what was written, and Foundation agrees that it is that", arguments: Soak.seeds(40))
  func binary(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = Self.list(&generator, onlyText: false)
    let bytes = BinaryPropertyListWriter.write(list)
    check(bytes, Self.expected(list, onlyText: false), seed)
    let judged = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    #expect(Self.isEqual(judged, list), "seed \(seed)")
  }

  @Test("what Foundation writes reads as what it was given", arguments: Soak.seeds(40))
  func foundation(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = Self.list(&generator, onlyText: false)
    let bytes = BinaryPropertyListWriter.write(list)
    let object = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let written = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
      let reading = readList(Array(written), ["r"])
      #expect(reading.failure == nil && reading.lines.count == list.elements?.count, "seed \(seed)")
      // Dictionaries have another order there, so only scalars and arrays of them are compared.
      for (line, expected) in zip(reading.lines, Self.expected(list, onlyText: false)) where !expected.contains("{") {
        #expect(Self.number(line) == Self.number(expected), "seed \(seed)")
      }
    }
  }

  /// Numbers compare by their value: Foundation spells reals in its own way.
  private static func number(_ text: String) -> String {
    guard text.hasPrefix("#"), text.contains(where: { ".eE".contains($0) }), let value = Double(text.dropFirst()) else {
      return text.hasPrefix("$") && text.contains(where: { ".eE".contains($0) }) ? "" : text
    }
    return "#\(value)"
  }

  @Test("OpenStep text reads as what was written", arguments: Soak.seeds(60))
  func text(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = Self.list(&generator, onlyText: true)
    let text = PropertyListWriters.text(list, &generator)
    let expected = Self.expected(list, onlyText: true)
    let whole = readList(Array(text.utf8), ["r"])
    #expect(whole.failure == nil, "seed \(seed): \(text)")
    let found = zip(whole.lines, expected).map { $0 == $1 || "«\($0)»" == $1 }
    #expect(
      whole.lines.count == expected.count && !found.contains(false), "seed \(seed): \(text)\n\(whole)\n\(expected)")
    for chunks in [[1], [7], [3, 16, 1]] {
      #expect(readList(Array(text.utf8), ["r"], chunks: chunks, limit: BatchLimit(records: 2)) == whole, "seed \(seed)")
    }
  }

  /// Whether what Foundation read is a list.
  private static func isEqual(_ object: Any, _ list: PropertyList) -> Bool {
    switch list {
    case .array(let elements):
      guard let array = object as? [Any], array.count == elements.count else { return false }
      return zip(array, elements).allSatisfy { isEqual($0, $1) }
    case .dictionary(let entries):
      guard let dictionary = object as? [String: Any] else { return false }
      // Foundation's keys are equal where their characters are canonically equal.
      return entries.allSatisfy { entry in dictionary[entry.key].map { isEqual($0, entry.value) } ?? false }
    case .string(let text): return (object as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
    case .integer(let value): return (object as? NSNumber)?.int64Value == value
    case .unsigned(let value): return (object as? NSNumber)?.uint64Value == value
    case .real(let value): return (object as? NSNumber)?.doubleValue == value
    case .boolean(let value): return (object as? Bool) == value
    case .data(let bytes): return (object as? Data).map { Array($0) == bytes } ?? false
    case .date(let seconds): return (object as? Date)?.timeIntervalSinceReferenceDate == seconds
    case .uid: return false
    }
  }

  @Test("bytes changed at random never trap, and whole reads as in pieces", arguments: Soak.readerSeeds(60))
  func damaged(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let list = Self.list(&generator, onlyText: false)
    let plain = Self.list(&generator, onlyText: true)
    let forms = [
      BinaryPropertyListWriter.write(list), Array(PropertyListWriters.xml(list, &generator).utf8),
      Array(PropertyListWriters.text(plain, &generator).utf8),
    ]
    for form in forms {
      for _ in 0..<20 {
        var bytes = form
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes[place] = .random(in: 0...255, using: &generator)
          case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
          case 2: bytes.remove(at: place)
          default: bytes.insert(bytes.randomElement(using: &generator) ?? 0, at: place)
          }
        }
        let whole = readList(bytes, ["r", "value"])
        #expect(readList(bytes, ["r", "value"], chunks: [1], limit: BatchLimit(records: 1)) == whole, "seed \(seed)")
        _ = readList(bytes)
      }
    }
  }
}
