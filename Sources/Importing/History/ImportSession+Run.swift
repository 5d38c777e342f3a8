extension ImportSession {
  /// Mergewalk's version, as runs and summaries carry it.
  public static let version = "0.1.0"

  /// Imports everything, and notes the run in the table of runs when the definition asks for it.
  ///
  /// - Parameter progress: Is called after each batch, and when a stage begins.
  /// - Returns: What happened; its status says whether the store was changed.
  /// - Throws: ``ImportError``; the store is as it was.
  public func run(progress: ((ImportProgress) -> Void)? = nil) throws(ImportError) -> ImportSummary {
    let recorder = RunRecorder(definition, identity)
    let began = Self.now()
    var last = ImportProgress()
    do {
      var summary = try execute { step in
        last = step
        progress?(step)
      }
      summary.runID = identity.text
      summary.started = identity.started
      recorder?.finish(&summary)
      return summary
    } catch {
      var summary = ImportSummary()
      summary.seconds = Self.now() - began
      summary.read = last.records
      summary.rejected = last.rejects
      summary.bytesRead = last.bytes
      summary.peakResidentBytes = Self.peakResidentBytes()
      guard let reason = recorder?.fail(summary, error) else { throw error }
      throw ImportError(
        code: error.code, message: "\(error.message) (and \(reason))", diagnostics: error.diagnostics)
    }
  }
}
