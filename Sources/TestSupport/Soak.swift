import Foundation

/// How long property tests run: `MERGEWALK_SOAK=1` (`make soak`) gives them 50 times as many seeds.
public enum Soak {
  /// Whether this is a long run.
  public static let isOn = ProcessInfo.processInfo.environment["MERGEWALK_SOAK"] == "1"

  /// The seeds from `first` on: `count` of them, or 50 times as many in a long run.
  public static func seeds(_ count: Int, from first: UInt64 = 0) -> Range<UInt64> {
    first..<first + UInt64(count * (isOn ? 50 : 1))
  }
}
