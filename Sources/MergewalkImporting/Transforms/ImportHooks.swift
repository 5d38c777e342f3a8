/// Swift code that runs during an import, for users of the library.
///
/// Each closure is called on the reader's thread or on the thread that called ``ImportSession/run(progress:)``, as
/// documented; calls of one closure never overlap and follow the order of the input. A nil closure costs nothing.
public struct ImportHooks: Sendable {
  /// Called on the caller's thread before an import reads anything; an error ends the run and leaves the store
  /// unchanged.
  public var willBegin: (@Sendable (_ part: ImportPart) throws -> Void)?
  /// Called on the reader's thread with each batch, before conversion.
  public var batch: (@Sendable (_ batch: BatchInfo) -> Void)?
  /// Called on the reader's thread with each record that passes ``ImportPart/filter``; it may change, skip or reject
  /// the record.
  public var record: (@Sendable (_ record: inout RecordView) -> Void)?
  /// The columns that ``record`` sees and may change, including new ones.
  public var columns: [String] = []
  /// Those of ``columns`` that the source does not have.
  public var newColumns: Set<String> = []
  /// Called on the caller's thread when all records of an import have been written, before the run is final.
  public var didEnd: (@Sendable (_ part: ImportPart, _ counts: ImportSummary.PartCounts) throws -> Void)?

  /// Creates hooks that do nothing.
  public init() {}

  /// Whether batches have to be shown to hooks or processes.
  var seesBatches: Bool { batch != nil || record != nil }

  /// Facts about a batch, for a hook.
  public struct BatchInfo: Sendable {
    /// The path of the source.
    public var source: String
    /// The number of its records.
    public var records: Int
    /// The number of the first record in its file, from 1.
    public var firstRecord: Int
  }
}

/// One record in transit into the store, for a hook; valid during the call only.
public struct RecordView {
  /// The decision about the record.
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

  /// The text of a column; nil if the record has none.
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

  /// Skips the record; it counts as skipped.
  public mutating func skip() { decision = .skip }

  /// Rejects the record, with a sentence that gives the reason.
  public mutating func reject(_ reason: String) { decision = .reject(reason) }

  private func index(_ name: String) -> Int {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("the hooks do not list the column \(name)")
    }
    return index
  }
}
