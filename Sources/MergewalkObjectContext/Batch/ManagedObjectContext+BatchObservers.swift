import MergewalkObjectStore

/// Notifications of batch requests to observers of the store.
extension ManagedObjectContext {
  /// Writes rows and tells the store's observers before and after.
  ///
  /// - Parameter list: Lists what is going to be written; it is not called when they are not asked for.
  func observed<Value>(
    _ list: () throws(BatchError) -> BatchChanges, writing body: () throws(BatchError) -> Value
  ) throws(BatchError) -> Value {
    guard !store.observers.isEmpty else { return try body() }
    var changes = try list().changes
    guard !changes.isEmpty else { return try body() }
    changes.author = transactionAuthor
    changes.contextName = name
    for observer in store.observers {
      try batchErrors { () throws(StoreError) in try observer.willWrite(changes, to: store) }
    }
    let value = try body()
    for observer in store.observers {
      try batchErrors { () throws(StoreError) in try observer.didWrite(changes, to: store) }
    }
    return value
  }
}

/// The changes of a batch request, collected from queries that select primary key and number (`Z_ENT`).
struct BatchChanges {
  private(set) var changes = StoreChanges()
  private var sets: [[UInt64]: Int32] = [:]
  private let store: PersistentStore

  init(_ store: PersistentStore) { self.store = store }

  /// Adds the rows of a query; rows of unknown entities are skipped.
  ///
  /// - Parameters:
  ///   - slots: The slots that are written, for updates.
  ///   - hasFlags: Whether the query says for each of the slots, after the number, whether it is.
  mutating func add(
    _ kind: StoreChanges.Kind, _ query: CompiledFetch, slots: [Int] = [], hasFlags: Bool = false
  ) throws(BatchError) {
    try cursorErrors { () throws(FetchError) in
      let cursor = try store.cursor(query)
      let all = slots.isEmpty ? -1 : number(slots)
      while try cursor.step() {
        guard let entity = cursor.entityIndex(1) else { continue }
        var set = all
        if hasFlags {
          set = number(slots.indices.filter { cursor.integer(Int32($0 + 2)) != 0 }.map { slots[$0] })
        }
        changes.changes.append(
          StoreChanges.Change(kind: kind, entity: entity, primaryKey: cursor.integer(0), slotSet: set))
      }
    }
  }

  /// The index of a set of slots.
  private mutating func number(_ slots: [Int]) -> Int32 {
    var set = [UInt64](repeating: 0, count: (slots.max() ?? 0) >> 6 + 1)
    for slot in slots { set[slot >> 6] |= 1 << (UInt64(slot) & 63) }
    if let known = sets[set] { return known }
    let index = Int32(changes.slotSets.count)
    changes.slotSets.append(set)
    sets[set] = index
    return index
  }
}
