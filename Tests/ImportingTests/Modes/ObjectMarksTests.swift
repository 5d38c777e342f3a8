@testable import MergewalkImporting
import MergewalkTestSupport
import Testing

@Suite struct ObjectMarksTests {
  @Test(arguments: Soak.seeds(6, from: 1)) func marksAreASetOfNumbers(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let marks = ObjectMarks()
    var expected = Set<Int64>()
    for _ in 0..<2000 {
      // Odd seeds have keys far apart, up to the greatest that a store can hold.
      let key =
        seed % 2 == 0
        ? Int64.random(in: 1...5000, using: &random)
        : [1, 5, 4095, 32768, 1 << 31, 1 << 32, 1 << 40, .max - 40].randomElement(using: &random)!
          + Int64.random(in: 0...39, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        marks.remove(key)
        expected.remove(key)
      } else {
        marks.mark(key)
        expected.insert(key)
      }
      #expect(marks.contains(key) == expected.contains(key), "seed \(seed)")
    }
    #expect(marks.count == expected.count)
    var found: [Int64] = []
    var sizes: [Int] = []
    marks.forEach(chunk: 100) { keys in
      found += keys
      sizes.append(keys.count)
    }
    #expect(found == expected.sorted(), "seed \(seed)")
    // A chunk ends behind the word in which it became full.
    #expect(sizes.dropLast().allSatisfy { (100..<164).contains($0) })
  }

  @Test func keysFarApartTakeLittle() {
    let marks = ObjectMarks()
    for key in [1, 1 << 31, (1 << 32) - 1, 1 << 32, .max] as [Int64] { marks.mark(key) }
    #expect(marks.count == 5 && marks.bytesInUse < 2_000_000)
  }

  @Test func memoryIsABitForEachKey() {
    let marks = ObjectMarks()
    for key in 1...1_000_000 as ClosedRange<Int64> { marks.mark(key) }
    #expect(marks.bytesInUse < 260_000)
    #expect(!marks.contains(1_000_001) && !marks.contains(50_000_000))
  }
}
