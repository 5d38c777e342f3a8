/// A strategy for finding the objects that records name: one object for each node, called once per batch.
///
/// Advice for the next developer:
/// 1. A finder decides nothing about records: it reports which objects exist, and ``BatchImporter`` decides by mode and
///    policy (`mayInsert`, `mayRepeat`, `mayUpdate`, in this order). All finders give the same result.
/// 2. It is dispatched once per batch; the loop over records is in the finder, with concrete types.
/// 3. Results learned within an attempt are dropped in ``undo()``: a batch with a refused row is tried again in halves.
/// 4. Results that are not in the store yet, such as planned decisions, belong in front of a finder's look into the
///    store: in ``find(_:_:_:)`` and ``lookUp(_:_:_:_:_:)``, nowhere else.
/// 5. A finder that keeps data for each row or record reports its size in ``bytesInUse``, so that it can be replaced by
///    seeks.
protocol Finder: AnyObject {
  /// The name that summaries show.
  var name: String { get }
  /// Memory in use, in bytes, as far as it grows with rows or records.
  var bytesInUse: Int { get }
  /// The memory that it was given to begin with, in bytes, whatever the limit.
  var firstBytes: Int { get }
  /// Whether it meets every key of the run, so that repeated ones can be told.
  var meetsAllKeys: Bool { get }
  /// Whether it looks for keys before it lets objects be made; if not, an index of the store has to refuse them.
  var looksForKeys: Bool { get }
  /// Whether it keeps keys with their objects in memory, which does not hold when objects go.
  var keepsKeys: Bool { get }
  /// Where keys are looked for, which decides whether new and changed rows may wait for the end of the run.
  var search: KeySearch { get }
  /// Whether it asks the store once for a batch as a whole.
  var fetchesBatches: Bool { get }
  /// Whether it finds by an index of the store.
  var usesIndex: Bool { get }
  /// Whether a row that it finds may have another key than the record, with the same hash.
  var findsByHash: Bool { get }

  /// Decides the outcome of the wanted records: notes targets, and puts records on the node's lists of those that
  /// create their objects and of those whose objects may change.
  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) throws(ImportError)
  /// Gives the records whose objects exist with the primary keys of these, and does nothing to them.
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) throws(ImportError)
  func forgetContents(where isMeant: (_ primaryKey: Int64) -> Bool)
  /// Makes the object of a row look as if its content were unknown.
  func forgetContent(of row: StoredKey, _ importer: BatchImporter)
  /// Remembers what it knows for ``undo()``.
  func mark()
  /// Forgets what it has learnt since ``mark()``; a filter is told which keys these are.
  func undo()
}

extension Finder {
  var bytesInUse: Int { 0 }
  var firstBytes: Int { 0 }
  var meetsAllKeys: Bool { true }
  var looksForKeys: Bool { true }
  var keepsKeys: Bool { false }
  var search: KeySearch { keepsKeys ? .memory : .store }
  var fetchesBatches: Bool { false }
  var usesIndex: Bool { false }
  var findsByHash: Bool { false }

  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) throws(ImportError) { try importer.lookUpBySeek(records, state, view, body) }
  func forgetContents(where isMeant: (_ primaryKey: Int64) -> Bool) {}
  func forgetContent(of row: StoredKey, _ importer: BatchImporter) {}
  func mark() {}
  func undo() {}

  /// Whether what is kept in memory has outgrown it.
  func isOverfull(memory: Int) -> Bool { bytesInUse > max(memory, firstBytes) }
}

/// Nothing is searched: the mode inserts everything, or nothing is looked for any more.
final class NoFinder: Finder {
  var name: String { "none" }
  var meetsAllKeys: Bool { false }
  var looksForKeys: Bool { false }

  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    importer.startKeys(state)
    for record in view.records where view.outcomes[record] == .pending { importer.create(record, state, view) }
  }
}

/// The table was empty when the run began: keys that were certainly not seen before are new; others are put off.
extension KeyFilter: Finder {
  var name: String { "filter" }

  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    let node = view.nodes[state.node]
    importer.startKeys(state)
    if let seen = state.seenKeys { return find(among: seen, state, view, importer) }
    let last = view.records.upperBound - 1
    for record in view.records {
      // The filter is larger than the processor's caches.
      willTest(node.keyHashes[min(record + 48, last)])
      guard view.isWanted(record, node) else { continue }
      if testAndInsert(node.keyHashes[record]) {
        view.outcomes[record] = .deferred
      } else if importer.mayInsert(record, state, view) {
        importer.create(record, state, view)
      }
    }
  }

  /// Rejects the records at once that repeat a key: the targets of those that are put off would be filled already.
  private func find(among seen: SeenKeys, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    let node = view.nodes[state.node]
    for record in view.records where view.isWanted(record, node) {
      if seen.noteFirst(node.keyHashes[record]) {
        if importer.mayInsert(record, state, view) { importer.create(record, state, view) }
      } else {
        state.counts.duplicates += 1
        if importer.mayRepeat(record, state, view) { _ = importer.mayUpdate(record, state, view) }
      }
    }
  }

  /// The store that the run builds has no object from before it.
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) {}
}
