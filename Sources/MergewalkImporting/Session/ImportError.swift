public import MergewalkDiagnostics
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// The reason why a run failed; the store is unchanged.
public struct ImportError: Error, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The store cannot be opened or created.
    case cannotOpenStore
    /// The store was made with another version of the model.
    case incompatibleStore
    /// An input cannot be read.
    case cannotRead
    /// The database failed.
    case database
    /// The run was stopped during a long database operation; its committed work can be resumed.
    case interrupted
    /// Another program had the store open for longer than the allowed waiting time.
    case storeBusy
    /// Another program has written to the store while the run was planned; nothing of the run is in it.
    case storeChanged
    /// A row held back until the end of the run was refused; nothing of the run is in the store.
    case rowsRefused
    /// The rejects file cannot be written.
    case cannotWriteRejects
    /// The cursor in the store belongs to another column.
    case cursorMismatch
    /// There is no unfinished run to resume.
    case nothingToResume
    /// An unfinished run cannot be resumed: its checkpoint is of another version, or its rejects file is missing.
    case cannotResume
    /// An unfinished run cannot be resumed: the pipeline or the model has changed.
    case pipelineChanged
    /// An unfinished run cannot be resumed: there are other input files.
    case inputsDiffer
    /// An unfinished run cannot be resumed: the input no longer begins with the imported records.
    case inputChanged
    /// An unfinished run cannot be resumed: an input has become shorter.
    case inputShorter
    /// An unfinished run cannot be resumed: an input has become longer, which the pipeline does not allow.
    case inputLonger
    /// The last finished run had the same inputs, and the policy forbids importing them again.
    case alreadyImported
    /// A temporary file cannot be used.
    case temporaryFile
    /// An external process failed, hung, or violated the protocol.
    case process
    /// A source violates its contract.
    case contract
    /// The objects of a look-up need more memory than tables of keys may take.
    case lookupTooLarge
    /// A hook threw an error.
    case hook
    /// The records read do not equal those stored, replaced, skipped and rejected: the run has lost some, and is rolled
    /// back.
    case countsDiffer
    /// The input does not have the expected number of records; nothing of the run is kept.
    case inputIncomplete
  }
  /// The kind of failure.
  public let code: Code
  /// The message: expected, found, and the cure.
  public let message: String
  /// The findings behind it, if any.
  public let diagnostics: [Diagnostic]

  /// Creates an error.
  public init(code: Code, message: String, diagnostics: [Diagnostic] = []) {
    self.code = code
    self.message = message
    self.diagnostics = diagnostics
  }

  /// Whether the input is not the one that was expected, so that nothing of the run is worth keeping.
  var meansOtherInput: Bool {
    code == .inputIncomplete || diagnostics.contains { $0.code == ReadError.Code.checksumMismatch.rawValue }
  }

  /// A store that cannot be opened or created, with its place in the pipeline if it is named there; that another program
  /// has it is no mistake of the pipeline.
  init(opening error: StoreError, of definition: ImportDefinition, advice: String? = nil) {
    let code: Code =
      switch error.code {
      case .incompatibleModel: .incompatibleStore
      case .busy: .storeBusy
      default: .cannotOpenStore
      }
    var error = error
    error.model = definition.modelFile
    var findings: [Diagnostic] = []
    if code != .storeBusy, let path = definition.path, let place = definition.outputPlaces["store"] {
      findings.append(
        Diagnostic(
          .error, code: code.rawValue, path: path, position: place, message: "“\(error.path)”: \(error.message)",
          hint: advice ?? error.advice))
    }
    self.init(code: code, message: error.words + (advice.map { "; " + $0 } ?? ""), diagnostics: findings)
  }

  init(_ error: StoreError) {
    let code: Code =
      switch error.code {
      case .changedMeanwhile: .storeChanged
      case .refusedRows: .rowsRefused
      case .busy: .storeBusy
      default: .database
      }
    self.init(code: code, message: error.words)
  }
  /// The error of work that throws errors of several kinds.
  init(wrapping error: any Error) {
    switch error {
    case let error as ImportError: self = error
    case let error as StoreError: self.init(error)
    case let error as ReadError: self.init(error)
    default: self.init(code: .database, message: "\(error)")
    }
  }
  init(_ error: SaveError) { self.init(code: .database, message: error.message) }
  init(_ error: ReadError) {
    self.init(code: .cannotRead, message: error.description, diagnostics: [error.diagnostic])
  }

  /// The message.
  public var description: String { message }
}

/// Carries out calls of a store, whose errors end the run.
func storeErrors<Value>(_ body: () throws(StoreError) -> Value) throws(ImportError) -> Value {
  do { return try body() } catch { throw ImportError(error) }
}
