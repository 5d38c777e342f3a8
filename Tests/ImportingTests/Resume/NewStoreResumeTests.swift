import Foundation
import MergewalkSystem
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Runs into a store that is not there yet, which are stopped and go on.
@Suite("Unfinished new stores")
struct NewStoreResumeTests {
  private let folder = TemporaryFolder()

  private func definition(_ name: String = "night") throws -> ImportDefinition {
    if !FileManager.default.fileExists(atPath: folder.file("in.csv")) { try write(100) }
    var definition = ImportDefinition(
      name: name, model: try ShopModel().build(), storePath: folder.file("s.sqlite"), inputs: [folder.file("in.csv")],
      format: RecordGenerator.csvFormat, root: ShopImport.item())
    definition.batchLimit = BatchLimit(records: 10)
    return definition
  }

  /// Every tenth record names an object of an earlier one.
  private func write(_ count: Int, amount: Int = 1) throws {
    let records: [MadeRecord] = (0..<count).map { i in
      [
        "sku": .text("sku \(i % 10 == 9 ? i / 2 : i)"), "amount": .text("\(i * amount)"), "email": .text("p\(i % 9)@x"),
        "code": .text("\(i % 4)"),
      ]
    }
    try folder.write(RecordGenerator.csv(records), to: "in.csv")
  }

  /// Runs until a number of records was imported.
  @discardableResult
  private func stop(_ definition: ImportDefinition, after records: Int = 50) throws -> ImportSummary {
    var read = 0
    let summary = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= records })
    #expect(summary.status == .interrupted)
    return summary
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "in.csv" }.sorted()
  }

  private var hidden: String {
    get throws {
      folder.file(try #require(try names().first { $0.wholeMatch(of: /\.s\.sqlite\.mergewalk-\d+/) != nil }))
    }
  }

  private func rows() throws -> [String] {
    try StoreDump(path: folder.file("s.sqlite"), model: ShopModel().build(), keys: [:]).raw
  }

  /// What a run that nobody stops leaves.
  private func undisturbed() throws -> (summary: ImportSummary, rows: [String]) {
    let summary = try ImportSession(definition()).run()
    let rows = try rows()
    for name in try names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
    return (summary, rows)
  }

  @Test("go on where they were stopped, and come out as if they had not been")
  func goingOn() throws {
    let wanted = try undisturbed()
    let first = try stop(try definition())
    #expect(first.read == 50)
    #expect(!FileManager.default.fileExists(atPath: folder.file("s.sqlite")))
    let second = try stop(try definition(), after: 70)
    #expect(second.resumedAfter == 50)
    let summary = try ImportSession(definition()).run()
    #expect(summary.resumedAfter == 70)
    #expect(summary.resumedFrom == first.runID)
    #expect(summary.counts == wanted.summary.counts && summary.entities == wanted.summary.entities)
    #expect(summary.batches == wanted.summary.batches)
    #expect(summary.warnings == [])
    #expect(try rows() == wanted.rows)
    #expect(try names() == ["s.sqlite"])
    #expect(try StoreMetadata.read(path: folder.file("s.sqlite")).mergewalk.list == nil)
    #expect(try Connection(path: folder.file("s.sqlite"), mode: .immutable).integer("PRAGMA user_version") == 0)
  }

  @Test("go on with what was put off, in its order, under each policy", arguments: DuplicatePolicy.allCases)
  func putOff(_ policy: DuplicatePolicy) throws {
    var definition = try definition()
    definition.root.duplicates = policy
    let wanted = try ImportSession(definition).run()
    let wantedRows = try rows()
    try FileManager.default.removeItem(atPath: folder.file("s.sqlite"))
    for records in stride(from: 10, to: 100, by: 10) { try stop(definition, after: records) }
    let summary = try ImportSession(definition).run()
    #expect(summary.resumedAfter == 90)
    #expect(summary.counts == wanted.counts)
    #expect(try rows() == wantedRows)
  }

  @Test("are dropped by --restart, and wanted by --resume-or-fail")
  func policies() throws {
    var definition = try definition()
    definition.policy.unfinished = .resumeOrFail
    #expect(throws: ImportError.self) { try ImportSession(definition).run() }
    definition.policy.unfinished = .resume
    try stop(definition)
    definition.policy.unfinished = .restart
    #expect(try stop(definition, after: 20).resumedAfter == nil)
    definition.policy.unfinished = .resumeOrFail
    #expect(try ImportSession(definition).run().resumedAfter == 20)
    #expect(try names() == ["s.sqlite"])
  }

  @Test("leave nothing when a limit is exceeded after they went on")
  func limits() throws {
    try stop(try definition())
    var definition = try definition()
    definition.root.duplicates = .reject
    #expect(throws: ImportError.self) { try ImportSession(definition).run() }
    #expect(try !names().isEmpty)
    definition = try self.definition()
    definition.batchLimit = BatchLimit(records: 5)
    definition.rejects.limit = 0
    var text = try String(contentsOfFile: folder.file("in.csv"), encoding: .utf8)
    text += "a,b,c\n"
    try folder.write(text, to: "in.csv")
    definition.policy.append = true
    let summary = try ImportSession(definition).run()
    #expect(summary.status == .limitBreached && summary.resumedAfter == 50)
    #expect(try names() == [])
  }

  @Test("are refused when the input or the mapping has changed, and stay as they are")
  func changes() throws {
    try stop(try definition())
    let before = try Data(contentsOf: URL(fileURLWithPath: hidden))
    var status = stat()
    #expect(stat(folder.file("in.csv"), &status) == 0)
    try FileManager.default.moveItem(atPath: folder.file("in.csv"), toPath: folder.file("kept"))
    try write(100, amount: 2)
    let changed = #expect(throws: ImportError.self) { try ImportSession(definition()).run() }
    #expect(changed?.code == .inputChanged)
    try write(90)
    let shorter = #expect(throws: ImportError.self) { try ImportSession(definition()).run() }
    #expect(shorter?.code == .inputShorter)
    // A copy with the time of the original is the same.
    try write(100)
    let times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, folder.file("in.csv"), times, 0) == 0)
    var other = try definition()
    other.root.mode = .createMissing
    let mapping = #expect(throws: ImportError.self) { try ImportSession(other).run() }
    #expect(mapping?.code == .pipelineChanged)
    other = try definition()
    var shop = ShopModel()
    shop.itemConstraints = [["serial"]]
    other.model = try shop.build()
    #expect(throws: ImportError.self) { try ImportSession(other).run() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: hidden)) == before)
    #expect(try ImportSession(definition()).run().resumedAfter == 50)
  }

  @Test("of another pipeline are dropped, with a warning")
  func otherPipeline() throws {
    try stop(try definition("first"))
    let summary = try ImportSession(definition("second")).run()
    #expect(summary.resumedAfter == nil)
    #expect(
      summary.warnings.contains { $0.code == .unfinishedDropped && $0.message.contains("another pipeline (first)") },
      "\(summary.warnings)")
    #expect(try names() == ["s.sqlite"])
  }

  /// Changes the checkpoint in the hidden file.
  private func change(isDurable: Bool = true, _ body: (inout RunCheckpoint) -> Void) throws {
    let connection = try Connection(path: hidden, mode: .readWrite)
    #expect(try connection.integer("PRAGMA user_version") == 1)
    if !isDurable { try connection.execute("PRAGMA user_version=0") }
    var metadata = try StoreMetadata.read(connection)
    let saved = try #require(metadata.mergewalk.runs["night"])
    var checkpoint = try #require(RunCheckpoint(saved))
    body(&checkpoint)
    metadata.mergewalk.runs["night"] = checkpoint.list
    try connection.execute("BEGIN")
    try metadata.write(connection)
    try connection.execute("COMMIT")
    try connection.close()
  }

  @Test("outlast a stop of the machine when they were stopped in good order, and only then")
  func machine() throws {
    try stop(try definition())
    try change { checkpoint in
      #expect(!checkpoint.boot.isEmpty)
      checkpoint.boot = "another"
    }
    try stop(try definition(), after: 70)
    try change(isDurable: false) { checkpoint in
      #expect(checkpoint.position.records == 70)
      checkpoint.boot = "another"
    }
    let summary = try ImportSession(definition()).run()
    #expect(summary.resumedAfter == nil)
    #expect(summary.warnings.contains { $0.message.contains("the machine has stopped since") }, "\(summary.warnings)")
    #expect(try names() == ["s.sqlite"])
  }

  @Test("that are damaged are dropped")
  func damage() throws {
    let wanted = try undisturbed()
    try stop(try definition())
    try folder.write("no store", to: URL(fileURLWithPath: hidden).lastPathComponent)
    #expect(try ImportSession(definition()).run().resumedAfter == nil)
    #expect(try rows() == wanted.rows)
    try FileManager.default.removeItem(atPath: folder.file("s.sqlite"))
    // Damage inside is found when the rows are read; then the file goes, and the run after that begins anew.
    try stop(try definition())
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: hidden))
    let size = try handle.seekToEnd()
    for page in stride(from: UInt64(3 * 4096), to: size, by: 4096) {
      try handle.seek(toOffset: page)
      try handle.write(contentsOf: Data(repeating: 0xFF, count: 200))
    }
    try handle.close()
    _ = try? ImportSession(definition()).run()
    if try names() != ["s.sqlite"] {
      #expect(try names() == [])
      _ = try ImportSession(definition()).run()
    }
    #expect(try rows() == wanted.rows)
  }

  @Test("whose put off records are gone are dropped")
  func laterGone() throws {
    let wanted = try undisturbed()
    try stop(try definition())
    try FileManager.default.removeItem(atPath: hidden + "-later")
    let summary = try ImportSession(definition()).run()
    #expect(summary.resumedAfter == nil && summary.warnings.count == 1)
    #expect(try rows() == wanted.rows)
  }

  @Test("are left as they are by a dry run, which counts what the run counts")
  func dryRun() throws {
    try stop(try definition())
    let before = try names()
    var definition = try definition()
    definition.isDryRun = true
    let dry = try ImportSession(definition).run()
    #expect(try names() == before)
    let summary = try ImportSession(self.definition()).run()
    #expect(summary.resumedAfter == 50)
    #expect(dry.counts == summary.counts)
  }

  @Test("are nobody else's while a run goes on with them")
  func together() throws {
    try stop(try definition())
    var code: ImportError.Code?
    let summary = try ImportSession(definition()).run(progress: { step in
      guard step.records == 80 else { return }
      do {
        var other = try self.definition("other")
        other.policy.lockWait = 0
        _ = try ImportSession(other).run()
      } catch {
        code = (error as? ImportError)?.code
      }
    })
    #expect(code == .storeBusy)
    #expect(summary.resumedAfter == 50)
    #expect(try names() == ["s.sqlite"])
  }

  @Test("go when the store is there by now")
  func late() throws {
    try stop(try definition())
    try StoreFile.create(path: folder.file("other.sqlite"), model: try ShopModel().build()).finish()
    try FileManager.default.moveItem(atPath: folder.file("other.sqlite"), toPath: folder.file("s.sqlite"))
    let summary = try ImportSession(definition()).run()
    #expect(summary.resumedAfter == nil && summary.read == 100)
    #expect(try names() == ["s.sqlite"])
  }

  @Test("are kept after each batch, unless that costs more than the batch")
  func pacing() {
    var pacing = CommitPacing()
    var file = 0
    /// Imports batches of a size that each touch so many bytes of what is there, and counts commits.
    func commits(_ count: Int, of size: Int, touching bytes: Int) -> Int {
      var commits = 0
      var waiting = 0
      for _ in 0..<count {
        file += size
        waiting += 1
        guard pacing.isDue((file, min(bytes * waiting, file / 2))) else { continue }
        commits += 1
        waiting = 0
      }
      return commits
    }
    #expect(commits(20, of: 20 << 10, touching: 40 << 10) == 20)
    #expect(commits(100, of: 4 << 20, touching: 40 << 10) == 100)
    #expect(commits(400, of: 4 << 20, touching: 4 << 20) < 20)
    #expect(commits(4000, of: 4 << 20, touching: 0) > 3000)
    #expect((30...40).contains(commits(1000, of: 128 << 10, touching: 0)))
    #expect(commits(640, of: 0, touching: 0) == 10)
  }
}
