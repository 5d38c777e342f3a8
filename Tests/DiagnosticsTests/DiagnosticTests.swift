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
}
