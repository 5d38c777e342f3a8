import Foundation

/// The length of property tests: `MERGEWALK_SOAK=1` (`make soak`) gives them 50 times as many seeds.
public enum Soak {
  /// Whether this is a long run.
  public static let isOn = ProcessInfo.processInfo.environment["MERGEWALK_SOAK"] == "1"

  /// The seed of a test with one random path: always the same, unless `MERGEWALK_SEED` sets another one, and different
  /// in a long run.
  ///
  /// - Parameter usual: the seed of ordinary runs.
  public static func seed(_ usual: UInt64) -> UInt64 {
    if let given = ProcessInfo.processInfo.environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return given }
    return isOn ? UInt64.random(in: 0..<1_000_000_000) : usual
  }

  /// The seeds from `first` on: `count` of them, in a long run `long` of them, or 50 times as many.
  ///
  /// `MERGEWALK_FIRST_SEED` is added, so that long runs can try others.
  public static func seeds(_ count: Int, from first: UInt64 = 0, long: Int? = nil) -> Range<UInt64> {
    seeds(first..<first + UInt64(isOn ? long ?? 50 * count : count))
  }

  /// The seeds of a test of readers: `count` of them, or a third where these tests are not whole.
  public static func readerSeeds(_ count: Int) -> Range<UInt64> { seeds(readersAreWhole ? count : (count + 2) / 3) }

  /// Whether tests of readers have all their cases: in long runs, and optimized, as CI runs them under AddressSanitizer.
  ///
  /// Unoptimized they take too long, and ThreadSanitizer needs few of them.
  public static let readersAreWhole: Bool = {
    #if DEBUG
      return isOn
    #else
      return isOn || ProcessInfo.processInfo.environment["MERGEWALK_SANITIZE"]?.hasPrefix("thread") != true
    #endif
  }()

  /// The seeds of a range, shifted by `MERGEWALK_FIRST_SEED`; only the one that `MERGEWALK_SEED` names, if it names one.
  public static func seeds(_ range: Range<UInt64>) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let given = environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return given..<given + 1 }
    let offset = environment["MERGEWALK_FIRST_SEED"].flatMap(UInt64.init) ?? 0
    return range.lowerBound + offset..<range.upperBound + offset
  }
}
