import MergewalkObjectStore

/// The keys that the records of a batch have for a node.
struct NodeKeys {
  let columns: [CellColumnView]
  let slots: [Int]
  let node: BatchView.NodeView

  init(_ state: NodeImporter, _ view: BatchView) {
    columns = state.plan.keyFields.map { view.fields[$0] }
    slots = state.plan.keySlots
    node = view.nodes[state.node]
  }
}

/// The keys that the batch's records have themselves, and how many records have each.
struct OwnKeys {
  private let table = KeyTable()
  private var counts: [Int] = []
  var keyBytes = KeyBytes()

  /// Adds a record's key, and returns its entry.
  @discardableResult
  mutating func add(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Int {
    let key = keyBytes.key(keys.columns, row: record, arena: arena)
    var entry = table.find(hash: keys.node.keyHashes[record], key: key)
    if entry >= 0 {
      counts[entry] += 1
    } else {
      entry = table.insert(hash: keys.node.keyHashes[record], key: key, primaryKey: 0, content: 0)
      counts.append(1)
    }
    return entry
  }

  /// The entry of a key that a record has; -1 when no record is that object.
  mutating func entry(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Int {
    if counts.isEmpty { return -1 }
    let key = keyBytes.key(keys.columns, row: record, arena: arena)
    return table.find(hash: keys.node.keyHashes[record], key: key)
  }

  /// Whether a record that was not taken out has a key.
  mutating func has(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Bool {
    let place = entry(record, keys, arena)
    return place >= 0 && counts[place] > 0
  }

  /// Takes a record with a key out; whether it was the last one.
  mutating func remove(_ entry: Int) -> Bool {
    counts[entry] -= 1
    return counts[entry] == 0
  }
}
