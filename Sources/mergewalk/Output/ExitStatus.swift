import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats

/// The exit codes of every command; `docs/exit-codes.md` describes them.
enum ExitStatus {
  /// All records were imported; lint and verify found no error.
  static let success = ExitCode(0)
  /// Finished with rejects inside the limits; lint or verify found errors.
  static let findings = ExitCode(1)
  /// Could not run, or not to its end; the store is as before.
  static let failure = ExitCode(2)
  /// Too many rejects: the whole run was rolled back and the store is as before.
  static let limitBreached = ExitCode(3)
  /// The run was told to stop; what was committed can be continued.
  static let interrupted = ExitCode(4)
  /// The run was refused: these inputs are imported already, or are not those that were begun with.
  static let refused = ExitCode(5)
  /// Another process holds the store or a database that is read, or has written to the store since the run began.
  static let busy = ExitCode(6)
  /// The work is done, but its result, its metrics or its report could not be written.
  static let outputLost = ExitCode(7)
  /// The command line cannot be understood (`EX_USAGE` of sysexits).
  static let usage = ExitCode(64)

  /// The code of a run's end.
  static func of(_ status: RunStatus) -> ExitCode { ExitCode(Int32(status.exitCode)) }

  /// The code of a command that could not use a store.
  static func of(_ error: StoreError.Code) -> ExitCode { error == .busy ? busy : failure }

  /// The code of a command that findings ended: ``busy`` if all that is in its way is another process.
  static func of(_ findings: DiagnosticList) -> ExitCode {
    let held = [StoreError.Code.busy.rawValue, ReadError.Code.locked.rawValue]
    let errors = findings.diagnostics.filter { $0.severity == .error }
    return !errors.isEmpty && errors.allSatisfy { held.contains($0.code) } ? busy : failure
  }

  /// The code of a command that looks for mistakes; nil if it has found no error.
  static func ofCheck(_ findings: [Diagnostic]) -> ExitCode? {
    guard findings.contains(where: { $0.severity == .error }) else { return nil }
    return of(DiagnosticList(findings)) == busy ? busy : self.findings
  }

  /// The code of a run that did not come to its end.
  static func of(_ error: ImportError) -> ExitCode {
    switch error.code {
    case .storeBusy, .storeChanged: busy
    case .cannotRead: of(DiagnosticList(error.diagnostics))
    case .interrupted: interrupted
    case .nothingToResume, .cannotResume, .pipelineChanged, .inputsDiffer, .inputChanged, .inputShorter, .inputLonger,
      .alreadyImported, .cursorMismatch:
      refused
    case .cannotOpenStore, .incompatibleStore, .database, .cannotWriteRejects, .temporaryFile, .process,
      .contract, .lookupTooLarge, .hook, .countsDiffer, .inputIncomplete, .rowsRefused:
      failure
    }
  }

  /// The table that help shows.
  static let help = """
    EXIT CODES
      0   everything was imported
      1   finished; some records were rejected, within the limits
      2   could not run, or failed; the store is unchanged
      3   too many rejects; the whole run was rolled back, and the store is unchanged
      4   stopped by a signal; the next run resumes
      5   refused: the inputs were already imported, or differ from those of the unfinished run
      6   another process holds the store or a database, or wrote to the store meanwhile; nothing of the run is in it
      7   done, but the result, the metrics or the report could not be written
      64  the command line is wrong
    """
}
