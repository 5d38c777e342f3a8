import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Whatever happens in the nights of an incremental import, no record is lost: it is in the store, in a file of rejects, or
/// behind the cursor.
@Suite("Incremental imports lose nothing") struct SinceLossTests {
  private let map: ModeFolder

  init() throws { map = try ModeFolder() }

  private func run(
    _ csv: String, _ since: String = "",
    import text: String = "{ entity: Country, find_by: [code], attributes: [size] }",
    _ change: (inout ImportDefinition) -> Void = { _ in }
  ) throws -> ImportSummary {
    try map.run(text, "code,size,seen\n" + csv, more: "since: { column: seen, type: integer\(since) }", change)
  }

  private func cursor() throws -> CursorValue? {
    var policy = SincePolicy(column: "seen")
    policy.kind = .integer
    return try StoredCursors(StoreMetadata.read(path: map.store), pipeline: "pipeline").value(part: "", policy)
  }

  @Test("what a night rejects and somebody corrects in the source is there after the next one")
  func corrected() throws {
    #expect(try run("a,1,1\nb,x,2\nc,3,3\n").rejected == 1)
    #expect(try run("a,1,1\nb,x,2\nc,3,3\nd,4,4\n").rejected == 1, "it is asked for as long as it is wrong")
    let summary = try run("a,1,1\nb,2,2\nc,3,3\nd,4,4\n")
    #expect((summary.inserted, summary.unchanged, summary.skipped) == (1, 2, 1))
    #expect(try map.countries() == ["a", "b", "c", "d"] && cursor() == .integer(4))
  }

  @Test("a value that is read again by --since holds the cursor, below the one that is stored")
  func override() throws {
    _ = try run("a,1,1\nb,2,5\n")
    _ = try run("c,x,3\nd,4,4\n") { $0.parts[0].since?.override = .integer(2) }
    #expect(try cursor() == .integer(3))
    #expect(try run("c,3,3\n").inserted == 1)
    // Where nobody knows what was rejected, everything is read again.
    _ = try run("e,1,9\n")
    _ = try run("f,1,x\n") { $0.parts[0].since?.override = .integer(2) }
    #expect(try cursor() == .integer(2))
    _ = try run("f,1,x\n") { $0.parts[0].since?.isReset = true }
    #expect(try cursor() == nil)
  }

  @Test("a reject within the lag does not lower the cursor, as it is read again")
  func lag() throws {
    _ = try run("a,1,10\n", ", lag: 5")
    _ = try run("b,x,7\nc,1,12\n", ", lag: 5")
    #expect(try cursor() == .integer(10))
    #expect(try run("b,2,7\nc,1,12\n", ", lag: 5").inserted == 1)
    #expect(try cursor() == .integer(12))
  }

  @Test("a record that a second pass rejects holds the cursor")
  func secondPass() throws {
    let text = """
      { entity: Country, find_by: [code], relationships: { ally: { find_by: { code: size }, missing: reject } } }
      """
    #expect(try run("a,,1\nb,z,2\nc,a,3\n", import: text).rejected == 1)
    #expect(try cursor() == .integer(2))
    #expect(try run("a,,1\nb,c,2\nc,a,3\n", import: text).inserted == 1)
    #expect(try cursor() == .integer(3))
  }

  @Test("what the second pass rejects is how far the records have come where the cursor passes it")
  func secondPassReaches() throws {
    let text = """
      { entity: Country, find_by: [code], relationships: { ally: { find_by: { code: size }, missing: reject } } }
      """
    #expect(try run("a,,1\nb,z,5\nc,d,2\nd,,3\n", ", rejects: pass", import: text).rejected == 1)
    #expect(try cursor() == .integer(5))
  }

  @Test(
    "a key that comes twice holds the cursor where the run began, however objects are found",
    arguments: FindPlan.allCases)
  func duplicates(plan: FindPlan) throws {
    let text = "{ entity: Country, find_by: [code], duplicates: reject, attributes: [size] }"
    func run(_ csv: String, _ since: String = "") throws -> ImportSummary {
      try self.run(csv, since, import: text) {
        $0.parts[0].findPlan = plan
        $0.batchLimit.records = 2
      }
    }
    let night = "a,1,1\nb,1,2\na,2,3\nc,1,4\n"
    #expect(try run(night).rejected == 1)
    #expect(try cursor() == nil)
    // Read again from its own place on it would be the first one, and its size the country's.
    let again = try run(night)
    #expect((again.updated, again.unchanged, again.rejected) == (0, 3, 1))
    try FileManager.default.removeItem(atPath: map.store)
    #expect(try run("a,1,1\nb,1,2\na,2,9\nc,1,4\n", ", rejects: pass").rejected == 1)
    #expect(try cursor() == nil)
    // One that the next run does not read holds nothing.
    #expect(try run("a,1,1\nb,1,2\na,2,3\nc,1,4\n", ", rejects: pass").rejected == 1)
    #expect(try cursor() == .integer(4))
  }

  @Test("a later record of a key that is skipped does not become the first by being read again")
  func first() throws {
    let text = "{ entity: Country, find_by: [code], duplicates: first, attributes: [size] }"
    #expect(try run("a,1,1\na,2,3\n", import: text).skipped == 1)
    #expect(try cursor() == nil)
    let again = try run("a,1,1\na,2,3\n", import: text)
    #expect((again.updated, again.unchanged, again.skipped) == (0, 1, 1))
    #expect(try run("a,1,1\na,2,3\nb,1,4\n", import: text).inserted == 1)
    #expect(try cursor() == .integer(4))
    // What has no value is read in every run.
    #expect(try run("a,1,4\na,2,\nc,1,5\n", import: text).inserted == 1)
    #expect(try cursor() == .integer(4))
  }

  @Test("what passes the cursor is in a rejects file until it is replayed")
  func pass() throws {
    #expect(try run("a,1,1\nb,x,2\n", ", rejects: pass").rejected == 1)
    #expect(try cursor() == .integer(2))
    #expect(try run("c,x,3\nd,1,4\n", ", rejects: pass").rejected == 1)
    let earlier = EarlierRejects(of: map.folder.file("rejects.ndjson")).paths
    #expect(earlier.count == 1)
    let text = try String(contentsOfFile: #require(earlier.first), encoding: .utf8)
    try map.folder.write(text.replacing("b,x,2", with: "b,2,2"), to: "mended.ndjson")
    let definition = try map.definition(
      "{ entity: Country, find_by: [code], attributes: [size] }", "code,size,seen\n",
      more: "since: { column: seen, type: integer, rejects: pass }")
    let replay = try ImportSession(
      definition.replaying(ByteSource(path: map.folder.file("mended.ndjson")), rejectsPath: map.folder.file("again"))
    ).run()
    #expect(replay.inserted == 1)
    #expect(try map.countries() == ["a", "b", "d"])
  }

  @Test(
    "what passes the cursor is not read again, corrected or not, wherever it stands",
    arguments: ["mode: insert, attributes: [code, size]", "find_by: [code], mode: insert, attributes: [size]"],
    [1, 2, 100])
  func passed(text: String, batch: Int) throws {
    func night(_ csv: String, _ since: String = ", ties: skip") throws -> ImportSummary {
      try run(csv, since, import: "{ entity: Country, \(text) }") {
        $0.batchLimit.records = batch
        $0.policy.direct = .always
      }
    }
    #expect(try night("a,x,1\nb,2,2\nc,x,3\n").rejected == 2)
    #expect(try cursor() == .integer(3))
    let second = try night("a,x,1\nb,2,2\nc,3,3\nd,4,4\ne,x,9\n")
    #expect((second.inserted, second.skipped, second.rejected) == (1, 3, 1))
    // Every record may be wrong.
    #expect(try night("e,x,9\nf,x,10\n").rejected == 1)
    #expect(try cursor() == .integer(10))
    // What is read again within the lag is so whatever becomes of it.
    #expect(try night("g,1,7\nh,1,8\nf,x,10\n", ", ties: skip, lag: 2").skipped == 2)
    // Where nobody knows the value, it moves nothing.
    #expect(try night("f,x,10\ni,1,?\n").rejected == 1)
    #expect(try cursor() == .integer(10))
    #expect(try map.countries() == ["b", "d"])
  }

  @Test("a reject at the end of one file moves the cursor of all", arguments: [1, 100])
  func passedInFiles(batch: Int) throws {
    let text = "{ entity: Country, mode: insert, attributes: [code, size] }"
    func night(_ csv: String) throws -> ImportSummary {
      let second = try map.folder.write("code,size,seen\nd,1,2\n", to: "second.csv")
      return try run(csv, ", ties: skip", import: text) {
        $0.batchLimit.records = batch
        $0.sources.append(ByteSource(path: second))
      }
    }
    #expect(try night("a,1,1\nb,x,5\n").rejected == 1)
    #expect(try cursor() == .integer(5))
    let again = try night("a,1,1\nb,2,5\nc,1,6\n")
    #expect((again.inserted, again.skipped) == (1, 3))
    #expect(try map.countries() == ["a", "c", "d"])
  }

  @Test("mode insert passes the cursor, and needs a rejects file")
  func insert() throws {
    let text = "{ entity: Country, mode: insert, attributes: [code, size] }"
    #expect(try run("a,1,1\nb,x,2\nc,1,3\n", ", ties: skip", import: text).rejected == 1)
    #expect(try run("d,1,4\n", ", ties: skip", import: text).inserted == 1)
    #expect(try map.countries() == ["a", "c", "d"], "nothing is there twice")
    func lint(_ since: String, _ file: String) throws -> String {
      let path = try map.folder.write(
        "model: model.yaml\nstore: map.sqlite\nsource: input.csv\n\(file)since: { column: seen, type: integer\(since) }\n"
          + "import: \(text)\n", to: "other.yaml")
      return Pipeline.lint(path).map(\.description).joined(separator: "\n")
    }
    #expect(try lint("", "rejects: r.ndjson\n") == "")
    #expect(try lint("", "").contains("they would be lost"))
    #expect(try lint(", rejects: hold", "rejects: r.ndjson\n").contains("would insert twice"))
    #expect(try lint(", rejects: pass", "").contains("other.yaml:4:39: error"))
  }

  @Test("nights of mistakes and corrections end with every record", arguments: 0..<12)
  func nights(seed: UInt64) throws {
    var random = SeededGenerator(seed: 0x51_4CE + seed)
    let ties = Bool.random(using: &random) ? "read" : "skip"
    let lag = Int.random(in: 0...3, using: &random)
    let batch = [1, 3, 100].randomElement(using: &random) ?? 1
    let how = "seed \(seed), ties \(ties), lag \(lag), batch \(batch)"
    // A record is wrong until a night comes that has it right; several have one value.
    var records: [(code: String, seen: Int, isWrong: Bool, fault: Int)] = []
    for night in 0..<6 {
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let seen = night * 4 + Int.random(in: 0...3, using: &random)
        // With ties that are passed over a value that was read is done.
        if ties == "skip", records.contains(where: { $0.seen >= seen }) { continue }
        records.append(
          ("c\(records.count)", seen, Int.random(in: 0...2, using: &random) == 0, Int.random(in: 0...2, using: &random))
        )
      }
      for index in records.indices where night == 5 || Bool.random(using: &random) { records[index].isWrong = false }
      let lines = records.map { record in
        guard record.isWrong else { return "\(record.code),\(record.seen),\(record.seen)\n" }
        switch record.fault {
        case 0: return "\(record.code),x,\(record.seen)\n"
        case 1: return "\(record.code),1,?\n"
        default: return "\(record.code)\n"
        }
      }
      let wrong = records.count(where: \.isWrong)
      let summary = try run(lines.joined(), ", ties: \(ties), lag: \(lag)") {
        $0.batchLimit.records = batch
        $0.rejects.limit = wrong > 0 && seed % 3 == 0 && night == 2 ? 0 : nil
      }
      #expect(summary.rejected <= wrong, "\(how), night \(night)")
    }
    #expect(try map.countries().sorted() == records.map(\.code).sorted(), "\(how)")
  }
}
