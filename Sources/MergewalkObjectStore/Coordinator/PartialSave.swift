/// A pair of stores of which one has joint saves that the other one lacks.
///
/// SQLite commits one file after the other, and files that are written as a whole are replaced before that. If a
/// process or the machine stops in between, or a file is replaced by an older copy, part of a save is missing.
public struct PartialSave: Sendable, Hashable, CustomStringConvertible {
  /// The path of the store that has the saves.
  public let path: String
  /// The path of the store that lacks them.
  public let missingPath: String
  /// The number of saves missing there.
  public let count: Int64

  /// The missing saves as a sentence, with possible reasons.
  public var description: String {
    "\(missingPath) lacks \(count) of the saves that were made to it and \(path) together: a process or the machine stopped "
      + "between two commits, or the file is an older copy; compare what belongs together, and save it again"
  }
}

extension PersistentStoreCoordinator {
  /// The parts of saves that are missing in stores, as far as both stores are open; empty if nothing is missing.
  ///
  /// Use this after adding the stores. The result stays until something is saved to both stores together. In-memory and
  /// custom stores do not count saves.
  ///
  /// - Complexity: O(stores²); the metadata of each store is read once.
  public var partialSaves: [PartialSave] {
    let known = stores.filter(\.countsJoinedSaves).map { (store: $0, saves: $0.metadata.joinedSaves) }
    var found: [PartialSave] = []
    for (index, first) in known.enumerated() {
      for second in known[(index + 1)...] {
        let pair = JoinedSaves.name(first.store, second.store)
        let difference = (first.saves[pair] ?? 0) - (second.saves[pair] ?? 0)
        if difference == 0 { continue }
        let (ahead, behind) = difference > 0 ? (first.store, second.store) : (second.store, first.store)
        found.append(PartialSave(path: ahead.path, missingPath: behind.path, count: abs(difference)))
      }
    }
    return found
  }
}
