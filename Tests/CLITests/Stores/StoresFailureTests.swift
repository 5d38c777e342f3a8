import Foundation
import MergewalkTestSupport
import Testing

/// What may fail between the plan of a family and its manifest.
@Suite("Families that fail")
struct StoresFailureTests {
  private func planned(_ family: Family) throws {
    try family.write()
    let plan = try family.stores("plan", "items.yaml", "--out", "out")
    #expect(plan.status == 0, "\(plan.words)")
  }

  @Test("input, places or records that change after the plan: exit 2 and nothing published")
  func changes() throws {
    for path in ["items.csv", "out/_spool/by=DE/part.csv", "out/_spool/part.places"] {
      let family = try Family()
      try planned(family)
      var bytes = try family.bytes(path)
      bytes[bytes.count - 2] ^= 1
      try family.folder.write([UInt8](bytes), to: path)
      let task = try family.stores("task", "out")
      #expect(task.status == 2, "\(path): \(task.words)")
      #expect(try family.stores("commit", "out").status == 2)
      #expect(!family.exists("out/_SUCCESS"))
    }
  }

  @Test("a family among its inputs is not read as one of them")
  func amongInputs() throws {
    // The spool, and the rejects, which are found without a look into folders.
    for (source, out) in [("recursive: true, pattern: \"*.csv\"", "in/out"), ("pattern: \"*.ndjson\"", "in")] {
      let family = try Family(source: "{ files: in, \(source) }")
      try family.folder.write(Family.csv(Family.rows), to: "in/items.csv")
      try family.folder.write(
        "{\"code\":\"a\",\"country\":\"DE\",\"amount\":1}\n{\"code\":\"b\"}\n", to: "in/items.ndjson")
      let first = try family.build(out)
      #expect([0, 1].contains(first.status), "\(first.words)")
      let before = try family.published(out)
      let second = try family.build(out)
      #expect(second.status == 2 && second.words.contains("is a file of the family itself"), "\(second.words)")
      #expect(try family.published(out) == before)
    }
  }

  @Test("a person's own file in the family's folder is an input, also one whose name begins as those of the family do")
  func ownFile() throws {
    let family = try Family(source: "{ files: in, pattern: \"*.csv\" }")
    try family.folder.write("code,country,amount\na,DE,1\n", to: "in/_plants.csv")
    for _ in 1...2 {
      let built = try family.build("in")
      #expect(built.status == 0, "\(built.words)")
      #expect(try family.items("in/DE.sqlite") == ["a|DE|1"])
    }
  }

  @Test("a family that is planned again while a task runs: exit 5, whatever the task was reading")
  func plannedAgain() throws {
    let family = try Family()
    try family.write()
    let text = try family.text("items.yaml")
    try family.folder.write(
      text.replacing("find_by: code", with: "find_by: code\n  process: [sh, again.sh]"), to: "items.yaml")
    try family.folder.write("code,country,amount\nb,UK,1\n", to: "other.csv")
    // The program of the first store plans, so that the records of the second are no longer there.
    try family.folder.write(
      "[ -f done ] || { touch done; '\(Command.path)' stores plan items.yaml other.csv --out out --quiet; }\nexec cat\n",
      to: "again.sh")
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 0)
    let task = try family.stores("task", "out")
    #expect(task.status == 5 && task.words.contains("was planned again"), "\(task.words)")
    #expect(try family.stores("task", "out").status == 0)
    #expect(try family.stores("commit", "out").status == 0)
    #expect(try family.union() == ["b|UK|1"])
  }

  @Test("a spool that is gone is told with its cure")
  func withoutSpool() throws {
    let family = try Family()
    try planned(family)
    try family.remove("out/_spool")
    let task = try family.stores("task", "out")
    #expect(task.status == 2 && task.words.contains("[inputChanged]"), "\(task.words)")
    #expect(task.words.contains("the split records are missing; plan the family again"), "\(task.words)")
  }

  @Test("a store without receipt, a receipt without store, an altered store: commit refuses, the task builds it again")
  func damage() throws {
    let family = try Family()
    try family.write()
    #expect(try family.build().status == 0)
    let wanted = try family.published()
    let harms: [(String, (Family) throws -> Void)] = [
      ("receipt gone", { try $0.remove("out/_parts/DE.json") }),
      ("store gone", { try $0.remove("out/DE.sqlite") }),
      ("receipt damaged", { try $0.folder.write("{\"key\":", to: "out/_parts/DE.json") }),
      (
        "store altered",
        { family in
          var bytes = [UInt8](try family.bytes("out/DE.sqlite"))
          bytes[bytes.count / 2] ^= 255
          try family.folder.write(bytes, to: "out/DE.sqlite")
        }
      ),
      (
        "store cut",
        { family in
          try family.folder.write(Array([UInt8](try family.bytes("out/DE.sqlite")).dropLast(7)), to: "out/DE.sqlite")
        }
      ),
    ]
    for (name, harm) in harms {
      try harm(family)
      let refused = try family.stores("commit", "out")
      #expect(refused.status == 2 && refused.words.contains("incomplete"), "\(name): \(refused.words)")
      let task = try family.stores("task", "out", "--json")
      let done = try #require(try task.object()["task"] as? [String: Any])
      #expect(
        ["built", "kept", "read", "rejected"].map { done[$0] as? Int } == [1, 2, 3, 0], "\(name)")
      let commit = try family.stores("commit", "out")
      #expect(commit.status == 0, "\(name): \(commit.words)")
      #expect(try family.published() == wanted, "\(name)")
    }
  }

  @Test("another pipeline, model or option on a node: exit 5")
  func otherPipeline() throws {
    let family = try Family()
    try planned(family)
    let text = String(decoding: try family.bytes("items.yaml"), as: UTF8.self)
    let model = String(decoding: try family.bytes("model.yaml"), as: UTF8.self)
    let changes = [
      ("items.yaml", text.replacingOccurrences(of: "find_by: code", with: "find_by: code\n  where: amount != 3")),
      ("items.yaml", text + "\nbatch: { records: 3 }\n"), ("items.yaml", "no: pipeline\n"),
      ("model.yaml", model.replacingOccurrences(of: "amount: integer32", with: "amount: integer64")),
    ]
    for (path, change) in changes {
      try family.folder.write(change, to: path)
      let task = try family.stores("task", "out")
      #expect(task.status == 5, "\(path) \(change): \(task.words)")
      try family.folder.write(path == "model.yaml" ? model : text, to: path)
    }
    #expect(try family.stores("task", "out").status == 0)
    let plan = String(decoding: try family.bytes("out/_plan/plan.json"), as: UTF8.self)
    try family.folder.write(
      plan.replacingOccurrences(of: "\"mergewalk\":\"", with: "\"mergewalk\":\"0."), to: "out/_plan/plan.json")
    #expect(try family.stores("commit", "out").status == 5)
    try family.folder.write("{}", to: "out/_plan/plan.json")
    #expect(try family.stores("commit", "out").status == 5)
  }

  @Test("too many rejects, of a part or of all, leave the family as it was")
  func limits() throws {
    for (limit, bad) in [("limit: 1", 2), ("limit: 2", 3), ("codes: { value.integer: 0 }", 1)] {
      let family = try Family(more: "rejects: { \(limit) }")
      try family.write()
      #expect(try family.build().status == 0)
      let before = try family.published()
      // One bad record in each store: each part is inside its limit when that is above none.
      let rows = Family.rows + ["DE", "FR", "NL"].prefix(bad).map { ["x\($0)", $0, "none"] }
      try family.write(rows)
      let built = try family.build()
      #expect(built.status == 3, "\(limit): \(built.words)")
      #expect(try family.published() == before, "\(limit)")
      try family.write()
      #expect(try family.build().status == 0)
      #expect(try family.published() == before)
    }
  }

  @Test("an input without a good record does not empty a family, unless the pipeline allows it")
  func emptied() throws {
    let inputs: [[[String]]] = [[], [["a1", "", "1"]], [["a1", "DE", "none"]]]
    for rows in inputs {
      let family = try Family()
      // A family of nothing is one, as long as there was none.
      try family.write([])
      #expect(try family.build().status == 0)
      try family.write()
      #expect(try family.build().status == 0)
      let before = try family.published()
      try family.write(rows)
      let built = try family.build()
      #expect(built.status == 3 && built.words.contains("gone: { allow_empty: true }"), "\(rows): \(built.words)")
      #expect(try family.published() == before, "\(rows)")
      try family.write()
      #expect(try family.build().status == 0)
      #expect(try family.published() == before)
      let text = try family.text("items.yaml")
      try family.folder.write(
        text.replacing("{ by: country }", with: "{ by: country, gone: { allow_empty: true } }"), to: "items.yaml")
      try family.write(rows)
      #expect(try family.build().status < 2)
      #expect(try family.union() == [], "\(rows)")
    }
  }

  @Test("more stores than may go leave the family as it was", arguments: ["limit: 1", "ratio: 40%"])
  func gone(limit: String) throws {
    let family = try Family(stores: "{ by: country, gone: { \(limit) } }")
    try family.write()
    #expect(try family.build().status == 0)
    let before = try family.published()
    try family.write(Family.rows.filter { $0[1] == "DE" })
    let built = try family.build()
    #expect(
      built.status == 3 && built.words.contains("2 of 3 published stores would go (“FR”, “NL”)"), "\(built.words)")
    #expect(try family.published() == before)
    // One may go, and others may come.
    try family.write(Family.rows.filter { $0[1] != "DE" } + [["a7", "UK", "7"]])
    #expect(try family.build().status == 0)
    #expect(try family.union() == ["a2|FR|2", "a4|NL|4", "a5|FR|5", "a7|UK|7"])
  }

  @Test("two commits at once leave one manifest; what the family has not made is not replaced")
  func together() throws {
    let family = try Family()
    try planned(family)
    #expect(try family.stores("task", "out").status == 0)
    let both = try Command.shell(
      "$MERGEWALK stores commit out & one=$!; $MERGEWALK stores commit out; two=$?; wait $one; echo $? $two",
      in: family.folder.path)
    #expect(both.output == "0 0\n", "\(both.words)")
    #expect(try family.union().count == 6)
    try family.folder.write("mine", to: "other/DE.sqlite")
    let other = try family.build("other")
    #expect(other.status == 2 && other.words.contains("occupied"), "\(other.words)")
    #expect(String(decoding: try family.bytes("other/DE.sqlite"), as: UTF8.self) == "mine")
  }

  @Test(
    "where capital and small letters are the same, a store of the family is not in the way of one that takes its name")
  func sameLetters() throws {
    let family = try Family()
    try family.write([["a1", "de", "1"]])
    #expect(try family.build().status == 0)
    // As a file system shows it that takes both names for one.
    #expect(link(family.folder.file("out/de.sqlite"), family.folder.file("out/DE.sqlite")) == 0)
    try family.write([["a1", "DE", "1"]])
    let built = try family.build()
    #expect(built.status == 0, "\(built.words)")
    #expect(try family.union() == ["a1|DE|1"])
    // Another file of that name is none of the family's.
    try family.folder.write("mine", to: "out/FR.sqlite")
    try family.write([["a1", "DE", "1"], ["a2", "FR", "2"]])
    #expect(try family.build().words.contains("occupied"))
  }

  @Test("a contract about columns that the split does not keep is refused, and kept where it does")
  func contracts() throws {
    for (format, status) in [("json", 2), ("ndjson", 0)] {
      for contract in ["{ new: reject }", "{ missing: discard }"] {
        let family = try Family(source: "{ files: items.\(format), contract: \(contract) }")
        let record = "{\"code\":\"a\",\"country\":\"DE\",\"amount\":1}"
        try family.folder.write(format == "json" ? "[\(record)]\n" : record + "\n", to: "items.\(format)")
        let built = try family.build()
        #expect(built.status == Int32(status), "\(format) \(contract): \(built.words)")
        #expect(status == 0 || built.words.contains("CSV and NDJSON only"), "\(built.words)")
      }
    }
    // XML has no types, and what the split writes has.
    let family = try Family(source: "{ files: items.xml, records: /items/item, contract: { types: reject } }")
    try family.folder.write(
      "<items><item><code>a</code><country>DE</country><amount>1</amount></item></items>", to: "items.xml")
    let built = try family.build()
    #expect(built.status == 2 && built.words.contains("XML, which has no types"), "\(built.words)")
  }

  @Test("what is expected of folders that another program has split is held against them, or refused")
  func expectedOfFolders() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    try family.folder.write("code,amount\na,1\nb,2\n", to: "split/country=DE/part-0.csv")
    try family.folder.write("code,amount\nc,3\n", to: "split/country=FR/part-0.csv")
    let wrong = try family.stores("build", "items.yaml", "split", "--out", "out", "--expect-records", "4")
    #expect(wrong.status == 2 && wrong.words.contains("have 3 records, not 4 as expected"), "\(wrong.words)")
    #expect(wrong.words.contains("[inputChanged]") && !family.exists("out/_SUCCESS"))
    #expect(try family.stores("build", "items.yaml", "split", "--out", "out", "--expect-records", "3").status == 0)
    let digest = String(repeating: "0", count: 64)
    let refused = try family.stores("plan", "items.yaml", "split", "--out", "other", "--expect-sha256", digest)
    #expect(refused.status == 2, "\(refused.words)")
    #expect(refused.words.contains("give the number of records with --expect-records"), "\(refused.words)")
  }

  @Test("what a run of a family's pipeline is told")
  func runWithoutStore() throws {
    let family = try Family()
    try family.write()
    let run = try Command(["run", "items.yaml"], in: family.folder.path)
    #expect(run.status == 2 && run.words.contains("missingField"), "\(run.words)")
    let lint = try Command(["lint", "items.yaml"], in: family.folder.path)
    #expect(lint.status == 0, "\(lint.words)")
    for (stores, word) in [
      ("{ by: nothing }", "unknownColumn"), ("{ by: country, path: same.sqlite }", "invalidOption"),
      ("{ by: country, path: \"../{country}\" }", "invalidOption"),
      ("{ by: country, path: \"_x/{country}\" }", "invalidOption"),
      ("{ by: country, path: \"{country}\" }", "invalidOption"),
      ("{ by: country, path: \"x-{country}-wal\" }", "invalidOption"),
      ("{ by: country, path: \"{county}\" }", "invalidOption"), ("{ path: \"{x}\" }", "missingField"),
      ("{ by: country, missing: { records: skip, value: x } }", "invalidOption"),
      ("{ by: country, shared: [none.yaml] }", "invalidOption"),
    ] {
      let wrong = try Family(stores: stores)
      try wrong.write()
      let lint = try Command(["lint", "items.yaml"], in: wrong.folder.path)
      #expect(lint.status != 0 && (lint.output + lint.words).contains(word), "\(stores): \(lint.output)\(lint.words)")
    }
  }

  @Test(
    "killed before any write, with others at the same tasks: in the end the same bytes, and never a part of a family",
    .enabled(if: Shim.isThere, "there is no C compiler to kill with"))
  func kills() throws {
    let seed = Soak.seed(21)
    var generator = SeededGenerator(seed: seed)
    let family = try Family()
    try family.write()
    let count = TemporaryFolder()
    #expect(try family.build("wanted", environment: Shim.counting(into: count.file("count"))).status == 0)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 10)
    let wanted = try family.published("wanted")
    for point in 0..<(Soak.isOn ? 200 : 24) {
      let out = "out\(point)"
      let kill = Int.random(in: 1...writes, using: &generator)
      let place: Comment = "seed \(seed), killed before write \(kill) of \(writes)"
      let killed = try family.build(out, environment: Shim.killing(at: kill))
      #expect(killed.status == -9 || killed.status == 0, place)
      if family.exists(out + "/_SUCCESS") { #expect(try family.published(out) == wanted, place) }
      // A duplicate of a task that is killed as well, beside one that is not.
      if family.exists(out + "/_plan/plan.json") {
        let again = Int.random(in: 1...writes, using: &generator)
        _ = try family.stores("task", out, environment: Shim.killing(at: again))
      }
      let ended = try family.build(out)
      #expect(ended.status == 0, "\(place): \(ended.words)")
      #expect(try family.published(out) == wanted, place)
      let rest = try FileManager.default.contentsOfDirectory(atPath: family.folder.file(out + "/_attempts"))
      #expect(rest.isEmpty, "\(place): \(rest)")
    }
  }

  @Test("pipelines that share themselves, or each other, are refused, and end nothing")
  func sharedInCircles() throws {
    let family = try Family(stores: "{ by: country, shared: [items.yaml] }")
    try family.write()
    for line in [["lint", "items.yaml"], ["stores", "build", "items.yaml", "--out", "out"]] {
      let command = try Command(line, in: family.folder.path)
      #expect(command.status == (line[0] == "lint" ? 1 : 2), "\(command.output)\(command.words)")
      #expect((command.output + command.words).contains("makes a family of stores itself"), "\(command.words)")
    }
    let text = try family.text("items.yaml")
    try family.folder.write(text.replacingOccurrences(of: "[items.yaml]", with: "[other.yaml]"), to: "items.yaml")
    try family.folder.write(text, to: "other.yaml")
    let built = try family.stores("build", "items.yaml", "--out", "out")
    #expect(built.status == 2 && built.words.contains("makes a family of stores itself"), "\(built.words)")
  }

  @Test("folders of folders, folders without files and files in place of a family say what to do")
  func wrongPlaces() throws {
    let family = try Family()
    try family.write()
    try family.folder.write("code,amount\na,1\n", to: "deep/country=DE/day=1/part.csv")
    let deep = try family.stores("plan", "items.yaml", "deep", "--out", "out")
    #expect(deep.status == 2 && deep.words.contains("partition by one column only"), "\(deep.words)")
    try family.folder.write("", to: "bare/country=DE/_SUCCESS")
    let bare = try family.stores("plan", "items.yaml", "bare", "--out", "out")
    #expect(bare.status == 2 && bare.words.contains("hold no files"), "\(bare.words)")
    let file = try family.stores("commit", "items.csv")
    #expect(file.status == 2 && file.words.contains("items.csv: this is a file"), "\(file.words)")
  }
}
