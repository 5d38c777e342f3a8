import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk guess")
struct GuessCommandTests {
  let folder = TemporaryFolder()

  private func command(_ arguments: String...) throws -> Command { try Command(arguments, in: folder.path) }

  /// Guesses, lints, runs all in the order that the command says, and verifies the store.
  @discardableResult
  private func guessAndRun(_ arguments: [String], out: String = "out") throws -> [[String: Any]] {
    let guess = try Command(["guess"] + arguments + ["--out", out], in: folder.path)
    try #require(guess.status == 0, "\(guess.words)")
    var summaries: [[String: Any]] = []
    for line in guess.lines where line.hasPrefix("mergewalk ") {
      let words = line.split(separator: " ").dropFirst().map(String.init)
      if words[0] == "lint" {
        let lint = try Command(words, in: folder.path)
        #expect(lint.status == 0, "\(lint.output)")
      } else {
        let run = try Command(words + ["--json", "--quiet"], in: folder.path)
        #expect(run.status == 0, "\(run.words)")
        summaries.append(try run.object())
      }
    }
    let verify = try command("store", "verify", out + "/store.sqlite", "--model", out + "/model.yaml")
    #expect(verify.status == 0, "\(verify.output)\(verify.words)")
    return summaries
  }

  @Test("elements that stand several times and have attributes only come whole, as JSON")
  func attributesOnly() throws {
    try folder.write(
      """
      <osm><node id="1"><tag k="name" v="A"/><tag k="amenity" v="pub"/></node><node id="2"><tag k="name" v="B"/></node>
      <way id="10"><nd ref="1"/><nd ref="2"/></way><relation id="20"><member type="way" ref="10" role="outer"/>
      <member type="node" ref="1" role=""/></relation></osm>
      """, to: "a.xml")
    let cases = [
      ("node", "TAG", [##"[{"@k":"name","@v":"A"},{"@k":"amenity","@v":"pub"}]"##, ##"{"@k":"name","@v":"B"}"##]),
      ("way", "ND", [##"[{"@ref":"1"},{"@ref":"2"}]"##]),
      (
        "relation", "MEMBER",
        [##"[{"@type":"way","@ref":"10","@role":"outer"},{"@type":"node","@ref":"1","@role":""}]"##]
      ),
    ]
    for (element, column, values) in cases {
      let summaries = try guessAndRun(["a.xml", "--option", "records=/osm/\(element)"], out: element)
      #expect((summaries.first?["warnings"] as? [Any])?.isEmpty == true)
      let store = folder.file("\(element)/store.sqlite")
      #expect(try PipelineSet.rows(store, "SELECT Z\(column) FROM Z\(element.uppercased()) ORDER BY ZID") == values)
    }
  }

  @Test("it says what it wrote and what to run")
  func words() throws {
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "customers.csv")
    let guess = try command("guess", "customers.csv", "--out", "a/b")
    #expect(guess.status == 0 && guess.words == "")
    #expect(
      guess.output == """
        a/b/customers.yaml: Customer from all 2 records of customers.csv: 2 attributes, found by id
        a/b/model.yaml

        mergewalk lint a/b/customers.yaml
        mergewalk run a/b/customers.yaml

        """)
    let pipeline = try String(contentsOfFile: folder.file("a/b/customers.yaml"), encoding: .utf8)
    #expect(pipeline.contains("  files: ../../customers.csv\n"))
    #expect(try command("run", "a/b/customers.yaml", "--quiet").status == 0)
  }

  @Test("texts that mean null are counted in words")
  func nullSpellings() throws {
    try folder.write("id,name\n1,\n2,\n3,x\n", to: "things.csv")
    #expect(try command("guess", "things.csv", "--out", "out").status == 0)
    let run = try command("run", "out/things.yaml")
    #expect(run.words.contains("  replaced Thing.name 2 null spellings\n"), "\(run.words)")
  }

  @Test("files that are there stay, all of them, without --force")
  func force() throws {
    try folder.write("id,name\n1,Ada\n", to: "customers.csv")
    try folder.write("mine\n", to: "model.yaml")
    let refused = try command("guess", "customers.csv")
    #expect(refused.status == 2)
    #expect(refused.words.hasPrefix("model.yaml: error: the file already exists; "))
    #expect(try String(contentsOfFile: folder.file("model.yaml"), encoding: .utf8) == "mine\n")
    #expect(!FileManager.default.fileExists(atPath: folder.file("customers.yaml")))
    #expect(try command("guess", "customers.csv", "--force").status == 0)
    #expect(try String(contentsOfFile: folder.file("model.yaml"), encoding: .utf8).contains("Customer:"))
    #expect(try command("run", "customers.yaml", "--quiet").status == 0)
  }

  @Test("members without a name are columns")
  func namelessMembers() throws {
    try folder.write(#"{"id": 1, "": "x"}"# + "\n" + #"{"id": 2, "": "y", "n": 1}"# + "\n", to: "a.ndjson")
    #expect(try guessAndRun(["a.ndjson"]).first?["inserted"] as? Int == 2)
    let text = try String(contentsOfFile: folder.file("out/a.yaml"), encoding: .utf8)
    #expect(text.contains("\\e"), "\(text)")
  }

  @Test("what it writes for child records has no findings")
  func childRecords() throws {
    try folder.write(#"[{"id": 1, "lines": [{"sku": "a"}, {"sku": "b"}]}]"#, to: "a.json")
    #expect(try guessAndRun(["a.json", "--option", "each=lines"]).first?["inserted"] as? Int == 2)
    let lint = try command("lint", "out/a.yaml")
    #expect((lint.words + lint.output).contains("no findings"), "\(lint.words)\(lint.output)")
    let wrong = try String(contentsOfFile: folder.file("out/a.yaml"), encoding: .utf8)
      .replacingOccurrences(of: "lines.sku", with: "lines.skoo")
    try folder.write(wrong, to: "out/b.yaml")
    let finding = try command("lint", "out/b.yaml")
    #expect(
      (finding.words + finding.output).contains("has a member “lines.skoo”; did you mean “lines.sku”?"),
      "\(finding.words)\(finding.output)")
  }

  @Test("of a Core Data store that is asked for without an entity it names the entities")
  func storeWithoutEntity() throws {
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "customers.csv")
    try guessAndRun(["customers.csv"])
    let refused = try command("guess", "out/store.sqlite", "--out", "again")
    #expect(refused.status == 2)
    #expect(refused.words.contains("this is a Core Data store; name one of its entities with “entity”: Customer"))
    #expect(try command("guess", "out/store.sqlite", "--option", "entity=Customer", "--out", "again").status == 0)
  }

  @Test("the repository's orders come in whole, from CSV and from JSON")
  func orders() throws {
    let shop = Locations.fixtures + "/shop"
    let csv = try guessAndRun([shop + "/orders-*.csv", "--entity", "Purchase"])
    #expect(csv.map { $0["rejected"] as? Int } == [0])
    #expect(csv[0]["read"] as? Int == 255)
    let json = try guessAndRun([shop + "/orders.ndjson"], out: "json")
    #expect(json[0]["read"] as? Int == 255)
  }

  @Test("a part of a document becomes an entity named after its place")
  func document() throws {
    let summaries = try guessAndRun([
      Locations.fixtures + "/library/library.json", "--option", "records=$.data.books",
    ])
    #expect((summaries[0]["entities"] as? [String: Any])?.keys.sorted() == ["Book"])
    #expect(summaries[0]["inserted"] as? Int == 4)
  }

  @Test("standard input can be guessed from")
  func standardInput() throws {
    let guess = try Command.shell(
      "printf 'id;x\\n1;a\\n2;b\\n3;c\\n' | gzip | \"$MERGEWALK\" guess - --entity Thing --out out", in: folder.path)
    #expect(guess.status == 0, "\(guess.words)")
    let text = try String(contentsOfFile: folder.file("out/thing.yaml"), encoding: .utf8)
    #expect(text.contains("  files: \"-\"\n"), "\(text)")
    #expect(text.contains("  delimiter: semicolon\n"))
    let run = try Command.shell(
      "printf 'id;x\\n1;a\\n2;b\\n3;c\\n' | \"$MERGEWALK\" run out/thing.yaml --json --quiet", in: folder.path)
    #expect(run.status == 0)
    #expect(try run.object()["inserted"] as? Int == 3)
  }

  @Test("wrong usage exits with 64, what cannot be read with 2")
  func usage() throws {
    try folder.write("id,name\n1,Ada\n", to: "customers.csv")
    for arguments in [
      [], ["a.csv", "b.csv", "--entity", "A"], ["a.csv", "--entity", "1x"], ["a.csv", "--records", "0"], ["-", "-"],
      ["a.csv", "--option", "x"],
    ] {
      #expect(try Command(["guess"] + arguments, in: folder.path).status == 64, "\(arguments)")
    }
    for arguments in [
      ["none.csv"], ["customers.csv", "--option", "delimter=x"], ["customers.csv", "--out", "customers.csv/x"],
    ] {
      let guess = try Command(["guess"] + arguments, in: folder.path)
      #expect(guess.status == 2, "\(arguments)")
      #expect(guess.output == "" && guess.words.contains(": error: "), "\(arguments): \(guess.words)")
    }
  }

  private static var datasets: String { Locations.shared("suites/datasets") }

  @Test("Chinook's files become its tables with their relationships", .enabled(if: Locations.shared != nil))
  func chinook() throws {
    let tables = [
      "Album", "Artist", "Customer", "Employee", "Genre", "Invoice", "InvoiceLine", "MediaType", "Playlist",
      "PlaylistTrack", "Track",
    ]
    let summaries = try guessAndRun(tables.map { Self.datasets + "/chinook/\($0).csv" })
    #expect(summaries.reduce(0) { $0 + ($1["inserted"] as? Int ?? 0) } == 15_607)
    let model = try String(contentsOfFile: folder.file("out/model.yaml"), encoding: .utf8)
    for relationship in [
      "artist: { to_one: Artist, inverse: albums, required: true }",
      "album: { to_one: Album, inverse: tracks, required: true }",
      "customer: { to_one: Customer, inverse: invoices, required: true }",
      "playlist: { to_one: Playlist, inverse: playlistTracks, required: true }",
      "track: { to_one: Track, inverse: invoiceLines, required: true }",
    ] { #expect(model.contains(relationship), "\(relationship)") }
    #expect(model.contains("    unique: [[playlistId, trackId]]\n"))
  }

  @Test(
    "openflights' files, without headers and with \\N for null, come in whole", .enabled(if: Locations.shared != nil))
  func openflights() throws {
    let folder = Self.datasets + "/openflights"
    let summaries = try guessAndRun(["airlines", "countries", "planes"].map { "\(folder)/\($0).dat" })
    #expect(summaries.count == 3)
    #expect(summaries.allSatisfy { $0["rejected"] as? Int == 0 })
    #expect(summaries.reduce(0) { $0 + ($1["read"] as? Int ?? 0) } >= 6_162 + 261 + 245)
  }

  @Test("files and columns that are called as YAML's words are guessed as others are")
  func wordsOfYAML() throws {
    for name in ["null", "true", "nulls"] {
      try folder.write("null,true,no\n1,2,3\n2,2,3\n", to: "\(name).csv")
      let guess = try Command(["guess", "\(name).csv", "--out", "words-\(name)"], in: folder.path)
      #expect(guess.status == 0)
      let run = try Command(["run", "words-\(name)/\(name).yaml"], in: folder.path)
      #expect(run.status == 0, "\(name): \(run.words)")
    }
  }

  @Test("questions end with one mark") func questions() throws {
    try folder.write("Customer ID,Name\nC001,Anna\nC002,Bert\nC003,Cem\n", to: "customers.csv")
    try folder.write("Order No;Customer\n1001;C001\n1002;C002\n1003;C001\n1004;C009\n", to: "orders.csv")
    #expect(try Command(["guess", "customers.csv", "orders.csv", "--out", "shop"], in: folder.path).status == 0)
    let text = try String(contentsOfFile: folder.file("shop/orders.yaml"), encoding: .utf8)
    #expect(text.contains("1 of 4 values is not in the sample of it: is it a relationship?\n"), "\(text)")
  }
}
