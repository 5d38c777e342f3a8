/// Swift code that takes part in an import: for users of the library.
///
/// Every closure may be called on the reader's thread or on the thread that called ``ImportSession/run(progress:)``, as
/// each says; calls of one closure never overlap and follow the order of the input. A closure that is nil costs
/// nothing.
public struct ImportHooks: Sendable {
  /// Is called on the caller's thread before anything of an import is read; an error that it throws ends the run and
  /// leaves the store as it was.
  public var willBegin: (@Sendable (_ part: ImportPart) throws -> Void)?
  /// Is called on the reader's thread with each batch, before conversion.
  public var batch: (@Sendable (_ batch: BatchInfo) -> Void)?
  /// Is called on the reader's thread with each record that ``ImportPart/filter`` lets through; it may change, skip or
  /// reject the record.
  public var record: (@Sendable (_ record: inout RecordView) -> Void)?
  /// The columns that ``record`` sees and may change, also new ones.
  public var columns: [String] = []
  /// Those of ``columns`` that the source does not have.
  public var newColumns: Set<String> = []
  /// Is called on the caller's thread when an import's records are all written, but before the run is final.
  public var didEnd: (@Sendable (_ part: ImportPart, _ counts: ImportSummary.PartCounts) throws -> Void)?

  /// Creates hooks that do nothing.
  public init() {}

  /// Whether batches have to be shown to hooks or processes.
  var seesBatches: Bool { batch != nil || record != nil }

  /// The facts that a hook learns of a batch.
  public struct BatchInfo: Sendable {
    /// The path of the source.
    public var source: String
    /// The number of records in it.
    public var records: Int
    /// The number of the first record in its file, from 1.
    public var firstRecord: Int
  }
}

/// One record on its way into the store, as a hook sees it; valid during the call only.
public struct RecordView {
  /// What becomes of the record.
  enum Decision {
    case take
    case skip
    case reject(String)
  }

  /// The record's number in its file, from 1.
  public let number: Int
  /// The line on which it begins.
  public let line: Int
  private let names: [String]
  private(set) var values: [String?]
  private(set) var changed: [Bool]
  private(set) var decision = Decision.take

  init(number: Int, line: Int, names: [String], values: [String?]) {
    self.number = number
    self.line = line
    self.names = names
    self.values = values
    changed = Array(repeating: false, count: names.count)
  }

  /// The text of a column; nil when the record has none.
  ///
  /// - Precondition: the column is one of ``ImportHooks/columns``.
  public subscript(_ name: String) -> String? {
    get { values[index(name)] }
    set {
      let index = index(name)
      values[index] = newValue
      changed[index] = true
    }
  }

  /// Leaves the record out; it counts as skipped.
  public mutating func skip() { decision = .skip }

  /// Rejects the record, with a sentence that says why.
  public mutating func reject(_ reason: String) { decision = .reject(reason) }

  private func index(_ name: String) -> Int {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("the hooks do not list the column \(name)")
    }
    return index
  }
}
