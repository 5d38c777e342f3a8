import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Files with external binary values that runs make, replace and leave behind.
@Suite("Files of planned runs")
struct PlannedFilesTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  private func model() throws -> ManagedObjectModel {
    var draft = try Models.zoo().draft
    let animal = try #require(draft.entities.firstIndex { $0.name == "Animal" })
    let photo = try #require(draft.entities[animal].attributes.firstIndex { $0.name == "photo" })
    draft.entities[animal].attributes[photo].allowsExternalBinaryDataStorage = true
    return try ManagedObjectModel(draft)
  }

  private func files() throws -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.file(".zoo_SUPPORT/_EXTERNAL_DATA"))
    return (names ?? []).sorted()
  }

  private func open(_ path: String? = nil) throws -> StoreFile {
    let path = path ?? self.path
    guard FileManager.default.fileExists(atPath: path) else {
      return try StoreFile.create(path: path, model: try model())
    }
    return try StoreFile.plan(
      path: path, model: try model(), run: "zoo", isThrownAway: false, cacheKiB: 256, lockWait: 0)
  }

  /// Adds an animal with a file; returns the file's name.
  @discardableResult
  private func add(_ key: Int, to file: StoreFile) throws -> String {
    let cell = try [UInt8](repeating: UInt8(key), count: 200_000).withUnsafeBytes {
      try file.externalFiles.write($0, table: "ZANIMAL", primaryKey: Int64(key), slot: 0)
    }
    let insert = try file.connection.prepare(
      "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN, ZPHOTO) VALUES (\(key), 1, 1, 'a\(key)', 0, ?1)")
    insert.bind(1, copying: cell)
    _ = try insert.step()
    return String(decoding: cell[1..<37], as: UTF8.self)
  }

  private func makeStore() throws -> String {
    let file = try open()
    try file.begin()
    let name = try add(1, to: file)
    try file.finish()
    return name
  }

  @Test("files of a batch that was not committed go when the run goes on, and all of them when it is dropped")
  func dropped() throws {
    let old = try makeStore()
    #expect(try files() == [old])
    let first = try open()
    try first.begin()
    let kept = try add(2, to: first)
    try first.commit()
    try first.begin()
    try add(3, to: first)
    try first.suspend()
    #expect(try files().count == 3)
    let second = try open()
    #expect(second.isAdopted)
    #expect(try files() == [old, kept].sorted())
    try second.suspend()
    try open().rollBackRun()
    #expect(try files() == [old])
  }

  @Test("files of a plan that no longer fits go with it")
  func outdated() throws {
    let old = try makeStore()
    let first = try open()
    try first.begin()
    try add(2, to: first)
    try first.commit()
    func dryClean() throws -> StoreCleaner.Leftovers {
      try StoreCleaner.clean(path: path, model: try model(), isDryRun: true)
    }
    #expect(try #require(throws: StoreError.self) { try dryClean() }.code == .busy)
    func findings() throws -> [StoreFinding] { try StoreVerifier.verify(path: path, model: try model()).findings }
    func plans() throws -> Set<StoreFinding.Code> {
      Set(try findings().map(\.code)).intersection([.unfinishedRun, .outdatedPlan, .orphanFile])
    }
    // The rows of the file are still to come, whether the process is at work or another one resumes the run.
    #expect(try plans() == [.unfinishedRun])
    try first.suspend()
    #expect(try plans() == [.unfinishedRun])
    #expect(try findings().contains { $0.code == .unfinishedRun && $0.rows == 1 && $0.severity == .note })
    #expect(try StoreInfo.read(path: path).resumablePlans.count == 1)
    #expect(try dryClean().resumablePlans.count == 1)
    #expect(try dryClean().orphans == [])
    #expect(try StoreCleaner.clean(path: path, model: try model()).resumablePlans.count == 1)
    #expect(try dryClean().resumablePlans.count == 1)
    #expect(try files().count == 2)
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
    // What is written stays in the log as long as the writer has the store open.
    #expect(try dryClean().outdatedPlans.count == 1)
    try writer.close()
    #expect(try dryClean().outdatedPlans.count == 1)
    #expect(try plans() == [.outdatedPlan, .orphanFile])
    #expect(try findings().contains { $0.code == .orphanFile && $0.rows == 1 })
    #expect(try StoreInfo.read(path: path).outdatedPlans.count == 1)
    let second = try open()
    #expect(second.hasOutdatedPlan)
    #expect(try files() == [old])
    try second.rollBackRun()
  }

  @Test("a process that only asks whether a run is at work keeps none out; one that may read the store may ask")
  func claim() throws {
    _ = try makeStore()
    let name = ".zoo.sqlite.mergewalk-plan"
    // As a process that looks has the file for a moment.
    try folder.write("", to: name)
    let other = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.file(name)))
    #expect(flock(other.fileDescriptor, LOCK_SH | LOCK_NB) == 0)
    let run = try open()
    let error = try #require(throws: StoreError.self) {
      try StoreCleaner.clean(path: path, model: try model(), isDryRun: true)
    }
    #expect(error.code == .busy)
    func mode(_ name: String) -> mode_t {
      var info = stat()
      return stat(folder.file(name), &info) == 0 ? info.st_mode & 0o777 : 0
    }
    #expect(mode(name) != 0 && mode(name) == mode("zoo.sqlite"))
    try run.rollBackRun()
    #expect(try StoreCleaner.clean(path: path, model: try model(), isDryRun: true).isEmpty)
    try other.close()
  }

  @Test("a run waits for one of an earlier version, and such a one waits for it: their locks are of another kind")
  func earlierClaim() throws {
    _ = try makeStore()
    let name = ".zoo.sqlite.mergewalk-plan"
    let run = try open()
    let waiting = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file(name)))
    #expect(flock(waiting.fileDescriptor, LOCK_EX | LOCK_NB) == -1)
    try run.rollBackRun()
    try folder.write("", to: name)
    let earlier = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file(name)))
    #expect(flock(earlier.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    let error = try #require(throws: StoreError.self) { _ = try open() }
    #expect(error.code == .busy)
    // Whoever only asks is told of it, too.
    let asked = try #require(throws: StoreError.self) {
      try StoreCleaner.clean(path: path, model: try model(), isDryRun: true)
    }
    #expect(asked.code == .busy)
    try waiting.close()
    try earlier.close()
  }

  private func startNew() throws -> StoreFile {
    try StoreFile.create(
      path: path, model: try model(), cacheKiB: 256, lockWait: 0, keepsBatches: true, sparesOthers: false)
  }

  private func adoptNew() throws -> StoreFile? {
    // A process that another test begins holds copies of all open files for a moment.
    try StoreFile.adopt(path: path, model: try model(), cacheKiB: 256, lockWait: 10) { _, _, _ in true }
  }

  @Test("a list of files that cannot be read is not taken for an empty one, and stays", arguments: [false, true])
  func unreadableList(isNew: Bool) throws {
    let old = try isNew ? [] : [makeStore()]
    let first = try isNew ? startNew() : open()
    try first.begin()
    let made = try add(2, to: first)
    try first.commit()
    try first.suspend()
    let list = folder.file(try #require(try lists().first))
    let text = try String(contentsOfFile: list, encoding: .utf8)
    // What is a folder by now is not read as a file.
    try FileManager.default.removeItem(atPath: list)
    try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
    let error = try #require(throws: StoreError.self) { _ = try isNew ? adoptNew() : open() }
    #expect(error.code == .inputOutput)
    #expect(error.path.hasSuffix("-files"), "\(error)")
    #expect(try files() == (old + [made]).sorted())
    try FileManager.default.removeItem(atPath: list)
    try Data(text.utf8).write(to: URL(fileURLWithPath: list))
    let second = try #require(try isNew ? adoptNew() : open())
    #expect(second.isAdopted)
    try second.rollBackRun()
    #expect(try files() == old)
    #expect(try lists() == [])
  }

  @Test("a plan whose log cannot be looked at is not taken for none, and stays")
  func unreadableLog() throws {
    let old = try makeStore()
    let first = try open()
    try first.begin()
    try add(2, to: first)
    try first.commit()
    try first.suspend()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .first { $0.contains("mergewalk-plan-") && $0.hasSuffix("-wal") })
    let log = folder.file(name)
    // A link that leads to itself.
    #expect(rename(log, folder.file("aside")) == 0 && symlink(log, log) == 0)
    let opening = try #require(throws: StoreError.self) { _ = try open() }
    #expect(opening.code == .inputOutput)
    let cleaning = try #require(throws: StoreError.self) { try StoreCleaner.clean(path: path, model: try model()) }
    #expect(cleaning.code == .inputOutput)
    #expect(rename(folder.file("aside"), log) == 0)
    let second = try open()
    #expect(second.isAdopted)
    try second.rollBackRun()
    #expect(try files() == [old])
  }

  @Test("files of a run that is rolled back stay, and are noted, when what the rows name cannot be read")
  func unreadableRows() throws {
    let old = try makeStore()
    // More rows than a cache holds.
    let filling = try Connection(path: path, mode: .readWrite)
    try filling.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
      INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN, ZPHOTO) SELECT i, 1, 1, 'b' || i, 0, zeroblob(3500) FROM n
      """)
    try filling.close()
    let first = try open()
    try first.begin()
    let made = try add(2, to: first)
    try first.commit()
    try first.suspend()
    let second = try open()
    #expect(second.isAdopted)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: 1 << 20)
    try file.write(contentsOf: Data(repeating: 0xFF, count: whole.count - (1 << 20)))
    try file.close()
    try second.rollBackRun()
    let unknown = try #require(second.externalFiles.unknown)
    #expect(unknown.names == [made])
    #expect(try files() == [old, made].sorted())
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try StoreCleaner.clean(path: path, model: try model()).orphans == [made])
    #expect(try files() == [old])
    #expect(try lists() == [])
  }

  @Test("a new store that an earlier process has begun and the disk does not give is not taken for none")
  func unreadableStore() throws {
    let first = try startNew()
    try first.begin()
    try first.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (1, 5, 1)")
    try first.commit()
    let journal = try #require(first.hiddenPath) + "-journal"
    try first.suspend()
    // SQLite cannot read a folder where it looks for a journal.
    try? FileManager.default.removeItem(atPath: journal)
    try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
    let error = try #require(throws: StoreError.self) { try adoptNew() }
    #expect(error.code == .sqlite)
    try FileManager.default.removeItem(atPath: journal)
    let second = try #require(try adoptNew())
    #expect(try second.connection.integer("SELECT count(*) FROM ZZOO") == 1)
    try second.rollBackRun()
  }

  @Test("with a new store that an earlier process has begun go its files, also where only this process is rolled back")
  func newStoreRolledBack() throws {
    let first = try startNew()
    try first.begin()
    try add(1, to: first)
    try first.commit()
    try first.suspend()
    let second = try #require(try adoptNew())
    try second.begin()
    try add(2, to: second)
    try second.commit()
    try second.rollBackToOpening()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("a new store that cannot be removed keeps its files: the next process may resume it")
  func newStoreStays() throws {
    let first = try startNew()
    try first.begin()
    let made = try add(1, to: first)
    try first.commit()
    let hidden = try #require(first.hiddenPath)
    // What is a folder by now is not removed as a file.
    #expect(rename(hidden, folder.file("aside")) == 0 && mkdir(hidden, 0o700) == 0)
    #expect(throws: StoreError.self) { try first.rollBackRun() }
    #expect(rmdir(hidden) == 0 && rename(folder.file("aside"), hidden) == 0)
    #expect(try files() == [made])
    let second = try #require(try adoptNew())
    #expect(try second.connection.integer("SELECT count(*) FROM ZANIMAL") == 1)
    try second.rollBackRun()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("files in a list that a killed process has left alone go when the store is built anew")
  func listAlone() throws {
    let orphan = UUID().uuidString
    try folder.write("photo", to: ".zoo_SUPPORT/_EXTERNAL_DATA/" + orphan)
    // No process has the greatest number.
    try folder.write("+\(orphan)\n", to: ".zoo.sqlite.mergewalk-2147483647-files")
    try open().finish()
    #expect(try files() == [])
    #expect(try lists() == [])
  }

  private func lists() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("-files") }
  }

  @Test("what cannot be removed is known, and the next run removes it")
  func staying() throws {
    let old = try makeStore()
    // What is a folder by now is not removed as a file.
    let place = folder.file(".zoo_SUPPORT/_EXTERNAL_DATA/\(old)")
    try FileManager.default.removeItem(atPath: place)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let first = try open()
    try first.begin()
    try first.externalFiles.add(obsolete: [old])
    try first.connection.execute("UPDATE ZANIMAL SET ZPHOTO = x'0107'")
    try first.commit()
    try first.finish()
    #expect(first.externalFiles.staying == [old])
    #expect(try lists().count == 1)
    let error = try #require(throws: StoreError.self) { try StoreCleaner.clean(path: path, model: try model()) }
    #expect(error.description.contains(old), "\(error)")
    try FileManager.default.removeItem(atPath: place)
    try Data("photo".utf8).write(to: URL(fileURLWithPath: place))
    let second = try open()
    #expect(try files() == [])
    try second.rollBackRun()
    #expect(try lists() == [])
  }

  @Test(
    "what a killed process has made for a new store goes with the next run, but for what the store that is there names",
    arguments: [false, true])
  func publishedAndKilled(isHiddenThere: Bool) throws {
    let old = try makeStore()
    #expect(try lists() == [])
    let orphan = UUID().uuidString
    try Data("photo".utf8).write(to: URL(fileURLWithPath: folder.file(".zoo_SUPPORT/_EXTERNAL_DATA/\(orphan)")))
    // No process has the greatest number.
    try Data("+\(old)\n+\(orphan)\n-\(orphan)\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file(".zoo.sqlite.mergewalk-2147483647-files")))
    if isHiddenThere { try folder.write("half", to: ".zoo.sqlite.mergewalk-2147483647") }
    StoreFile.removeUnfinished(path: path)
    #expect(try files() == [old, orphan].sorted())
    try open().rollBackRun()
    #expect(try files() == [old])
    #expect(try lists() == [])
  }

  @Test("what a run replaces stays until it is applied, also when another process applies it")
  func replaced() throws {
    let old = try makeStore()
    let first = try open()
    try first.begin()
    try first.externalFiles.add(obsolete: [old])
    try first.connection.execute("UPDATE ZANIMAL SET ZPHOTO = x'0107'")
    try first.commit()
    try first.suspend()
    #expect(try files() == [old])
    try open().finish()
    #expect(!FileManager.default.fileExists(atPath: folder.file(".zoo_SUPPORT")))
    #expect(try StoreVerifier.verify(path: path, model: try model()).isSound)
  }

  @Test("files of a run that another program has put an end to go with it, also those of an earlier process")
  func changedMeanwhile() throws {
    let old = try makeStore()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode=WAL")
    let first = try open()
    try first.begin()
    try add(2, to: first)
    try first.commit()
    try first.suspend()
    let second = try open()
    #expect(second.isAdopted)
    try second.begin()
    try add(3, to: second)
    try connection.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
    let error = try #require(throws: StoreError.self) { try second.finish() }
    #expect(error.code == .changedMeanwhile)
    try connection.close()
    #expect(try files() == [old])
  }

  @Test("what a run has replaced goes with the next one, or is cleaned, when its process did not come to remove it")
  func killedBehindTheCommit() throws {
    let old = try makeStore()
    let (next, cleaned) = (TemporaryFolder(), TemporaryFolder())
    let file = try open()
    try file.begin()
    try file.externalFiles.add(obsolete: [old])
    try file.connection.execute("UPDATE ZANIMAL SET ZPHOTO = x'0107'")
    let list = try #require(try lists().first)
    let replaced = try String(contentsOfFile: folder.file(list), encoding: .utf8)
    try file.finish()
    #expect(try files() == [])
    // What a process leaves that dies behind the commit.
    for copy in [next, cleaned] {
      try FileManager.default.copyItem(atPath: folder.path, toPath: copy.file("copy"))
      try copy.write(replaced, to: "copy/" + list)
      try copy.write("photo", to: "copy/.zoo_SUPPORT/_EXTERNAL_DATA/" + old)
    }
    func left(_ copy: TemporaryFolder) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: copy.file("copy")).filter {
        $0.contains(old) || $0.contains(".mergewalk-plan-")
      }
    }
    #expect(try left(next).count == 2)
    let second = try open(next.file("copy/zoo.sqlite"))
    #expect(!second.isAdopted && !second.hasOutdatedPlan)
    try second.rollBackRun()
    #expect(try left(next) == [])
    #expect(try StoreCleaner.clean(path: cleaned.file("copy/zoo.sqlite"), model: try model()).orphans == [old])
    #expect(try left(cleaned) == [])
  }

  @Test("what a dry run has left that was killed goes with the next run", arguments: [true, false])
  func killedDryRun(isDryAgain: Bool) throws {
    let old = try makeStore()
    func plan(_ path: String, isThrownAway: Bool) throws -> StoreFile {
      try StoreFile.plan(
        path: path, model: try model(), run: "zoo", isThrownAway: isThrownAway, cacheKiB: 256, lockWait: 0)
    }
    let dry = try plan(path, isThrownAway: true)
    try dry.begin()
    try add(2, to: dry)
    try dry.commit()
    let killed = TemporaryFolder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: killed.file("copy"))
    try dry.rollBackRun()
    #expect(try files() == [old])
    func left() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: killed.file("copy")).filter {
        $0.contains("-dry") || $0.contains("_EXTERNAL_DATA/") && !$0.hasSuffix(old)
      }
    }
    #expect(try left().count == 4)
    let next = try plan(killed.file("copy/zoo.sqlite"), isThrownAway: isDryAgain)
    #expect(!next.isAdopted)
    try next.rollBackRun()
    #expect(try left() == [])
  }

  @Test("a store whose name differs in the extension only, and so has the same folder, keeps its files")
  func otherExtension() throws {
    let old = try makeStore()
    let other = folder.file("zoo.db")
    // The same row with the same value, in a run that fails.
    let failing = try StoreFile.create(path: other, model: try model())
    try failing.begin()
    let own = try add(1, to: failing)
    #expect(own != old)
    #expect(try files() == [old, own].sorted())
    try failing.rollBackRun()
    #expect(try files() == [old])
    let file = try StoreFile.create(path: other, model: try model())
    try file.begin()
    #expect(try add(1, to: file) == own)
    try file.finish()
    for store in [path, other] {
      let report = try StoreVerifier.verify(path: store, model: try model())
      #expect(report.findings.contains { $0.code == .orphanFile && $0.severity == .note })
      #expect(!report.findings.contains { $0.code == .orphanFile && $0.severity != .note })
      let found = try StoreCleaner.clean(path: store, model: try model())
      #expect(found.orphans.isEmpty)
      #expect(found.sharedFiles == [store == path ? own : old])
      #expect(found.otherStores.count == 1)
    }
    #expect(try files() == [old, own].sorted())
    // A copy of the store might name what the store does not name any more.
    let change = try open()
    try change.begin()
    try change.externalFiles.add(obsolete: [old])
    try change.connection.execute("UPDATE ZANIMAL SET ZPHOTO = x'0107'")
    try change.commit()
    try change.finish()
    #expect(change.externalFiles.sharedFiles == [old])
    #expect(try files() == [old, own].sorted())
    try FileManager.default.removeItem(atPath: other)
    let found = try StoreCleaner.clean(path: path, model: try model())
    #expect(found.orphans == [old, own].sorted())
    #expect(try files() == [])
  }

  @Test("files that are no stores, and stores with other names, share nothing")
  func otherFiles() throws {
    let old = try makeStore()
    let orphan = "00000000-0000-4000-8000-000000000001"
    try folder.write("x", to: ".zoo_SUPPORT/_EXTERNAL_DATA/" + orphan)
    try folder.write("name\nLeo\n", to: "zoo.csv")
    let database = try Connection(path: folder.file("zoo.db"), mode: .create)
    try database.execute("CREATE TABLE animals (name TEXT)")
    try database.close()
    try StoreFile.create(path: folder.file("zoo2.sqlite"), model: try model()).finish()
    #expect(try StoreCleaner.clean(path: path, model: try model()).orphans == [orphan])
    #expect(try files() == [old])
  }

  @Test(
    "empty folders that a process has left which was killed while it removed them go with the next run, or are cleaned",
    arguments: [false, true], [".zoo_SUPPORT", ".zoo_SUPPORT/_EXTERNAL_DATA"])
  func emptyFolders(isCleaned: Bool, name: String) throws {
    try open().finish()
    try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    if isCleaned { _ = try StoreCleaner.clean(path: path, model: try model()) } else { try open().finish() }
    #expect(!FileManager.default.fileExists(atPath: folder.file(".zoo_SUPPORT")))
  }

  @Test("folders that went meanwhile are made again")
  func foldersMadeAgain() throws {
    let file = try open()
    try file.begin()
    let mark = file.externalFiles.mark
    try add(1, to: file)
    file.externalFiles.removeMade(since: mark)
    try file.connection.execute("DELETE FROM ZANIMAL")
    try FileManager.default.removeItem(atPath: folder.file(".zoo_SUPPORT"))
    let name = try add(2, to: file)
    try file.finish()
    #expect(try files() == [name])
  }

  @Test("whatever is left of a plan is found and removed", arguments: ["", "-later", "-wal", "-dry-wal"])
  func leftovers(suffix: String) throws {
    _ = try makeStore()
    let notes = ".zoo.sqlite.mergewalk-plan-notes"
    try folder.write("x", to: ".zoo.sqlite.mergewalk-plan-0123456789abcdef" + suffix)
    try folder.write("x", to: notes)
    let report = try StoreVerifier.verify(path: path, model: try model())
    #expect(report.findings.contains { $0.code == .outdatedPlan })
    #expect(!report.findings.contains { $0.code == .unfinishedRun })
    let found = try StoreCleaner.clean(path: path, model: try model())
    #expect(found.outdatedPlans.count == 1 && found.resumablePlans == [])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.contains(".mergewalk-plan") } == [notes])
  }

  @Test("what nothing names any more is found and removed")
  func clean() throws {
    let old = try makeStore()
    let orphan = "00000000-0000-4000-8000-000000000001"
    try folder.write("x", to: ".zoo_SUPPORT/_EXTERNAL_DATA/" + orphan)
    try folder.write("x", to: ".zoo_SUPPORT/_EXTERNAL_DATA/notes.txt")
    #expect(try StoreCleaner.clean(path: path, model: try model(), isDryRun: true).orphans == [orphan])
    #expect(try files().count == 3)
    #expect(try StoreCleaner.clean(path: path, model: try model()).orphans == [orphan])
    #expect(try files() == [old, "notes.txt"].sorted())
    try FileManager.default.removeItem(atPath: folder.file(".zoo_SUPPORT/_EXTERNAL_DATA/" + old))
    let report = try StoreVerifier.verify(path: path, model: try model())
    #expect(report.findings.contains { $0.code == .missingFile && $0.severity == .error })
  }
}
