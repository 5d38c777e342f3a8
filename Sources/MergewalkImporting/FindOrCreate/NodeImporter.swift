import MergewalkObjectModel

/// The state that the importer keeps of one node from batch to batch.
final class NodeImporter {
  let node: Int
  let plan: ImportNode
  let entity: EntityDescription
  let role: Role
  /// How objects are found now.
  var finder: any Finder
  /// Whether the node is the target of a relationship within its own hierarchy.
  var isLateTarget = false
  /// Whether nothing is looked for before a second pass.
  var isPostponed = false
  /// Whether an index of the store begins with the key's columns.
  var isIndexed = true
  /// The slots of uniqueness constraints that changes can touch; `nil` until it is needed.
  var looseConstraints: [[Int]]?
  /// Whether an element whose object does not exist rejects its record; `nil` when relationships say so.
  var rejectsMissing: Bool?
  /// The primary key of the next object that this node creates in the current batch.
  var nextKey: Int64 = 0
  /// How finding began, for the summary: a table that outgrows its memory gives way to seeks.
  private(set) var firstFinderName: String
  var counts = ImportSummary.EntityCounts()
  /// The objects that records have named; `nil` where nothing is counted.
  ///
  /// Of other nodes than the records' own these are only objects that were there before the run.
  var named: NamedObjects?
  /// Notes the objects that records have changed, and the node's number there; `nil` where changes are not compared.
  var updates: (of: RepeatedUpdates, node: Int)?
  /// Keys that records of this run have named, by hash, for the policies `first` and `reject`, and for a filter that meets
  /// all keys; else `nil`.
  var seenKeys: SeenKeys?

  // Work lists of one batch.
  /// Records that create their object, in order.
  var inserts = ContiguousArray<Int32>()
  /// The last of the new rows, from the first one on whose relationships with two ends are not set yet.
  var unrelated = (row: 0, count: 0)
  /// Records whose object exists and may differ, in order, with its primary key.
  var applies = ContiguousArray<Apply>()
  /// Records to look for, sorted by their keys.
  var sorted = ContiguousArray<Int32>()
  /// The first record of each distinct key, sorted.
  var distinct = ContiguousArray<Int32>()
  var missingKeys = ContiguousArray<Int64>()

  /// A record whose object exists.
  struct Apply {
    var record: Int32
    var primaryKey: Int64
    /// Whether the record's object counts as unchanged if nothing changes.
    var counts: Bool
  }

  /// Whether each record whose object is found as it is counts, as those of the run's own do; of references only the first
  /// one to an object does that was there before, which ``named`` knows.
  var countsAll: Bool { role == .root }

  /// Puts a record on the list of those whose object exists and may differ.
  @inline(__always)
  func apply(_ record: Int, _ primaryKey: Int64) {
    applies.append(
      Apply(
        record: Int32(truncatingIfNeeded: record), primaryKey: primaryKey,
        counts: countsAll || named?.isFirst(primaryKey) ?? false))
  }

  /// Whether a record whose object is there is the first of the run with its key, as far as ``seenKeys`` are noted.
  ///
  /// Where only new objects are wanted, it is rejected for its object, and a rejected record is none to be repeated.
  @inline(__always)
  func isFirst(_ hash: UInt64) -> Bool {
    guard let seenKeys else { return true }
    return plan.mode == .insert ? !seenKeys.contains(hash) : seenKeys.noteFirst(hash)
  }

  /// Notes that a record has changed an object.
  ///
  /// - Parameter isUncounted: Whether the object would count as unchanged now if the record had not changed it.
  func noteUpdate(_ primaryKey: Int64, isUncounted: Bool) {
    if let updates { updates.of.note(primaryKey, node: updates.node, isUncounted: isUncounted) }
  }

  /// Whether an object of this entity is one of the node's.
  func takes(_ index: Int32) -> Bool { index >= entity.index && index <= entity.lastDescendantIndex }

  /// Begins with another way of finding than the one that was chosen.
  func start(_ finder: any Finder) {
    self.finder = finder
    firstFinderName = finder.name
  }

  /// Remembers what finding knows for ``undo()``.
  func mark() {
    seenKeys?.mark()
    if role != .root { named?.mark() }
    updates?.of.mark()
    finder.mark()
  }

  /// Forgets what finding has learnt since ``mark()``.
  func undo() {
    seenKeys?.undo()
    if role != .root { named?.undo() }
    updates?.of.undo()
    finder.undo()
  }

  init(node: Int, plan: ImportNode, entity: EntityDescription, role: Role, finder: any Finder) {
    self.node = node
    self.plan = plan
    self.entity = entity
    self.role = role
    self.finder = finder
    firstFinderName = finder.name
  }
}

/// The role of a node's objects for the records.
enum Role {
  /// The objects that the run's records stand for.
  case root
  /// The objects at the other end of a relationship of another node.
  case target
  /// The objects that the elements of a list stand for.
  case element
  /// An object that is known before anything is looked for: the owner of a list.
  case given

  /// Whether the outcome of a record is that of the node's object.
  @inline(__always) var settles: Bool { self == .root || self == .element }
}
