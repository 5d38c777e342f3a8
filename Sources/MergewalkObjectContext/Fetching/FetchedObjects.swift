import MergewalkDiagnostics
import MergewalkObjectStore

/// The objects that a fetch found, in order, as a collection that behaves like an array.
///
/// The collection holds rows, not objects: accessing an element creates its object, which stays the same for as long as
/// it is held. The rows stay in the context while the collection lives. After a reset of the context, or when a record
/// is deleted, elements are objects that are not valid (`ManagedObject.isValid`).
///
/// With a batch size, only the IDs are fetched; elements are loaded on access with one SELECT per batch. The rows of a
/// batch are freed after other batches were accessed, unless objects of them are held. A batch that cannot be fetched
/// has faults as elements, whose values throw the reason.
///
/// The collection is confined to its context's task; pass ``objectIDs`` to others.
public struct FetchedObjects: RandomAccessCollection {
  private enum Content {
    /// Rows of one table.
    case rows(FetchedRows)
    /// Objects of several tables.
    case list([ManagedObject])
  }
  private let content: Content

  init(rows: FetchedRows) { content = .rows(rows) }

  init(list: [ManagedObject]) { content = .list(list) }

  /// What was prefetched together with the objects.
  var companions: PrefetchedRows? { if case .rows(let rows) = content { rows.companions } else { nil } }

  /// Leaves it to the object that keeps the result to keep the context.
  func letContextGo() { if case .rows(let rows) = content { rows.keeper = nil } }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int {
    switch content {
    case .rows(let rows): rows.keys.count
    case .list(let list): list.count
    }
  }

  /// The object at a position.
  ///
  /// - Complexity: O(1); with a batch size, one SELECT if its batch is not loaded.
  public subscript(position: Int) -> ManagedObject {
    // The number of objects never changes: a place that is not there is the caller's mistake, as with an array.
    precondition(position >= 0 && position < endIndex, "place \(position) of \(endIndex) objects")
    switch content {
    case .rows(let rows): return rows.object(at: position)
    case .list(let list): return list[position]
    }
  }

  /// All objects in order: faster than to ask for one place after the other.
  func allObjects() -> [ManagedObject] {
    switch content {
    case .rows(let rows): rows.allObjects()
    case .list(let list): list
    }
  }

  /// The IDs of the objects.
  public var objectIDs: FetchedObjectIDs {
    switch content {
    case .rows(let rows): rows.objectIDs
    case .list(let list): FetchedObjectIDs(list: list.map(\.objectID))
    }
  }
}

extension FetchedObjects: CustomStringConvertible {
  /// The number of objects.
  public var description: String { PrintableText.count(count, "object") }
}

@available(*, unavailable, message: "objects are confined to their context's task; pass objectIDs")
extension FetchedObjects: Sendable {}

/// The rows of a fetch's result: what keeps them in their places, or how to get them.
final class FetchedRows {
  let keys: FetchedKeys
  private let link: ContextLink
  /// The context, kept alive; `nil` where the context, or an object of it, may keep the result.
  var keeper: ManagedObjectContext?
  private let generation: UInt32
  private let table: TableID
  /// The places of all rows; empty when they come in batches.
  private let places: ContiguousArray<Int32>
  private let loader: BatchLoader?
  /// The batches that are there, the one that was used last at the end.
  private var batches: [Batch] = []
  /// The rows that were fetched together with the rows.
  var companions: PrefetchedRows?

  /// The rows of some neighbours.
  private struct Batch {
    var number: Int
    var places: ContiguousArray<Int32>
    var companions: PrefetchedRows?
  }

  /// How many batches are kept: two, so that walking over the border between two does not fetch them again and again.
  static let batchesKept = 2

  /// Holds existing rows.
  init(_ context: ManagedObjectContext, table: TableID, keys: FetchedKeys, places: ContiguousArray<Int32>) {
    link = context.registry.link
    generation = context.registry.generation
    self.table = table
    self.keys = keys
    self.places = places
    loader = nil
    keeper = context.isKeptByResults ? context : nil
    context.registry.use()
    context.pin(table: table, places)
  }

  /// Fetches rows when they are requested.
  init(_ context: ManagedObjectContext, table: TableID, keys: FetchedKeys, loader: BatchLoader?) {
    link = context.registry.link
    generation = context.registry.generation
    self.table = table
    self.keys = keys
    self.loader = loader
    places = []
    keeper = context.isKeptByResults ? context : nil
    context.registry.use()
  }

  deinit {
    guard let context = validContext else { return }
    companions = nil
    context.unpin(table: table, places)
    while let batch = batches.popLast() { context.unpin(table: table, batch.places) }
  }

  var objectIDs: FetchedObjectIDs {
    FetchedObjectIDs(
      keys: keys, model: link.model, storeUUID: link.stores.identifiers[table.store])
  }

  /// The context unless it was reset or is gone.
  private var validContext: ManagedObjectContext? {
    guard let context = link.context, context.registry.generation == generation else { return nil }
    return context
  }

  func object(at index: Int) -> ManagedObject {
    guard generation == link.generation,
      let object = link.withContext({ context in object(at: index, of: context) })
    else { return lostObject(index) }
    return object
  }

  func allObjects() -> [ManagedObject] {
    guard loader == nil, let context = validContext else { return keys.keys.indices.map { object(at: $0) } }
    let buffer = context.buffer(table: table)
    let maker = ObjectMaker(context, buffer)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(places.count)
    for (index, place) in places.enumerated() {
      // A class of one's own may reset the context when an object of it is made.
      let isSame = generation == link.generation
      objects.append(isSame ? object(at: index, place: Int(place), buffer, context, maker.make) : object(at: index))
    }
    return objects
  }

  private func object(at index: Int, of context: ManagedObjectContext) -> ManagedObject {
    let place = Int(loader.map { self.place(index, $0, context) } ?? places[index])
    let buffer = context.buffer(table: table)
    return object(at: index, place: place, buffer, context) { context.makeObject(buffer, row: $0) }
  }

  @inline(__always)
  private func object(
    at index: Int, place: Int, _ buffer: RowBuffer, _ context: ManagedObjectContext, _ make: (Int) -> ManagedObject
  ) -> ManagedObject {
    // The place of a row that is gone is not used again while this collection holds it.
    guard buffer.state(of: place) != RowState.free else { return lostObject(index) }
    guard let known = context.registry.object(table: table, row: place)?.takeUnretainedValue() else {
      return make(place)
    }
    known.learnEntity(buffer.entity(of: place))
    return known
  }

  /// An object that is not valid, for a record that is gone.
  private func lostObject(_ index: Int) -> ManagedObject {
    let entity = keys.entity(at: index)
    return link.classes.types[entity].init(
      ObjectHandle(
        link: link, generation: generation, table: table, row: -1, primaryKey: keys.keys[index], entityIndex: entity))
  }

  // MARK: Batches

  private func place(_ index: Int, _ loader: BatchLoader, _ context: ManagedObjectContext) -> Int32 {
    let number = index / loader.size
    if let last = batches.last, last.number == number { return last.places[index % loader.size] }
    if let known = batches.firstIndex(where: { $0.number == number }) {
      batches.append(batches.remove(at: known))
    } else {
      let range = number * loader.size..<min((number + 1) * loader.size, keys.count)
      let places = loader.load(keys, range, context)
      context.pin(table: table, places)
      batches.append(Batch(number: number, places: places, companions: loader.companions(places, context)))
      if batches.count > Self.batchesKept { context.unpin(table: table, batches.removeFirst().places) }
    }
    return batches.last?.places[index % loader.size] ?? -1
  }
}

extension ManagedObjectContext {
  /// Keeps rows in their places although no objects of them are held.
  func pin(table: TableID, _ places: ContiguousArray<Int32>) {
    if !places.isEmpty { buffer(table: table).pin(places) }
  }

  /// Lets rows go: those without changes that are not needed elsewhere are freed.
  func unpin(table: TableID, _ places: ContiguousArray<Int32>) {
    guard !places.isEmpty else { return }
    let buffer = buffer(table: table)
    if buffer.pinCount == places.count, registry.count(table: table) == 0, buffer.touchedRows.isEmpty {
      // Nothing else is held: forgetting all rows at once is faster than one after the other.
      buffer.removeAll()
      registry.looseRows[table.index].removeAll(keepingCapacity: true)
      pendingReferences = nil
    } else {
      buffer.unpin(places)
      for row in places { letGo(buffer, row: Int(row)) }
      if buffer.holdsNothing, buffer.touchedRows.isEmpty { buffer.removeAll() }
    }
  }
}
