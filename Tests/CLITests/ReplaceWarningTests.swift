import MergewalkTestSupport
import Testing

/// Mode `replace` needs no defaults in the model.
@Suite("Warnings of mode replace")
struct ReplaceWarningTests {
  @Test("attributes without a default are nothing to warn of, and go to nothing")
  func quiet() throws {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { code: string!, note: string }, unique: [code] } }", to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.ndjson
      import: { entity: K, find_by: [code], mode: replace, attributes: [note] }
      """, to: "k.yaml")
    try folder.write("{\"code\":\"a\",\"note\":\"x\"}\n", to: "in.ndjson")
    let lint = try Command(["lint", "k.yaml"], in: folder.path)
    #expect(lint.status == 0 && !"\(lint.output)\(lint.words)".contains("warning"), "\(lint.output)\(lint.words)")
    #expect(try Command(["run", "k.yaml"], in: folder.path).status == 0)
    try folder.write("{\"code\":\"a\"}\n", to: "in.ndjson")
    #expect(try Command(["run", "k.yaml"], in: folder.path).status == 0)
    let rows = try Command(
      ["fetch", "s.sqlite", "--entity", "K", "--columns", "code,note", "--format", "ndjson"], in: folder.path)
    #expect(rows.output == "{\"code\":\"a\",\"note\":null}\n")
  }

  @Test("a field that says “absent: keep” keeps what is there")
  func keep() throws {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { code: string!, note: { type: string, default: none } }, unique: [code] } }",
      to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.ndjson
      import: { entity: K, find_by: [code], mode: replace, attributes: { note: { absent: keep } } }
      """, to: "k.yaml")
    for text in ["{\"code\":\"a\",\"note\":\"x\"}\n", "{\"code\":\"a\"}\n"] {
      try folder.write(text, to: "in.ndjson")
      #expect(try Command(["run", "k.yaml"], in: folder.path).status == 0)
    }
    let rows = try Command(
      ["fetch", "s.sqlite", "--entity", "K", "--columns", "code,note", "--format", "ndjson"], in: folder.path)
    #expect(rows.output == "{\"code\":\"a\",\"note\":\"x\"}\n")
  }
}
