import ObjectModel
import ObjectStore

/// How the objects of one node are found, with what is known of them.
enum FindStrategy {
  /// Nothing is searched: mode `insert` where a uniqueness constraint is kept by a live index or there is none.
  case none
  /// All keys are in memory, with their bytes.
  case table(KeyTable)
  /// The table was empty when the run began: keys that were certainly not seen before are new; others are put off.
  case filter(KeyFilter)
  /// The hashes of all rows are in memory.
  case scan(ScanTable)
  /// One fetch of the batch's sorted keys.
  case seek
  /// All records make objects, and one fetch of their keys says which of them are superfluous.
  case deduplicate

  /// The name that summaries show.
  var name: String {
    switch self {
    case .none: "none"
    case .table: "table"
    case .filter: "filter"
    case .scan: "scan"
    case .seek: "seek"
    case .deduplicate: "deduplicate"
    }
  }
}

/// What the importer keeps of one node from batch to batch.
final class NodeState {
  let node: Int
  let part: ImportNode
  let entity: EntityDescription
  /// Whether the node is what the records stand for.
  let isRoot: Bool
  var strategy: FindStrategy
  /// Whether the node is the target of a relationship within its own hierarchy.
  var isLateTarget = false
  /// Whether nothing is looked for before a second pass.
  var isPostponed = false
  /// Whether the node is what the elements of a list stand for.
  var isElement = false
  /// Whether what became of a record is what became of this node's object.
  var settles: Bool { isRoot || isElement }
  /// Whether an index of the store begins with the key's columns.
  var isIndexed = true
  /// Whether objects are looked for among the members of their owners only.
  var isScoped = false
  /// The rows of the owners' members in the context, when ``isScoped``.
  var scopedRows = ContiguousArray<Int32>()
  /// Whether an element whose object is not there rejects its record; `nil` when relationships say so.
  var rejectsMissing: Bool?
  /// Whether a seek only looks which objects are there.
  var lookUpOnly = false
  /// The primary key of the next object that this node creates in the current batch.
  var nextKey: Int64 = 0
  /// How the strategy began, for the summary: a strategy may change when a table outgrows its memory.
  var firstStrategyName: String
  var counts = ImportSummary.EntityCounts()
  /// The objects that records have named; `nil` where nothing is counted.
  ///
  /// Of other nodes than the records' own these are only objects that were there before the run.
  var named: NamedObjects?
  /// What a partitioned scan found out about the records; `nil` when there was none.
  var verdicts: RecordVerdicts?
  /// Keys that records of this run have named, by hash, for the policies `first` and `reject`; else `nil`.
  var seenKeys: SeenKeys?
  /// Whether an object that is found was made in this run: the store was empty when it began.
  var foundMeansSeen = false

  // Work lists of one batch.
  /// Records that create their object, in order.
  var inserts = ContiguousArray<Int32>()
  /// Records whose object is there and may differ, in order, with its primary key.
  var applies = ContiguousArray<Apply>()
  /// Records to look for by key, and the same sorted.
  var wanted = ContiguousArray<Int32>()
  var sorted = ContiguousArray<Int32>()
  /// The first record of each distinct key, sorted.
  var distinct = ContiguousArray<Int32>()
  var missingKeys = ContiguousArray<Int64>()

  /// A record whose object is there.
  struct Apply {
    var record: Int32
    var primaryKey: Int64
    /// Whether the record's object counts as unchanged if nothing changes.
    var counts: Bool
  }

  /// Whether a record whose object is found as it is counts: each record of the run's own does, and of references the first
  /// one to an object that was there before.
  @inline(__always)
  func countsUnchanged(_ primaryKey: Int64) -> Bool { isRoot || named?.isFirst(primaryKey) ?? false }

  /// Puts a record on the list of those whose object is there and may differ.
  @inline(__always)
  func apply(_ record: Int, _ primaryKey: Int64) {
    applies.append(
      Apply(
        record: Int32(truncatingIfNeeded: record), primaryKey: primaryKey, counts: countsUnchanged(primaryKey)))
  }

  /// Whether an object of this entity is one of the node's.
  func takes(_ index: Int32) -> Bool { index >= entity.index && index <= entity.lastDescendantIndex }

  /// Whether the strategy meets every key of the run, so that repeated ones can be told.
  var seesAllKeys: Bool {
    switch strategy {
    case .table, .scan, .seek, .deduplicate: true
    case .none, .filter: false
    }
  }

  /// Remembers what finding knows for ``undo()``.
  ///
  /// - Parameter isLikely: Whether the database may refuse rows. If not, a filter is not asked to remember: its keys
  ///   are put off when they come again, which is slower and just as right.
  func mark(isLikely: Bool) {
    seenKeys?.mark()
    if !isRoot { named?.mark() }
    switch strategy {
    case .table(let table): table.mark()
    case .scan(let table): table.mark()
    case .filter(let filter): if isLikely { filter.mark() }
    case .none, .seek, .deduplicate: break
    }
  }

  /// Forgets what finding has learnt since ``mark(isLikely:)``.
  func undo() {
    seenKeys?.undo()
    if !isRoot { named?.undo() }
    switch strategy {
    case .table(let table): table.undo()
    case .scan(let table): table.undo()
    case .filter(let filter): filter.undo()
    case .none, .seek, .deduplicate: break
    }
  }

  /// Whether what is kept in memory has outgrown it.
  func isOverfull(memory: Int) -> Bool {
    switch strategy {
    case .table(let table): table.bytesInUse > memory
    case .scan(let table): table.bytesInUse > max(memory, table.firstBytes)
    default: false
    }
  }

  init(node: Int, part: ImportNode, entity: EntityDescription, isRoot: Bool, strategy: FindStrategy) {
    self.node = node
    self.part = part
    self.entity = entity
    self.isRoot = isRoot
    self.strategy = strategy
    firstStrategyName = strategy.name
  }
}
