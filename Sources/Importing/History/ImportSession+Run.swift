extension ImportSession {
  /// Mergewalk's version, as runs and summaries carry it.
  public static let version = "0.1.0"

  /// Imports everything, and notes the run in the table of runs when the definition asks for it.
  ///
  /// A run that an earlier process has not finished goes on, unless the definition's policy says otherwise.
  ///
  /// - Parameters:
  ///   - progress: Is called after each batch, and when a stage begins.
  ///   - shouldStop: Is asked after each batch, and while there is nothing to do. Once it says so, the batch is finished,
  ///     and a later run can go on behind it.
  ///   - report: Gets the summary when everything is durable, and before the store forgets that nobody has got it: when
  ///     a process ends before `report` returns, its successor calls it again, with the same counts.
  /// - Returns: What happened; its status says whether the store was changed.
  /// - Throws: ``ImportError``; the store is as it was before the call.
  public func run(
    progress: ((ImportProgress) -> Void)? = nil, shouldStop: (() -> Bool)? = nil,
    report: ((ImportSummary) -> Void)? = nil
  ) throws(ImportError) -> ImportSummary {
    let recorder = RunRecorder(definition)
    let began = Self.now()
    var last = ImportProgress()
    do {
      return try execute(
        progress: { step in
          last = step
          progress?(step)
        }, shouldStop: shouldStop,
        report: { summary in
          summary.runID = self.identity.text
          summary.started = self.identity.started
          recorder?.finish(&summary, self.identity)
          report?(summary)
        })
    } catch {
      var summary = ImportSummary()
      summary.seconds = Self.now() - began
      summary.read = last.records
      summary.rejected = last.rejects
      summary.bytesRead = last.bytes
      summary.peakResidentBytes = Self.peakResidentBytes()
      guard let reason = recorder?.fail(summary, identity, error) else { throw error }
      throw ImportError(
        code: error.code, message: "\(error.message) (and \(reason))", diagnostics: error.diagnostics)
    }
  }
}
