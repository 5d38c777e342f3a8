import Foundation
import MergewalkSystem
import MergewalkTestSupport
import Testing

/// Runs that are killed, at any write, several times in a row, also while they go on or come to their end: what is left
/// in the end is what an undisturbed run leaves.
@Suite("Killed runs", .enabled(if: Shim.isThere), .serialized)
struct KillTests {
  /// What an undisturbed run leaves and says.
  private struct Wanted {
    var state: Night.State
    var counts: [String: String]
    var warnings: [String]
    /// How many writes it makes.
    var writes: Int
  }

  private func wanted(_ shop: NightShop) throws -> Wanted {
    let night = try shop.night()
    try night.leaveRejects()
    let count = TemporaryFolder()
    let command = try night.run(environment: Shim.counting(into: count.file("count")))
    #expect(command.status == 1, "\(command.words)")
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    let warnings = try command.warnings()
    #expect(warnings.contains { $0.hasPrefix("rejectsNotReplayed") }, "\(warnings)")
    return Wanted(state: try night.state(), counts: try Night.counts(command), warnings: warnings, writes: writes)
  }

  /// Kills a run at random writes until one comes to its end, and compares; returns how many went on where they were.
  ///
  /// - Parameter fromEnd: Further writes before which it is killed first, counted from the last one.
  @discardableResult
  private func kill(_ shop: NightShop, points: Int, fromEnd: [Int] = [], seed: UInt64) throws -> Int {
    let wanted = try wanted(shop)
    var resumed = 0
    #expect(wanted.writes > 30)
    var generator = SeededGenerator(seed: seed)
    let first = (0..<points).map { _ in Int.random(in: 1...wanted.writes, using: &generator) }
    for start in first + fromEnd.map({ max(1, wanted.writes - $0) }) {
      let night = try shop.night()
      try night.leaveRejects()
      var kills = [start]
      var command = try night.run(environment: Shim.killing(at: kills[0]))
      // The first process that tells how the run ended counts, whatever becomes of it then.
      var report = command.output.isEmpty ? nil : command
      while command.status == -9 {
        let isKilledAgain = kills.count < 5 && Bool.random(using: &generator)
        // Some soon after the beginning, when the process has just found out where it is.
        let next = Int.random(in: 1...(Bool.random(using: &generator) ? wanted.writes : 12), using: &generator)
        if isKilledAgain { kills.append(next) }
        if report != nil { break }
        command = try night.run(environment: isKilledAgain ? Shim.killing(at: next) : [:])
        if !command.output.isEmpty { report = command }
      }
      // Killed after the report: what may be left is to forget that it was not given.
      if command.status == -9 {
        command = try night.run("--resume-or-fail")
        #expect(try command.status == 5 || Night.counts(command) == wanted.counts)
      }
      let place: Comment = "seed \(seed), killed before the writes \(kills) of \(wanted.writes): \(command.words)"
      #expect(command.status == 1 || report != nil, place)
      let counts = try Night.counts(report ?? command)
      #expect(counts == wanted.counts, "\(counts.filter { wanted.counts[$0.key] != $0.value }) \(place)")
      // A new store that is not whole begins anew, and that is said.
      let warnings = try (report ?? command).warnings().filter { shop.hasStore || !$0.hasPrefix("unfinishedDropped") }
      #expect(warnings == wanted.warnings, place)
      if try (report ?? command).object()["resumed_after"] as? Int ?? 0 > 0 { resumed += 1 }
      let state = try night.state()
      #expect(state.isIntact, place)
      // A process that was killed after its report may leave a log, which whoever opens the store next completes.
      if report?.status != -9 { #expect(state.files == wanted.state.files, place) }
      #expect(state.rejects == wanted.state.rejects, place)
      // The metadata know when a pipeline ended that must not insert twice, and a new store's own number.
      let hasSameMetadata = shop.hasKey && shop.hasStore
      for (name, rows) in wanted.state.tables where name != "Z_METADATA" || hasSameMetadata {
        #expect(state.tables[name] == rows, "\(name): \(place)")
      }
    }
    return resumed
  }

  private static let points = Soak.isOn ? 200 : 8

  @Test("in an existing store", arguments: ["last", "first", "reject"])
  func existingStore(duplicates: String) throws {
    let seed = Soak.seed(4106)
    var shop = try NightShop(seed: seed)
    shop.duplicates = duplicates
    try kill(shop, points: Self.points, seed: seed)
  }

  @Test("at the end of a run into an existing store, which whoever goes on knows for its own")
  func endInExistingStore() throws {
    let seed = Soak.seed(4117)
    try kill(try NightShop(seed: seed, orders: 60), points: 0, fromEnd: Array(0..<32), seed: seed)
  }

  @Test("that insert without looking")
  func inserting() throws {
    let seed = Soak.seed(4107)
    var shop = try NightShop(seed: seed)
    shop.mode = "insert"
    shop.hasKey = false
    try kill(shop, points: Self.points, seed: seed)
  }

  @Test("that let objects go which the night does not name")
  func syncing() throws {
    let seed = Soak.seed(4108)
    var shop = try NightShop(seed: seed)
    shop.mode = "sync"
    shop.more = "sync: { unreadable: delete }"
    try kill(shop, points: Self.points, seed: seed)
  }

  @Test("that make a new store", arguments: ["last", "first", "reject"])
  func newStore(duplicates: String) throws {
    let seed = Soak.seed(4109)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.duplicates = duplicates
    let resumed = try kill(shop, points: Self.points, seed: seed)
    #expect(resumed > 0, "seed \(seed)")
  }

  @Test("that make a new store past SQLite", arguments: ["last", "first", "reject"])
  func newStorePastSQLite(duplicates: String) throws {
    let seed = Soak.seed(4114)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.duplicates = duplicates
    shop.extra = "rejects: rejects.ndjson\ndirect: always"
    let command = try shop.night().run()
    #expect((try command.object()["load"] as? [String: Any])?["way"] as? String == "direct", "\(command.words)")
    try kill(shop, points: Self.points, seed: seed)
  }

  @Test("at the end of a store that is made past SQLite, where the mark of the end may be written before the rows")
  func endPastSQLite() throws {
    let seed = Soak.seed(4115)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.extra = "rejects: rejects.ndjson\ndirect: always"
    try kill(shop, points: 0, fromEnd: Array(stride(from: 0, to: 60, by: 2)), seed: seed)
  }

  @Test("that make a new store and insert without looking")
  func insertingIntoNewStore() throws {
    let seed = Soak.seed(4110)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.mode = "insert"
    shop.hasKey = false
    let resumed = try kill(shop, points: Self.points, seed: seed)
    #expect(resumed > 0, "seed \(seed)")
  }

  @Test("that change no row of a store which recognizes their inputs", arguments: ["skip", "fail"])
  func changingNothing(again: String) throws {
    var shop = try NightShop(seed: 9, orders: 20)
    shop.extra = "again: \(again)\nrejects: rejects.ndjson"
    func night() throws -> Night {
      let night = try shop.night()
      for name in ["in-1.csv", "in-2.csv"] {
        let text = try String(contentsOfFile: night.folder.file(name), encoding: .utf8)
        try night.folder.write("\(text.prefix { $0 != "\n" })\n1,too short\n", to: name)
      }
      return night
    }
    let count = TemporaryFolder()
    let undisturbed = try night().run(environment: Shim.counting(into: count.file("count")))
    #expect(undisturbed.status == 1, "\(undisturbed.words)")
    let wanted = try Night.counts(undisturbed)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 20)
    for write in stride(from: 1, through: writes, by: 3) {
      let night = try night()
      guard try night.run(environment: Shim.killing(at: write)).output.isEmpty else { continue }
      let command = try night.run()
      #expect(command.status == 1, "before the write \(write) of \(writes): \(command.words)")
      #expect(try Night.counts(command) == wanted, "before the write \(write) of \(writes)")
    }
  }

  @Test("that had ended and are told of by a process that gets a signal: it says nothing, or how they ended")
  func signalWhileTelling() throws {
    let shop = try NightShop(seed: 9, orders: 20, hasStore: false)
    let count = TemporaryFolder()
    #expect(try shop.night().run(environment: Shim.counting(into: count.file("count"))).status == 1)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    /// A night whose run had ended, and was not told of.
    func untold(_ write: Int) throws -> Night? {
      let night = try shop.night()
      return try night.run(environment: Shim.killing(at: write)).output.isEmpty ? night : nil
    }
    let last = try #require(try (1..<writes).last { try untold($0) != nil })
    var told = 0
    for write in stride(from: 1, to: 80, by: 2) {
      guard let night = try untold(last) else { continue }
      let command = try night.run(environment: Shim.signalling(at: write, SIGTERM))
      guard !command.output.isEmpty else { continue }
      told += 1
      #expect(command.status == 1, "a signal before the write \(write): \(command.words)")
    }
    #expect(told > 0)
  }
}
