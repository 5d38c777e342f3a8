import Foundation
import MergewalkTestSupport
import Testing

/// Families of stores that come about as they are to, and what they say.
@Suite("mergewalk stores")
struct StoresCommandTests {
  @Test("one input becomes a store for each value, with a manifest; a second build writes no store")
  func build() throws {
    let family = try Family()
    try family.write()
    let first = try family.build()
    #expect(first.status == 0, "\(first.words)")
    #expect(Set(try family.published().keys) == ["DE.sqlite", "FR.sqlite", "NL.sqlite", "_SUCCESS"])
    #expect(try family.items("out/DE.sqlite") == ["a1|DE|1", "a3|DE|3", "a6|DE|6"])
    let manifest = try #require(
      try JSONSerialization.jsonObject(with: family.bytes("out/_SUCCESS")) as? [String: Any])
    #expect(manifest["read"] as? Int == 6)
    #expect(
      (manifest["stores"] as? [[String: Any]])?.compactMap { $0["path"] as? String } == [
        "DE.sqlite", "FR.sqlite", "NL.sqlite",
      ])
    let verify = try Command(["store", "verify", "out/DE.sqlite"], in: family.folder.path)
    #expect(verify.status == 0, "\(verify.words)")
    func dates() throws -> [String: Date] {
      try Dictionary(
        uniqueKeysWithValues: ["DE.sqlite", "FR.sqlite", "_SUCCESS", "_parts/DE.json"].map { name -> (String, Date) in
          let path = family.folder.file("out/" + name)
          let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
          return (name, try #require(date))
        })
    }
    let before = try dates()
    let second = try family.build()
    #expect(second.status == 0, "\(second.words)")
    #expect((try second.object()["task"] as? [String: Any])?["built"] as? Int == 0)
    #expect(try dates() == before)
    // One part changes, one goes, one comes.
    try family.write(Array(Family.rows.filter { $0[1] != "NL" }) + [["a7", "FR", "7"], ["a8", "IT", "8"]])
    let third = try family.build()
    #expect(third.status == 0, "\(third.words)")
    #expect((try third.object()["task"] as? [String: Any])?["built"] as? Int == 2)
    #expect(try dates()["DE.sqlite"] == before["DE.sqlite"])
    #expect(Set(try family.published().keys) == ["DE.sqlite", "FR.sqlite", "IT.sqlite", "_SUCCESS"])
  }

  @Test("tasks in any number and order, with more than one thread, leave the same bytes")
  func determinism() throws {
    let family = try Family(stores: "{ by: country, path: \"{country:1}/{country}.sqlite\" }")
    try family.write()
    #expect(try family.build("one").status == 0)
    let wanted = try family.published("one")
    #expect(wanted.keys.contains("D/DE.sqlite"))
    #expect(try family.stores("plan", "items.yaml", "--out", "two").status == 0)
    for part in ["3/3", "1/3", "2/3", "1/1"] {
      let task = try family.stores("task", "two", "--part", part)
      #expect(task.status == 0, "\(task.words)")
    }
    #expect(try family.stores("commit", "two").status == 0)
    #expect(try family.published("two") == wanted)
    #expect(try family.stores("build", "items.yaml", "--out", "three", "--jobs", "3").status == 0)
    #expect(try family.published("three") == wanted)
    let slurm = [
      "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_STEP": "2",
      "SLURM_ARRAY_TASK_COUNT": "2",
    ]
    #expect(try family.stores("plan", "items.yaml", "--out", "four").status == 0)
    #expect(try family.stores("task", "four", environment: slurm).status == 0)
    #expect(try family.stores("commit", "four").status == 2)
    let kubernetes = ["JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "2"]
    #expect(try family.stores("task", "four", environment: kubernetes).status == 0)
    #expect(try family.stores("commit", "four").status == 0)
    #expect(try family.published("four") == wanted)
    #expect(try family.stores("task", "four", environment: ["JOB_COMPLETION_INDEX": "0"]).status == 64)
  }

  @Test("the union of the stores is one store, rejects keep their places", arguments: Soak.seeds(30))
  func union(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let format = ["csv", "ndjson", "json"][Int(seed % 3)]
    let family = try Family(source: format == "csv" ? "items.csv" : "items.\(format)")
    let values = ["DE", "FR", "é ü/x", "..", "_x", "true", "a,b\"c\nd"]
    var rows: [[String]] = []
    for number in 0..<Int.random(in: 1...60, using: &generator) {
      let amount = Int.random(in: 0...9, using: &generator) == 0 ? "none" : "\(number)"
      rows.append(["k\(number)", values.randomElement(using: &generator) ?? "", amount])
    }
    if format == "csv" {
      try family.write(rows)
    } else {
      let objects = try rows.map { row in
        let object = ["code": row[0], "country": row[1], "amount": row[2]]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      }
      let text = format == "json" ? "[" + objects.joined(separator: ",\n") + "]" : objects.joined(separator: "\n")
      try family.folder.write(text + "\n", to: "items.\(format)")
    }
    let built = try family.build()
    let place: Comment = "seed \(seed): \(built.words)"
    let one = try Command(
      ["run", "items.yaml", "--store", "one.sqlite", "--rejects", "one.ndjson", "--quiet"], in: family.folder.path)
    #expect(one.status == built.status, place)
    #expect(try family.union() == family.items("one.sqlite").sorted(), place)
    #expect(try places(["one.ndjson"], family) == places(rejects(family), family), place)
  }

  private func rejects(_ family: Family) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: family.folder.file("out/_parts"))
      .filter { $0.hasSuffix(".ndjson") }.map { "out/_parts/" + $0 }
  }

  /// What stands in rejects files: file, line, byte, code.
  private func places(_ paths: [String], _ family: Family) throws -> [String] {
    var result: [String] = []
    for path in paths where family.exists(path) {
      for line in String(decoding: try family.bytes(path), as: UTF8.self).split(separator: "\n") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let file = (object["file"] as? String)?.split(separator: "/").last.map(String.init) ?? ""
        result.append(
          "\(file) \(object["record"] ?? "") \(object["line"] ?? "") \(object["code"] ?? "")")
      }
    }
    return result.sorted()
  }

  @Test("names lead nowhere, differ without their case, or are rejected")
  func names() throws {
    let family = try Family()
    let long = String(repeating: "x", count: 300)
    try family.write([
      ["a", "../x", "1"], ["b", "", "2"], ["c", long, "3"], ["d", "de", "4"], ["e", "DE", "5"], ["f", ".", "6"],
      ["g", "_SUCCESS", "7"],
    ])
    let built = try family.build()
    #expect(built.status == 1, "\(built.words)")
    #expect(
      Set(try family.published().keys) == [
        "%2E.%2Fx.sqlite", "%64%65.sqlite", "DE.sqlite", "%2E.sqlite", "%5FSUCCESS.sqlite", "_SUCCESS",
      ])
    let plan = try #require(try built.object()["plan"] as? [String: Any])
    #expect(plan["reject_codes"] as? [String: Int] == ["store.badName": 2])
    let text = String(decoding: try family.bytes("out/_plan/rejects.ndjson"), as: UTF8.self)
    #expect(text.contains("\"line\":3,") && text.contains("\"line\":4,"))
    for (missing, expected) in [("skip", 0), ("{ value: other }", 1)] {
      let other = try Family(stores: "{ by: country, missing: \(missing) }")
      try other.write([["a", "", "1"], ["b", "DE", "2"]])
      let built = try other.build()
      #expect(built.status == 0, "\(built.words)")
      #expect(other.exists("out/other.sqlite") == (expected == 1))
      #expect(
        (try built.object()["commit"] as? [String: Any])?["skipped"] as? Int == 1 - expected, "\(built.output)")
    }
  }

  @Test("values that differ in case only have other names, or are rejected where those would be too long")
  func twins() throws {
    // Encoded letters need three bytes each; the prefix stands before them.
    let path = "stores-of-\(String(repeating: "y", count: 40))-{country}.sqlite"
    for (length, accepted) in [(50, 2), (70, 1), (100, 1)] {
      let family = try Family(stores: "{ by: country, path: \"\(path)\" }")
      let values = ["x", "X"].map { String(repeating: $0, count: length) }
      try family.write(values.enumerated().map { ["k\($0)", $1, "1"] } + [["z", "de", "1"], ["y", "DE", "2"]])
      let built = try family.build()
      #expect(built.status == (accepted == 2 ? 0 : 1), "\(built.words)")
      let names = try family.published().keys.map { $0.lowercased() }
      #expect(names.count == accepted + 3 && Set(names).count == names.count, "\(names)")
      #expect(names.allSatisfy { $0.utf8.count <= 230 })
      // Spool and receipts may be on such a file system, too.
      for folder in ["out/_spool", "out/_parts"] {
        let names = try FileManager.default.contentsOfDirectory(atPath: family.folder.file(folder))
        #expect(Set(names.map { $0.lowercased() }).count == names.count, "\(names)")
      }
      guard accepted == 1 else { continue }
      let rejects = try family.text("out/_rejects.ndjson")
      #expect(rejects.contains("store.badName") && rejects.contains("differs from an earlier value in case only"))
      // The same as folders of another program.
      for (index, value) in values.enumerated() {
        try family.folder.write("code,amount\nk\(index),1\n", to: "hive/country=\(value)/part.csv")
      }
      let other = try family.stores("build", "items.yaml", "hive", "--out", "other", "--json")
      #expect(other.status == 1, "\(other.words)")
      #expect(try family.union("other").count == 1)
      #expect(try family.text("other/_rejects.ndjson").contains("differs from an earlier value in case only"))
    }
  }

  @Test("no store has the name of a device of Windows, or one that file systems change")
  func reserved() throws {
    let values = ["aux", "AUX", "Com1", "nul.x", "lpt", "com10", "con-", " a", "a ", "a.", ".a", "Å", "A\u{30A}", "Å"]
    let family = try Family()
    try family.write(values.enumerated().map { ["k\($0)", $1, "\($0)"] })
    let built = try family.build()
    #expect(built.status == 0, "\(built.words)")
    #expect(
      Set(try family.published().keys) == [
        "_SUCCESS", "%61ux.sqlite", "%41UX.sqlite", "%43om1.sqlite", "%6Eul.x.sqlite", "lpt.sqlite", "com10.sqlite",
        "con-.sqlite", "%20a.sqlite", "a%20.sqlite", "a%2E.sqlite", "%2Ea.sqlite", "%C3%85.sqlite", "A%CC%8A.sqlite",
      ])
    #expect(try family.items("out/%C3%85.sqlite").count == 2)
  }

  @Test("hundreds of values go through buckets, and are the same")
  func buckets() throws {
    let family = try Family()
    try family.write((0..<1500).map { ["k\($0)", "v\($0 % 1100)", "\($0)"] })
    let built = try family.stores("build", "items.yaml", "--out", "out", "--quiet", "--jobs", "2")
    #expect(built.status == 0, "\(built.words)")
    #expect(FileManager.default.fileExists(atPath: family.folder.file("out/_spool/by=v0/part.csv")))
    let units = try FileManager.default.contentsOfDirectory(atPath: family.folder.file("out/_spool"))
    #expect(units.contains { $0.hasPrefix("bucket=") } && units.count < 1100)
    #expect(try family.union().count == 1500)
    #expect(try family.items("out/v399.sqlite") == ["k1499|v399|1499", "k399|v399|399"])
    #expect(try family.items("out/v1099.sqlite") == ["k1099|v1099|1099"])
    let attempts = try FileManager.default.contentsOfDirectory(atPath: family.folder.file("out/_attempts"))
    #expect(attempts.isEmpty)
  }

  @Test("folders called key=value are read as they are")
  func hive() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    try family.folder.write("code,amount\na,1\nb,2\n", to: "hive/country=DE/part-0.csv")
    try family.folder.write("code,amount\nc,3\n", to: "hive/country=DE/part-1.csv")
    try family.folder.write("code,amount\nd,4\n", to: "hive/country=a%20%27b%27%22/part-0.csv")
    try family.folder.write("code,amount\ne,5\n", to: "hive/country=__HIVE_DEFAULT_PARTITION__/part-0.csv")
    try family.folder.write("", to: "hive/_SUCCESS")
    let built = try family.stores("build", "items.yaml", "hive", "--out", "out", "--json")
    #expect(built.status == 1, "\(built.words)")
    #expect(try family.union() == ["a|DE|1", "b|DE|2", "c|DE|3", "d|a 'b'\"|4"])
    // Two spellings of one letter are two values, here as in a split.
    try family.folder.write("code,amount\nf,6\n", to: "two/country=%C3%A9/part-0.csv")
    try family.folder.write("code,amount\ng,7\n", to: "two/country=e%CC%81/part-0.csv")
    #expect(try family.stores("build", "items.yaml", "two", "--out", "accents").status == 0)
    #expect(family.exists("accents/%C3%A9.sqlite") && family.exists("accents/e%CC%81.sqlite"))
    try family.folder.write("code,amount\nc,4\n", to: "hive/country=DE/part-1.csv")
    try family.remove("out/DE.sqlite")
    let task = try family.stores("task", "out")
    #expect(task.status == 2, "\(task.words)")
  }

  @Test("a file of a folder called key=value that grows after its store was built ends the commit")
  func hiveChanged() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    try family.folder.write("code,amount\na,1\n", to: "hive/country=DE/part-0.csv")
    try family.folder.write("code,amount\nb,2\n", to: "hive/country=FR/part-0.csv")
    #expect(try family.stores("plan", "items.yaml", "hive", "--out", "out").status == 0)
    #expect(try family.stores("task", "out").status == 0)
    try family.remove("hive/country=FR/part-0.csv")
    try family.folder.write("code,amount\na,1\nc,3\n", to: "hive/country=DE/part-0.csv")
    for step in ["task", "commit"] {
      let refused = try family.stores(step, "out", "--json")
      #expect(refused.status == 2 && refused.words.contains("country=DE/part-0.csv"), "\(step): \(refused.words)")
      #expect((try refused.object()["error"] as? [String: Any])?["code"] as? String == "inputChanged")
    }
    #expect(!family.exists("out/_SUCCESS"))
    // Stores that are ready do not need the files they were made of.
    try family.remove("hive/country=DE/part-0.csv")
    #expect(try family.stores("commit", "out").status == 0)
    #expect(try family.union() == ["a|DE|1", "b|FR|2"])
  }

  @Test(
    "records of a folder without a value go where “missing” says, and their column is null",
    arguments: [
      ("reject", 1, ["a|DE|1"]), ("skip", 0, ["a|DE|1"]), ("{ value: other }", 0, ["a|DE|1", "e|-|5"]),
    ])
  func hiveWithoutValue(missing: String, status: Int, union: [String]) throws {
    let family = try Family(
      stores: "{ by: country, missing: \(missing) }", source: "{ files: items.csv, format: csv }")
    try family.folder.write("code,amount\na,1\n", to: "hive/country=DE/part-0.csv")
    try family.folder.write("code,amount\ne,5\n", to: "hive/country=__HIVE_DEFAULT_PARTITION__/part-0.csv")
    let built = try family.stores("build", "items.yaml", "hive", "--out", "out", "--json")
    #expect(Int(built.status) == status, "\(built.words)")
    #expect(try family.union() == union)
    #expect(family.exists("out/other.sqlite") == (union.count == 2))
  }

  @Test("a folder whose value is too long, or stands for none, is told apart from records without one")
  func hiveOther() throws {
    let family = try Family(
      stores: "{ by: country, missing: { value: other } }", source: "{ files: items.csv, format: csv }")
    let long = String(repeating: "x", count: 240)
    try family.folder.write("code,amount\na,1\n", to: "hive/country=\(long)/part-0.csv")
    try family.folder.write("code,amount\nb,2\n", to: "hive/country=FR/part-0.csv")
    let built = try family.stores("build", "items.yaml", "hive", "--out", "out", "--json")
    #expect(built.status == 1, "\(built.words)")
    #expect((try built.object()["commit"] as? [String: Any])?["rejected"] as? Int == 1)
    #expect(try family.union() == ["b|FR|2"])
    #expect(String(decoding: try family.bytes("out/_rejects.ndjson"), as: UTF8.self).contains("store.badName"))
    try family.folder.write("code,amount\nc,3\n", to: "hive/country=other/part-0.csv")
    try family.folder.write("code,amount\nd,4\n", to: "hive/country=__HIVE_DEFAULT_PARTITION__/part-0.csv")
    let mixed = try family.stores("plan", "items.yaml", "hive", "--out", "out")
    #expect(mixed.status == 2 && mixed.words.contains("choose another value under “missing”"), "\(mixed.words)")
  }

  @Test("folders of two names that would be one value are refused")
  func hiveEncoded() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    // The first is no UTF-8 when it is decoded, and so stands for itself: for what the second one is decoded.
    for (name, other, status) in [("%FF", "%25FF", 2), ("100%", "100%25", 2), ("100%", "%FF", 0), ("a", "%61", 0)] {
      let out = "out\(status)\(name.utf8.count)"
      try family.folder.write("code,amount\na,1\n", to: "\(out)-in/country=\(name)/part-0.csv")
      try family.folder.write("code,amount\nb,2\n", to: "\(out)-in/country=\(other)/part-0.csv")
      let built = try family.stores("build", "items.yaml", "\(out)-in", "--out", out)
      #expect(built.status == Int32(status), "\(name) \(other): \(built.words)")
      #expect(status == 0 || built.words.contains("rename one of them"), "\(built.words)")
    }
  }

  @Test(
    "what stands beside folders called key=value is not left out in silence", arguments: ["more.csv", "more/a.csv"])
  func hiveStray(path: String) throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    try family.folder.write("code,amount\na,1\n", to: "hive/country=DE/part-0.csv")
    try family.folder.write("", to: "hive/_SUCCESS")
    #expect(try family.stores("build", "items.yaml", "hive", "--out", "out").status == 0)
    try family.folder.write("code,country,amount\nb,FR,2\n", to: "hive/" + path)
    let plan = try family.stores("plan", "items.yaml", "hive", "--out", "out")
    #expect(plan.status == 2 && plan.words.contains("hive/more"), "\(plan.words)")
    #expect(try family.stores("plan", "items.yaml", "hive/country=DE", "--out", "out").status == 0)
  }

  @Test("a plan says that nothing is sent about a family")
  func notify() throws {
    let family = try Family(more: "notify: [{ when: always, command: [\"true\"] }]")
    try family.write()
    let plan = try family.stores("plan", "items.yaml", "--out", "out")
    #expect(plan.status == 0 && plan.words.contains("nothing is sent about a family"), "\(plan.words)")
  }

  @Test("a plan says that no figures are written about a family", arguments: ["metrics: m.prom", "report: r.html"])
  func figures(option: String) throws {
    let family = try Family(more: option)
    try family.write()
    let plan = try family.stores("plan", "items.yaml", "--out", "out")
    #expect(plan.status == 0 && plan.words.contains("no such file is written about a family"), "\(plan.words)")
  }

  @Test("a task runs in any folder, and a source keeps its name in rejects")
  func elsewhere() throws {
    let family = try Family()
    try family.write(Family.rows + [["bad", "DE", "none"]])
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 0)
    let other = TemporaryFolder()
    let task = try Command(["stores", "task", family.folder.file("out")], in: other.path)
    #expect(task.status == 1, "\(task.words)")
    let commit = try Command(["stores", "commit", family.folder.file("out"), "--json"], in: other.path)
    #expect(commit.status == 1, "\(commit.words)")
    let text = String(decoding: try family.bytes("out/_parts/DE.rejects.ndjson"), as: UTF8.self)
    #expect(text.contains("items.csv\",\"record\":7,\"line\":8,\"byte_offset\":"), "\(text)")
  }

  @Test("what is shared runs into each store first, and counts apart")
  func shared() throws {
    let family = try Family(stores: "{ by: country, shared: [common.yaml] }")
    try family.write()
    try family.writeShared("z1,all,100\nz2,all,200\n")
    let built = try family.build()
    #expect(built.status == 0, "\(built.words)")
    #expect(try family.items("out/NL.sqlite") == ["a4|NL|4", "z1|all|100", "z2|all|200"])
    #expect((try built.object()["commit"] as? [String: Any])?["read"] as? Int == 6)
    try family.folder.write("code,country,amount\nz1,all,101\n", to: "common.csv")
    #expect(try family.stores("task", "out").status == 5)
    #expect(try family.build().status == 0)
    #expect(try family.items("out/NL.sqlite") == ["a4|NL|4", "z1|all|101"])
  }

  @Test("a mode that removes what was shared is told", arguments: ["sync", "replace"])
  func sharedAndRemoved(mode: String) throws {
    let family = try Family(stores: "{ by: country, shared: [common.yaml] }")
    try family.write()
    try family.writeShared("c1,XX,1\n")
    let text = try family.text("items.yaml")
    #expect(try !family.build("kept").words.contains("removes"))
    #expect(try family.items("kept/DE.sqlite").contains("c1|XX|1"))
    try family.folder.write(
      text.replacing("find_by: code", with: "find_by: code\n  mode: \(mode)"), to: "items.yaml")
    let lint = try Command(["lint", "items.yaml"], in: family.folder.path)
    #expect(lint.output.contains("items.yaml:7:9: warning: mode “\(mode)” removes the objects of"), "\(lint.output)")
    let built = try family.build()
    #expect(built.words.contains("[unsuitableOption]"), "\(built.words)")
    #expect(try !family.items("out/DE.sqlite").contains("c1|XX|1"))
    // What the pipeline says itself is not told again.
    try family.folder.write(
      text.replacing("find_by: code", with: "find_by: code\n  mode: \(mode)\n  sync: { where: \"country != 'XX'\" }"),
      to: "items.yaml")
    #expect(try !family.build("scope").words.contains("removes"))
    #expect(try family.items("scope/DE.sqlite").contains("c1|XX|1"))
  }

  @Test(
    "a pipeline with a program is the same for a task as for the plan, however its path was written",
    arguments: ["[cat]", "{ command: [cat], folder: . }"], ["items.yaml", "./items.yaml", "common.yaml"])
  func programs(process: String, pipeline: String) throws {
    let shared = pipeline == "common.yaml" ? ", shared: common.yaml" : ""
    let family = try Family(stores: "{ by: country\(shared) }")
    try family.write()
    try family.writeShared("c1,XX,1\n")
    let text = try family.text(pipeline)
    try family.folder.write(
      text.replacing("find_by: code", with: "find_by: code\n  process: \(process)"), to: pipeline)
    let plan = try family.stores(
      "plan", pipeline == "common.yaml" ? "items.yaml" : pipeline, "--out", "out")
    #expect(plan.status == 0, "\(plan.words)")
    let task = try family.stores("task", "out")
    #expect(task.status == 0, "\(task.words)")
    #expect(try family.stores("commit", "out").status == 0)
  }

  @Test("what is shared knows the variables of the command, in tasks too")
  func sharedVariables() throws {
    let family = try Family(stores: "{ by: country, shared: [common.yaml] }")
    try family.write()
    try family.writeShared("z1,all,100\n", source: "${COMMON}")
    #expect(try family.build().status == 2)
    let planned = try family.stores("plan", "items.yaml", "--out", "out", "--set", "COMMON=common.csv")
    #expect(planned.status == 0 && !planned.words.contains("unusedVariable"), "\(planned.words)")
    let unused = try family.stores("plan", "items.yaml", "--out", "no", "--set", "COMMON=common.csv", "--set", "X=1")
    #expect(unused.words.contains("“X” is set but not used"), "\(unused.words)")
    #expect(try family.stores("task", "out").status == 0)
    #expect(try family.stores("commit", "out").status == 0)
    #expect(try family.items("out/NL.sqlite") == ["a4|NL|4", "z1|all|100"])
  }

  @Test("run says whether a pipe was checked, and keeps nothing of one that ended too soon")
  func completeness() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    let input = Family.csv(Family.rows)
    func run(_ more: String...) throws -> Command {
      try Command(
        ["run", "items.yaml", "-", "--store", "one.sqlite"] + more, in: family.folder.path, input: input)
    }
    try family.folder.write(input, to: "input")
    let sum = try Command.shell("sha256sum input", in: family.folder.path).output.split(separator: " ")[0]
    for expectation in [["--expect-records", "7"], ["--expect-sha256", String(repeating: "0", count: 64)]] {
      let failed = try run(expectation[0], expectation[1])
      #expect(failed.status == 2, "\(failed.words)")
      let names = try FileManager.default.contentsOfDirectory(atPath: family.folder.path)
      #expect(!names.contains { $0 == "one.sqlite" || $0.hasPrefix(".one") }, "\(names)")
    }
    let unchecked = try run()
    #expect(unchecked.status == 0 && unchecked.words.contains("was not checked"), "\(unchecked.words)")
    for expectation in [["--expect-records", "6"], ["--expect-sha256", String(sum)]] {
      let checked = try run(expectation[0], expectation[1], "--json")
      #expect(checked.status == 0 && !checked.words.contains("was not checked"), "\(checked.words)")
      #expect(try checked.object()["completeness"] as? String == "checked")
    }
    let plan = try family.stores("build", "items.yaml", "-", "--out", "out", "--expect-records", "7", input: input)
    #expect(plan.status == 2)
    #expect(!family.exists("out/_SUCCESS"))
    let whole = try family.stores("build", "items.yaml", "-", "--out", "out", "--expect-records", "6", input: input)
    #expect(whole.status == 0, "\(whole.words)")
  }
}
