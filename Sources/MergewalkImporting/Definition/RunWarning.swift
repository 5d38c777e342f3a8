public import MergewalkDiagnostics
import MergewalkObjectStore
package import MergewalkRecordFormats

/// A fact about the store, the inputs or an earlier run that the user should know but that stopped nothing.
///
/// A run reports warnings in its messages, its JSON, its log, its report, and the table of runs. They do not change the
/// exit code.
public struct RunWarning: Sendable, Hashable, CustomStringConvertible {
  /// The kind of warning.
  ///
  /// The list is closed: `docs/runs.md` describes every code, and a test checks that.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    // The store has, or gets, what an import does not keep up as Core Data would.
    case storeHistory
    case storeTriggers
    case storeCloud
    case uncertainComposite
    case unsupportedAttribute
    case unsupportedIndex
    case sameIndexName
    case missingIndex
    case derivedAttribute
    // An earlier run was not continued, or this one began again because the store had changed.
    case unfinishedDropped
    case plannedAgain
    case runNotNoted
    case filesNotRemoved
    // Objects that no record names stay all the same.
    case nothingDeleted
    // What the run has taken from objects that it deletes in the end.
    case lookupDeleted
    // Another pipeline has told the store how far its source has been read.
    case cursorOfAnother
    // The inputs are not as the pipeline expects them.
    case contractNewColumn
    case contractMissingColumn
    case contractType
    case neverMatched
    case uncertainDialect
    case emptyFile
    case unusedColumn
    case doubtfulEnd
    case doubtfulHeader
    // The pipeline, or its model, probably does not express the intention.
    case unusedVariable
    case unindexedKey
    case repeatedFile
    case misnamedFile
    case emptySpelling
    case sqlPattern
    case unsuitableOption
    case invalidVariable
    case doubtfulModel
    // A sum of the run is not what it should be, and nothing that was imported hangs on it.
    case textUncounted
    // Rejects of earlier runs still wait for their replay.
    case rejectsNotReplayed
    // The run is done, and not everyone could be told.
    case notNotified
  }

  /// The kind.
  public var code: Code
  /// One sentence without a full stop.
  public var message: String
  /// The path of the file concerned: a pipeline or an input; `nil` if it concerns the store or the run.
  public var file: String?
  /// The position in ``file``; `nil` if it concerns the whole file.
  public var position: SourcePosition?

  /// The message without what one run alone makes of its records, such as a likely name: runs over parts of one input
  /// find the same when this, the code and the place are the same.
  package var finding: String

  /// Creates a warning.
  public init(_ code: Code, _ message: String, file: String? = nil, position: SourcePosition? = nil) {
    self.code = code
    self.message = message
    finding = message
    self.file = position?.includedPath ?? file
    self.position = position.flatMap { $0.line > 0 ? $0 : nil }
  }

  /// The warning about what a finding that stops no run says of a pipeline, its model or its inputs; nil for what the run
  /// itself finds in the store that it opens, and for what the first records seem to lack: at its end the run knows.
  package init?(_ finding: Diagnostic) {
    if SchemaWarning.Code(rawValue: finding.code) != nil || finding.code == FindingCode.absentMember.rawValue {
      return nil
    }
    let message = [finding.message, finding.hint].compactMap { $0 }.joined(separator: "; ")
    let code = Code(rawValue: finding.code)
    // Models have more kinds of findings than runs have kinds of warnings.
    self.init(
      code ?? .doubtfulModel, code == nil ? "\(message) (\(finding.code))" : message, file: finding.path,
      position: finding.position)
  }

  /// The warnings about records that may be none: see the two that follow.
  package static func doubts(about batch: RecordBatch, _ source: ByteSource, isLastKept: Bool) -> [RunWarning] {
    [RunWarning(headerIn: batch, source), RunWarning(endOf: batch, source, isKept: isLastKept)].compactMap { $0 }
  }

  /// The warning that the last record of a file may be cut, or sum up the others; nil for a batch that does not say so.
  ///
  /// - Parameter isKept: whether the last record is imported.
  private init?(endOf batch: RecordBatch, _ source: ByteSource, isKept: Bool) {
    guard let record = batch.doubtfulEnd ?? (isKept ? batch.footer : nil) else { return nil }
    self.init(
      .doubtfulEnd,
      batch.doubtfulEnd != nil
        ? "the file ends right after the last delimiter of a record, without a line end, and other records have a value"
          + " there; if it was cut, fetch it again and import it once more"
        : "the last record of the file seems to sum up the others, and is imported like one of them; a condition of the"
          + " import (“where”) leaves it out",
      of: batch, source, at: record)
  }

  /// The warning that a record seems to be the header of another file; nil for a batch that has none.
  private init?(headerIn batch: RecordBatch, _ source: ByteSource) {
    guard let record = batch.doubtfulHeader else { return nil }
    self.init(
      .doubtfulHeader,
      "the record seems to be the header of another file, whose names differ a little; it and what follows are read as"
        + " records of this one: read each file by itself, or set “repeated_headers: record” if it is a record",
      of: batch, source, at: record)
  }

  private init(_ code: Code, _ message: String, of batch: RecordBatch, _ source: ByteSource, at record: RecordPosition)
  {
    self.init(
      code, message, file: ContractCheck.file(source.path, batch),
      position: SourcePosition(line: record.line, column: record.column, byteOffset: record.byteOffset))
  }

  /// The warning that readers do not account for all bytes of text; nil when they do.
  package init?(of text: TextAccount) {
    if text.isBalanced { return nil }
    self.init(
      .textUncounted,
      "of \(text.bytes) bytes of text \(text.recordBytes) belong to records and \(text.skipped.total.bytes) were passed"
        + " over: the reader of this format does not account for all of them")
  }

  /// ``file`` with the line and the column, if known; `nil` without a file.
  public var place: String? {
    guard let file else { return nil }
    return position.map { "\(file):\($0.line):\($0.column)" } ?? file
  }

  /// `message [code]`, after the location if there is one.
  public var description: String { (place.map { $0 + ": " } ?? "") + "\(message) [\(code.rawValue)]" }
}

extension RunWarning {
  init(_ warning: StoreWarning) {
    let code: Code =
      switch warning {
      case .history: .storeHistory
      case .coreDataTriggers: .storeTriggers
      case .cloudWithoutHistory: .storeCloud
      }
    self.init(code, warning.description)
  }

  init(_ warning: SchemaWarning) {
    let code: Code =
      switch warning.code {
      case .unsupportedAttribute: .unsupportedAttribute
      case .uncertainComposite: .uncertainComposite
      case .unsupportedIndex: .unsupportedIndex
      case .sameIndexName: .sameIndexName
      }
    self.init(code, "\(warning.entity).\(warning.property): \(warning.message)")
  }
}

extension ImportSummary {
  /// Adds a warning, unless it is there.
  package mutating func warn(_ warning: RunWarning) {
    if !warnings.contains(warning) { warnings.append(warning) }
  }
}
