import MergewalkImporting
import Synchronization
import Testing

@testable import mergewalk

@Suite("Figures") struct FiguresTests {
  @Test(
    "are rounded to the digits that are shown",
    arguments: [
      (0.0, 2, "0.00"), (0.004, 2, "0.00"), (0.005, 2, "0.01"), (0.006, 2, "0.01"), (1.994, 2, "1.99"),
      (1.996, 2, "2.00"), (9.96, 1, "10.0"), (9.94, 1, "9.9"), (0.5, 0, "1"), (0.49, 0, "0"), (1.5, 0, "2"),
      (-1.26, 1, "-1.3"), (-0.04, 1, "0.0"), (1.05, 2, "1.05"), (12.3, 3, "12.300"), (1e16, 2, "1e+16"),
    ])
  func fixed(value: Double, digits: Int, text: String) { #expect(Figures.fixed(value, digits: digits) == text) }

  @Test(
    arguments: [
      (0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (1126, "1.1 KiB"), (1 << 20, "1.0 MiB"),
      ((1 << 20) + (1 << 19), "1.5 MiB"), (1 << 40, "1.0 TiB"), (1 << 51, "2048.0 TiB"),
    ])
  func bytes(count: Int, text: String) { #expect(Figures.bytes(count) == text) }

  @Test(
    arguments: [
      (0.0, "0.00 s"), (0.126, "0.13 s"), (59.994, "59.99 s"), (60, "1:00"), (64.4, "1:04"), (64.5, "1:05"),
      (3599.4, "59:59"), (3599.5, "1:00:00"), (7384, "2:03:04"),
    ])
  func duration(seconds: Double, text: String) { #expect(Figures.duration(seconds) == text) }

  @Test(
    arguments: [(0.01, "1%"), (1.0, "100%"), (0.0005, "0.05%"), (0.0, "0%"), (0.1, "10%"), (0.333333333, "33.333333%")]
      as [(Double, String)])
  func share(ratio: Double, text: String) { #expect(Figures.share(ratio) == text) }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"), (100_000, "100,000")])
  func grouped(number: Int, text: String) { #expect(Figures.grouped(number) == text) }
}

@Suite("The clock of a run's display") struct RunMonitorTests {
  /// A clock that the test moves.
  private final class Clock: Sendable {
    private let seconds = Mutex(0.0)
    var now: Double {
      get { seconds.withLock { $0 } }
      set { seconds.withLock { $0 = newValue } }
    }
  }

  private final class Shown: Sendable {
    let list = Mutex<[(seconds: Double, rate: Double)]>([])
  }

  @Test("goes on between two batches, and the rate is that of the last three seconds")
  func clock() {
    let clock = Clock()
    let shown = Shown()
    let monitor = RunMonitor(
      show: { progress, rate in shown.list.withLock { $0.append((progress.seconds, rate)) } }, clock: { clock.now })
    var progress = ImportProgress()
    progress.seconds = 99
    // 100 records a second for ten seconds, then nothing.
    for second in 0...14 {
      clock.now = Double(second)
      progress.records = min(second, 10) * 100
      monitor.update(progress)
      monitor.look()
    }
    let list = shown.list.withLock { $0 }
    #expect(list.map(\.seconds) == (0...14).map(Double.init))
    #expect(list[0].rate == 0 && list[1].rate == 100 && list[10].rate == 100)
    #expect(list[11].rate == 200.0 / 3 && list[12].rate == 100.0 / 3 && list[13].rate == 0 && list[14].rate == 0)
    #expect(monitor.samples.map(\.seconds) == (0...14).map(Double.init))
    #expect(monitor.samples.map(\.records) == (0...14).map { min($0, 10) * 100 })
  }
}
