import Foundation
import MergewalkTestSupport
import Testing

/// Families hold what one store of the same input holds, whatever the format, and their rejects can be replayed.
@Suite("Formats of families")
struct StoresFormatsTests {
  /// A pipeline over another source, whose attributes are texts and whole numbers.
  private func family(_ source: String, _ attributes: String, key: String = "code", by: String = "country") throws
    -> Family
  {
    let family = try Family(source: source)
    try family.folder.write(
      """
      pipeline: items
      model: model.yaml
      source: \(source)
      import:
        entity: Item
        find_by: { code: \(key) }
        attributes: \(attributes)
      stores: { by: "\(by)", path: "{\(by)}.sqlite" }
      """, to: "items.yaml")
    return family
  }

  private static let unions: [(String, String, String, String, String)] = [
    // Numbers and Booleans that JSON spells otherwise.
    (
      "{ files: in.yaml }", "{ country: country, amount: amount }", "code", "country",
      "- {code: a, country: 0x1F, amount: 0x1F}\n- {code: b, country: True, amount: 0o17}\n- {code: c, country: +3, amount: +3}\n"
    ),
    // A JSON text of several lines, and one that looks like a cell of the spool.
    (
      "{ files: in.json }", "{ country: country, amount: amount }", "code", "amount",
      "[{\"code\": \"a\", \"country\": {\n \"x\": [1, 2]}, \"amount\": 1},"
        + "{\"code\": \"b\", \"country\": {\"$number\": \"7\"}, \"amount\": 1}]"
    ),
    // A record that is spelt like the names that are made for it.
    (
      "{ files: in.csv, header: false }", "{ country: \"2\", amount: \"3\" }", "\"1\"", "2",
      "a,DE,1\n1,2,3\nb,2,4\n"
    ),
    (
      "{ files: in.csv, header: false, columns: [code, country, amount] }", "{ country: country }", "code", "country",
      "a,DE,1\ncode,country,amount\n"
    ),
    // A delimiter in a name that no quotes keep inside.
    (
      "{ files: in.csv, quote: none, escape: backslash }", "{ country: country, amount: \"a,b\" }", "code", "country",
      "code,country,a\\,b\nx,DE,1\n"
    ),
  ]

  private static let replays: [(String, String, String, String, String)] = [
    ("{ files: in.json }", "[{\"code\":\"a\",\"at\":{\"land\":\"DE\"},\"n\":\"bad\"}]", "code", "at.land", "n"),
    (
      "{ files: in.ndjson, each: lines }",
      "{\"at\":{\"land\":\"DE\"},\"lines\":[{\"code\":\"x\",\"n\":1},{\"code\":\"a\",\"n\":\"bad\"}]}\n",
      "lines.code",
      "at.land", "lines.n"
    ),
    (
      "{ files: in.xml }", "<r><i code=\"a\"><land>DE</land><n>bad</n></i></r>", "\"@code\"", "land", "n"
    ),
    (
      "{ files: in.txt, format: fixed-width, widths: { code: 2, land: 3, n: 4 } }", "a DE bad \n", "code", "land", "n"
    ),
  ]

  private static let hives: [(String, String, String, String, String)] = [
    (
      "{ files: x.ndjson, each: lines }", "ndjson",
      "{\"lines\":[{\"code\":\"a\",\"n\":1},{\"code\":\"b\",\"n\":2}]}\n", "lines.code", "lines.n"
    ),
    ("{ files: x.json }", "json", "[{\"code\":\"a\",\"n\":1},\n{\"code\":\"b\",\"n\":2}]", "code", "n"),
    ("{ files: x.xml }", "xml", "<r><i code=\"a\"><n>1</n></i><i code=\"b\"><n>2</n></i></r>", "\"@code\"", "n"),
    ("{ files: x.csv, header: false, columns: [code, n] }", "csv", "a,1\nb,2\n", "code", "n"),
    (
      "{ files: x.csv, skip_lines: 1, comment: \"#\" }", "csv", "title\ncode,n\n# none\na,1\ncode,n\nb,2\n", "code",
      "n"
    ),
  ]

  @Test(
    "the union of the stores is one store",
    arguments: unions)
  func union(source: String, attributes: String, key: String, by: String, text: String) throws {
    let name = try #require(["in.yaml", "in.json", "in.csv"].first { source.contains($0) })
    let family = try family(source, attributes, key: key, by: by)
    try family.folder.write(text, to: name)
    let built = try family.build()
    #expect(built.status == 0, "\(built.words)")
    let one = try Command(["run", "items.yaml", "--store", "one.sqlite", "--quiet"], in: family.folder.path)
    #expect(one.status == 0, "\(one.words)")
    #expect(try family.union() == family.items("one.sqlite").sorted())
  }

  @Test(
    "rejects of stores are replayed with all that the pipeline reads",
    arguments: replays)
  func replay(source: String, text: String, key: String, by: String, number: String) throws {
    let name = try #require(["in.json", "in.ndjson", "in.xml", "in.txt"].first { source.contains("\($0)") })
    let family = try family(source, "{ country: \(by), amount: \(number) }", key: key, by: by)
    try family.folder.write(text, to: name)
    #expect(try family.build().status == 1)
    let rejects = try family.text("out/_rejects.ndjson")
    try family.folder.write(
      rejects.replacingOccurrences(of: "\\\"bad\\\"", with: "\\\"7\\\""), to: "out/_rejects.ndjson")
    let replay = try Command(
      ["rejects", "replay", "out/_rejects.ndjson", "--pipeline", "items.yaml", "--store", "out/DE.sqlite"],
      in: family.folder.path)
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try family.items("out/DE.sqlite").contains("a|DE|7"))
  }

  @Test("a line of a rejects file that is made a comment is told")
  func nothing() throws {
    let family = try Family(source: "{ files: items.csv, comment: \"#\" }")
    try family.write([["a1", "DE", "bad"]])
    let run = try Command(
      ["run", "items.yaml", "--store", "one.sqlite", "--rejects", "r.ndjson"], in: family.folder.path)
    #expect(run.status == 1, "\(run.words)")
    let rejects = try family.text("r.ndjson")
    let other = rejects.replacingOccurrences(of: "\\\"a1\\\",\\\"DE\\\",\\\"bad\\\"", with: "# later")
    #expect(other != rejects)
    try family.folder.write(other, to: "r.ndjson")
    let replay = try Command(
      ["rejects", "replay", "r.ndjson", "--pipeline", "items.yaml", "--store", "one.sqlite"], in: family.folder.path)
    #expect(replay.status == 1 && replay.words.contains("read.invalidDocument"), "\(replay.words)")
  }

  @Test(
    "files of folders called key=value are read as the pipeline says",
    arguments: hives)
  func folders(source: String, ending: String, text: String, key: String, number: String) throws {
    let family = try family(source, "{ country: country, amount: \(number) }", key: key)
    try family.folder.write(
      try family.text("items.yaml").replacingOccurrences(
        of: "stores: { by: \"country\", path", with: "stores: { by: country, missing: { value: none }, path"),
      to: "items.yaml")
    try family.folder.write(text, to: "hive/country=DE/part-0.\(ending)")
    try family.folder.write(text, to: "hive/country=__HIVE_DEFAULT_PARTITION__/part-0.\(ending)")
    let built = try family.stores("build", "items.yaml", "hive", "--out", "out", "--json")
    #expect(built.status == 0, "\(built.words)")
    #expect(try family.items("out/DE.sqlite") == ["a|DE|1", "b|DE|2"])
    #expect(try family.items("out/none.sqlite") == ["a|-|1", "b|-|2"])
    // What the pipeline says of the files belongs to the plan.
    try family.remove("out/DE.sqlite")
    try family.folder.write(
      try family.text("items.yaml").replacingOccurrences(of: "source: {", with: "source: { encoding: utf-8,"),
      to: "items.yaml")
    #expect(try family.stores("task", "out").status == 5)
  }

  @Test("rejects of shared pipelines are told, and make the exit code 1")
  func shared() throws {
    let family = try Family(stores: "{ by: country, shared: [common.yaml] }")
    try family.write([["a1", "DE", "1"], ["a2", "FR", "2"]])
    try family.writeShared("z1,all,100\nz2,all,many\n")
    let built = try family.build()
    #expect(built.status == 1 && built.words.contains("4 records beside them, 2 rejected"), "\(built.words)")
    let commit = try #require(try built.object()["commit"] as? [String: Any])
    #expect(commit["shared"] as? Int == 4 && commit["shared_rejected"] as? Int == 2)
  }

  @Test("a task tells what its runs warn of about the input")
  func warnings() throws {
    let family = try Family(source: "{ files: items.csv, contract: { new: evolve } }")
    try family.folder.write("code,country,amount,extra\na,DE,1,x\nb,FR,2,y\n", to: "items.csv")
    let built = try family.build()
    #expect(built.status == 0)
    #expect(built.words.contains("“extra”, in 2 stores [contractNewColumn]"), "\(built.words)")
    let task = try #require(try built.object()["task"] as? [String: Any])
    let codes = (task["warnings"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
    #expect(codes == ["contractNewColumn"])
    // A member that one part has is matched.
    let second = try Family(source: "items.ndjson")
    try second.folder.write(
      "{\"code\":\"a\",\"country\":\"DE\",\"amount\":1}\n{\"code\":\"b\",\"country\":\"FR\"}\n", to: "items.ndjson")
    #expect(try !second.build().words.contains("neverMatched"))
    try second.folder.write(
      "{\"code\":\"a\",\"country\":\"DE\"}\n{\"code\":\"b\",\"country\":\"FR\"}\n", to: "items.ndjson")
    #expect(try second.build("other").words.contains("in 2 stores [neverMatched]"))
  }

  @Test("types of a contract are compared over the whole of a source, whatever stores its records go to")
  func types() throws {
    let lines = [
      #"{"code":"a","country":"DE","amount":1}"#, #"{"code":"b","country":"FR","amount":"2"}"#,
      #"{"code":"c","country":"DE","amount":3}"#,
    ]
    for format in ["ndjson", "json"] {
      let text =
        format == "json" ? "[\n" + lines.joined(separator: ",\n") + "\n]\n" : lines.joined(separator: "\n") + "\n"
      for (policy, status) in [("freeze", 2), ("reject", 1), ("evolve", 0)] {
        let family = try Family(source: "{ files: items.\(format), contract: { types: \(policy) } }")
        try family.folder.write(text, to: "items.\(format)")
        let built = try family.build()
        let place: Comment = "\(format) \(policy): \(built.words)"
        #expect(Int(built.status) == status, place)
        let row = format == "json" ? 3 : 2
        switch policy {
        case "freeze":
          #expect(built.words.contains("items.\(format):\(row):"), place)
          #expect(built.words.contains("error: record 2: “amount” is a string"), place)
        case "reject":
          // The type of the whole source's first value counts, not that of the part's.
          #expect(try family.union() == ["a|DE|1", "c|DE|3"], place)
          let rejects = try family.text("out/_rejects.ndjson")
          #expect(rejects.contains("contract.type"), place)
          #expect(rejects.contains("“amount” is a string, and was a number"), place)
        default:
          #expect(try family.union() == ["a|DE|1", "b|FR|2", "c|DE|3"], place)
          let plan = try #require(try built.object()["plan"] as? [String: Any])
          let warnings = try #require(plan["warnings"] as? [[String: Any]])
          // The type has changed twice.
          #expect(warnings.compactMap { $0["line"] as? Int } == [row, row + 1], place)
          #expect(built.words.split(separator: "\n").count { $0.contains("[contractType]") } == 2, place)
        }
      }
    }
  }

  @Test("the first values of a source tell the types, whatever store they go to, and a condition comes before a reject")
  func firstTypes() throws {
    let family = try Family(source: "{ files: items.ndjson, contract: { types: reject } }")
    let text = try family.text("items.yaml")
    try family.folder.write(
      text.replacing("  entity: Item\n", with: "  entity: Item\n  where: code <> \"c\"\n"), to: "items.yaml")
    let lines = [
      #"{"code":"a","country":"DE","amount":1}"#, #"{"code":"b","country":"FR","amount":"2"}"#,
      #"{"code":"c","country":"FR","amount":"3"}"#, #"{"code":"d","country":"FR","amount":4}"#,
    ]
    try family.folder.write(lines.joined(separator: "\n") + "\n", to: "items.ndjson")
    let built = try family.build()
    #expect(built.status == 1, "\(built.words)")
    // Alone the records of FR would begin with a text, and the number would be of another type.
    #expect(try family.union() == ["a|DE|1", "d|FR|4"], "\(built.words)")
    let commit = try #require(try built.object()["commit"] as? [String: Any])
    #expect(commit["skipped"] as? Int == 1 && commit["rejected"] as? Int == 1)
    // What the first values are is part of the plan: stores of the same records are made anew.
    let turned = [lines[1], lines[2], lines[3], lines[0]]
    try family.folder.write(turned.joined(separator: "\n") + "\n", to: "items.ndjson")
    #expect(try family.build().status == 1)
    #expect(try family.union() == ["b|FR|2"])
  }

  @Test("a last record that is doubtful, and text that was passed over, are told by the plan")
  func doubtfulEnd() throws {
    let family = try Family(stores: "{ by: country, missing: { value: other } }")
    let rows = "code,country,amount\na,DE,1\n\nb,FR,2\nc,DE,3\n"
    try family.folder.write(rows + "d,DE,", to: "items.csv")
    let cut = try family.build("cut")
    #expect(cut.status == 0 && cut.words.contains("items.csv:6:1: warning: the file ends right after"), "\(cut.words)")
    #expect(cut.words.contains("  passed   1 line without anything\n"), "\(cut.words)")
    try family.folder.write(rows + "Total,,6\n", to: "items.csv")
    let footer = try family.build("footer")
    #expect(footer.words.contains("items.csv:6:1: warning: the last record of the file seems"), "\(footer.words)")
    // What is skipped is in no store.
    let other = try Family(stores: "{ by: country, missing: skip }")
    try other.folder.write(rows + "Total,,6\n", to: "items.csv")
    #expect(try !other.build().words.contains("doubtfulEnd"))
  }

  @Test("a column that only a later member of a tar archive has, and an empty member, are told by the plan, once")
  func laterMembers() throws {
    let family = try Family(source: "{ files: items.tar, member: '*', format: csv, empty_files: skip }")
    try family.write()
    try family.folder.write("", to: "empty.csv")
    try family.folder.write("code,country,amount,extra\nb1,DE,1,x\n", to: "more.csv")
    let packed = try Command.shell("tar -cf items.tar items.csv empty.csv more.csv", in: family.folder.path)
    try #require(packed.status == 0)
    let built = try family.build()
    #expect(built.status == 0, "\(built.words)")
    #expect(built.words.split(separator: "[unusedColumn]").count == 2, "\(built.words)")
    #expect(built.words.contains("“items.tar/more.csv” has a column that the earlier files do not have, and nothing"))
    #expect(built.words.split(separator: "there is nothing in “items.tar/empty.csv”, and it is skipped").count == 2)
  }

  @Test("the commit sums what the runs of all stores tell, also of those that another task has built")
  func sums() throws {
    let family = try Family(source: "items.ndjson")
    try family.folder.write(
      """
      {"code":"a","country":"DE","amont":1}
      {"code":"b","country":"FR","amounts":2}
      {"code":"c","country":"FR","amount":""}

      """, to: "items.ndjson")
    #expect(try family.stores("plan", "items.yaml", "--out", "out", "--quiet").status == 0)
    // One store of two has never had the column; that says nothing about the family.
    #expect(try !family.stores("task", "out").words.contains("neverMatched"))
    let commit = try family.stores("commit", "out", "--json")
    #expect(commit.status == 0 && !commit.words.contains("neverMatched"), "\(commit.words)")
    #expect(commit.words.contains("  replaced Item.amount 2 absent, 1 empty\n"), "\(commit.words)")
    let object = try #require(try commit.object()["commit"] as? [String: Any])
    let fields = try #require(object["fields"] as? [[String: Any]])
    let amount = try #require(fields.first { $0["attribute"] as? String == "amount" })
    #expect(amount["read"] as? Int == 3)
    #expect(amount["replaced"] as? [String: Int] == ["absent": 2, "empty": 1])
    // The likely names differ from store to store; the finding is one.
    try family.folder.write(
      "{\"code\":\"a\",\"country\":\"DE\",\"amont\":1}\n{\"code\":\"b\",\"country\":\"FR\",\"amounts\":2}\n",
      to: "items.ndjson")
    let built = try family.build("other")
    #expect(built.words.split(separator: "\n").count { $0.contains("[neverMatched]") } == 1, "\(built.words)")
    #expect(built.words.contains("in 2 stores [neverMatched]"), "\(built.words)")
    // Stores that are kept still tell.
    #expect(try family.build("other").words.contains("in 2 stores [neverMatched]"))
  }

  @Test("what no store has is told, whichever stores have no record or no element that could have it")
  func undecided() throws {
    let family = try Family()
    try family.folder.write(
      """
      pipeline: items
      model: model.yaml
      imports:
        - name: one
          source: one.ndjson
          import: { entity: Item, find_by: code, attributes: { country: country, amount: nope } }
        - name: two
          source: two.ndjson
          import: { entity: Item, find_by: code, attributes: [country] }
      stores: { by: country }
      """, to: "items.yaml")
    try family.folder.write("{\"code\":\"a\",\"country\":\"DE\"}\n", to: "one.ndjson")
    try family.folder.write("{\"code\":\"b\",\"country\":\"FR\"}\n", to: "two.ndjson")
    for _ in 1...2 {
      let built = try family.build()
      #expect(built.words.contains("no record has “nope” (Item.amount), in 1 store [neverMatched]"), "\(built.words)")
    }
    // What one store has is matched, although another one has no record of the import.
    try family.folder.write("{\"code\":\"a\",\"country\":\"DE\",\"nope\":1}\n", to: "one.ndjson")
    #expect(try !family.build("other").words.contains("neverMatched"))
    // A list without elements tells nothing about the members of its elements.
    try family.folder.write(
      """
      entities:
        Item:
          attributes: { code: string!, country: string }
          relationships: { tags: { to_many: Tag, inverse: items } }
          unique: [code]
        Tag:
          attributes: { name: string!, size: integer32 }
          relationships: { items: { to_many: Item, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
    try family.folder.write(
      """
      pipeline: items
      model: model.yaml
      source: one.ndjson
      import:
        entity: Item
        find_by: code
        attributes: [country]
        relationships: { tags: { each: tags, find_by: { name: n }, attributes: { size: nope } } }
      stores: { by: country }
      """, to: "items.yaml")
    try family.folder.write(
      "{\"code\":\"a\",\"country\":\"DE\",\"tags\":[{\"n\":\"x\"}]}\n"
        + "{\"code\":\"b\",\"country\":\"FR\",\"tags\":[]}\n", to: "one.ndjson")
    let lists = try family.build("lists")
    #expect(lists.words.contains("in 1 store [neverMatched]"), "\(lists.words)")
  }

  @Test("the commit sums the elements of lists, and tells those that were not linked")
  func lists() throws {
    let family = try Family(source: "items.ndjson")
    try family.folder.write(
      """
      entities:
        Item:
          attributes: { code: string!, country: string, amount: integer32 }
          relationships: { tags: { to_many: Tag, inverse: items } }
          unique: [code]
        Tag:
          attributes: { name: string! }
          relationships: { items: { to_many: Item, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
    let text = try family.text("items.yaml")
    try family.folder.write(
      text.replacing("stores:", with: "  relationships: { tags: { each: tags, find_by: { name: . } } }\nstores:"),
      to: "items.yaml")
    try family.folder.write(
      """
      {"code":"a","country":"DE","amount":1,"tags":["x","y","x"]}
      {"code":"b","country":"FR","amount":2,"tags":["x",null]}
      {"code":"c","country":"FR","amount":"none","tags":["x","z"]}

      """, to: "items.ndjson")
    #expect(try family.stores("plan", "items.yaml", "--out", "out", "--quiet").status == 0)
    let task = try family.stores("task", "out", "--json")
    #expect(task.status == 1, "\(task.words)")
    let commit = try family.stores("commit", "out", "--json")
    #expect(commit.words.contains("  list     Item.tags: 7 elements, 1 skipped, 2 rejected\n"), "\(commit.words)")
    for (command, step) in [(task, "task"), (commit, "commit")] {
      let object = try #require(try command.object()[step] as? [String: Any])
      let list = try #require((object["lists"] as? [[String: Any]])?.first)
      #expect(list["entity"] as? String == "Item" && list["relationship"] as? String == "tags")
      let counts = ["read", "linked", "already_linked", "skipped", "rejected"].map { list[$0] as? Int }
      #expect(counts == [7, 3, 1, 1, 2], "\(step)")
    }
  }

  @Test("stores whose records are all skipped or rejected are counted")
  func empty() throws {
    let family = try Family()
    try family.write(Family.rows + [["bad", "UK", "none"]])
    let text = try family.text("items.yaml")
    try family.folder.write(
      text.replacing("  entity: Item\n", with: "  entity: Item\n  where: code <> \"a4\"\n"), to: "items.yaml")
    let built = try family.build()
    #expect(built.status == 1, "\(built.words)")
    #expect((try built.object()["commit"] as? [String: Any])?["empty"] as? Int == 2, "\(built.words)")
    #expect(built.words.contains("  empty    2 stores without records"), "\(built.words)")
    for value in ["NL", "UK"] { #expect(try family.items("out/\(value).sqlite") == []) }
  }
}
