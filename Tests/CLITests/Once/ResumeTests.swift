import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Unfinished runs", .enabled(if: Shim.isThere))
struct ResumeTests {
  private static let shop = Result { try NightShop(seed: 7) }
  /// What an undisturbed run leaves, and how many writes it makes.
  private static let wanted = Result { () throws -> (state: Night.State, writes: Int) in
    let night = try shop.get().night()
    let command = try night.run(environment: Shim.counting(into: night.folder.file("count")))
    let writes = Int(try String(contentsOfFile: night.folder.file("count"), encoding: .utf8)) ?? 0
    try FileManager.default.removeItem(atPath: night.folder.file("count"))
    #expect(command.status == 1, "\(command.words)")
    return (try night.state(), writes)
  }

  /// A night whose run was killed about half-way.
  private func unfinished(_ shop: NightShop? = nil) throws -> Night {
    let night = try (shop ?? Self.shop.get()).night()
    try night.runHalf(of: Self.wanted.get().writes)
    return night
  }

  private func code(_ command: Command) throws -> String {
    #expect(command.status == 5, "\(command.words)")
    return try (command.object()["error"] as? [String: Any])?["code"] as? String ?? ""
  }

  private func append(_ text: String, to name: String, _ night: Night) throws {
    let old = try String(contentsOfFile: night.folder.file(name), encoding: .utf8)
    try night.folder.write(old + text, to: name)
  }

  @Test("go on by themselves, and say so")
  func goingOn() throws {
    let night = try unfinished()
    let explained = try Command(["explain", "p.yaml", "--json"], in: night.folder.path).object()["store"]
    #expect((explained as? [String: Any])?["unfinished_run"] as? Bool == true)
    let command = try night.run()
    #expect(command.status == 1, "\(command.words)")
    let object = try command.object()
    #expect((object["resumed_after"] as? Int ?? 0) > 0)
    #expect(object["resumed_from"] as? String == object["run"] as? String)
    #expect(try night.state() == Self.wanted.get().state)
  }

  @Test("into a new store are known to explain, which changes nothing")
  func explainedNewStore() throws {
    let shop = try NightShop(seed: 7, hasStore: false)
    let count = TemporaryFolder()
    #expect(try shop.night().run(environment: Shim.counting(into: count.file("count"))).status == 1)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    let night = try shop.night()
    func store() throws -> [String: Any]? {
      try Command(["explain", "p.yaml", "--json"], in: night.folder.path).object()["store"] as? [String: Any]
    }
    #expect(try store()?["unfinished_run"] as? Bool == false)
    #expect(try Command(["explain", "p.yaml"], in: night.folder.path).output.contains("shop.sqlite (new)"))
    try night.runHalf(of: writes)
    #expect(try store()?["unfinished_run"] as? Bool == true && store()?["exists"] as? Bool == false)
    let words = try Command(["explain", "p.yaml"], in: night.folder.path).output
    #expect(words.contains("shop.sqlite (new, an interrupted run resumes)"), "\(words)")
    let command = try night.run("--resume-or-fail")
    #expect(command.status == 1, "\(command.words)")
    #expect(try (command.object()["resumed_after"] as? Int ?? 0) > 0)
  }

  @Test("of a replay begin anew with --restart, where its file has changed or another name", arguments: [true, false])
  func replaying(isRenamed: Bool) throws {
    var shop = try NightShop(seed: 7)
    shop.batch = 1
    func replay(
      _ night: Night, _ file: String = "rejects.ndjson", _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> Command {
      try Command(
        ["rejects", "replay", file, "--pipeline", "p.yaml", "--rejects", "again.ndjson", "--json"] + options,
        in: night.folder.path, environment: environment)
    }
    func corrected() throws -> (night: Night, text: String) {
      let night = try shop.night()
      #expect(try night.run().status == 1)
      let text = try String(contentsOfFile: night.folder.file("rejects.ndjson"), encoding: .utf8)
        .replacing(",many,", with: ",3,")
      try night.folder.write(text, to: "rejects.ndjson")
      return (night, text)
    }
    let (other, _) = try corrected()
    #expect(try replay(other, "rejects.ndjson", ["--resume-or-fail"]).status == 5)
    let count = other.folder.file("count")
    #expect(try replay(other, environment: Shim.counting(into: count)).status < 2)
    let writes = Int(try String(contentsOfFile: count, encoding: .utf8)) ?? 0
    let (night, text) = try corrected()
    #expect(try replay(night, environment: Shim.killing(at: writes * 11 / 20)).status == -9)
    let file = isRenamed ? "rejects.before.ndjson" : "rejects.ndjson"
    try night.folder.write(isRenamed ? text : text.replacing(",3,", with: ",4,"), to: file)
    #expect(try code(replay(night, file)) == (isRenamed ? "inputsDiffer" : "inputChanged"))
    let command = try replay(night, file, ["--restart"])
    #expect(command.status < 2, "\(command.words)")
    #expect(try command.object()["read"] as? Int == text.split(separator: "\n").count, "\(command.words)")
  }

  @Test("are one run in the rejects file")
  func oneRun() throws {
    let night = try unfinished()
    _ = try night.run()
    let text = try String(contentsOfFile: night.folder.file("rejects.ndjson"), encoding: .utf8)
    let runs = Set(text.matches(of: /"run":"([^"]*)"/).map { String($0.output.1) })
    #expect(runs.count == 1)
  }

  @Test("are taken back with --restart, down to the byte")
  func restarting() throws {
    let night = try unfinished()
    let fresh = try Self.shop.get().night()
    let before = try Data(contentsOf: URL(fileURLWithPath: fresh.folder.file("shop.sqlite")))
    withExtendedLifetime(fresh) {}
    // A limit that is exceeded at once shows what the store was taken back to.
    try night.folder.write(
      Self.shop.get().pipeline().replacing("rejects: rejects.ndjson", with: "rejects: { limit: 0 }"), to: "p.yaml")
    let breached = try night.run("--restart")
    #expect(breached.status == 3, "\(breached.words)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite"))) == before)
    #expect(!FileManager.default.fileExists(atPath: night.folder.file("shop.sqlite-wal")))
    try night.folder.write(Self.shop.get().pipeline(), to: "p.yaml")
    let command = try night.run("--restart")
    #expect(try command.object()["resumed_after"] is NSNull)
    #expect(try night.state() == Self.wanted.get().state)
  }

  @Test("are taken back whole when a limit is exceeded after they went on")
  func breach() throws {
    let night = try unfinished()
    let fresh = try Self.shop.get().night()
    let before = try Data(contentsOf: URL(fileURLWithPath: fresh.folder.file("shop.sqlite")))
    withExtendedLifetime(fresh) {}
    // Limits are no part of what makes a pipeline another one.
    try night.folder.write(
      Self.shop.get().pipeline().replacing(
        "rejects: rejects.ndjson", with: "rejects: { file: rejects.ndjson, limit: 8 }"),
      to: "p.yaml")
    let command = try night.run()
    #expect(command.status == 3, "\(command.words)")
    let limit = try command.object()["limit"] as? [String: Any]
    #expect(limit?["name"] as? String == "rejects.limit")
    #expect(try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite"))) == before)
    #expect(!FileManager.default.fileExists(atPath: night.folder.file("shop.sqlite-wal")))
  }

  @Test("do not mind who reads the store meanwhile, and begin anew when somebody has written")
  func strangers() throws {
    let night = try unfinished()
    _ = try night.state()  // opens the store
    let command = try night.run()
    #expect(command.status == 1, "\(command.words)")
    #expect(try command.object()["resumed_after"] as? Int ?? 0 > 0)
    #expect(try night.state() == Self.wanted.get().state)

    func changedStore() throws -> Night {
      let night = try unfinished()
      let writer = try Connection(path: night.folder.file("shop.sqlite"), mode: .readWrite)
      try writer.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
      try writer.close()
      return night
    }
    #expect(try code(changedStore().run("--resume-or-fail")) == "nothingToResume")
    let changed = try changedStore()
    let again = try changed.run()
    #expect(again.status == 1, "\(again.words)")
    #expect(try again.object()["resumed_after"] is NSNull)
    let texts = try again.warnings()
    #expect(texts.contains { $0.hasPrefix("unfinishedDropped: another program has written") }, "\(texts)")
    #expect(try changed.state() == Self.wanted.get().state)
  }

  @Test("are wanted by --resume-or-fail")
  func resumeOrFail() throws {
    let night = try Self.shop.get().night()
    let before = try night.state()
    #expect(try code(night.run("--resume-or-fail")) == "nothingToResume")
    #expect(try night.state() == before)
    try night.runHalf(of: Self.wanted.get().writes)
    #expect(try night.run("--resume-or-fail").status == 1)
    #expect(try night.state() == Self.wanted.get().state)
  }

  @Test("are refused when an input has changed, even by one byte in its middle")
  func changed() throws {
    let night = try unfinished()
    let path = night.folder.file("in-1.csv")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.firstRange(of: Data("example.com".utf8)))
    bytes[place.lowerBound] = UInt8(ascii: "f")
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try code(night.run()) == "inputChanged")
  }

  @Test("are refused when the header's columns have changed places")
  func header() throws {
    let night = try unfinished()
    let path = night.folder.file("in-1.csv")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try night.folder.write(
      text.replacing("customer_name,country", with: "country,customer_name"), to: "in-1.csv")
    #expect(try code(night.run()) == "inputChanged")
  }

  @Test("are refused when an input is shorter, or when files came or went")
  func shorter() throws {
    let night = try unfinished()
    let lines = try String(contentsOfFile: night.folder.file("in-2.csv"), encoding: .utf8).split(separator: "\n")
    try night.folder.write(lines.dropLast(3).joined(separator: "\n") + "\n", to: "in-2.csv")
    #expect(try code(night.run()) == "inputShorter")
    try night.folder.write(lines[0] + "\n", to: "in-3.csv")
    let command = try night.run()
    #expect(try code(command) == "inputsDiffer")
    #expect(command.words.contains("in-3.csv came"))
    try FileManager.default.removeItem(atPath: night.folder.file("in-3.csv"))
    try FileManager.default.removeItem(atPath: night.folder.file("in-2.csv"))
    #expect(try code(night.run()) == "inputsDiffer")
  }

  @Test("take a longer input only when it may grow")
  func longer() throws {
    let night = try unfinished()
    let line = try #require(
      try String(contentsOfFile: night.folder.file("in-2.csv"), encoding: .utf8).split(separator: "\n").last {
        $0.contains("example.com") && !$0.contains("many")
      })
    let more = "9" + line + "\n"
    try append(more, to: "in-2.csv", night)
    let command = try night.run()
    #expect(try code(command) == "inputLonger")
    #expect(command.words.contains("append: true"))
    let grown = try night.run("--append")
    #expect(grown.status == 1, "\(grown.words)")
    let whole = try Self.shop.get().night()
    try append(more, to: "in-2.csv", whole)
    _ = try whole.run()
    #expect(try night.state() == whole.state())
  }

  @Test("are refused without the option of an incremental import that they began with, and that is said")
  func otherStart() throws {
    var shop = try NightShop(seed: 7)
    shop.extra = "since: { column: order_id, type: integer }\nrejects: rejects.ndjson"
    let night = try shop.night()
    let killed = try night.run("--since", "3", environment: Shim.killing(at: Self.wanted.get().writes / 2))
    #expect(killed.status == -9, "\(killed.words)")
    let command = try night.run()
    #expect(try code(command) == "pipelineChanged")
    #expect(command.words.contains("--since"), "\(command.words)")
  }

  @Test("are refused when the pipeline says something else, not when its words stand elsewhere")
  func pipelineChanged() throws {
    let night = try unfinished()
    let text = try Self.shop.get().pipeline()
    try night.folder.write(text.replacing("trim: true", with: "trim: false"), to: "p.yaml")
    #expect(try code(night.run()) == "pipelineChanged")
    try night.folder.write("# A remark.\n\n" + text.replacing("records: 40", with: "records: 25"), to: "p.yaml")
    let command = try night.run()
    #expect(command.status == 1, "\(command.words)")
    let (state, wanted) = (try night.state(), try Self.wanted.get().state)
    // Batches of another size count the versions of rows that several records change in another way.
    #expect(state.isIntact && state.rejects == wanted.rejects)
  }

  @Test("are refused when their rejects are gone")
  func rejectsGone() throws {
    let night = try unfinished()
    try FileManager.default.removeItem(atPath: night.folder.file("rejects.ndjson"))
    #expect(try code(night.run()) == "cannotResume")
    #expect(try night.run("--restart").status == 1)
    #expect(try night.state() == Self.wanted.get().state)
  }

  @Test("are left as they are by a dry run")
  func dryRun() throws {
    let night = try unfinished()
    let dry = try night.run("--dry-run")
    #expect(dry.status == 1, "\(dry.words)")
    // It has rejects of its own, and takes nothing back when it fails.
    #expect(try night.run("--dry-run", "--rejects", "told.ndjson").status == 1)
    try FileManager.default.removeItem(atPath: night.folder.file("told.ndjson"))
    #expect(try night.run("--dry-run", "--expect-records", "1").status == 2)
    #expect(try code(night.run("--dry-run", "--resume-or-fail")) == "nothingToResume")
    let command = try night.run()
    #expect(try (command.object()["resumed_after"] as? Int ?? 0) > 0)
    for name in ["read", "inserted", "updated", "unchanged", "rejected"] {
      #expect(try dry.object()[name] as? Int == command.object()[name] as? Int)
    }
    #expect(try night.state() == Self.wanted.get().state)
  }

  @Test("do not keep another pipeline from the store")
  func otherPipeline() throws {
    let night = try unfinished()
    try night.folder.write(
      Self.shop.get().pipeline(name: "other").replacing("rejects.ndjson", with: "o.ndjson"), to: "o.yaml")
    let other = try Command(["run", "o.yaml", "--json", "--quiet"], in: night.folder.path)
    #expect(other.status == 1, "\(other.words)")
    // What the first one had planned was for a store that is no more.
    let command = try night.run()
    #expect(command.status == 1, "\(command.words)")
    #expect(try command.object()["resumed_after"] is NSNull)
    #expect(try command.warnings().contains { $0.hasPrefix("unfinishedDropped") })
    #expect(try night.state().isIntact)
  }
}

@Suite("The same inputs again")
struct AgainTests {
  private func shop(_ again: String, more: String = "") throws -> Night {
    var shop = try NightShop(seed: 9, orders: 60)
    (shop.extra, shop.more) = ("again: \(again)\nrejects: rejects.ndjson", more)
    return try shop.night()
  }

  @Test("are skipped, and nothing is written")
  func skipping() throws {
    let night = try shop("skip")
    #expect(try night.run().status == 1)
    let store = URL(fileURLWithPath: night.folder.file("shop.sqlite"))
    let before = try (Data(contentsOf: store), night.state())
    let command = try night.run()
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.object()["status"] as? String == "skipped_again")
    #expect(try Data(contentsOf: store) == before.0)
    #expect(try night.state() == before.1)
  }

  @Test("fail, however the path of a pipeline with a program is written")
  func otherPath() throws {
    let night = try shop("fail", more: "process: [cat]")
    #expect(try night.run().status == 1)
    let before = try night.state()
    for path in ["p.yaml", "./p.yaml", night.folder.file("p.yaml")] {
      let command = try Command(["run", path, "--quiet"], in: night.folder.path)
      #expect(command.status == 5, "\(path): \(command.words)")
    }
    #expect(try night.state() == before)
  }

  @Test("fail, with a reason")
  func failing() throws {
    let night = try shop("fail")
    #expect(try night.run().status == 1)
    let before = try night.state()
    let command = try night.run()
    #expect(command.status == 5)
    #expect(command.words.contains("has imported the same inputs on 20"))
    #expect(try night.state() == before)
    #expect(try night.run("--again", "run").status == 1)
  }

  @Test("are other inputs once a byte in the middle has changed")
  func changed() throws {
    let night = try shop("skip")
    #expect(try night.run().status == 1)
    let text = try String(contentsOfFile: night.folder.file("in-1.csv"), encoding: .utf8)
    try night.folder.write(text.replacing("C1,DE", with: "C1,FR"), to: "in-1.csv")
    #expect(try night.run().object()["status"] as? String == "completed_with_rejects")
  }

  @Test("are not inserted twice by a pipeline that does not look for what is there", arguments: [true, false])
  func inserting(hasStore: Bool) throws {
    var shop = try NightShop(seed: 9, orders: 60, hasStore: hasStore)
    shop.mode = "insert"
    shop.hasKey = false
    let night = try shop.night()
    #expect(try night.run().status == 1)
    let before = try night.state()
    #expect(try night.run().status == 5)
    #expect(try night.state() == before)
    #expect(try night.run("--again", "run").status == 1)
    #expect(try night.state() != before)
  }

  @Test("are imported again where nothing else is said")
  func running() throws {
    let night = try NightShop(seed: 9, orders: 60).night()
    #expect(try night.run().status == 1)
    #expect(try night.run().status == 1)
  }
}
