import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk run")
struct RunCommandTests {
  let folder = TemporaryFolder()
  let pipelines = Locations.repository + "/pipelines"

  /// Runs a pipeline of the repository into a store of the test's folder.
  private func run(_ name: String, store: String = "shop.sqlite", _ more: String...) throws -> Command {
    // The rejects file of the repository's pipelines lies beside the store's default place, so work on a copy.
    let text = try String(contentsOfFile: "\(pipelines)/\(name).yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
    try folder.write(text, to: name + ".yaml")
    return try Command(["run", name + ".yaml", "--store", store] + more, in: folder.path)
  }

  private func count(_ sql: String, _ store: String = "shop.sqlite") throws -> Int {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    let statement = try connection.prepare(sql)
    #expect(try statement.step())
    return Int(statement.integer(0))
  }

  @Test("files on the command line, also standard input, take the place of the pipeline's")
  func sourcesInstead() throws {
    func read(_ sources: String..., input: String = "") throws -> (read: Int?, inserted: Int?, words: String) {
      let text = try String(contentsOfFile: "\(pipelines)/orders.yaml", encoding: .utf8)
        .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
      try folder.write(text, to: "below/orders.yaml")
      let command = try Command(
        ["run", "below/orders.yaml"] + sources + ["--store", "instead.sqlite", "--json"], in: folder.path, input: input)
      let object = (try? command.object()) ?? [:]
      return (object["read"] as? Int, object["inserted"] as? Int, command.words)
    }
    let nightly = try String(contentsOfFile: Locations.fixtures + "/shop/nightly.csv", encoding: .utf8)
    // Relative to the working directory, not to the pipeline.
    try folder.write(nightly, to: "tonight/nightly.csv")
    #expect(try read("tonight/*.csv").read == 15)
    let piped = try read("-", input: nightly)
    #expect(piped.read == 15)
    #expect(piped.inserted == 0, "the same records as before")
    let missing = try read("tomorrow.csv")
    #expect(missing.read == 0)
    // The pipeline has no place where it is named.
    #expect(missing.words.hasPrefix("tomorrow.csv: error: there is no file “tomorrow.csv”"), "\(missing.words)")
    let none = try read("tomorrow-*.csv")
    #expect(none.words.hasPrefix("tomorrow-*.csv: error: no file matches"), "\(none.words)")
  }

  @Test("standard input has the format that the names of the pipeline's files tell")
  func formatOfNames() throws {
    try folder.write("entities:\n  Thing:\n    attributes: { id: integer64, name: string }\n", to: "m.yaml")
    for (files, exit) in [("things.csv", Int32(0)), ("[things.csv.gz]", 0), ("things.json", 2), ("things", 2)] {
      try folder.write(
        "model: m.yaml\nstore: s.sqlite\nsource: { files: \(files) }\n"
          + "import: { entity: Thing, find_by: [id], attributes: [name] }\n", to: "p.yaml")
      let command = try Command(["run", "p.yaml", "-"], in: folder.path, input: "id,name\n1,a\n")
      #expect(command.status == exit, "\(files): \(command.words)")
      if exit == 2 { #expect(command.words.contains("“-” does not tell its format"), "\(command.words)") }
    }
  }

  @Test("the header of standard input is held against the contract")
  func contractOfInput() throws {
    try folder.write("entities:\n  Thing:\n    attributes: { id: integer64, name: string }\n", to: "m.yaml")
    for (policy, exit, inserted) in [("evolve", Int32(0), 2), ("discard", 0, 2), ("reject", 1, 0), ("freeze", 2, 0)] {
      try folder.write(
        "model: m.yaml\nstore: \(policy).sqlite\nsource: { files: \"-\", format: csv, contract: { new: \(policy) } }\n"
          + "import: { entity: Thing, find_by: [id], attributes: [name] }\n", to: "p.yaml")
      let command = try Command(["run", "p.yaml", "--json"], in: folder.path, input: "id,name,extra\n1,a,x\n2,b,y\n")
      #expect(command.status == exit, "\(policy): \(command.words)")
      let object = try command.object()
      #expect(object["inserted"] as? Int == inserted, "\(policy)")
      #expect(command.output.contains("“extra”") == (policy == "evolve" || policy == "freeze"), "\(policy)")
      if policy == "reject" { #expect(object["reject_codes"] as? [String: Int] == ["contract.newColumn": 2]) }
      let same = try Command(["run", "p.yaml", "--json"], in: folder.path, input: "id,name\n1,a\n2,b\n")
      #expect(try same.status == 0 && same.object()["rejected"] as? Int == 0, "\(policy): \(same.words)")
    }
  }

  @Test("a first run inserts, the second finds everything unchanged, a nightly run writes the differences")
  func orders() throws {
    let first = try run("orders", "--json")
    #expect(first.status == 0, "\(first.words)")
    let object = try first.object()
    let numbers = ["read", "inserted", "updated", "unchanged", "skipped", "rejected"]
    #expect(numbers.map { object[$0] as? Int } == [255, 250, 0, 5, 0, 0])
    #expect(object["pipeline"] as? String == "orders")
    #expect(object["status"] as? String == "completed")
    #expect((object["warnings"] as? [Any])?.isEmpty == true)
    for name in ["batches", "statements", "peak_rss_bytes", "bytes_read"] {
      #expect(try #require(object[name] as? Int) > 0, "\(name)")
    }
    for name in ["seconds", "records_per_second"] { #expect(try #require(object[name] as? Double) > 0, "\(name)") }
    let entities = try #require(object["entities"] as? [String: [String: Int]])
    #expect(entities.mapValues { $0["inserted"] } == ["Order": 250, "Customer": 20, "Product": 30, "Category": 6])
    #expect(first.words.contains("orders: 255 records imported in "))
    #expect(first.words.contains("store    shop.sqlite (new)\n"), "\(first.words)")
    #expect(object["new_store"] as? Bool == true)
    #expect(try count("SELECT count(*) FROM ZORDER") == 250)

    let second = try run("orders", "--json", "--quiet")
    #expect(second.status == 0)
    #expect(second.words == "")
    #expect(try numbers.map { try second.object()[$0] as? Int } == [255, 0, 0, 255, 0, 0])
    #expect(try second.object()["new_store"] as? Bool == false)
    #expect(try count("SELECT max(Z_OPT) FROM ZORDER") == 1)

    let nightly = try run("nightly", "--json")
    #expect(try numbers.map { try nightly.object()[$0] as? Int } == [15, 4, 10, 1, 0, 0])
    #expect(try count("SELECT count(*) FROM ZORDER WHERE Z_OPT = 2") == 10)

    let verify = try Command(
      ["store", "verify", "shop.sqlite", "--model", Locations.fixtures + "/shop/Shop.xcdatamodeld"], in: folder.path)
    #expect(verify.status == 0)
    #expect(verify.output == "")
  }

  @Test(
    "the store is the same whatever the batch size, the way of finding and the format", arguments: [1, 7, 100, 255])
  func same(_ batch: Int) throws {
    func content(_ store: String) throws -> [String] {
      let connection = try Connection(path: folder.file(store), mode: .readOnly)
      let statement = try connection.prepare(
        """
        SELECT quote(o.ZORDERID) || quote(o.ZORDEREDAT) || quote(o.ZQUANTITY) || quote(o.ZUNITPRICE) || quote(o.ZNOTE)
          || quote(u.ZEMAIL) || quote(u.ZNAME) || quote(u.ZCOUNTRY) || quote(p.ZSKU) || quote(p.ZNAME) || quote(c.ZNAME)
        FROM ZORDER o JOIN ZCUSTOMER u ON u.Z_PK = o.ZCUSTOMER JOIN ZPRODUCT p ON p.Z_PK = o.ZPRODUCT
          JOIN ZCATEGORY c ON c.Z_PK = p.ZCATEGORY ORDER BY o.ZORDERID
        """)
      var rows: [String] = []
      while try statement.step() { rows.append(statement.text(0)) }
      return rows
    }
    #expect(try run("orders", store: "a.sqlite").status == 0)
    let size = String(batch)
    #expect(try run("orders", store: "b.sqlite", "--batch", size, "--find", "seek").status == 0)
    #expect(try run("orders", store: "c.sqlite", "--batch", size, "--find", "scan").status == 0)
    #expect(try run("orders-json", store: "d.sqlite", "--batch", size).status == 0)
    let expected = try content("a.sqlite")
    #expect(expected.count == 250)
    for store in ["b", "c", "d"] { #expect(try content(store + ".sqlite") == expected, "\(store)") }
  }

  @Test("rejects inside the limits exit with 1 and lie in the file, whole and with their places")
  func rejects() throws {
    let command = try run("bad-orders", "--json")
    #expect(command.status == 1)
    let object = try command.object()
    #expect(object["status"] as? String == "completed_with_rejects")
    #expect(object["inserted"] as? Int == 2)
    #expect(object["rejected"] as? Int == 15)
    #expect(object["rejects"] as? String == "bad-orders.rejects.ndjson")
    let text = try String(contentsOfFile: folder.file("bad-orders.rejects.ndjson"), encoding: .utf8)
    let rejects = try text.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(
      rejects.map { $0["code"] as? String } == [
        "value.integer", "value.range", "validate.tooSmall", "value.date", "value.calendar", "validate.missing",
        "value.number", "key.empty", "validate.tooLong", "relationship.missingTarget", "read.fieldCount",
        "read.fieldCount", "read.invalidText", "read.textAfterQuote", "read.unterminatedQuote",
      ])
    #expect(rejects[0]["line"] as? Int == 3)
    #expect(rejects[0]["attribute"] as? String == "quantity")
    #expect((rejects[0]["raw"] as? String)?.hasPrefix("A0002,2024-05-01T10:00:00Z,two,9.90,") == true)
    #expect(try count("SELECT count(*) FROM ZORDER") == 2)
  }

  @Test("too many rejects exit with 3 and leave the store as it was", arguments: [true, false])
  func limitBreached(_ exists: Bool) throws {
    if exists { #expect(try run("orders").status == 0) }
    let before = FileManager.default.contents(atPath: folder.file("shop.sqlite"))
    let text = try String(contentsOfFile: "\(pipelines)/bad-orders.yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
      .replacingOccurrences("rejects: bad-orders.rejects.ndjson", "rejects: { file: r.ndjson, limit: 5 }")
    try folder.write(text, to: "limited.yaml")
    let command = try Command(["run", "limited.yaml", "--store", "shop.sqlite", "--json"], in: folder.path)
    #expect(command.status == 3)
    #expect(try command.object()["status"] as? String == "limit_breached")
    #expect(command.words.contains("rolled back"))
    #expect(try #require(command.object()["seconds"] as? Double) > 0)
    #expect(try #require(command.object()["peak_rss_bytes"] as? Int) > 0)
    #expect(FileManager.default.contents(atPath: folder.file("shop.sqlite")) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.file("shop.sqlite-wal")))
  }

  @Test("a ratio of rejects that is too great exits with 3")
  func ratioBreached() throws {
    let text = try String(contentsOfFile: "\(pipelines)/bad-orders.yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
    for (ratio, status) in [("80%", Int32(3)), ("89%", 1)] {
      try folder.write(
        text.replacingOccurrences("rejects: bad-orders.rejects.ndjson", "rejects: { ratio: \(ratio) }"), to: "r.yaml")
      #expect(try Command(["run", "r.yaml", "--store", ratio + ".sqlite"], in: folder.path).status == status)
    }
  }

  @Test("a dry run counts everything and makes no store")
  func dryRun() throws {
    let command = try run("orders", "--dry-run", "--json")
    #expect(command.status == 0)
    #expect(try command.object()["status"] as? String == "dry_run")
    #expect(try command.object()["inserted"] as? Int == 250)
    #expect(try #require(command.object()["seconds"] as? Double) > 0)
    #expect(try #require(command.object()["peak_rss_bytes"] as? Int) > 0)
    #expect(!FileManager.default.fileExists(atPath: folder.file("shop.sqlite")))
  }

  @Test("a pipeline with mistakes exits with 2, its findings on standard error")
  func mistakes() throws {
    let path = try folder.write("import: { entity: Order }\n", to: "p.yaml")
    let command = try Command(["run", path, "--json"], in: folder.path)
    #expect(command.status == 2)
    #expect(command.words.contains("p.yaml:1:1: error: “pipeline” needs the field “model”"))
    let object = try command.object()
    #expect(object["status"] as? String == "failed")
    #expect(object["read"] as? Int == 0)
    #expect(object["pipeline"] as? String == path)
    #expect((object["error"] as? [String: Any])?["code"] as? String == "invalidPipeline")
  }

  @Test("a store of another model is refused and not touched")
  func otherModel() throws {
    #expect(try run("orders").status == 0)
    let before = FileManager.default.contents(atPath: folder.file("shop.sqlite"))
    try folder.write("name,iata,icao\nA,B,C\n", to: "planes.csv")
    try folder.write(
      """
      model: \(Locations.fixtures)/models/openflights.yaml
      store: shop.sqlite
      source: planes.csv
      import: { entity: Plane, find_by: [name], attributes: { iataCode: iata, icaoCode: icao } }
      """, to: "planes.yaml")
    let command = try Command(["run", "planes.yaml", "--json"], in: folder.path)
    #expect(command.status == 2)
    #expect(command.words.contains("[incompatibleStore]"), "\(command.words)")
    #expect(try command.object()["status"] as? String == "failed")
    #expect(try command.object()["pipeline"] as? String == "planes")
    #expect(try #require(command.object()["seconds"] as? Double) > 0)
    #expect(command.words.contains("Plane"), "\(command.words)")
    #expect(FileManager.default.contents(atPath: folder.file("shop.sqlite")) == before)
  }

  @Test("what an import does not keep up in the store is said on standard error and in the summary")
  func warnings() throws {
    try folder.write(
      """
      model: Notes
      entities:
        Note:
          attributes: { title: string!, search: { type: string, derived: "canonical:(title)" }, at: { type: date, derived: now() } }
          unique: [title]
        Other:
          attributes: { name: string, search: { type: string, derived: "canonical:(name)" } }
      """, to: "m.yaml")
    try folder.write("title\nA\nB\n", to: "n.csv")
    try folder.write(
      "model: m.yaml\nstore: n.sqlite\nsource: n.csv\nimport: { entity: Note, find_by: [title] }\n", to: "n.yaml")
    let first = try Command(["run", "n.yaml", "--json"], in: folder.path)
    #expect(first.status == 0, "\(first.words)")
    #expect(
      first.words.hasPrefix("n.sqlite: warning: Note.at: the value of this derived attribute "), "\(first.words)")
    #expect(!first.words.contains("Other.search"))
    #expect(first.words.split(separator: "\n")[0].hasSuffix(" [derivedAttribute]"), "\(first.words)")
    #expect(try first.warnings().count == 1)

    do {
      let connection = try Connection(path: folder.file("n.sqlite"), mode: .readWrite)
      try connection.execute("CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY)")
    }
    let second = try Command(["run", "n.yaml", "--json", "--quiet"], in: folder.path)
    #expect(second.status == 0)
    #expect(second.words == "")
    let warnings = try second.warnings()
    #expect(warnings.count == 1)
    #expect(warnings[0].hasPrefix("storeHistory: the store tracks persistent history"))
  }

  @Test("standard input is read, and missing folders of the store are made")
  func standardInput() throws {
    try folder.write(
      """
      model: \(Locations.fixtures)/models/openflights.yaml
      store: ${STORE}
      source: { files: '-', format: csv }
      import: { entity: Plane, find_by: [name], attributes: { iataCode: iata, icaoCode: icao } }
      """, to: "planes.yaml")
    let command = try Command(
      ["run", "planes.yaml", "--set", "STORE=a/b/c.sqlite"], in: folder.path, input: "name,iata,icao\nA,B,C\nD,E,F\n")
    #expect(command.status == 0, "\(command.words)")
    #expect(try count("SELECT count(*) FROM ZPLANE", "a/b/c.sqlite") == 2)
  }

  @Test("a store that a run did not find is said to be new, or to be none as before")
  func newStore() throws {
    let dry = try run("orders", store: "typo/shop.sqlite", "--dry-run", "--json")
    #expect(dry.words.contains("store    typo/shop.sqlite (as before: none)\n"), "\(dry.words)")
    #expect(try dry.object()["new_store"] as? Bool == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("typo")))
    let first = try run("orders", store: "typo/shop.sqlite", "--report", "r.html", "--log", "json")
    #expect(first.words.contains("\"new_store\": true"), "\(first.words)")
    #expect(try String(contentsOfFile: folder.file("r.html"), encoding: .utf8).contains("typo/shop.sqlite (new)"))
    let second = try run("orders", store: "typo/shop.sqlite", "--dry-run")
    #expect(second.words.contains("store    typo/shop.sqlite (as before)\n"), "\(second.words)")
    // Whole objects take another way.
    let shell =
      "\"$MERGEWALK\" export typo/shop.sqlite --out whole && \"$MERGEWALK\" run whole/pipeline.yaml --store c.sqlite"
    let whole = try Command.shell(shell, in: folder.path)
    #expect(whole.status == 0 && whole.words.contains("store    c.sqlite (new)\n"), "\(whole.words)")
  }

  @Test("a folder that cannot be made is a finding")
  func noFolder() throws {
    try folder.write("", to: "file")
    let command = try run("orders", store: "file/shop.sqlite")
    #expect(command.status == 2)
    #expect(command.output == "")
    #expect(command.words.contains("error: "), "\(command.words)")
  }

  @Test(
    "progress is shown on a terminal only",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func progress() throws {
    #expect(try !run("orders", store: "x.sqlite").words.contains("\r"))
    let line = "script -qec '\"$MERGEWALK\" run orders.yaml --store y.sqlite --batch 10' /dev/null"
    let shown = try Command.shell(line, in: folder.path)
    #expect(shown.status == 0)
    #expect(shown.output.contains("\r"))
    #expect(shown.output.contains(" records  "), "\(shown.output)")
    let quiet = try Command.shell(
      line.replacingOccurrences("--batch 10", "--quiet").replacingOccurrences("y.", "z."), in: folder.path)
    #expect(quiet.output == "")
  }
}
