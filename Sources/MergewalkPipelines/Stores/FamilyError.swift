public import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats

/// The reason why an operation on a family of stores failed.
public struct FamilyError: Error, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The pipeline, or a file that it names, has mistakes.
    case invalidPipeline
    /// There is no plan in the folder.
    case notPlanned
    /// The inputs, or the split records, have changed since the plan.
    case inputChanged
    /// The plan was made by another version, pipeline or model.
    case otherPlan
    /// Stores are missing, or differ from their receipts.
    case incomplete
    /// The records read do not equal those stored, skipped and rejected.
    case countsDiffer
    /// Too many records were rejected.
    case limitBreached
    /// The path of a store is occupied by something that the family has not created.
    case occupied
    /// Another process is planning or committing.
    case busy
    /// A source differs from its schema contract.
    case contract
    /// A file cannot be read or written, or the run of a part failed.
    case failed
  }

  /// The kind of failure.
  public let code: Code
  /// The message: found, expected, and the cure.
  public let message: String
  /// The findings behind it, if any.
  public let diagnostics: [Diagnostic]

  init(_ code: Code, _ message: String, diagnostics: [Diagnostic] = []) {
    self.code = code
    self.message = message
    self.diagnostics = diagnostics
  }

  init(_ list: DiagnosticList) {
    self.init(.invalidPipeline, list.description, diagnostics: list.diagnostics)
  }

  init(_ error: StoreError) { self.init(.failed, error.words) }

  init(_ error: ReadError) {
    let isOther = error.code == .fileChanged || error.code == .checksumMismatch
    self.init(isOther ? .inputChanged : .failed, error.description, diagnostics: [error.diagnostic])
  }

  /// The error that keeps a task from reading the records that were split off for it.
  init(spool error: ReadError) {
    let message = error.code == .notFound ? "the split records are missing" : error.message
    self.init(.inputChanged, "\(error.path): \(message); plan the family again")
  }

  init(_ error: RejectWriterError) { self.init(.failed, error.description) }

  init(_ error: ImportError) {
    let codes = [ReadError.Code.fileChanged.rawValue, ReadError.Code.checksumMismatch.rawValue]
    let isOther = error.diagnostics.contains { codes.contains($0.code) }
    let code: Code =
      switch error.code {
      case .countsDiffer: .countsDiffer
      case .contract: .contract
      default: .failed
      }
    self.init(isOther ? .inputChanged : code, error.message, diagnostics: error.diagnostics)
  }

  /// `message [code]`.
  public var description: String { "\(message) [\(code.rawValue)]" }
}
