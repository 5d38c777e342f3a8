import Foundation
import MergewalkTestSupport
import Testing

/// What is mapped and never there, and lists of elements that have attributes only.
@Suite("What no record has")
struct NeverMatchedTests {
  let folder = TemporaryFolder()

  private static let model = """
    model: Osm
    entities:
      Node:
        attributes: { id: integer64!, lat: double, note: string }
        relationships: { tags: { to_many: Tag, inverse: node, delete: cascade } }
        unique: [id]
      Tag:
        attributes: { k: string!, v: string }
        relationships: { node: { to_one: Node, inverse: tags } }

    """

  private static let osm = """
    <osm><node id="1" lat="1.5"><tag k="name" v="A"/><tag k="amenity" v="pub"/></node><node id="2" lat="2.5"/>
    <node id="3" lat="3.5"><tag k="name" v="C"/></node></osm>
    """

  /// Runs a pipeline with one import of nodes.
  private func run(
    _ input: String, to name: String, source: String, attributes: String = "{ lat: \"@lat\" }", key: String = "@id",
    tags: String? = nil, more: String = "", arguments: [String] = []
  ) throws -> Command {
    try folder.write(Self.model, to: "m.yaml")
    try folder.write(input, to: name)
    var text = "pipeline: p\nmodel: m.yaml\nstore: s.sqlite\nsource: { files: \(name), \(source) }\n"
    text += "import:\n  entity: Node\n  find_by: { id: \"\(key)\" }\n  attributes: \(attributes)\n"
    if let tags { text += "  relationships:\n    tags: \(tags)\n" }
    try folder.write(text + more, to: "p.yaml")
    return try Command(["run", "p.yaml", "--json"] + arguments, in: folder.path)
  }

  private func removeStore() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("s.sqlite") {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
  }

  private func tags() throws -> String {
    try PipelineSet.rows(folder.file("s.sqlite"), "SELECT ZK || '=' || ifnull(ZV, '') FROM ZTAG").joined(separator: ",")
  }

  @Test("a list of XML elements that have attributes only has their attributes")
  func attributesOnly() throws {
    let list = "{ each: tag, find_by: { k: \"@k\" }, attributes: { v: \"@v\" } }"
    let command = try run(Self.osm, to: "a.xml", source: "records: /osm/node", tags: list)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.warnings() == [])
    #expect(try tags() == "amenity=pub,name=A,name=C")
  }

  @Test("the text of an element with attributes is #text, in lists too")
  func elementText() throws {
    let text = "<r><node id='1' lat='1'><tag v='de'>x</tag><tag>y</tag></node></r>"
    let list = "{ each: tag, find_by: { k: \"#text\" }, attributes: { v: \"@v\" } }"
    let command = try run(text, to: "a.xml", source: "records: /r/node", tags: list)
    #expect(command.status == 0, "\(command.words)")
    #expect(try tags() == "x=de,y=")
  }

  @Test("what no record has is a warning with its place and the nearest name, in words and JSON")
  func columns() throws {
    let list = "{ each: tag, find_by: { k: \"@k\" }, attributes: { v: \"@vv\" } }"
    let command = try run(
      Self.osm, to: "a.xml", source: "records: /osm/node", attributes: "{ lat: \"@lat\", note: \"@latt\" }", tags: list)
    #expect(command.status == 0)
    #expect(
      try command.warnings().sorted() == [
        "neverMatched: no record has “@latt” (Node.note); did you mean “@lat”?",
        "neverMatched: no record has “tag.@vv” (Tag.v); did you mean “tag.@v”?",
      ])
    let warnings = try #require(try command.object()["warnings"] as? [[String: Any]])
    #expect(warnings.contains { $0["line"] as? Int == 8 && ($0["file"] as? String)?.hasSuffix("p.yaml") == true })
    try removeStore()
    let words = try Command(["run", "p.yaml"], in: folder.path)
    #expect((words.output + words.words).contains("did you mean “@lat”? [neverMatched]"))
  }

  @Test(
    "every format of documents says so",
    arguments: [
      ("a.json", "[{\"id\":1,\"geo\":{\"lat\":1.5}}]"), ("a.ndjson", "{\"id\":1,\"geo\":{\"lat\":1.5}}\n"),
      ("a.yaml", "- id: 1\n  geo: { lat: 1.5 }\n"),
      (
        "a.plist",
        "<plist><array><dict><key>id</key><integer>1</integer><key>geo</key><dict><key>lat</key>"
          + "<real>1.5</real></dict></dict></array></plist>"
      ),
      ("b.plist", "({ id = 1; geo = { lat = \"1.5\"; }; })"),
      ("a.json-seq", "\u{1E}{\"id\":1,\"geo\":{\"lat\":1.5}}\n"),
    ])
  func formats(name: String, text: String) throws {
    let format = name.hasSuffix(".plist") ? "format: plist" : "max_record: 1MiB"
    let command = try run(
      text, to: name, source: format, attributes: "{ lat: geo.lat, note: geo.lta }", key: "id")
    #expect(command.status == 0, "\(command.words)")
    #expect(
      try command.warnings() == ["neverMatched: no record has “geo.lta” (Node.note); did you mean “geo.lat”?"])
  }

  @Test("each that finds nothing is a warning, though no record is left to warn of")
  func each() throws {
    let command = try run(
      "[{\"id\":1,\"lines\":[{\"x\":1}]}]", to: "a.json", source: "each: lnies", attributes: "{ note: lnies.x }",
      key: "id")
    #expect(command.status == 0)
    #expect(
      try command.warnings() == [
        "neverMatched: no record has elements at “lnies”, where “each” looks for them; did you mean “lines”?"
      ])
    let xml = try run(
      "<r><o id='1'><lines><line/></lines></o></r>", to: "a.xml", source: "records: /r/o, each: lines.lien",
      attributes: "{ note: \"@note\" }")
    #expect(try xml.warnings().first?.contains("did you mean “lines.line”?") == true)
  }

  @Test("each whose list is always empty is a warning without a name to put in its place, and counted as skipped")
  func emptyEach() throws {
    for (input, name) in [("[{\"id\":1,\"lines\":[]}]", "a.json"), ("- { id: 1, lines: [] }\n", "a.yaml")] {
      let command = try run(input, to: name, source: "each: lines", attributes: "{ note: lines.x }", key: "id")
      #expect(command.status == 0, "\(command.words)")
      #expect(
        try command.warnings() == ["neverMatched: no record has elements at “lines”, where “each” looks for them"])
      let text = try #require(try command.object()["text"] as? [String: Any])
      let skipped = try #require(text["skipped"] as? [String: Any])
      #expect(skipped["without_elements"] != nil && text["record_bytes"] as? Int == 0, "\(text)")
    }
  }

  @Test("what stands in a list has no value of its own")
  func insideList() throws {
    let command = try run(
      "{\"id\":1,\"lines\":[{\"sku\":\"a\"}]}\n", to: "a.ndjson", source: "max_record: 1MiB",
      attributes: "{ note: lines.sku }", key: "id")
    #expect(try command.warnings().first?.contains("it is in a list") == true)
  }

  @Test(
    "records that match nothing end the run, unless they may be missing",
    arguments: [
      ("a.xml", "<osm><node id='1'/></osm>", "/osm/nodee", "did you mean “node”?"),
      ("b.xml", "<osm><node id='1'/></osm>", "/oms/node", "did you mean “osm”?"),
      ("c.xml", "<osm><node id='1'/></osm>", "//nodee", "did you mean “node”?"),
      ("a.json", "{\"data\":{\"items\":[]}}", "$.data.itmes", "did you mean “items”?"),
      ("a.yaml", "data: { items: [] }\n", "data.itmes", "did you mean “items”?"),
      ("a.plist", "<plist><dict><key>items</key><array/></dict></plist>", "itmes", "did you mean “items”?"),
    ])
  func missingRecords(name: String, text: String, path: String, hint: String) throws {
    let refused = try run(text, to: name, source: "records: \"\(path)\"")
    #expect(refused.status == 2)
    #expect((refused.output + refused.words).contains(hint), "\(refused.output)\(refused.words)")
    let taken = try run(text, to: name, source: "records: \"\(path)\", records_optional: true")
    #expect(taken.status == 0, "\(taken.words)")
    #expect(try taken.object()["read"] as? Int == 0)
  }

  @Test("a list that holds no records is no mistake")
  func emptyLists() throws {
    #expect(try run("<osm></osm>", to: "a.xml", source: "records: /osm/node").status == 0)
    #expect(try run("{\"a\":[]}", to: "a.json", source: "records: a", key: "id").status == 0)
    #expect(try run("a:\n", to: "a.yaml", source: "records: a", key: "id").status == 0)
  }

  @Test("each sees what a process writes")
  func processed() throws {
    try folder.write(
      """
      import json, sys
      for line in sys.stdin:
          record = json.loads(line)
          record["tag"] = [{"@k": "made", "@v": str(len(record.get("tag", [])))}]
          print(json.dumps(record), flush=True)
      """, to: "p.py")
    let list = "{ each: tag, find_by: { k: \"@k\" }, attributes: { v: \"@v\" } }"
    for columns in ["", ", columns: [tag]"] {
      let command = try run(
        "{\"@id\":1,\"@lat\":1,\"tag\":[{\"@k\":\"a\"},{\"@k\":\"b\"}]}\n", to: "a.ndjson", source: "max_record: 1MiB",
        tags: list, more: "  process: { command: [/usr/bin/python3, p.py]\(columns) }\n")
      #expect(command.status == 0, "\(command.words)")
      #expect(try tags() == "made=2")
      try removeStore()
    }
  }

  @Test("a process may give the column of a list, which the source has not, and a definition may make it")
  func givenLists() throws {
    try folder.write(
      """
      import json, sys
      for line in sys.stdin:
          print(json.dumps({"labels": [{"name": json.loads(line)["lat"]}]}), flush=True)
      """, to: "p.py")
    let list = "{ each: labels, find_by: { k: name } }"
    let given = try run(
      "id,lat\n1,1.5\n", to: "a.csv", source: "max_record: 1MiB", attributes: "{ lat: lat }", key: "id", tags: list,
      more: "  process: { command: [/usr/bin/python3, p.py], columns: [lat], gives: [labels] }\n")
    #expect(given.status == 0, "\(given.words)")
    #expect(try tags() == "1.5=")
  }

  @Test("the format of a document with records is told by its content")
  func previewOfRecords() throws {
    try folder.write(Self.osm, to: "export.dat")
    let command = try Command(["preview", "export.dat", "--option", "records=/osm/node"], in: folder.path)
    #expect(command.status == 0 && command.output.contains("xml: 3 records read"), "\(command.words)")
    try folder.write("{\"a\":[{\"b\":1}]}", to: "export.txt")
    #expect(
      try Command(["preview", "export.txt", "--option", "records=a"], in: folder.path).output.contains("json: 1"))
  }
}
