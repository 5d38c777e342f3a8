import MergewalkObjectStore
import MergewalkRecordFormats

/// A batch of records in transit into the store: what the reader core hands to the writer core.
///
/// All arrays have one entry a record unless they say otherwise. A batch is made once and filled many times.
struct ImportBatch: Sendable {
  /// The records; the cells of ``columns`` refer to its bytes.
  var records = RecordBatch()
  /// One column of cells for each field of the plan.
  var columns: [CellColumn]
  /// How many values were read and replaced, as they were converted.
  var values = ValueCounts()
  /// For records that come back without their fields why each value was replaced: for each field of the plan one
  /// ``FieldTally/Replacement/index`` and 1 a record, and 0 for none.
  var replacements: [ContiguousArray<UInt8>] = []
  /// Whether the values for targets that are not there are counted among those that were replaced.
  var countsMissing = false
  /// Values that did not convert or are not valid, by record.
  var failures: [FieldFailure] = []
  /// Records that are refused for other reasons before they reach the store.
  var refusals: [RecordReject] = []
  /// The results of the transforms; empty without transforms.
  var transformed = TransformedRecords()
  /// Whether the record has a failure, is refused or skipped.
  var hasFailed = ContiguousArray<Bool>()
  /// Whether the record is before the cursor of `since`; empty when none can be.
  var isBeforeCursor = ContiguousArray<Bool>()
  /// The state of each node's object.
  var nodes: [NodeColumns]
  /// Bytes of input read up to the end of this batch.
  var bytesRead = 0
  /// How far the part's inputs have been read at the end of this batch.
  var position = InputPosition()
  /// Whether an earlier process has imported the records.
  var wasImported = false
  /// The names of all columns of the file, where it has a header.
  var header: [String] = []
  /// Seconds that reading the records took.
  var readSeconds = 0.0
  /// Seconds that converting them took.
  var convertSeconds = 0.0
  /// Whether everything above follows from the records already.
  var isPrepared = false
  /// The texts of each list of the plan, for records that come back without their fields: the ``FieldState`` of each and
  /// its bytes.
  var listTexts: [CellColumn] = []
  /// The elements of each list of the plan.
  var lists: [ListBatch]

  /// Whether there is nothing but text that was skipped.
  var isEmpty: Bool { records.recordCount == 0 && records.errors.isEmpty }

  /// Whether the last record is neither refused nor left out before the store is asked; nil without one.
  var keepsLast: Bool? {
    let last = records.recordCount - 1
    return hasFailed.indices.contains(last) ? !hasFailed[last] : nil
  }

  /// Whether a record names an object of a node.
  enum KeyState {
    static let usable: UInt8 = 0
    /// A part of the key is null.
    static let null: UInt8 = 1
    /// A part of the key is the empty string.
    static let empty: UInt8 = 2
    /// A part of the key is absent, and the others are values: the record does not speak of the object.
    static let absent: UInt8 = 3
    /// It names one that is not there, and the relationship is set to nothing.
    static let missing: UInt8 = 4

    /// Whether a record in such a state names an object, which need not be there.
    static func isName(_ state: UInt8) -> Bool { state == usable || state == missing }
  }

  init(plan: ImportPlan) {
    columns = Array(repeating: CellColumn(), count: plan.fields.count)
    nodes = Array(repeating: NodeColumns(), count: plan.nodes.count)
    lists = plan.lists.compactMap { ListBatch($0) }
  }
}

/// The data that a batch's records give for the objects of one node: one entry a record in each array.
struct NodeColumns: Sendable {
  /// The target of a record that does not speak of it: an existing object keeps what it refers to.
  static let unspecified: Int64 = -1

  /// Whether the record names an object.
  var keyStates = ContiguousArray<UInt8>()
  var keyHashes = ContiguousArray<UInt64>()
  /// The hash of key and attributes, 0 when a cell is absent; relationships are chained on by the writer.
  var contentHashes = ContiguousArray<UInt64>()
  /// The primary key of the record's object; filled by the writer.
  ///
  /// 0 for none, ``unspecified`` where a relationship to it stays as it is.
  var targets = ContiguousArray<Int64>()
  /// The entity of that object, -1 for the node's own; empty unless the entity has subentities.
  var targetEntities = ContiguousArray<Int32>()
  /// How the references of records that have waited were counted (``ReferenceCount``); empty for all others.
  var counted = ContiguousArray<UInt8>()
}

/// How a reference of a record was counted when the record came.
enum ReferenceCount: UInt8 {
  case nothing, found, missing

  /// - Parameters:
  ///   - state: one of ``ImportBatch/KeyState``.
  ///   - target: the primary key of the target, if any.
  init(state: UInt8, target: Int64) {
    switch state {
    case ImportBatch.KeyState.usable: self = target > 0 ? .found : .missing
    case ImportBatch.KeyState.missing: self = .missing
    default: self = .nothing
    }
  }
}

extension ContiguousArray {
  /// Makes the array hold `count` times `value`; keeps its memory.
  mutating func fill(_ value: Element, count: Int) {
    removeAll(keepingCapacity: true)
    append(contentsOf: repeatElement(value, count: count))
  }
}
