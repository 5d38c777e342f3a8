import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Synchronization
import Testing

/// Runs that are planned beside a store and applied to it in one transaction.
@Suite("Planned stores")
struct PlannedStoreTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  /// How a store may be when a run begins.
  enum Journal: String, CaseIterable, Sendable {
    case wal, delete
    /// Write-ahead mode, with rows in a log that nobody moves because somebody reads.
    case live
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func insertZoo(_ connection: Connection, _ key: Int, _ city: String) throws {
    try connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT, ZCITY) VALUES (\(key), 5, 1, '\(city)')")
  }

  private func cities(_ connection: Connection) throws -> [String] {
    let select = try connection.prepare("SELECT ZCITY FROM ZZOO ORDER BY Z_PK")
    var result: [String] = []
    while try select.step() { result.append(select.text(0)) }
    return result
  }

  private func cities() throws -> [String] { try cities(Connection(path: path, mode: .readWrite)) }

  /// A store with Wien and Graz, and for ``Journal/live`` the reader that keeps Graz in the log.
  private func makeStore(_ journal: Journal) throws -> Connection? {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try file.begin()
    try insertZoo(file.connection, 1, "Wien")
    try file.commit()
    try file.finish()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode=\(journal == .delete ? "delete" : "wal")")
    guard journal == .live else {
      try insertZoo(connection, 2, "Graz")
      try connection.close()
      return nil
    }
    try connection.execute("PRAGMA wal_autocheckpoint=0")
    let reader = try Connection(path: path, mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM ZZOO")
    try insertZoo(connection, 2, "Graz")
    try connection.close()
    return reader
  }

  private func open(run: String = "zoos", isThrownAway: Bool = false, lockWait: Double = 0) throws -> StoreFile {
    try StoreFile.plan(
      path: path, model: try Models.zoo(), run: run, isThrownAway: isThrownAway, cacheKiB: 256, lockWait: lockWait)
  }

  private func planBatch(_ file: StoreFile, _ keys: Range<Int>) throws {
    try file.begin()
    for key in keys { try insertZoo(file.connection, key, "Zoo \(key)") }
    try file.commit()
  }

  @Test("others read the old state until the end, and then the new one", arguments: Journal.allCases)
  func reading(_ journal: Journal) throws {
    let holder = try makeStore(journal)
    let file = try open()
    #expect(try cities(file.connection) == ["Wien", "Graz"])
    let other = try Connection(path: path, mode: .readOnly)
    try planBatch(file, 3..<1000)
    try file.begin()
    try file.connection.execute("UPDATE ZZOO SET ZCITY = 'Steyr' WHERE Z_PK = 2; DELETE FROM ZZOO WHERE Z_PK = 1")
    try file.commit()
    #expect(try cities(file.connection).count == 998)
    #expect(try cities(other) == ["Wien", "Graz"])
    try file.finish()
    #expect(try cities(other) == ["Steyr"] + (3..<1000).map { "Zoo \($0)" })
    try other.close()
    try holder?.close()
    let last = try Connection(path: path, mode: .readWrite)
    #expect(try last.text("PRAGMA integrity_check") == "ok")
    #expect(try last.text("PRAGMA journal_mode") == (journal == .delete ? "delete" : "wal"))
    #expect(try last.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 5") == 999)
    #expect(try last.integer("SELECT count(*) FROM sqlite_schema WHERE name = '\(ChangedRows.keeper)'") == 0)
    try last.close()
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test(
    "a row that was changed and changed back keeps its version, and others have one more, however often they were changed",
    arguments: Journal.allCases)
  func changedBack(_ journal: Journal) throws {
    let holder = try makeStore(journal)
    let file = try open()
    for (key, city) in [(1, "Linz"), (1, "Wien"), (2, "Graz"), (2, "Steyr")] {
      try file.begin()
      try file.connection.execute("UPDATE ZZOO SET Z_OPT = Z_OPT + 1, ZCITY = '\(city)' WHERE Z_PK = \(key)")
      try file.commit()
    }
    try file.finish()
    try holder?.close()
    let last = try Connection(path: path, mode: .readWrite)
    #expect(try cities(last) == ["Wien", "Steyr"])
    #expect(try last.text("SELECT group_concat(Z_OPT) FROM (SELECT Z_OPT FROM ZZOO ORDER BY Z_PK)") == "1,2")
    try last.close()
  }

  @Test("a plan that is rolled back has never been there", arguments: Journal.allCases, [false, true])
  func rollBack(_ journal: Journal, isForgotten: Bool) throws {
    let holder = try makeStore(journal)
    func contents() throws -> [String: Data] {
      var result: [String: Data] = [:]
      for name in try names() where !name.hasSuffix("-shm") {
        result[name] = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      }
      return result
    }
    let before = try contents()
    do {
      let file = try open(isThrownAway: true)
      try planBatch(file, 3..<2000)
      if !isForgotten { try file.rollBackRun() }
    }
    #expect(try contents() == before)
    try holder?.close()
  }

  @Test("a plan that was left goes on, unless somebody has written since", arguments: Journal.allCases)
  func suspended(_ journal: Journal) throws {
    let holder = try makeStore(journal)
    let first = try open()
    #expect(!first.isAdopted)
    try planBatch(first, 3..<500)
    try first.begin()
    try insertZoo(first.connection, 9999, "not committed")
    try first.suspend()
    #expect(try cities() == ["Wien", "Graz"])
    // Another pipeline's is another plan, and a dry run leaves it as it is.
    let other = try open(run: "animals")
    #expect(!other.isAdopted && !other.hasOutdatedPlan)
    try other.rollBackRun()
    let dry = try open(isThrownAway: true)
    #expect(!dry.isAdopted && !dry.hasOutdatedPlan)
    try planBatch(dry, 3..<600)
    try dry.rollBackToOpening()
    // One that is killed has added nothing to it.
    let killed = try open(isThrownAway: true)
    try planBatch(killed, 500..<600)
    try killed.suspend()
    let second = try open()
    #expect(second.isAdopted)
    try planBatch(second, 500..<700)
    #expect(try cities(second.connection).count == 699)
    try second.suspend()
    if journal == .delete {
      let writer = try Connection(path: path, mode: .readWrite)
      try insertZoo(writer, 5000, "Linz")
      try writer.close()
      let third = try open()
      #expect(!third.isAdopted && third.hasOutdatedPlan)
      #expect(try cities(third.connection) == ["Wien", "Graz", "Linz"])
      try third.rollBackRun()
    } else {
      try open().finish()
      #expect(try cities() == ["Wien", "Graz"] + (3..<700).map { "Zoo \($0)" })
    }
    try holder?.close()
  }

  @Test("a log that a killed program has left is empty before a run is planned: a second kill makes it no change")
  func leftLog() throws {
    _ = try makeStore(.wal)
    let program = try Connection(path: path, mode: .readWrite)
    try insertZoo(program, 3, "Linz")
    program.keepLogOnClose()
    try program.close()
    let first = try open()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).isEmpty)
    try planBatch(first, 4..<100)
    try first.suspend()
    let second = try open()
    #expect(second.isAdopted)
    try second.finish()
    #expect(try cities().count == 99)
  }

  @Test("what others have written meanwhile is not overwritten", arguments: [Journal.wal, .live])
  func changedMeanwhile(_ journal: Journal) throws {
    let holder = try makeStore(journal)
    let file = try open()
    try planBatch(file, 3..<100)
    let writer = try Connection(path: path, mode: .readWrite)
    try insertZoo(writer, 3, "Linz")
    let error = try #require(throws: StoreError.self) { try file.finish() }
    #expect(error.code == .changedMeanwhile)
    #expect(try cities() == ["Wien", "Graz", "Linz"])
    try writer.close()
    try holder?.close()
    #expect(try names().filter { $0.contains("plan") } == [])
  }

  @Test("a checkpoint that starts the log anew is no change")
  func logStartedAnew() throws {
    _ = try makeStore(.wal)
    let file = try open()
    try planBatch(file, 3..<100)
    let other = try Connection(path: path, mode: .readWrite)
    try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try file.finish()
    #expect(try cities(other).count == 99)
    #expect(try other.text("PRAGMA integrity_check") == "ok")
    try other.close()
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("a checkpoint that waits until nobody reads the log does not wait for us while we wait for it")
  func waitingCheckpoint() throws {
    let holder = try makeStore(.live)
    let file = try open(lockWait: 30)
    try planBatch(file, 3..<100)
    try holder?.close()
    let hasEnded = Mutex(false)
    let place = path
    let thread = Thread {
      defer { hasEnded.withLock { $0 = true } }
      if let other = try? Connection(path: place, mode: .readWrite) {
        other.setBusyTimeout(milliseconds: 60_000)
        try? other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try? other.close()
      }
    }
    thread.start()
    // It has the lock of writers while it waits.
    let writer = try Connection(path: path, mode: .readWrite)
    while !hasEnded.withLock({ $0 }), (try? writer.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil { sched_yield() }
    #expect(!hasEnded.withLock { $0 })
    try file.finish()
    while !hasEnded.withLock({ $0 }) { sched_yield() }
    #expect(try cities(writer) == ["Wien", "Graz"] + (3..<100).map { "Zoo \($0)" })
    #expect(try writer.text("PRAGMA integrity_check") == "ok")
    try writer.close()
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("a writer who does not end is waited for, and the plan stays")
  func busyWriter() throws {
    _ = try makeStore(.wal)
    let file = try open(lockWait: 0.05)
    try planBatch(file, 3..<100)
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute("BEGIN IMMEDIATE")
    let error = try #require(throws: StoreError.self) { try file.finish() }
    #expect(error.code == .busy)
    try writer.execute("ROLLBACK")
    let second = try open()
    #expect(second.isAdopted)
    try second.finish()
    #expect(try cities().count == 99)
    try writer.close()
  }

  @Test("two runs do not plan for one store at a time")
  func claim() throws {
    _ = try makeStore(.wal)
    let file = try open()
    let error = try #require(throws: StoreError.self) { try open(run: "animals", lockWait: 0.05) }
    #expect(error.code == .busy)
    #expect(error.description.contains("process \(getpid())"), "\(error)")
    try file.rollBackRun()
    try open(run: "animals").rollBackRun()
  }

  /// The machine stops: what was not synced of a plan is missing or something else.
  @Test("of a plan that a stop of the machine has damaged an earlier batch is left, or nothing", arguments: 1...40)
  func damaged(seed: UInt64) throws {
    _ = try makeStore(.wal)
    var random = SeededGenerator(seed: seed)
    let size = Int.random(in: 1...60, using: &random)
    let first = try open()
    for batch in 0..<8 { try planBatch(first, 10 + batch * size..<10 + (batch + 1) * size) }
    try first.suspend()
    let name = try #require(try names().first { $0.hasSuffix("-wal") && $0.contains("plan") })
    var log = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    let place = Int.random(in: 0..<log.count, using: &random)
    if Bool.random(using: &random) {
      log.removeSubrange(place...)
    } else {
      for index in place..<min(place + 600, log.count) { log[index] = UInt8.random(in: 0...255, using: &random) }
    }
    try log.write(to: URL(fileURLWithPath: folder.file(name)))
    let second = try open()
    let found = try cities(second.connection).count - 2
    #expect(found % size == 0 && found <= 8 * size, "seed \(seed)")
    for batch in found / size..<8 { try planBatch(second, 10 + batch * size..<10 + (batch + 1) * size) }
    try second.finish()
    #expect(try cities().count == 2 + 8 * size, "seed \(seed)")
    let last = try Connection(path: path, mode: .readWrite)
    #expect(try last.text("PRAGMA integrity_check") == "ok")
    try last.close()
  }

  @Test("a commit without what it changed is refused")
  func commits() throws {
    _ = try makeStore(.wal)
    let file = try open()
    try file.begin()
    try insertZoo(file.connection, 3, "Linz")
    #expect(throws: SQLiteError.self) { try SQLiteCalls.execute(file.connection, "COMMIT") }
    try file.rollBackRun()
  }
}
