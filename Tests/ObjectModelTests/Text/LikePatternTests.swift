import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct LikePatternTests {
  @Test(
    arguments: [
      ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("?", "", false), ("?", "é", true),
      ("?", "e\u{301}", false), ("??", "e\u{301}", true), ("a*c", "abc", true), ("a*c", "ac", true),
      ("a*c", "acb", false),
      ("a*b*c", "aXbYc", true), ("a*b*c", "acb", false), ("ab*ba", "aba", false), ("*b?d*", "abcde", true),
      ("\\*", "*", true), ("\\*", "a", false), ("\\?", "?", true), ("\\?", "a", false), ("\\\\", "\\", true),
      ("\\a", "\\a", true), ("a\\", "a\\", true), ("**", "", true), ("*?*", "", false), ("*?*", "x", true),
      ("*aab", "aaab", true), ("*aab*", "xaaabx", true), ("?*?", "a", false), ("😀?", "😀é", true), ("abc", "ABC", false),
      ("*??", "😀", false), ("a?*", "a", false), ("*a?", "aab", true), ("*é", "caf\u{E9}", true),
    ])
  func knownPatterns(pattern: String, text: String, expected: Bool) throws {
    #expect(try LikePattern(pattern).matches(text) == expected)
  }

  @Test func optionsFoldBothSides() throws {
    #expect(try LikePattern("STRASSE*", options: .caseInsensitive).matches("Straße 1"))
    #expect(try LikePattern("caf?", options: .diacriticInsensitive).matches("cafe\u{301}"))
    #expect(try !LikePattern("CAFE", options: .diacriticInsensitive).matches("café"))
    #expect(try LikePattern("CAFE", options: [.caseInsensitive, .diacriticInsensitive]).matches("café"))
    #expect(try !LikePattern("CAFE", options: [.caseInsensitive, .normalized]).matches("cafe"))
  }

  @Test("Random patterns agree with a slow matcher", arguments: Soak.seeds(20, from: 300))
  func agreesWithRecursion(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func fits(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == "*" { return fits(pattern.dropFirst(), text) || (!text.isEmpty && fits(pattern, text.dropFirst())) }
      guard let next = text.first else { return false }
      return (first == "?" || first == next) && fits(pattern.dropFirst(), text.dropFirst())
    }
    for _ in 0..<500 {
      func random(_ alphabet: String, _ count: Int) -> String {
        String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
      }
      let pattern = random("aé*?", Int.random(in: 0...7, using: &generator))
      let text = random("aaé", Int.random(in: 0...8, using: &generator))
      let expected = fits(Array(pattern.unicodeScalars)[...], Array(text.unicodeScalars)[...])
      #expect(try LikePattern(pattern).matches(text) == expected, "seed \(seed): \(pattern) on \(text)")
    }
  }

  @Test("No pattern makes a long text slow")
  func hostilePatternsEndInTime() {
    let text = String(repeating: "a", count: 200_000)
    let patterns = [
      String(repeating: "*a", count: 100_000) + "b", String(repeating: "*a?", count: 60_000) + "b",
      "*" + String(repeating: "a", count: 100_000) + "b*", "*" + String(repeating: "?", count: 100_000) + "b*",
      "*" + String(repeating: "a?", count: 40_000) + "b*", String(repeating: "?", count: 200_000),
      "*" + String(repeating: "a", count: 60_000) + "?b*" + String(repeating: "a", count: 60_000),
      String(repeating: "*", count: 200_000), "*" + String(repeating: "?a", count: 31) + "?b*",
    ]
    for pattern in patterns {
      let start = ProcessorTime.now
      do throws(PredicateError) {
        let result = try LikePattern(pattern).matches(text)
        #expect(result == !pattern.contains("b"))
      } catch {
        #expect(error.code == .patternTimeLimit)
      }
      #expect(ProcessorTime.now - start < .seconds(8), "\(pattern.prefix(10)) \(pattern.suffix(10))")
    }
  }
}
