import MergewalkTestSupport
import Testing

@Suite("No order of operations kills a process")
struct RandomUseTests {
  /// One of so many cases, each a process of its own; `MERGEWALK_SEED` says the first one's first seed.
  private static let seedsPerCase: UInt64 = 5
  private static let firsts: [UInt64] = {
    let first = Soak.seed(1)
    return (0..<(Soak.isOn ? 200 : 6)).map { first + $0 * seedsPerCase }
  }()

  @Test("random programs end without a signal", arguments: firsts)
  func survives(_ first: UInt64) async {
    await #expect(processExitsWith: .success) { [first = first as UInt64] in
      for seed in first..<first + 5 {
        try RandomUse(seed: seed).run(steps: 200, meddles: seed % 2 == 1)
      }
    }
  }
}
