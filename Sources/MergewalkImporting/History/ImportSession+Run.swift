import MergewalkSystem
import MergewalkRecordFormats

extension ImportSession {
  /// Mergewalk's version, as in runs and summaries.
  public static let version = "0.1.0"

  /// Imports everything, and records the run in the table of runs if the definition requests it.
  ///
  /// An unfinished run of an earlier process is resumed, unless the definition's policy differs.
  ///
  /// - Parameters:
  ///   - progress: Called after each batch, and when a stage begins.
  ///   - shouldStop: Called after each batch, and while there is nothing to do. Once it returns `true`, the batch is
  ///     finished, and a later run can resume after it.
  ///   - report: Receives the summary when everything is durable, and before the store forgets that it was not
  ///     delivered: if the process ends before `report` returns, the next one calls it again with the same counts.
  /// - Returns: The summary; its status tells whether the store was changed.
  /// - Throws: ``ImportError``; the store is then unchanged.
  public func run(
    progress: ((ImportProgress) -> Void)? = nil, shouldStop: (() -> Bool)? = nil,
    report: ((ImportSummary) -> Void)? = nil
  ) throws(ImportError) -> ImportSummary {
    let recorder = RunRecorder(definition)
    let began = Self.now()
    var last = ImportProgress()
    do throws(ImportError) {
      return try planned(
        progress: { step in
          last = step
          progress?(step)
        }, shouldStop: shouldStop
      ) { summary, identity in
        summary.runID = identity.text
        summary.started = identity.started
        recorder?.finish(&summary, identity)
        report?(summary)
      }
    } catch {
      var summary = ImportSummary()
      summary.seconds = Self.now() - began
      summary.read = last.records
      summary.rejected = last.rejects
      summary.bytesRead = last.bytes
      summary.peakResidentBytes = peakResidentBytes()
      // Where no store can be, there is no place for its runs either, for the same reason.
      guard let reason = recorder?.fail(summary, identity, error), error.code != .cannotOpenStore else { throw error }
      throw ImportError(
        code: error.code, message: "\(error.message) (and \(reason))", diagnostics: error.diagnostics)
    }
  }

  /// How often a run is planned, at most, because others have written to the store meanwhile.
  private static let mostPlans = 3
  private static let writtenMeanwhile = "another program wrote to the store while the run was planned"

  /// Imports everything; when another process has written to the store since the run began, a second time or a third,
  /// and when rows that waited for the end were refused, once more without waiting.
  private func planned(
    progress: @escaping (ImportProgress) -> Void, shouldStop: (() -> Bool)?,
    report: @escaping (inout ImportSummary, RunIdentity) -> Void
  ) throws(ImportError) -> ImportSummary {
    var session = self
    var definition = definition
    var plans = 1
    var reasons: [String] = []
    while true {
      let identified = session
      for reason in reasons { session.summary.warn(RunWarning(.plannedAgain, reason)) }
      do throws(ImportError) {
        return try session.execute(progress: progress, shouldStop: shouldStop) { summary in
          report(&summary, identified.identity)
        }
      } catch {
        switch error.code {
        case .storeChanged where definition.policy.storeChanged == .again && plans < Self.mostPlans:
          plans += 1
          reasons.removeAll { $0.hasPrefix(Self.writtenMeanwhile) }
          reasons.append("\(Self.writtenMeanwhile); it was planned \(plans) times")
        case .rowsRefused where definition.policy.direct != .never:
          definition.policy.direct = .never
          reasons.append("a row that waited for the end of the run was refused; it was planned again without waiting")
        default: throw error
        }
        guard !definition.allSources.contains(where: \.isReadOnce), let next = try? ImportSession(definition) else {
          throw error
        }
        session = next
      }
    }
  }
}
