import MergewalkImporting
import Testing

extension ImportDefinition {
  /// Runs, or is stopped and then resumed.
  ///
  /// - Parameter stop: The batch behind which the run is stopped; `nil` for none.
  func run(stop: Int?) throws -> ImportSummary {
    guard let stop else { return try ImportSession(self).run() }
    var seen = 0
    let stopped = try ImportSession(self).run(
      progress: { if $0.stage == .records { seen += 1 } }, shouldStop: { seen >= stop })
    #expect(stopped.status == .interrupted)
    let summary = try ImportSession(self).run()
    #expect(summary.resumedAfter ?? 0 > 0)
    return summary
  }
}
