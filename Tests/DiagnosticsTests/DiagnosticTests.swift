import MergewalkDiagnostics
import Testing

@Suite struct DiagnosticTests {
  @Test("a finding is one line without control characters, whatever names are in it")
  func oneLine() {
    let place = SourcePosition(line: 2, column: 3, byteOffset: 9)
    let finding = Diagnostic(
      .error, code: "x", path: "a\nb.csv", position: place, message: "“\u{1B}[2J” é\t", hint: "no\r\nway")
    #expect(
      finding.description == #"a\u{A}b.csv:2:3: error: “\u{1B}[2J” é\u{9}; no\u{D}\u{A}way [x]"#)
    let plain = Diagnostic(.warning, code: "y", path: "é.csv", position: place, message: "größe")
    #expect(plain.description == "é.csv:2:3: warning: größe [y]")
  }

  @Test("what turns the direction of text is spelt out, and letters that are written from the right are not")
  func direction() throws {
    for code: UInt32 in [
      0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF,
    ] {
      let text = String(try #require(Unicode.Scalar(code)))
      let shown = "a\\u{" + String(code, radix: 16, uppercase: true) + "}b"
      for kept in [PrintableText.Kept.none, .tabs, .lines] {
        #expect(PrintableText.of("a" + text + "b", keeping: kept) == shown)
      }
    }
    let plain = "שלום العربية \u{2027}\u{202F}\u{2065}\u{206A}\u{200E}\u{A0} €"
    #expect(PrintableText.of(plain) == plain)
    #expect(PrintableText.of("\u{7F}\u{80}\u{9F}\u{0}\t\n", keeping: .lines) == "\\u{7F}\\u{80}\\u{9F}\\u{0}\t\n")
  }
}
