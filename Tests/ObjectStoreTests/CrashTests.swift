import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Crashes in the middle of a run")
struct CrashTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("a killed run leaves no half store, and the next one tidies up")
  func newStore() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try StoreFile.create(path: path, model: try Models.zoo())
      try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (1, 5, 1)")
      kill(getpid(), SIGKILL)
    }
    let left = try names()
    #expect(left.count == 1 && left[0].hasPrefix(".zoo.sqlite.mergewalk-"))
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
  }

  /// Makes a store that keeps batches, kills its process within the second one.
  private func killKept() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try StoreFile.create(
        path: path, model: try Models.zoo(), cacheKiB: 256, lockWait: 0, keepsBatches: true, sparesOthers: false)
      for batch in 0..<2 {
        try file.begin()
        for key in 1...20_000 {
          try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (\(batch * 20_000 + key), 5, 1)")
        }
        // Pages of the first batch, which are on the disk when the process dies.
        if batch == 1 { try file.connection.execute("UPDATE ZZOO SET Z_OPT = 9") }
        if batch == 0 { try file.commit() }
      }
      kill(getpid(), SIGKILL)
    }
  }

  /// Waits for locks: a process that another test begins holds copies of all open files for a moment.
  private func adopt(
    lockWait: Double = 10, _ isWanted: (StoreMetadata, String, Bool) -> Bool = { _, _, isDurable in !isDurable }
  ) throws
    -> StoreFile?
  {
    try StoreFile.adopt(path: path, model: try Models.zoo(), cacheKiB: 256, lockWait: lockWait, isWanted: isWanted)
  }

  @Test("a killed run keeps the batches of a new store that were committed, for a run that goes on")
  func keptBatches() async throws {
    try await killKept()
    #expect(try adopt { _, _, _ in false } == nil)
    let file = try #require(try adopt())
    #expect(file.isNew && file.isAdopted)
    #expect(try file.connection.integer("SELECT count(*) FROM ZZOO WHERE Z_OPT = 1") == 20_000)
    #expect(try file.connection.integer("SELECT count(*) FROM ZZOO") == 20_000)
    #expect(try file.connection.text("PRAGMA integrity_check") == "ok")
    let error = #expect(throws: StoreError.self) { try adopt(lockWait: 0) }
    #expect(error?.code == .busy)
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
    #expect(try StoreVerifier.verify(path: path, model: try Models.zoo()).isSound)
  }

  @Test("what was kept stays when a run that goes on with it does nothing, and goes when it is taken back")
  func untouched() async throws {
    try await killKept()
    let before = try names()
    _ = try #require(try adopt())
    #expect(try names() == before)
    try #require(try adopt()).suspend()
    #expect(try names() == before)
    try #require(try adopt()).rollBackRun()
    #expect(try names() == [])
    #expect(try adopt() == nil)
  }

  @Test("two processes do not go on with the same store")
  func together() async throws {
    try await killKept()
    let file = try #require(try adopt())
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      let model = try Models.zoo()
      do {
        _ = try StoreFile.adopt(path: path, model: model, cacheKiB: 256, lockWait: 0.2) { _, _, _ in true }
      } catch let error as StoreError {
        exit(error.code == .busy && error.description.contains("is building the store") ? 7 : 8)
      }
    }
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("links, and what is no store, are not gone on with")
  func strangers() throws {
    try StoreFile.create(path: folder.file("other.sqlite"), model: try Models.zoo()).finish()
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(".zoo.sqlite.mergewalk-4194300"), withDestinationPath: folder.file("other.sqlite"))
    try folder.write("x", to: ".zoo.sqlite.mergewalk-4194301")
    try folder.write("", to: ".zoo.sqlite.mergewalk-4194302")
    #expect(try adopt() == nil)
    try StoreFile.create(path: path, model: try Models.zoo()).finish()
    #expect(try names() == ["other.sqlite", "zoo.sqlite"])
  }

  /// Opens the store for a run, or for one change.
  private static func open(_ path: String, isRun: Bool) throws -> StoreFile {
    guard isRun else { return try StoreFile.open(path: path, model: try Models.zoo()) }
    return try StoreFile.plan(
      path: path, model: try Models.zoo(), run: "zoos", isThrownAway: false, cacheKiB: 256, lockWait: 0)
  }

  @Test("of what was killed an existing store has nothing, and a run can go on", arguments: [false, true])
  func existingStore(isRun: Bool) async throws {
    try StoreFile.create(path: path, model: try Models.zoo()).finish()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, isRun] in
      let file = try Self.open(path, isRun: isRun)
      for batch in 0..<2 {
        try file.begin()
        for key in 1...500 {
          try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (\(batch * 500 + key), 5, 1)")
        }
        try file.writeMaxima([(rootEntity: RootIndex(4), maximum: Int64(batch + 1) * 500)])
        if batch == 0 { try file.commit() }
      }
      kill(getpid(), SIGKILL)
    }
    let report = try StoreVerifier.verify(path: path, model: try Models.zoo())
    #expect(report.isSound)
    #expect(report.checkedRows == 0)
    #expect(report.findings.contains { $0.code == .unfinishedRun } == isRun)
    let file = try Self.open(path, isRun: isRun)
    #expect(file.isAdopted == isRun)
    #expect(try file.maximumPrimaryKey(forRoot: RootIndex(4)) == (isRun ? 500 : 0))
    try file.finish()
    #expect(try StoreVerifier.verify(path: path, model: try Models.zoo()).checkedRows == (isRun ? 500 : 0))
    #expect(try names() == ["zoo.sqlite"])
  }
}
