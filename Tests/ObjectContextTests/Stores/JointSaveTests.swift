import CMergewalkSQLite
import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Saves over several stores are in all of them or in none, wherever a process dies.
@Suite("Saves over several stores as a whole")
struct JointSaveTests {
  static let pairs: [[PersistentStoreType]] = [
    [.sqlite, .sqlite], [.xml, .sqlite], [.sqlite, .binary], [.xml, .binary],
  ]

  /// What makes a test of this process a process of its own that saves.
  private static let variable = "MERGEWALK_JOINT_SAVE"

  /// Changes what a fresh atlas holds: rows come, change and go in both stores.
  private static func change(_ atlas: Atlas) throws {
    for city in try atlas.context.fetch(FetchRequest("City")) {
      if try city.value(forKey: "name") == .string("0") { try atlas.context.delete(city) }
      try city.setValue(.integer(7), forKey: "size")
    }
    for note in try atlas.context.fetch(FetchRequest("Note")) { try note.setValue(.integer(7), forKey: "rank") }
    for n in 0..<40 {
      let (city, note) = (try atlas.insert("City", "new \(n)"), try atlas.insert("Note", "new \(n)", key: "about"))
      if n == 0 { try city.setValue(.integer(1), forKey: "size") }
      _ = note
    }
  }

  private static func fill(_ atlas: Atlas) throws {
    for n in 0..<5 {
      _ = try atlas.insert("City", "\(n)")
      _ = try atlas.insert("Note", "\(n)", key: "about")
    }
    try atlas.context.save()
  }

  /// What both stores say of how far they are: equal when they have the same saves.
  private static func state(_ atlas: Atlas) throws -> [String] {
    let cities = try atlas.context.fetch(FetchRequest("City")), notes = try atlas.context.fetch(FetchRequest("Note"))
    let sizes = try cities.filter { try $0.value(forKey: "size") == .integer(7) }.count
    let ranks = try notes.filter { try $0.value(forKey: "rank") == .integer(7) }.count
    return ["\(cities.count) \(notes.count)", "\(sizes) \(ranks)"]
  }
  private static let (old, new) = (["5 5", "0 0"], ["44 45", "4 5"])

  /// The files beside stores that belong to no store.
  private static func leftovers(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }.sorted()
  }

  @Test("a process that saves, for the tests below", .enabled(if: getenv(variable) != nil))
  func child() throws {
    let words = String(cString: getenv(Self.variable)).split(separator: " ").map(String.init)
    let types: [PersistentStoreType] = words[1...].map { word in
      [PersistentStoreType.sqlite, .xml, .binary].first { "\($0)" == word } ?? .sqlite
    }
    let atlas = try Atlas(types, in: words[0])
    try Self.change(atlas)
    try atlas.context.save()
  }

  /// Runs ``child()`` in a process of its own.
  private func save(_ types: [PersistentStoreType], in folder: String, _ shim: [String: String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--testing-library", "swift-testing", "--filter", "JointSaveTests/child"]
    process.environment = shim.merging([
      "PATH": "/usr/bin:/bin", "SHIM_ALL": "1",
      Self.variable: ([folder] + types.map { "\($0)" }).joined(separator: " "),
    ]) { mine, _ in mine }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  @Test("killed before any call, a save is in both stores or in none", .enabled(if: Shim.isThere), arguments: pairs)
  func killed(types: [PersistentStoreType]) throws {
    let template = try Atlas(types)
    try Self.fill(template)
    try template.coordinator.close()
    func copy() throws -> TemporaryFolder {
      let folder = TemporaryFolder()
      for name in Atlas.configurations {
        try Bytes.write(try Bytes.read(template.folder.file("\(name).store")), to: folder.file("\(name).store"))
      }
      return folder
    }
    let whole = try copy()
    #expect(try save(types, in: whole.path, Shim.counting(into: whole.file("count"))) == 0)
    let calls = try #require(Int(try String(contentsOfFile: whole.file("count"), encoding: .utf8)))
    try FileManager.default.removeItem(atPath: whole.file("count"))
    #expect(try Self.leftovers(whole.path) == [])
    #expect(calls > 10)

    var generator = SeededGenerator(seed: Soak.seed(UInt64(calls)))
    let points = Soak.isOn ? Array(1...calls) : (0..<5).map { _ in Int.random(in: 1...calls, using: &generator) }
    var ends = Set<[String]>()
    for point in points {
      let folder = try copy()
      #expect(try save(types, in: folder.path, Shim.killing(at: point)) == -9)
      // Each store is opened first once: either one makes the other one whole.
      let atlas = try Atlas(types, in: folder.path, isReversed: point % 2 == 0)
      let state = try Self.state(atlas)
      #expect(state == Self.old || state == Self.new, "killed before call \(point) of \(calls)")
      ends.insert(state)
      #expect(atlas.coordinator.partialSaves.isEmpty, "killed before call \(point) of \(calls)")
      if state == Self.old { try Self.change(atlas) } else { _ = try atlas.insert("Note", "more", key: "about") }
      try atlas.context.save()
      try atlas.verify()
      #expect(try Self.leftovers(folder.path).filter { $0.contains("joint") } == [], "before call \(point) of \(calls)")
    }
    if Soak.isOn { #expect(ends == [Self.old, Self.new]) }
  }

  /// Makes the commit of a store fail from now on.
  private func refuseCommits(_ store: PersistentStore) {
    sqlite3_commit_hook(store.connection.handle, { _ in 1 }, nil)
  }

  @Test("a store that could not commit gets the save when it is opened again", arguments: [false, true])
  func lateCommit(savesAgain: Bool) throws {
    let atlas = try Atlas()
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    #expect(atlas.coordinator.partialSaves.map(\.missingPath) == [atlas.path(0)])
    if savesAgain {
      sqlite3_commit_hook(atlas.stores[0].connection.handle, nil, nil)
      try atlas.context.save()
      #expect(try Self.leftovers(atlas.folder.path) == [])
    } else {
      #expect(try Self.leftovers(atlas.folder.path).count == 2)
    }
    try atlas.reopen()
    #expect(try Self.state(atlas) == Self.new)
    #expect(atlas.coordinator.partialSaves.isEmpty)
    #expect(try Self.leftovers(atlas.folder.path) == [])
    try atlas.verify()
  }

  @Test("objects that exchange unique values have them when the save is made again")
  func exchangedValues() throws {
    let atlas = try Atlas(citiesAreUnique: true)
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    let cities = try atlas.context.fetch(FetchRequest("City", sortedBy: [ObjectSortDescriptor("name")]))
    for (place, city) in cities.enumerated() {
      try city.setValue(.string("\((place + 1) % cities.count)"), forKey: "name")
      try city.setValue(.integer(Int64(place)), forKey: "size")
    }
    _ = try atlas.insert("Note", "more", key: "about")
    #expect(throws: SaveError.self) { try atlas.context.save() }
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    #expect(try atlas.rows(0, "SELECT ZSIZE, ZNAME FROM ZPLACE ORDER BY ZSIZE") == ["0|1", "1|2", "2|3", "3|4", "4|0"])
    #expect(try Self.leftovers(atlas.folder.path) == [])
    try atlas.verify()
  }

  @Test("a save of which no store is committed leaves nothing beside the stores")
  func noCommit() throws {
    let atlas = try Atlas()
    try Self.fill(atlas)
    refuseCommits(atlas.stores[1])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    #expect(try Self.leftovers(atlas.folder.path) == [])
    try atlas.reopen()
    #expect(try Self.state(atlas) == Self.old)
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.verify()
  }

  @Test("rows that another program has changed meanwhile are kept, and the missing part is told")
  func changedRows() throws {
    let atlas = try Atlas()
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    let other = try Connection(path: atlas.path(0), mode: .readWrite)
    try other.execute("UPDATE ZPLACE SET ZSIZE = 99 WHERE ZNAME = '3'")
    try other.close()
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.map(\.missingPath) == [atlas.path(0)])
    #expect(try atlas.rows(0, "SELECT ZSIZE FROM ZPLACE WHERE ZNAME = '3'") == ["99"])
    #expect(try atlas.rows(0, "SELECT count(*) FROM ZPLACE") == ["5"])
    #expect(try Self.leftovers(atlas.folder.path) == [])
    try atlas.verify()
  }

  @Test("while the process that saves is alive, another one leaves its work alone")
  func alive() throws {
    let atlas = try Atlas()
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    let other = PersistentStoreCoordinator(model: atlas.model)
    try other.addStore(type: .sqlite, at: atlas.path(0), configuration: Atlas.configurations[0])
    #expect(try ManagedObjectContext(coordinator: other).count(for: FetchRequest("City")) == 5)
    try other.close()
    sqlite3_commit_hook(atlas.stores[0].connection.handle, nil, nil)
    try atlas.context.save()
    #expect(try Self.state(atlas) == Self.new)
    try atlas.verify()
  }

  @Test("stores that moved together, and stores in different folders, become whole", arguments: [false, true])
  func folders(isMoved: Bool) throws {
    let (atlas, place) = (try Atlas(), TemporaryFolder())
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    try atlas.coordinator.close()
    var folder = atlas.folder.path
    if isMoved {
      folder = place.file("moved")
      try FileManager.default.copyItem(atPath: atlas.folder.path, toPath: folder)
      try FileManager.default.removeItem(atPath: atlas.path(0))
    }
    // The second store alone finds what belongs to the first one.
    let alone = PersistentStoreCoordinator(model: atlas.model)
    try alone.addStore(type: .sqlite, at: folder + "/Notes.store", configuration: "Notes")
    try alone.close()
    let connection = try Connection(path: folder + "/Places.store", mode: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM ZPLACE") == 44)
    try connection.close()
    #expect(try Self.leftovers(folder) == [])
  }

  @Test("what is not whole was never decided", arguments: [0, 1, 40, 200])
  func torn(length: Int) throws {
    let atlas = try Atlas()
    try Self.fill(atlas)
    refuseCommits(atlas.stores[0])
    try Self.change(atlas)
    #expect(throws: SaveError.self) { try atlas.context.save() }
    let folder = atlas.folder.file(".Places.store.mergewalk-joint")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let bytes = try Bytes.read(folder + "/" + name)
    #expect(bytes.count > 300)
    try atlas.coordinator.close()
    try Bytes.write(Array(bytes.prefix(bytes.count - 1 - length)), to: folder + "/" + name)
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.map(\.missingPath) == [atlas.path(0)])
    #expect(try Self.leftovers(atlas.folder.path) == [])
    try atlas.verify()
  }
}
