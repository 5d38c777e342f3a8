import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct TextCollationTests {
  private func order(_ collation: TextCollation, _ left: String, _ right: String) -> Int {
    left.withBytes { first in right.withBytes { second in collation.compare(first, second) } }
  }

  @Test func theRootCollationOrdersAsReadersDo() {
    let words = ["", "-", "1", "10", "2", "a", "A", "á", "ab", "Äpfel", "Apfelsine", "b", "Z", "Ω", "я", "日"]
    let expected = ["", "-", "1", "10", "2", "a", "A", "á", "ab", "Äpfel", "Apfelsine", "b", "Z", "Ω", "я", "日"]
    var generator = SeededGenerator(seed: 3)
    let sorted = words.shuffled(using: &generator).sorted { order(.standard, $0, $1) < 0 }
    #expect(sorted == expected)
  }

  @Test func strengthsLeaveOutCaseAndAccents() {
    #expect(order(.standard, "a", "A") == -1)
    #expect(order(.standard, "e\u{301}", "é") == 0)
    #expect(order(.caseInsensitive, "a", "A") == 0)
    #expect(order(.caseInsensitive, "a", "á") == -1)
    #expect(order(.diacriticInsensitive, "a", "á") == 0)
    #expect(order(.diacriticInsensitive, "a", "A") == -1)
    #expect(order(.lettersOnly, "a", "Á") == 0)
    #expect(order(.lettersOnly, "a", "b") == -1)
    #expect(order(.numeric, "file9", "file10") == -1)
    #expect(order(.standard, "file9", "file10") == 1)
    #expect(order(.standard, "a b", "ab") == -1)
  }

  @Test("Sort keys are in the order of the texts", arguments: Soak.seeds(10, from: 70))
  func sortKeysAgree(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let left = RandomText.make(&generator, count: 3)
      let right = RandomText.make(&generator, count: 3)
      for collation in [TextCollation.standard, .caseInsensitive, .diacriticInsensitive, .lettersOnly, .numeric] {
        let first = left.withBytes(collation.sortKey)
        let second = right.withBytes(collation.sortKey)
        let byKey = first.lexicographicallyPrecedes(second) ? -1 : first == second ? 0 : 1
        #expect(order(collation, left, right) == byKey, "seed \(seed): \(left) \(right)")
      }
    }
  }
}
