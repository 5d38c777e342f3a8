import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct JSONDocumentPropertyTests {
  private static let names = ["r", "a", "b", "é", "x.y", "\"q\"", ""]

  private static func value(_ random: inout SeededGenerator, depth: Int) -> Any {
    switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
    case 0: return NSNull()
    case 1: return Bool.random(using: &random)
    case 2: return Double(Int.random(in: -9999...9999, using: &random)) / 8
    case 3, 4: return names.randomElement(using: &random) ?? ""
    case 5: return (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) }
    default: return object(&random, depth: depth + 1)
    }
  }

  private static func object(_ random: inout SeededGenerator, depth: Int) -> [String: Any] {
    var result: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      result[names.randomElement(using: &random) ?? ""] = value(&random, depth: depth)
    }
    return result
  }

  /// A document with an array at `a.r` of records and of other values, as Foundation writes it.
  private static func document(_ random: inout SeededGenerator) throws -> (text: Data, elements: [Any]) {
    var elements: [Any] = []
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      elements.append(Int.random(in: 0..<8, using: &random) == 0 ? value(&random, depth: 2) : object(&random, depth: 1))
    }
    var inner = object(&random, depth: 1)
    inner["r"] = elements
    var root = object(&random, depth: 0)
    root["a"] = inner
    let isPretty = Bool.random(using: &random)
    return (try JSONSerialization.data(withJSONObject: root, options: isPretty ? .prettyPrinted : []), elements)
  }

  private static func read(_ text: Data, _ chunk: Int, _ limit: Int, maxRecordBytes: Int = 1 << 20) -> Reading {
    var options = JSONOptions()
    options.records = "$.a.r"
    options.maxRecordBytes = maxRecordBytes
    return Reading.of(
      { () throws(ReadError) in
        try JSONReader(
          source: ByteSource(bytes: Array(text), chunkSize: chunk), options: options,
          columns: .named(["b", "r", "b.a"]))
      }, limit: BatchLimit(records: limit))
  }

  @Test("the elements of random documents are what Foundation reads", arguments: Soak.seeds(30))
  func matchesFoundation(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let (text, elements) = try Self.document(&random)
      var options = JSONOptions()
      options.records = "a.r"
      for chunk in [Int.max, 5] {
        var reader = try JSONReader(
          source: ByteSource(bytes: Array(text), chunkSize: chunk), options: options, columns: .named(["b"]))
        var batch = RecordBatch()
        var good: [Int: [UInt8]] = [:]
        var refused: [Int] = []
        while try reader.read(into: &batch, limit: BatchLimit(records: 3)) {
          for record in 0..<batch.recordCount { good[batch.records[record].index] = batch.raw(record) }
          refused += batch.errors.map(\.recordIndex)
        }
        #expect(good.count + refused.count == elements.count, "seed \(seed)")
        for (index, element) in elements.enumerated() {
          if let object = element as? [String: Any] {
            let raw = try JSONSerialization.jsonObject(with: Data(good[index] ?? []))
            #expect(raw as? NSDictionary == object as NSDictionary, "seed \(seed), element \(index)")
          } else {
            #expect(refused.contains(index), "seed \(seed), element \(index)")
          }
        }
      }
    }
  }

  @Test(
    "damaged documents give the same however they arrive, and no fault is accepted", arguments: Soak.readerSeeds(60))
  func damage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var (text, _) = try Self.document(&random)
      for _ in 0..<Int.random(in: 1..<3, using: &random) {
        let at = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[at] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: at)
        case 2: text = text.prefix(at + 1)
        default: text.insert(Array("{}[]\",:\\u0d\n-.e".utf8).randomElement(using: &random) ?? 0, at: at)
        }
      }
      let whole = Self.read(text, .max, .max)
      for chunk in [1, 2, 3, 7] {
        #expect(Self.read(text, chunk, chunk) == whole, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      }
      let most = Int.random(in: 1..<120, using: &random)
      let limited = Self.read(text, .max, .max, maxRecordBytes: most)
      for chunk in [1, 3, 11] {
        #expect(
          Self.read(text, chunk, chunk, maxRecordBytes: most) == limited,
          "seed \(seed), at most \(most): \(String(decoding: text, as: UTF8.self))")
      }
      let isRefused = whole.failure != nil || whole.lines.contains { $0.contains("@") && !$0.contains("notAnObject") }
      if (try? JSONSerialization.jsonObject(with: text)) == nil {
        #expect(isRefused, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      }
    }
  }
}
