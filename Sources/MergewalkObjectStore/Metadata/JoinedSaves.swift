import MergewalkPropertyLists

/// How many saves a store has together with each other one: an entry of the metadata of both, written with the rows of
/// each save over several stores, so that a part that is missing shows (``PartialSave``).
enum JoinedSaves {
  static let key = "MergewalkJoinedSaves"

  /// The name of a pair of stores in it: a copy with an identity of its own knows nothing of the pair.
  static func name(_ one: PersistentStore, _ other: PersistentStore) -> String {
    [one.identifier, other.identifier].sorted().joined(separator: " ")
  }
}

extension StoreMetadata {
  /// The numbers of saves, by pair.
  var joinedSaves: [String: Int64] {
    get {
      var saves: [String: Int64] = [:]
      for entry in self[JoinedSaves.key]?.entries ?? [] { saves[entry.key] = entry.value.integer }
      return saves
    }
    set {
      let entries = newValue.sorted { $0.key < $1.key }.map { PropertyList.Entry($0.key, .integer($0.value)) }
      self[JoinedSaves.key] = entries.isEmpty ? nil : .dictionary(entries)
    }
  }
}

extension PersistentStore {
  /// Whether the store keeps count: its metadata outlast the process and go into the file with the rows.
  var countsJoinedSaves: Bool {
    switch type {
    case .sqlite, .xml, .binary: true
    case .inMemory, .custom: false
    }
  }

  /// Counts a save in all of its stores, within the transactions that are open there.
  package static func countSave(over stores: [PersistentStore]) throws(StoreError) {
    let stores = stores.filter(\.countsJoinedSaves)
    var metadata: [StoreMetadata] = []
    for store in stores {
      var now = store.metadata
      // What an earlier save could not commit comes with this one.
      now.joinedSaves.merge(store.owedSaves) { max($0, $1) }
      metadata.append(now)
    }
    for first in stores.indices {
      for second in stores.indices where first < second {
        let pair = JoinedSaves.name(stores[first], stores[second])
        let count = max(metadata[first].joinedSaves[pair] ?? 0, metadata[second].joinedSaves[pair] ?? 0) + 1
        metadata[first].joinedSaves[pair] = count
        metadata[second].joinedSaves[pair] = count
      }
    }
    for (store, metadata) in zip(stores, metadata) { try store.file.writeMetadata(metadata) }
  }

  /// Takes note that a save is in the store, with what earlier ones could not commit.
  package func settleOwedSaves() {
    owedSaves.removeAll()
    owedSave?.settle()
    owedSave = nil
  }

  /// Goes back to the metadata from before a save that was rolled back here.
  ///
  /// - Parameter isOwed: Whether other stores have committed it, so that the next save here brings what is missing.
  package func forgetSave(_ former: StoreMetadata, isOwed: Bool) {
    if isOwed { owedSaves = file.metadata.joinedSaves }
    file.forgetMetadata(former)
  }
}
