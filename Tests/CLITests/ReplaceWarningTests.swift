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

  @Test(
    "a to-one relationship whose key a record does not have is cleared and counted, unless the key says “absent: keep”",
    arguments: ["", ", absent: keep"], ["one", "two"])
  func relationships(_ option: String, _ passes: String) throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      entities:
        Country:
          attributes: { code: string! }
          relationships:
            ally: { to_one: Country, inverse: allies }
            allies: { to_many: Country, inverse: ally }
            region: { to_one: Region, inverse: countries }
          unique: [code]
        Region:
          attributes: { name: string! }
          relationships: { countries: { to_many: Country, inverse: region } }
          unique: [name]
      """, to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.ndjson
      import:
        entity: Country
        find_by: [code]
        mode: replace
        passes: \(passes)
        relationships:
          region: { find_by: { name: { from: region\(option) } }, missing: create }
          ally: { find_by: { code: { from: ally\(option) } } }
      """, to: "k.yaml")
    let all = [#"{"code":"A","region":"R","ally":"B"}"#, #"{"code":"B","region":"R","ally":"A"}"#]
    try folder.write(all.joined(separator: "\n"), to: "in.ndjson")
    #expect(try Command(["run", "k.yaml"], in: folder.path).status == 0)
    try folder.write(#"{"code":"A"}"# + "\n" + #"{"code":"B","region":null,"ally":null}"#, to: "in.ndjson")
    let run = try Command(["run", "k.yaml", "--json"], in: folder.path)
    let tally = #""column": "region", "read": 2, "stored": 1, "replaced": {"absent": 1}"#
    #expect(run.status == 0 && run.output.contains(tally), "\(run.output)")
    let rows = try Command(
      [
        "fetch", "s.sqlite", "--entity", "Country", "--columns", "code,region.name,ally.code", "--sort", "code",
        "--format", "csv",
      ], in: folder.path)
    #expect(rows.lines == ["code,region.name,ally.code", option.isEmpty ? "A,," : "A,R,B", "B,,"], "\(rows.output)")
  }
}
