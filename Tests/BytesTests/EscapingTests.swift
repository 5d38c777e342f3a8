import MergewalkBytes
import Foundation
import MergewalkTestSupport
import Testing

@Suite("Escaping") struct EscapingTests {
  private static let texts = [
    "", "plain", "\"\\/", "\u{0}\u{8}\u{9}\u{A}\u{C}\u{D}\u{1F} \u{7F}", "\u{80}\u{85}\u{9F}\u{A0}",
    "a\u{2028}b\u{2029}c\u{2027}\u{202A}", "\u{FEFF}\u{FFFD}\u{FFFE}\u{FFFF}", "ü€𝄞", "end\\",
  ]

  @Test("strings of JSON are spelt as their rule says")
  func json() {
    let text = "\"\\\u{8}\u{C}\t\n\r\u{1}\u{7F}\u{80}\u{85}\u{2028}\u{2029}\u{FEFF}\u{FFFE}ü"
    #expect(
      text.json(.least)
        == "\"\\\"\\\\\\b\\f\\t\\n\\r\\u0001\u{7F}\u{80}\u{85}\u{2028}\u{2029}\u{FEFF}\u{FFFE}ü\"")
    #expect(
      text.json(.lines)
        == "\"\\\"\\\\\\u0008\\u000c\\t\\n\\r\\u0001\\u007f\\u0080\\u0085\\u2028\\u2029\\ufeff\u{FFFE}ü\"")
    #expect(
      text.json(.printable)
        == "\"\\\"\\\\\\u0008\\u000C\\t\\n\\r\\u0001\\u007F\\u0080\\u0085\\u2028\\u2029\\uFEFF\\uFFFEü\"")
  }

  @Test("what turns the direction of text is spelt out where a person may see it")
  func direction() {
    let text = "\u{2027}\u{202A}\u{202E}\u{202F}\u{2065}\u{2066}\u{2069}\u{206A}"
    #expect(text.json(.least) == "\"" + text + "\"")
    #expect(text.json(.lines) == "\"\u{2027}\\u202a\\u202e\u{202F}\u{2065}\\u2066\\u2069\u{206A}\"")
    #expect(text.json(.printable) == "\"\u{2027}\\u202A\\u202E\u{202F}\u{2065}\\u2066\\u2069\u{206A}\"")
  }

  @Test("Foundation reads back every text", arguments: [JSONEscaping.least, .lines, .printable])
  func jsonBack(escaping: JSONEscaping) throws {
    var texts = Self.texts
    for seed in Soak.seeds(50) {
      var random = SeededGenerator(seed: seed)
      let scalars = (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in
        Unicode.Scalar(
          UInt32.random(in: 0..<[0x80, 0x100, 0x2100, 0x11_0000].randomElement(using: &random)!, using: &random))
      }
      texts.append(String(String.UnicodeScalarView(scalars)))
    }
    for text in texts {
      // Foundation takes U+FEFF at the start of a string for a byte order mark.
      if text.unicodeScalars.first == "\u{FEFF}" { continue }
      let json = Data("[\(text.json(escaping))]".utf8)
      let back = try JSONSerialization.jsonObject(with: json) as? [String]
      #expect(back?.first.map { Array($0.utf8) } == Array(text.utf8), "\(Array(text.unicodeScalars))")
    }
  }

  @Test("bytes that are no UTF-8 are kept", arguments: [JSONEscaping.least, .lines, .printable])
  func notUTF8(escaping: JSONEscaping) {
    for bytes: [UInt8] in [[0xC2], [0xE2], [0xE2, 0x80], [0xEF], [0xEF, 0xBF], [0xFF, 0xC2]] {
      var json: [UInt8] = []
      bytes.withUnsafeBytes { json.append(escaped: $0, escaping) }
      #expect(json == bytes)
    }
  }

  @Test("text of XML and HTML gets references where its rule says so")
  func xml() {
    let text = "<a b=\"c\" d='e'>\t\r\n&amp;"
    #expect(text.xml([]) == "&lt;a b=\"c\" d='e'>\t\r\n&amp;amp;")
    #expect(text.xml(.element) == "&lt;a b=\"c\" d='e'&gt;\t&#13;\n&amp;amp;")
    #expect(text.xml(.attribute) == "&lt;a b=&quot;c&quot; d='e'>&#9;&#13;&#10;&amp;amp;")
    #expect(text.xml(.html) == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;\t\r\n&amp;amp;")
    #expect("".xml(.html) == "" && "plain ü".xml(.html) == "plain ü")
  }

  @Test("what XML 1.0 can hold")
  func isXML() {
    for text in ["", "\t\n\r ü\u{FFFD}\u{10FFFF}"] { #expect(text.isXML) }
    for text in ["\u{0}", "\u{B}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"] { #expect(!text.isXML) }
    let broken: [UInt8] = [0xC3]
    #expect(!broken.withUnsafeBytes { $0.isXML } && !broken.withUnsafeBytes { $0.isUTF8 })
  }
}
