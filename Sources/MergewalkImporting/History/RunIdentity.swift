import MergewalkBytes
import MergewalkDiagnostics

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
    let milliseconds = Int64((sane * 1000).rounded())
    let whole = (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000
    let time = CivilTime(secondsSince2001: whole - CivilDate.secondsTo2001)
    return "\(time.text).\(String(1000 + milliseconds - whole * 1000).dropFirst())Z"
  }
}
