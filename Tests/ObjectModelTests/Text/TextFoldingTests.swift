import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct TextFoldingTests {
  typealias Options = ComparisonPredicate.Options

  private static let both: Options = [.caseInsensitive, .diacriticInsensitive]

  @Test(
    arguments: [
      ("", "", "", ""), ("Abc", "abc", "Abc", "abc"), ("É", "é", "E", "e"), ("E\u{301}", "é", "E", "e"),
      ("ß", "ss", "ß", "ss"), ("ẞ", "ss", "ẞ", "ss"), ("İ", "i\u{307}", "I", "i"), ("ı", "ı", "ı", "ı"),
      ("Å", "å", "A", "a"), ("\u{212B}", "å", "A", "a"), ("\u{212A}", "k", "K", "k"), ("ΐ", "ΐ", "ι", "ι"),
      ("Σίσυφος", "σίσυφοσ", "Σισυφος", "σισυφοσ"), ("ﬁ", "fi", "ﬁ", "fi"), ("ŉ", "ʼn", "ŉ", "ʼn"),
      ("ǰ", "ǰ", "j", "j"), ("øØ", "øø", "øØ", "øø"), ("łŁ", "łł", "łŁ", "łł"), ("ĳ", "ĳ", "ĳ", "ĳ"),
      ("각", "각", "각", "각"), ("\u{1100}\u{1161}\u{11A8}", "각", "각", "각"), ("ガ", "ガ", "カ", "カ"),
      ("й", "й", "и", "и"), ("ё", "ё", "е", "е"), ("Ё", "ё", "Е", "е"),
      ("\u{10400}", "\u{10428}", "\u{10400}", "\u{10428}"),
      ("q\u{307}\u{323}", "q\u{323}\u{307}", "q", "q"), ("ＡＢ", "ａｂ", "ＡＢ", "ａｂ"), ("Ω", "ω", "Ω", "ω"),
      ("x\u{20DD}", "x\u{20DD}", "x\u{20DD}", "x\u{20DD}"), ("नि", "नि", "नि", "नि"), ("👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧"),
    ])
  func knownTexts(text: String, c: String, d: String, cd: String) {
    #expect(Array(TextFolding.fold(text, .caseInsensitive).utf8) == Array(c.precomposedStringWithCanonicalMapping.utf8))
    #expect(
      Array(TextFolding.fold(text, .diacriticInsensitive).utf8) == Array(d.precomposedStringWithCanonicalMapping.utf8))
    #expect(Array(TextFolding.fold(text, Self.both).utf8) == Array(cd.precomposedStringWithCanonicalMapping.utf8))
    #expect(Array(TextFolding.canonical(text).utf8) == Array(TextFolding.fold(text, Self.both).utf8))
    #expect(Array(TextFolding.fold(text, [.normalized, .caseInsensitive]).utf8) == Array(text.utf8))
  }

  @Test(
    "Folding is idempotent, blind to composition, and never splits a character", arguments: Soak.seeds(20, from: 900))
  func foldingIsCanonical(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let text = RandomText.make(&generator, count: Int.random(in: 0...12, using: &generator))
      for options in [Options.caseInsensitive, .diacriticInsensitive, Self.both] {
        let folded = TextFolding.fold(text, options)
        #expect(folded.hasSameBytes(as: TextFolding.fold(folded, options)), "seed \(seed): \(text)")
        for form in [text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping] {
          #expect(folded.hasSameBytes(as: TextFolding.fold(form, options)), "seed \(seed): \(text)")
        }
      }
    }
  }

  @Test("Each character folds as the standard library's data say")
  func everyCharacterFoldsAsUnicodeSays() {
    // Foundation's own folding removes other things too, so the oracle is the standard library's properties.
    var checked = 0
    for value in stride(from: UInt32(0x20), to: 0x1_F000, by: 1) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let decomposed = String(Character(scalar)).decomposedStringWithCanonicalMapping
      var stripped = String.UnicodeScalarView()
      for part in decomposed.unicodeScalars where part.properties.generalCategory != .nonspacingMark {
        stripped.append(part)
      }
      let expected = String(stripped).precomposedStringWithCanonicalMapping
      // The tables of ICU and of the standard library are of different versions of Unicode.
      // U+1171E became a spacing mark in Unicode 16.
      guard let age = scalar.properties.age, age.major <= 13, value != 0x1171E else { continue }
      let folded = TextFolding.fold(String(Character(scalar)), .diacriticInsensitive)
      if !folded.hasSameBytes(as: expected) { Issue.record("U+\(String(value, radix: 16))") }
      checked += 1
    }
    #expect(checked > 70_000)
  }

  @Test(
    "Latin texts without case and accents are those of Foundation",
    arguments: ["Ünïcödé ÀÉÎ", "Crème Brûlée", "Ångström ŻÓŁĆ", "Việt Nam", "ΑΒΓάέή"])
  func latinAgreesWithFoundation(text: String) {
    let expected = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    #expect(TextFolding.fold(text, Self.both).hasSameBytes(as: expected))
  }

  @Test("Long texts fold block by block as they fold whole", arguments: [1_000, 70_000, 300_000])
  func longTextsFoldInBlocks(count: Int) {
    var generator = SeededGenerator(seed: 5)
    let piece = (0..<500).map { _ in RandomText.make(&generator, count: 3) + "x" }
    let text = (0..<count / 500).map { _ in piece.joined() }.joined()
    let expected = (0..<count / 500).map { _ in piece.map { TextFolding.fold($0, Self.both) }.joined() }.joined()
    #expect(TextFolding.fold(text, Self.both).hasSameBytes(as: expected))
    let marks = String(repeating: "\u{301}", count: 2_000_000)
    #expect(TextFolding.fold("e" + marks, Self.both) == "e")
    #expect(TextFolding.fold(marks, .caseInsensitive).utf8.count == marks.utf8.count)
    #expect(TextFolding.fold(String(repeating: "\u{AC01}", count: 200_000), Self.both).unicodeScalars.count == 200_000)
  }

  @Test("Comparing agrees with folding first", arguments: Soak.seeds(20, from: 40))
  func comparisonsAgreeWithFolding(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let left = RandomText.make(&generator, count: Int.random(in: 0...4, using: &generator))
      let right = RandomText.make(&generator, count: Int.random(in: 0...3, using: &generator))
      for options in [Options(), .caseInsensitive, .diacriticInsensitive, Self.both] {
        let first = Array(TextFolding.fold(left, options).utf8)
        let second = Array(TextFolding.fold(right, options).utf8)
        let order = first.lexicographicallyPrecedes(second) ? -1 : first == second ? 0 : 1
        left.withBytes { l in
          right.withBytes { r in
            #expect(TextComparison.compare(l, r, options) == order, "seed \(seed): \(left) \(right)")
            #expect(TextComparison.hasPrefix(l, r, options) == first.starts(with: second), "seed \(seed)")
            #expect(
              TextComparison.hasSuffix(l, r, options) == first.reversed().starts(with: second.reversed()),
              "seed \(seed)")
            let isPart = (0...first.count).contains { first[$0...].starts(with: second) }
            #expect(TextComparison.contains(l, r, options) == isPart, "seed \(seed): \(left) \(right)")
          }
        }
      }
    }
  }

  @Test("Bytes that are not UTF-8 are folded without a trap", arguments: Soak.seeds(20, from: 7))
  func illFormedBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        [0x41, 0x80, 0xC3, 0xA9, 0xCC, 0x81, 0xE2, 0xF0, 0xFF, 0xED, 0xA0].randomElement(using: &generator) ?? 0
      }
      bytes.map { UInt8($0) }.withUnsafeBufferPointer { text in
        let folded = TextFolding.fold(text, Self.both)
        #expect(String(validating: folded, as: UTF8.self) != nil || bytes.isEmpty)
        #expect(TextCollation.standard.compare(text, text) == 0)
        _ = TextCollation.standard.sortKey(text)
        _ = try? LikePattern(text).matches(text)
      }
    }
  }
}

/// Short texts that are hard to compare.
enum RandomText {
  private static let characters: [Unicode.Scalar] = [
    "a", "A", "b", "e", "E", "é", "É", "\u{301}", "\u{308}", "\u{323}", "ß", "ẞ", "s", "S", "ſ", "İ", "i", "ı", "I",
    "\u{307}", "Å", "\u{212B}", "\u{30A}", "K", "\u{212A}", "σ", "ς", "Σ", "ΐ", "\u{345}", "ᾳ", "각", "\u{1100}",
    "\u{1161}", "\u{11A8}", "ﬁ", "ガ", "カ", "\u{3099}", "😀", "\u{10400}", "ŉ", "ǰ", "1", " ", "\u{0}", "\u{FFFD}", "Ø",
  ]

  static func make(_ generator: inout SeededGenerator, count: Int) -> String {
    var view = String.UnicodeScalarView()
    for _ in 0..<count { view.append(characters.randomElement(using: &generator) ?? "a") }
    return String(view)
  }
}
