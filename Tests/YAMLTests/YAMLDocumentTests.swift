import MergewalkDiagnostics
import Testing
import MergewalkYAML

@Suite struct YAMLDocumentTests {
  @Test func `positions count UTF-8 bytes from 1`() throws {
    let root = try YAMLDocument.parse("ä: 1\r\nö: [é, x]\n# c\nü: \"\u{2028}\"\nz: [1, y]\n", path: "a.yaml")
    let entries = try #require(root.entries)
    #expect(entries[0].value.position == SourcePosition(line: 1, column: 5, byteOffset: 4))
    #expect(entries[1].key.position == SourcePosition(line: 2, column: 1, byteOffset: 7))
    let items = try #require(entries[1].value.items)
    #expect(items[1].position == SourcePosition(line: 2, column: 10, byteOffset: 16))
    #expect(entries[3].key.position.line == 5, "only CR and LF end a line")
    #expect(entries[3].value.items?[1].position.column == 8)
  }

  @Test func `a byte order mark is skipped and keeps columns`() throws {
    let root = try YAMLDocument.parse("\u{FEFF}a: b", path: "a.yaml")
    #expect(root.entries?[0].value.position == SourcePosition(line: 1, column: 4, byteOffset: 6))
  }

  @Test(arguments: [
    ("a: [1, 2", "yamlSyntax", 1, 9), ("a: b\n c: d\n", "yamlSyntax", 2, 2), ("é: \"x", "yamlSyntax", 1, 5),
    ("a: 1\nb: 2\na: 3\n", "duplicateKey", 3, 1), ("a: *b", "unknownAlias", 1, 4),
    ("a: 1\n---\nb: 2\n", "multipleDocuments", 2, 1), ("a: \u{7}", "yamlSyntax", 1, 4),
    ("&a [*a]", "unknownAlias", 1, 5), ("a: 1\n&from: x\n", "yamlSyntax", 2, 1), ("a: { !b : c }", "yamlSyntax", 1, 6),
  ])
  func `a broken document is refused at the right place`(text: String, code: String, line: Int, column: Int) {
    let error = #expect(throws: DiagnosticList.self) { try YAMLDocument.parse(text, path: "a.yaml") }
    let found = error?.diagnostics.first
    #expect(found?.code == code)
    #expect(found?.position.line == line)
    #expect(found?.position.column == column)
    #expect(found?.path == "a.yaml")
  }

  @Test func `bytes that are not UTF-8 are refused where they stand`() {
    let error = #expect(throws: DiagnosticList.self) {
      try YAMLDocument.parse(Array("a: 1\nb: ".utf8) + [0xFF, 0x20], path: "a.yaml")
    }
    #expect(error?.diagnostics.first?.code == "notUTF8")
    #expect(error?.diagnostics.first?.position == SourcePosition(line: 2, column: 4, byteOffset: 8))
  }

  @Test func `all duplicate keys are reported and a lint can go on`() throws {
    var findings: [Diagnostic] = []
    let root = try YAMLDocument.parse(
      Array("a: 1\na: 2\nb: {c: 1, c: 2}\n".utf8), path: "x", findings: &findings)
    #expect(findings.map(\.position.line) == [2, 3])
    #expect(root["a"]?.integer == 1)
    #expect(root["b"]?["c"]?.integer == 1)
  }

  @Test func `aliases are copies within the node budget`() throws {
    let root = try YAMLDocument.parse("a: &x [1, 2]\nb: *x\n", path: "x")
    #expect(root["b"]?.items?.map(\.integer) == [1, 2])

    var bomb = "a0: &a0 [1]\n"
    for i in 1...40 { bomb += "a\(i): &a\(i) [*a\(i - 1), *a\(i - 1), *a\(i - 1)]\n" }
    let error = #expect(throws: DiagnosticList.self) { try YAMLDocument.parse(bomb, path: "x") }
    #expect(error?.diagnostics.first?.code == "yamlLimit")
  }

  @Test func `depth is bounded`() {
    let deep = String(repeating: "[", count: 100_000)
    let error = #expect(throws: DiagnosticList.self) { try YAMLDocument.parse(deep, path: "x") }
    #expect(error?.diagnostics.first?.code == "yamlLimit")
    #expect(error?.diagnostics.first?.position.column == 65)
  }

  @Test func `an empty document is a null scalar`() throws {
    for text in ["", "# nothing\n", "---\n", "---\n...\n"] {
      #expect(try YAMLDocument.parse(text, path: "x").isNull)
    }
  }

  @Test func `a missing file is a finding`() {
    let error = #expect(throws: DiagnosticList.self) { try SourceFile.read("no/such/file.yaml") }
    #expect(error?.diagnostics.map(\.code) == ["fileMissing"])
    #expect(
      error?.description == "no/such/file.yaml: error: there is no such file; there is no folder “no” [fileMissing]")
  }
}
