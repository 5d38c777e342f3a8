@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite struct KeyOrderTests {
  /// Texts and numbers whose order Swift, Double or a prefix of eight bytes would get wrong.
  private static func keys(_ random: inout SeededGenerator, parts: [Bool]) -> [[Value]] {
    (0..<Int.random(in: 1...200, using: &random)).map { _ in
      parts.map { isText in
        if isText {
          var text = RecordGenerator.texts.randomElement(using: &random) ?? ""
          if Bool.random(using: &random) { text += RecordGenerator.texts.randomElement(using: &random) ?? "" }
          if Int.random(in: 0..<10, using: &random) == 0 { text = "" }
          return .text(text)
        }
        let number = Int64(RecordGenerator.integers.randomElement(using: &random) ?? "0") ?? 0
        return .integer(number &+ Int64.random(in: -2...2, using: &random))
      }
    }
  }

  @Test(
    arguments: [[true], [false], [true, false], [false, true], [true, true, false]], 1...8 as ClosedRange<UInt64>)
  func keysAreSortedAsSQLiteSortsThem(parts: [Bool], seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let keys = Self.keys(&random, parts: parts)
    var cells = KeyCells(parts: parts.count)
    for key in keys { cells.append(key) }

    let connection = try Connection(path: ":memory:", mode: .create)
    let names = parts.indices.map { "k\($0)" }
    let types = parts.enumerated().map { "k\($0) \($1 ? "VARCHAR" : "INTEGER")" }
    try connection.execute("CREATE TABLE t (n INTEGER, \(types.joined(separator: ", ")))")
    let insert = try connection.prepare("INSERT INTO t VALUES (?\(String(repeating: ", ?", count: parts.count)))")
    for (i, key) in keys.enumerated() {
      insert.bind(1, Int64(i))
      for (j, part) in key.enumerated() {
        switch part {
        case .null: insert.bindNull(Int32(j + 2))
        case .integer(let number): insert.bind(Int32(j + 2), number)
        case .text(let bytes): insert.bind(Int32(j + 2), text: String(decoding: bytes, as: UTF8.self))
        }
      }
      try insert.run()
    }
    let select = try connection.prepare("SELECT n FROM t ORDER BY \(names.joined(separator: ", ")), n")
    var expected: [Int32] = []
    while try select.step() { expected.append(Int32(select.integer(0))) }

    var sorted = ContiguousArray<Int32>()
    cells.withViews { columns, arena in
      var order = KeyOrder()
      order.sort(ContiguousArray(0..<Int32(keys.count)), columns, arena: arena, into: &sorted)
      for (left, right) in zip(sorted, sorted.dropFirst()) {
        let isEqual = KeyOrder.compare(columns, Int(left), Int(right), arena) == 0
        #expect(isEqual == (keys[Int(left)] == keys[Int(right)]), "seed \(seed)")
      }
    }
    #expect(Array(sorted) == expected, "seed \(seed)")
  }

  @Test func numbersBeyondTheDoublesPrecisionAreKeptApart() {
    var cells = KeyCells(parts: 1)
    let numbers: [Int64] = [9_007_199_254_740_993, 9_007_199_254_740_992, .max, .max - 1, .min, .min + 1]
    for number in numbers { cells.append([.integer(number)]) }
    var sorted = ContiguousArray<Int32>()
    cells.withViews { columns, arena in
      var order = KeyOrder()
      order.sort(ContiguousArray(0..<6), columns, arena: arena, into: &sorted)
    }
    #expect(sorted.map { numbers[Int($0)] } == numbers.sorted())
  }

  @Test(
    arguments: [[true], [false], [true, true], [true, false], [false, false, true]], 1...4 as ClosedRange<UInt64>)
  func keyBytesAreEqualExactlyForEqualKeys(parts: [Bool], seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var keys = Self.keys(&random, parts: parts)
    // Pairs whose bytes, written one behind the other without lengths, would be the same.
    if parts == [true, true] {
      keys += [[.text("ab"), .text("c")], [.text("a"), .text("bc")], [.text("abc"), .text("")]]
    }
    var cells = KeyCells(parts: parts.count)
    for key in keys { cells.append(key) }
    var owners: [[UInt8]: [Value]] = [:]
    var bytesOf: [[Value]: [UInt8]] = [:]
    cells.withViews { columns, arena in
      var keyBytes = KeyBytes()
      defer { keyBytes.deallocate() }
      for (i, key) in keys.enumerated() {
        let bytes = [UInt8](keyBytes.key(columns, row: i, arena: arena))
        #expect(owners.updateValue(key, forKey: bytes) ?? key == key, "seed \(seed)")
        #expect(bytesOf.updateValue(bytes, forKey: key) ?? bytes == bytes, "seed \(seed)")
      }
    }
    #expect(owners.count == Set(keys).count, "seed \(seed)")
  }
}
