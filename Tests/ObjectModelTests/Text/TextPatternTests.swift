import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct TextPatternTests {
  @Test(
    arguments: [
      ("abc", ["abc"], ["", "ab", "abcd", "xabc"]), ("", [""], ["a", " "]), ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
      ("a*", ["", "a", "aaaa"], ["b", "aab"]), ("a+b?", ["a", "ab", "aaab"], ["", "b", "abb"]),
      ("a{3}", ["aaa"], ["aa", "aaaa"]), ("a{2,}", ["aa", "aaaaa"], ["a"]), ("a{1,3}", ["a", "aaa"], ["", "aaaa"]),
      ("a{0}b", ["b"], ["ab"]), ("(ab){2}", ["abab"], ["ab", "ababab"]), ("(a|b)*c", ["c", "abbac"], ["ab", "cc"]),
      ("(?:a(?<name>b)+)?", ["", "abb"], ["a"]), ("a.c", ["abc", "aéc", "a😀c"], ["ac", "a\nc", "a\u{2028}c", "abbc"]),
      ("[a-c]+", ["abc"], ["d", ""]), ("[^a-c]", ["d", "é", "\n"], ["a", "dd"]), ("[-a]", ["-", "a"], ["b"]),
      ("[a-]", ["-", "a"], ["b"]),
      ("[\\]\\\\]+", ["]\\"], ["a"]), ("[\\d.]+", ["1.5"], ["x"]),
      ("\\d{4}-\\d{2}", ["2024-01"], ["2024-1", "2024-01-"]),
      ("\\d", ["7", "٣"], ["x", "½"]), ("\\w+", ["aé_9"], ["a b", ""]), ("\\s", [" ", "\u{3000}"], ["x"]),
      ("\\S\\D\\W", ["ab-"], ["a1-", " b-"]),
      ("\\p{Lu}\\p{L}*", ["Éa", "Z"], ["éa", "1"]), ("\\P{N}", ["a"], ["1", "½"]),
      ("\\u00e9\\x41\\x{1F600}", ["éA😀"], ["eA😀"]),
      ("\\t\\n\\.\\*\\[\\(\\)\\/", ["\t\n.*[()/"], ["x"]), ("^abc$", ["abc"], ["abc\n", "ab"]),
      ("^a$|^b$", ["a", "b"], ["ab"]),
      ("\\Aab\\z", ["ab"], ["a"]), ("^(a|b)+$", ["abba"], [""]), ("(^a)?b", ["ab", "b"], ["aab"]),
      ("a*?b+?", ["b", "aabb"], ["a"]),
      ("(a*)*", ["", "aaa"], ["b"]), ("(a|b|ab)*c{2,3}", ["abcc", "ccc"], ["abc", "cccc"]),
      ("((a?){3}b){2}", ["bb", "aaabab"], ["aaaabb"]),
      ("[A-Z0-9._%+-]+@[A-Z0-9.-]+\\.[A-Z]{2,4}", ["JOHN@EXAMPLE.ORG"], ["john@example.org", "@A.BC", "A@B.CDEFG"]),
      ("日+本?", ["日日", "日本"], ["本"]),
    ] as [(String, [String], [String])])
  func expressionsMatchWholeTexts(expression: String, matching: [String], others: [String]) throws {
    let pattern = try TextPattern(expression)
    #expect(pattern.isLinear)
    for text in matching { #expect(pattern.matches(text), "\(expression) matches \(text)") }
    for text in others { #expect(!pattern.matches(text), "\(expression) does not match \(text)") }
  }

  @Test(arguments: [
    ("(?i)abc", "aBC", "abd"), ("(a)\\1", "aa", "ab"), ("(?=.*\\d).+", "a1", "ab"), ("a\\b b", "a b", "ab"),
    ("[[:alpha:]]+", "abc", "1"), ("[:alpha:]", "b", ":"), ("x[:^alpha:]+", "x1:", "xa"), ("[:a]", ":", "b"),
    ("\\x9", "\t", "9"),
    ("(?>a+)b", "aab", "b"),
  ])
  func otherExpressionsFallBackToBacktracking(expression: String, matching: String, other: String) throws {
    let pattern = try TextPattern(expression)
    #expect(!pattern.isLinear)
    #expect(pattern.matches(matching))
    #expect(!pattern.matches(other))
  }

  @Test(arguments: [
    "(", ")", "a)", "[a", "*a", "a{3,1}", "\\", "[z-a]", "\\x", "(?<n", "\\u12", "a**+(", "a**", "a{2}{2}", "a???",
    "a+?+", "(?<a-b>x)", "(?<aé>x)", "(?<a>x)(?<a>y)",
  ])
  func malformedExpressionsAreErrors(expression: String) {
    #expect(throws: TextPatternError.self) { _ = try TextPattern(expression) }
  }

  @Test func greatCountsAreLeftToICU() throws {
    let pattern = try TextPattern("a{2000}")
    #expect(!pattern.isLinear)
    #expect(pattern.matches(String(repeating: "a", count: 2_000)))
    #expect(!pattern.matches(String(repeating: "a", count: 1_999)))
  }

  @Test(arguments: [
    String(repeating: "(", count: 100_000), String(repeating: "(a{1000})", count: 50),
    "(((a{1000}){1000}){1000}){1000}", "(((){1000}){1000}){1000}", String(repeating: "a?", count: 5_000),
    String(repeating: "a", count: 2_000_000), String(repeating: "[", count: 100_000),
    String(repeating: "(?=", count: 50_000), String(repeating: "(a|", count: 90) + String(repeating: ")*", count: 90),
  ])
  func hugeExpressionsAreErrorsOrEndInTime(expression: String) throws {
    let text = String(repeating: "a", count: 10_000) + "b"
    let start = ProcessorTime.now
    if let pattern = try? TextPattern(expression) { _ = pattern.matches(text) }
    #expect(ProcessorTime.now - start < .seconds(2), "\(expression.prefix(20))")
  }

  @Test(arguments: ["(a+)+$", "(a|aa)+\\1?$", "(?=(a+)+c)a", "^(a*)*\\b$", "(.*)*\\1c", "(?:(?:a?){20}){20}\\1?b()"])
  func patternsThatExplodeEndAsAnError(expression: String) throws {
    let text = String(repeating: "a", count: 5_000) + "!"
    let bytes = Array(text.utf8)
    let pattern = try TextPattern("(?:" + expression + ")\\b|(x)\\1")
    #expect(!pattern.isLinear)
    let start = ProcessorTime.now
    do throws(PredicateError) {
      let result = try bytes.withUnsafeBufferPointer { bytes throws(PredicateError) in try pattern.match(bytes) }
      #expect(!result)
    } catch {
      #expect(error.code == .patternTimeLimit)
    }
    #expect(ProcessorTime.now - start < .seconds(1))
    #expect(!pattern.matches(text))
  }

  @Test func noTextMakesAnAutomatonSlow() throws {
    // A backtracking engine needs 2^50000 steps for these.
    let text = String(repeating: "a", count: 50_000) + "b"
    for expression in ["(a+)+", "(a|a)*", "(a*)*c", "(a|aa)+"] {
      let pattern = try TextPattern(expression)
      #expect(!pattern.matches(text))
    }
  }

  @Test(arguments: [UInt64(61), 62, 63, 64])
  func randomExpressionsAgreeWithTheStandardLibrary(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func expression(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 9 : 4), using: &generator) {
      case 0: return "a"
      case 1: return "b"
      case 2: return "[ab]"
      case 3: return "[^a]"
      case 4: return expression(depth - 1) + expression(depth - 1)
      case 5: return "(" + expression(depth - 1) + "|" + expression(depth - 1) + ")"
      case 6: return "(" + expression(depth - 1) + ")?"
      case 7: return "(" + expression(depth - 1) + "){1,2}"
      default: return "(" + expression(depth - 1) + ")*"
      }
    }
    for _ in 0..<60 {
      let source = expression(3)
      let pattern = try TextPattern(source)
      let regex = try Regex(source).matchingSemantics(.unicodeScalar)
      for _ in 0..<8 {
        let count = Int.random(in: 0...6, using: &generator)
        let text = String((0..<count).map { _ in ["a", "b", "é"].randomElement(using: &generator) ?? "a" })
        let expected = try regex.wholeMatch(in: text) != nil
        #expect(pattern.matches(text) == expected, "seed \(seed): \(source) on \(text)")
      }
    }
  }

  @Test("The automaton and ICU's engine agree", arguments: Soak.seeds(12, from: 800))
  func automatonAgreesWithICU(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let atoms = [
      "a", "B", "k", "s", "é", "É", "ß", ".", "\\d", "\\w", "\\s", "\\S", "\\W", "\\D", "[a-c]", "[^a-c]", "[A-Zé]",
      "[\\w.]",
      "\\p{Lu}", "\\p{L}", "\\P{Nd}", "[^\\s\\d]", "\\x{17F}", "\\u212A", "\\.", "\\t", "1",
    ]
    let characters: [Unicode.Scalar] = [
      "a", "A", "b", "B", "k", "K", "\u{212A}", "s", "S", "\u{17F}", "ß", "é", "É", "1", "٣", "½", " ", "\n", "\r",
      "\u{B}",
      "\u{C}", "\u{85}", "\u{2028}", ".", "_", "\u{301}", "\u{200D}", "\u{AA}", "\u{345}", "😀", "\t", "\u{3000}", "Ⅷ",
    ]
    func expression(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &generator) {
      case 0...2: return atoms.randomElement(using: &generator) ?? "a"
      case 3: return expression(depth - 1) + expression(depth - 1)
      case 4: return "(" + expression(depth - 1) + "|" + expression(depth - 1) + ")"
      case 5: return "(?:" + expression(depth - 1) + ")?"
      case 6: return "(?:" + expression(depth - 1) + "){1,2}"
      default: return "(?:" + expression(depth - 1) + ")+"
      }
    }
    var matches = 0
    for _ in 0..<150 {
      let source = expression(3)
      for ignoresCase in [false, true] {
        let pattern = try TextPattern(source, ignoresCase: ignoresCase)
        let reference = try TextPattern("(?\(ignoresCase ? "i" : "-i"):\(source))", ignoresCase: ignoresCase)
        #expect(!reference.isLinear)
        for _ in 0..<12 {
          var text = String.UnicodeScalarView()
          for _ in 0..<Int.random(in: 0...3, using: &generator) {
            text.append(characters.randomElement(using: &generator) ?? "a")
          }
          let expected = reference.matches(String(text))
          if expected { matches += 1 }
          #expect(
            pattern.matches(String(text)) == expected,
            "seed \(seed): \(source) \(ignoresCase) on \(text.map { String($0.value, radix: 16) })")
        }
      }
    }
    #expect(matches > 100)
  }
}
