import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// The table of runs beside a store.
@Suite struct RunHistoryTests {
  private let folder = TemporaryFolder()

  private var history: RunHistory { RunHistory(storePath: folder.file("s.sqlite")) }

  private func record(_ pipeline: String = "orders", started: Double = 1_700_000_000.25) -> RunRecord {
    var run = RunRecord()
    run.id = RunIdentity(pipeline: pipeline, started: started).text
    run.pipeline = pipeline
    run.started = started
    run.seconds = 1.5
    run.status = .completedWithRejects
    run.store = "s.sqlite"
    run.inputs = [.init(path: "a.csv", bytes: 12, fingerprint: "12-00"), .init(path: "-")]
    run.inputCount = 2
    run.counts.read = 10
    run.counts.inserted = 7
    run.counts.rejected = 3
    run.parts = [.init(name: "first", entity: "Order", counts: run.counts, seconds: 0.5)]
    var counts = ImportSummary.EntityCounts()
    counts.inserted = 7
    run.entities = ["Order": counts]
    run.rejectCodes = ["value.date": 2, "key.null": 1]
    run.rejectsPath = "r.ndjson"
    run.phases = [("find", 0.25), ("write", 0.75)]
    run.slowStage = "write"
    run.peakResidentBytes = 1 << 25
    run.bytesRead = 12
    run.version = "1"
    run.host = "here"
    run.resumedFrom = "orders@before"
    run.errorCode = "database"
    run.errorMessage = "it failed"
    run.warnings = ["unusual"]
    return run
  }

  @Test func whatIsAppendedIsRead() throws {
    #expect(try history.recent().isEmpty)
    #expect(try history.append(record()) == 1)
    let read = try #require(try history.run("1"))
    #expect(read.number == 1)
    #expect(read.id == "orders@2023-11-14T22:13:20.250Z")
    let expected = record()
    #expect(read.kind == expected.kind && read.status == expected.status && read.started == expected.started)
    #expect(read.inputs == expected.inputs && read.inputCount == 2 && read.parts == expected.parts)
    #expect(read.counts == expected.counts && read.entities == expected.entities)
    #expect(read.rejectCodes == expected.rejectCodes && read.rejectsPath == expected.rejectsPath)
    #expect(read.phases.map(\.name) == ["find", "write"] && read.phases.map(\.seconds) == [0.25, 0.75])
    #expect(read.slowStage == "write" && read.peakResidentBytes == 1 << 25 && read.bytesRead == 12)
    #expect(read.version == "1" && read.host == "here" && read.resumedFrom == "orders@before")
    #expect(read.errorCode == "database" && read.errorMessage == "it failed" && read.warnings == ["unusual"])
    #expect(try history.run(read.id)?.number == 1)
    #expect(try history.run("2") == nil)
    #expect(try history.run("nobody") == nil)
  }

  @Test func theLatestRunsComeFirstAndThoseOfOthersAreLeftOut() throws {
    for number in 1...5 { _ = try history.append(record(number.isMultiple(of: 2) ? "even" : "odd")) }
    #expect(try history.recent().map(\.number) == [5, 4, 3, 2, 1])
    #expect(try history.recent(limit: 2).map(\.number) == [5, 4])
    #expect(try history.recent(pipeline: "even").map(\.number) == [4, 2])
    var failed = record("odd")
    failed.status = .failed
    _ = try history.append(failed)
    var replay = record("odd")
    replay.kind = .replay
    _ = try history.append(replay)
    #expect(try history.finished(pipeline: "odd", limit: 10).map(\.number) == [5, 3, 1])
  }

  @Test func oldRunsGoWithAllTheirLists() throws {
    var short = history
    short.keeps = 3
    for _ in 1...8 { _ = try short.append(record()) }
    #expect(try short.recent().map(\.number) == [8, 7, 6])
    let connection = try Connection(path: short.path, mode: .readOnly)
    for table in ["run_inputs", "run_parts", "run_entities", "run_rejects", "run_phases", "run_warnings"] {
      #expect(try connection.integer("SELECT count(DISTINCT run) FROM \(table)") == 3, "\(table)")
    }
    #expect(!FileManager.default.fileExists(atPath: short.path + "-wal"))
    #expect(!FileManager.default.fileExists(atPath: short.path + "-journal"))
  }

  @Test func theAccountIsStored() throws {
    _ = try history.append(record())
    var lost = record()
    lost.counts.read = 11
    _ = try history.append(lost)
    let connection = try Connection(path: history.path, mode: .readOnly)
    #expect(try connection.integer("SELECT is_balanced FROM runs WHERE number = 1") == 1)
    #expect(try connection.integer("SELECT is_balanced FROM runs WHERE number = 2") == 0)
    #expect(try connection.text("SELECT started FROM runs WHERE number = 1") == "2023-11-14T22:13:20.250Z")
  }

  @Test("somebody else's file, a newer one and what is no database are left as they are", arguments: [0, 1, 2])
  func foreign(_ kind: Int) throws {
    switch kind {
    case 0:
      let other = try Connection(path: history.path, mode: .create)
      try other.execute("CREATE TABLE runs(a); INSERT INTO runs VALUES(1)")
      try other.close()
    case 1:
      _ = try history.append(record())
      let newer = try Connection(path: history.path, mode: .readWrite)
      try newer.execute("PRAGMA user_version=99")
      try newer.close()
    default:
      try folder.write(
        "no database, but long enough to look like one. \(String(repeating: "x", count: 4096))",
        to: "s.sqlite-mergewalk")
    }
    let before = FileManager.default.contents(atPath: history.path)
    let error = #expect(throws: RunHistoryError.self) { try history.append(record()) }
    #expect(error?.code == (kind == 1 ? .newerVersion : .foreignFile), "\(error?.description ?? "")")
    #expect(throws: RunHistoryError.self) { try history.recent() }
    #expect(FileManager.default.contents(atPath: history.path) == before)
  }

  @Test("several writers take turns, also those that make the table", arguments: 1...20)
  func severalWriters(round: Int) async throws {
    let history = RunHistory(storePath: folder.file("s\(round).sqlite"))
    let record = record()
    await withTaskGroup(of: Result<Int, RunHistoryError>.self) { group in
      for _ in 0..<8 {
        group.addTask { Result { () throws(RunHistoryError) in try history.append(record) } }
      }
      var numbers: [Int] = []
      for await result in group {
        switch result {
        case .success(let number): numbers.append(number)
        case .failure(let error): Issue.record(error)
        }
      }
      #expect(numbers.sorted() == Array(1...8))
    }
  }

  // MARK: Runs that are noted

  private func definition(_ csv: String, notes: Bool = true) throws -> ImportDefinition {
    let input = try folder.write(csv, to: "in.csv")
    var root = EntityImport(entityName: "Person", findBy: [ShopImport.field("email")])
    root.attributes = [ShopImport.field("age")]
    var definition = ImportDefinition(
      name: "people", model: try ShopModel().build(), storePath: folder.file("s.sqlite"), inputs: [input],
      format: .csv(CSVOptions()), root: root)
    definition.reporting.keepsHistory = notes
    return definition
  }

  @Test func everyOutcomeOfARealRunIsNoted() throws {
    let good = try ImportSession(definition("email,age\na,1\nb,2\n")).run()
    #expect(good.runNumber == 1)
    let noted = try #require(try history.run("1"))
    #expect(noted.id == good.runID)
    let faulty = try ImportSession(definition("email,age\na,x\nb,2\n")).run()
    #expect(faulty.runNumber == 2)
    var limited = try definition("email,age\na,x\nb,y\n")
    limited.rejects.limit = 0
    #expect(try ImportSession(limited).run().runNumber == 3)
    var failing = try definition("email,age\na,1\n")
    failing.inputs = [folder.file("gone.csv")]
    #expect(throws: ImportError.self) { try ImportSession(failing).run() }
    var dry = try definition("email,age\nc,1\n")
    dry.isDryRun = true
    #expect(try ImportSession(dry).run().runNumber == nil)
    #expect(try ImportSession(definition("email,age\nd,1\n", notes: false)).run().runNumber == nil)

    let runs = try history.recent()
    #expect(runs.map(\.status) == [.failed, .limitBreached, .completedWithRejects, .completed])
    #expect(runs.map(\.counts.isBalanced) == [true, true, true, true])
    #expect(runs[0].errorCode == "cannotRead")
    #expect(runs[2].rejectCodes == ["value.integer": 1])
    #expect(runs[3].counts.inserted == 2)
    #expect(runs[3].inputs.map(\.bytes) == [18])
    #expect(runs[3].inputs[0].fingerprint != runs[2].inputs[0].fingerprint, "same size, other content")
    #expect(!runs[3].slowStage.isEmpty)
  }

  @Test("a table of runs that cannot be written is a warning, and the import is done")
  func unwritable() throws {
    try FileManager.default.createDirectory(atPath: history.path, withIntermediateDirectories: true)
    let summary = try ImportSession(definition("email,age\na,1\n")).run()
    #expect(summary.status == .completed)
    #expect(summary.inserted == 1)
    #expect(summary.runNumber == nil)
    #expect(summary.warnings.map(\.code) == [.runNotNoted])
    // Nor does it hide why a run failed.
    var failing = try definition("email,age\na,1\n")
    failing.inputs = [folder.file("gone.csv")]
    let error = #expect(throws: ImportError.self) { try ImportSession(failing).run() }
    #expect(error?.code == .cannotRead)
  }

  @Test func unusualRunsAreWarnedOf() throws {
    func people(_ count: Int) -> String { "email,age\n" + (0..<count).map { "p\($0),1\n" }.joined() }
    for _ in 0..<2 { #expect(try ImportSession(definition(people(20))).run().anomalies.isEmpty) }
    // Two earlier runs are too few to say what is usual.
    #expect(try ImportSession(definition(people(1))).run().anomalies.isEmpty)
    #expect(try ImportSession(definition(people(20))).run().anomalies.isEmpty)
    let short = try ImportSession(definition(people(4))).run()
    #expect(short.anomalies.map(\.measure) == [.records])
    #expect(short.anomalies[0].value == 4 && short.anomalies[0].usual == 20)
    #expect(short.anomalies[0].message == "4 records were read, 20 in the last 4 runs (median)")
    #expect(try history.recent()[0].warnings == short.anomalies.map(\.message))
    var quiet = try definition(people(4))
    quiet.reporting.anomalies.runs = 0
    #expect(try ImportSession(quiet).run().anomalies.isEmpty)
  }
}

/// What counts as unusual.
@Suite struct RunAnomalyTests {
  private func run(_ read: Int = 1000, rejected: Int = 0, inserted: Int = 100, seconds: Double = 10) -> RunRecord {
    var run = RunRecord()
    run.counts.read = read
    run.counts.rejected = rejected
    run.counts.inserted = inserted
    run.counts.unchanged = read - rejected - inserted
    run.seconds = seconds
    return run
  }

  private func found(_ run: RunRecord, _ earlier: [RunRecord]? = nil) -> [RunAnomaly.Measure] {
    RunAnomaly.find(in: run, earlier: earlier ?? Array(repeating: self.run(), count: 5)).map(\.measure)
  }

  @Test func eachMeasureHasItsThreshold() {
    #expect(found(run()) == [])
    #expect(found(run(1500, inserted: 150)) == [])
    #expect(found(run(1501, inserted: 150)) == [.records])
    #expect(found(run(499, inserted: 50)) == [.records])
    #expect(found(run(0, inserted: 0)) == [.records])
    #expect(found(run(rejected: 50)) == [])
    #expect(found(run(rejected: 51)) == [.rejects])
    #expect(found(run(seconds: 30)) == [])
    #expect(found(run(seconds: 31)) == [.duration])
    #expect(found(run(inserted: 601)) == [.inserted])
    #expect(found(run(seconds: 0.9), Array(repeating: run(seconds: 0.1), count: 5)) == [], "less than a second more")
  }

  @Test func theMedianForgivesOneOddRun() {
    let earlier = [run(5), run(1000), run(1010), run(990), run(100_000, inserted: 100)]
    #expect(found(run(1000), earlier) == [])
    #expect(found(run(5, inserted: 1), earlier) == [.records])
  }

  @Test func resumedAndUnfinishedRunsAreJudgedForWhatTheyAre() {
    var resumed = run(seconds: 500)
    resumed.resumedFrom = "earlier"
    #expect(found(resumed) == [])
    var breached = run(1)
    breached.status = .limitBreached
    #expect(found(breached) == [])
  }

  @Test func everyStatusHasAnExitCodeOfItsOwn() {
    #expect(Set(RunStatus.allCases.map(\.exitCode)).count == RunStatus.allCases.count)
    #expect(RunStatus.allCases.filter { $0.exitCode == 0 } == [.completed])
  }

  @Test func momentsAreWrittenToTheMillisecond() {
    #expect(RunIdentity.timestamp(0) == "1970-01-01T00:00:00.000Z")
    #expect(RunIdentity.timestamp(-0.001) == "1969-12-31T23:59:59.999Z")
    #expect(RunIdentity.timestamp(.nan) == "1970-01-01T00:00:00.000Z")
    #expect(RunIdentity(pipeline: "p", started: 1.5).text == "p@1970-01-01T00:00:01.500Z")
  }
}
