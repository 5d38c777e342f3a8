import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct NDJSONPropertyTests {
  private static let strings = [
    "", "a", "b", "id", "x.y", "é€😀", "\"\\/", "line\nend\t", "long enough to be more than one word",
  ]

  private static func value(_ random: inout SeededGenerator, depth: Int) -> Any {
    switch Int.random(in: 0..<(depth > 3 ? 6 : 8), using: &random) {
    case 0: return NSNull()
    case 1: return Bool.random(using: &random)
    case 2: return Int.random(in: -1000...1000, using: &random)
    case 3: return Double(Int.random(in: -9999...9999, using: &random)) / 8
    case 4, 5: return strings.randomElement(using: &random) ?? ""
    case 6: return (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) }
    default: return object(&random, depth: depth + 1)
    }
  }

  private static func object(_ random: inout SeededGenerator, depth: Int) -> [String: Any] {
    var result: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      result[strings.randomElement(using: &random) ?? ""] = value(&random, depth: depth)
    }
    return result
  }

  /// How a reading shows a value that Foundation read.
  private static func shows(_ shown: String, _ value: Any?) throws -> Bool {
    switch value {
    case nil: return shown == "·"
    case is NSNull: return shown == "∅"
    case let text as String:
      return shown == "«" + String(text.unicodeScalars.map { $0 == "\n" ? "⏎" : Character($0) }) + "»"
    default:
      // Numbers, truths and structures: their text must mean the same.
      let text = String(shown.dropFirst())
      let read = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      return (read as? NSObject) == (value as? NSObject)
    }
  }

  @Test("members of random objects are what Foundation reads", arguments: Soak.seeds(20))
  func matchesFoundation(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let objects = (0..<60).map { _ in Self.object(&random, depth: 0) }
    var text: [UInt8] = []
    for object in objects { text += try JSONSerialization.data(withJSONObject: object) + [10] }
    let paths = ["id", "x\\.y", "a.b", "a", "b.a.id", "é€😀", "line\nend\t", "\"\\\\/"]
    for chunk in [Int.max, 13] {
      var reader = try NDJSONReader(source: ByteSource(bytes: text, chunkSize: chunk), columns: .named(paths))
      var batch = RecordBatch()
      var count = 0
      while try reader.read(into: &batch, limit: BatchLimit(records: 9)) {
        #expect(batch.errors == [], "seed \(seed)")
        for record in 0..<batch.recordCount {
          for (column, names) in [
            ["id"], ["x.y"], ["a", "b"], ["a"], ["b", "a", "id"], ["é€😀"], ["line\nend\t"], ["\"\\/"],
          ].enumerated() {
            var value: Any? = objects[count]
            for name in names where !(value is NSNull) { value = (value as? [String: Any])?[name] }
            let shown = Reading.show(batch, record, column)
            #expect(try Self.shows(shown, value), "seed \(seed), \(paths[column]) of \(objects[count]): \(shown)")
          }
          count += 1
        }
      }
      #expect(count == objects.count)
    }
  }

  @Test("damaged text is refused line by line, the same however it arrives", arguments: Soak.readerSeeds(40))
  func damage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var text: [UInt8] = []
      for _ in 0..<3 { text += try JSONSerialization.data(withJSONObject: Self.object(&random, depth: 0)) + [10] }
      for _ in 0..<Int.random(in: 1..<4, using: &random) {
        let at = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[at] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: at)
        default: text.insert(Array("{}[]\",:\\u0d\n-.e".utf8).randomElement(using: &random) ?? 0, at: at)
        }
      }
      func read(_ chunk: Int, _ limit: Int) -> Reading {
        Reading.of(
          { () throws(ReadError) in
            try NDJSONReader(source: ByteSource(bytes: text, chunkSize: chunk), columns: .named(["a", "id", "b.a"]))
          }, limit: BatchLimit(records: limit))
      }
      let whole = read(.max, .max)
      for chunk in [1, 2, 3, 7] { #expect(read(chunk, chunk) == whole, "seed \(seed)") }
      // A line is accepted only if Foundation finds an object in it, too.
      var accepted = 0
      for line in text.split(separator: 10) {
        if (try? JSONSerialization.jsonObject(with: Data(line))) is [String: Any] { accepted += 1 }
      }
      let marks: [Character] = ["·", "∅", "«", "#", "?", "$"]
      #expect(whole.lines.count { $0.first.map(marks.contains) == true } <= accepted, "seed \(seed)")
    }
  }
}
