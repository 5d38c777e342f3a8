import Foundation
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("No store kills a process, whatever is in it")
struct CorruptedStoreTests {
  /// One of so many cases, each a process of its own.
  private static let firsts = stride(from: 1 as UInt64, to: Soak.isOn ? 2000 : 20, by: 5).map { $0 }
  /// `MERGEWALK_SEED`: one seed in this process, so that a signal comes with its place.
  private static let given = ProcessInfo.processInfo.environment["MERGEWALK_SEED"].flatMap(UInt64.init)

  @Test("stores with wrong values are read, changed and saved without a signal", arguments: given == nil ? firsts : [])
  func survives(_ first: UInt64) async {
    await #expect(processExitsWith: .success) { [first = first as UInt64] in
      for seed in first..<first + 5 { try Self.use(seed) }
    }
  }

  @Test("many of them can still be opened, and their objects be read")
  func opened() throws {
    var (opened, found) = (0, 0)
    for seed in 1..<21 as Range<UInt64> {
      let use = try RandomUse(seed: seed)
      try use.fill()
      _ = try use.corrupt(1 + use.number(6))
      let coordinator = PersistentStoreCoordinator(model: use.model)
      guard (try? use.open(coordinator, use.path)) != nil else { continue }
      opened += 1
      found += (try? ManagedObjectContext(coordinator: coordinator).fetchAll("UsedUnit").count) ?? 0
      try coordinator.close()
    }
    #expect(opened >= 7 && found >= 20, "\(opened) stores, \(found) objects")
  }

  @Test("one such store", .enabled(if: given != nil))
  func one() throws { try Self.use(try #require(Self.given)) }

  private static func use(_ seed: UInt64) throws {
    let use = try RandomUse(seed: seed)
    try use.fill()
    let done = try use.corrupt(1 + use.number(6))
    if given != nil { print("seed \(seed): \(done.joined(separator: "; "))") }
    try? use.readEverything()
    use.run(steps: 60, meddles: false)
  }
}
