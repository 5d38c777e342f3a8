import MergewalkBytes
import MergewalkDiagnostics

/// A point in time: the value of date attributes in typed access.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Seconds since 2001-01-01 00:00:00 UTC, as in stores.
  public var secondsSinceReferenceDate: Double

  /// Creates a point in time from seconds since 2001-01-01 00:00:00 UTC.
  public init(secondsSinceReferenceDate seconds: Double) { secondsSinceReferenceDate = seconds }

  /// Creates a point in time from seconds since 1970-01-01 00:00:00 UTC.
  public init(secondsSince1970 seconds: Double) {
    secondsSinceReferenceDate = seconds - Double(CivilDate.secondsTo2001)
  }

  /// Reads `2024-05-31T12:00:00Z` and the other forms used in models; `nil` for anything else.
  public init?(_ text: String) {
    guard let seconds = DateText.seconds(text) else { return nil }
    secondsSinceReferenceDate = seconds
  }

  /// Seconds since 1970-01-01 00:00:00 UTC.
  public var secondsSince1970: Double { secondsSinceReferenceDate + Double(CivilDate.secondsTo2001) }

  /// The current time.
  public static var now: Timestamp { Timestamp(secondsSince1970: SystemClock.sinceEpoch) }

  /// A later point in time, or an earlier one for negative seconds.
  public static func + (time: Timestamp, seconds: Double) -> Timestamp {
    Timestamp(secondsSinceReferenceDate: time.secondsSinceReferenceDate + seconds)
  }

  /// The seconds from one point in time to another.
  public static func - (later: Timestamp, earlier: Timestamp) -> Double {
    later.secondsSinceReferenceDate - earlier.secondsSinceReferenceDate
  }

  /// Whether one point in time comes before another.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.secondsSinceReferenceDate < right.secondsSinceReferenceDate
  }

  /// `YYYY-MM-DDThh:mm:ssZ` if that is exact, else the number of seconds.
  public var description: String { DateText.text(secondsSinceReferenceDate) ?? "\(secondsSinceReferenceDate) s" }
}
