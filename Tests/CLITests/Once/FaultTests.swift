import Foundation
import MergewalkTestSupport
import Testing

/// Writes that fail, one at a time and for good: the store is sound, the exit code is not 0, and a later run brings
/// what an undisturbed one brings.
@Suite("Disks that fail", .enabled(if: Shim.isThere), .serialized)
struct FaultTests {
  private static let points = Soak.isOn ? 150 : 8

  private func fail(_ shop: NightShop, seed: UInt64, _ error: Int32, stays: Bool) throws {
    let reference = try shop.night()
    let count = TemporaryFolder()
    let undisturbed = try reference.run(environment: Shim.counting(into: count.file("count")))
    #expect(undisturbed.status == 1, "\(undisturbed.words)")
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    let wanted = try (counts: Night.counts(undisturbed), state: reference.state())
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Self.points {
      let point = Int.random(in: 1...writes, using: &generator)
      let night = try shop.night()
      let command = try night.run(environment: Shim.failing(at: point, error, stays: stays))
      let place: Comment = "seed \(seed), write \(point) of \(writes) fails with \(error): \(command.words)"
      // A run that is told of before the fault is not told of again.
      let isTold = command.output.contains("\"completed")
      #expect(command.status == (isTold ? 1 : 2), place)
      if !isTold {
        let next = try night.run()
        #expect(next.status == 1, "\(place)\n\(next.words)")
        #expect(try Night.counts(next) == wanted.counts, place)
      }
      let state = try night.state()
      #expect(state.isIntact, place)
      #expect(state.rejects == wanted.state.rejects, place)
      #expect(state.tables.keys == wanted.state.tables.keys, place)
      for (name, rows) in wanted.state.tables where name != "Z_METADATA" || (!isTold && shop.hasStore) {
        #expect(state.tables[name] == rows, "\(name): \(place)")
      }
    }
  }

  @Test("with a full disk, in an existing store")
  func fullDisk() throws {
    let seed = Soak.seed(4111)
    try fail(try NightShop(seed: seed), seed: seed, ENOSPC, stays: true)
  }

  @Test("with one error, in an existing store")
  func oneError() throws {
    let seed = Soak.seed(4112)
    try fail(try NightShop(seed: seed), seed: seed, EIO, stays: false)
  }

  @Test("while a new store is built", arguments: [true, false], ["never", "always"])
  func newStore(stays: Bool, direct: String) throws {
    let seed = Soak.seed(4113)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.extra = "rejects: rejects.ndjson\ndirect: \(direct)"
    try fail(shop, seed: seed, ENOSPC, stays: stays)
  }

  @Test("at the end of a new store: where the run fails there is none", arguments: ["never", "always"])
  func endOfNewStore(direct: String) throws {
    let seed = Soak.seed(4116)
    var shop = try NightShop(seed: seed, hasStore: false)
    shop.extra = "rejects: rejects.ndjson\ndirect: \(direct)"
    let reference = try shop.night()
    let count = TemporaryFolder()
    #expect(try reference.run(environment: Shim.counting(into: count.file("count"))).status == 1)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    for point in max(1, writes - 40)...writes {
      let night = try shop.night()
      let command = try night.run(environment: Shim.failing(at: point, EIO))
      let isThere = FileManager.default.fileExists(atPath: night.folder.file("shop.sqlite"))
      let place: Comment = "seed \(seed), write \(point) of \(writes) fails: \(command.words)"
      #expect(command.status == (isThere ? 1 : 2), place)
    }
  }

  @Test("after the run went on: what an earlier process has done stays")
  func resumed() throws {
    let shop = try NightShop(seed: 21)
    let reference = try shop.night()
    let count = TemporaryFolder()
    _ = try reference.run(environment: Shim.counting(into: count.file("count")))
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    let night = try shop.night()
    try night.runHalf(of: writes)
    let failed = try night.run(environment: Shim.failing(at: 40, ENOSPC, stays: true))
    #expect(failed.status == 2, "\(failed.words)")
    let command = try night.run()
    #expect(command.status == 1, "\(command.words)")
    #expect((try command.object()["resumed_after"] as? Int ?? 0) > 0)
    #expect(try night.state() == reference.state())
  }

  @Test("when the plan of a run that the store has cannot be removed: all say so until it is cleaned")
  func planStays() throws {
    let shop = try NightShop(seed: 9, orders: 60)
    let trace = TemporaryFolder()
    let reference = try shop.night()
    _ = try reference.run(environment: Shim.tracing(into: trace.file("trace")))
    let calls = try String(contentsOfFile: trace.file("trace"), encoding: .utf8).split(separator: "\n")
    let call = try #require(calls.last { $0.contains(" unlink ") && $0.contains("plan-") && $0.contains("-wal ") })
    let number = try #require(Int(call.prefix { $0 != " " }))
    let night = try shop.night()
    let run = try night.run(environment: Shim.failing(at: number, EIO))
    #expect(run.status == 1, "\(run.words)")
    let warnings = try run.warnings()
    #expect(warnings.contains { $0.hasPrefix("filesNotRemoved: the store has the whole run") }, "\(warnings)")
    func ask(_ arguments: String...) throws -> Command { try Command(arguments, in: night.folder.path) }
    #expect(try ask("store", "verify", "shop.sqlite").output.contains("[outdatedPlan]"))
    #expect(try (ask("store", "info", "shop.sqlite", "--json").object()["outdated_plans"] as? [String])?.count == 1)
    let next = TemporaryFolder()
    try FileManager.default.copyItem(atPath: night.folder.path, toPath: next.file("copy"))
    #expect(try ask("store", "clean", "shop.sqlite").output.contains("outdated plan: "))
    #expect(try night.state() == reference.state())
    // The next run is of another night, and begins without a word about this one.
    let again = try Command(["run", "p.yaml", "--json", "--quiet"], in: next.file("copy"))
    #expect(again.status == 1, "\(again.words)")
    #expect(try !again.warnings().contains { $0.hasPrefix("unfinishedDropped") }, "\(again.words)")
    let names = try FileManager.default.contentsOfDirectory(atPath: next.file("copy"))
    #expect(!names.contains { $0.contains(".mergewalk-plan") }, "\(names)")
  }

  @Test("when rejects go to a device that takes nothing")
  func fullDevice() throws {
    var shop = try NightShop(seed: 5, orders: 60)
    shop.extra = "rejects: /dev/full"
    let night = try shop.night()
    let before = try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite")))
    let command = try night.run()
    #expect(command.status == 2)
    #expect(command.words.contains("/dev/full cannot be written"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite"))) == before)
  }

  @Test("where nothing may be written, and the words say so", arguments: ["shop.sqlite", "."])
  func readOnly(what: String) throws {
    let night = try NightShop(seed: 5, orders: 60).night()
    let before = try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite")))
    // The superuser may write everywhere, so it is somebody else who tries.
    let command = try Command.shell(
      """
      chmod -R a+rwX . && chmod a-w \(what) || exit 99
      if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
      $as "$MERGEWALK" run p.yaml --no-history --quiet; status=$?; chmod u+w \(what); exit $status
      """, in: night.folder.path)
    #expect(command.status == 2, "\(command.words)")
    #expect(command.words.contains("cannot be written: Permission denied"), "\(command.words)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: night.folder.file("shop.sqlite"))) == before)
  }

  @Test("when a file may not grow beyond a size")
  func fileSize() throws {
    let night = try NightShop(seed: 5).night()
    let size = try FileManager.default.attributesOfItem(atPath: night.folder.file("shop.sqlite"))[.size] as? Int ?? 0
    // The log of the whole night is longer than this.
    let command = try Command.shell(
      "trap '' XFSZ; ulimit -f \(size / 1024); $MERGEWALK run p.yaml --json --quiet", in: night.folder.path)
    #expect(command.status == 2, "\(command.words)")
    #expect(try night.run().status == 1)
    let reference = try NightShop(seed: 5).night()
    _ = try reference.run()
    let (state, wanted) = (try night.state(), try reference.state())
    #expect(state.isIntact && state.rejects == wanted.rejects)
    #expect(state.tables["ZORDER"]?.count == wanted.tables["ZORDER"]?.count)
  }
}
