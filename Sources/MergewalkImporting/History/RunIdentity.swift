import MergewalkDiagnostics
import MergewalkSystem

/// The name of one run: its pipeline and the moment it began, to the millisecond.
///
/// The rejects file, the JSON result, the logs and the table of runs all carry ``text``.
package struct RunIdentity: Sendable, Hashable {
  package let pipeline: String
  /// When the run began, in seconds since 1970 UTC.
  package let started: Double

  /// Names a run of a pipeline that begins at a moment; now when none is given.
  package init(pipeline: String, started: Double? = nil) {
    self.pipeline = pipeline
    // Whole milliseconds, so that the text and the number say the same.
    self.started = started ?? (SystemClock.sinceEpoch * 1000).rounded(.down) / 1000
  }

  /// `orders@2024-01-31T12:00:00.123Z`.
  package var text: String { "\(pipeline)@\(Self.timestamp(started))" }

  /// A moment in UTC as ISO 8601 with milliseconds.
  ///
  /// - Parameter seconds: Seconds since 1970 UTC; what no calendar holds is the start of 1970.
  package static func timestamp(_ seconds: Double) -> String {
    let sane = seconds.isFinite && seconds.magnitude < 1e11 ? seconds : 0
    let milliseconds = Int((sane * 1000).rounded())
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    var time = rest < 0 ? whole - 1 : whole
    var parts = tm()
    gmtime_r(&time, &parts)
    func padded(_ value: Int, _ digits: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let date =
      "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
    let clock = "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
    return "\(date)T\(clock).\(padded(rest < 0 ? rest + 1000 : rest, 3))Z"
  }
}
