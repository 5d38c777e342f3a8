public import MergewalkDiagnostics
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// Why a run could not be carried out; the store is as it was before.
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
    /// The run was told to stop while the database was at work on something that takes long; what was committed can be
    /// continued.
    case interrupted
    /// Another program has the store open and kept it open for as long as was to be waited.
    case storeBusy
    /// Another program has written to the store while the run was planned; nothing of the run is in it.
    case storeChanged
    /// A row that waited for the end of the run was refused; nothing of the run is in the store.
    case rowsRefused
    /// The rejects file cannot be written.
    case cannotWriteRejects
    /// The cursor that the store remembers is of another column.
    case cursorMismatch
    /// There is no unfinished run to resume.
    case nothingToResume
    /// An unfinished run cannot go on: its checkpoint is of another version, or its rejects file is gone.
    case cannotResume
    /// An unfinished run cannot go on: the pipeline or the model has changed.
    case pipelineChanged
    /// An unfinished run cannot go on: there are other input files.
    case inputsDiffer
    /// An unfinished run cannot go on: what was imported is no longer what the input begins with.
    case inputChanged
    /// An unfinished run cannot go on: an input has become shorter.
    case inputShorter
    /// An unfinished run cannot go on: an input has become longer, which the pipeline does not allow.
    case inputLonger
    /// The last finished run had the same inputs, and that is not to happen.
    case alreadyImported
    /// A temporary file cannot be used.
    case temporaryFile
    /// An external process failed, hung, or did not answer as agreed.
    case process
    /// A source is not as agreed.
    case contract
    /// The objects of a look-up need more memory than tables of keys may take.
    case lookupTooLarge
    /// A hook threw an error.
    case hook
    /// The records read are not those stored, replaced, skipped and rejected together: the run has lost some, and is
    /// rolled back.
    case countsDiffer
    /// The input has not as many records as were expected; nothing of the run is kept.
    case inputIncomplete
  }
  /// The kind of failure.
  public let code: Code
  /// The message: expected, found, and the cure.
  public let message: String
  /// The findings behind it, where there are any.
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
