/// Which names of an older version of a model have become which of a newer one.
///
/// A renaming identifier is the name that something had before, or a name that all versions share; without one, the name
/// is its own identifier. The first rule that applies decides:
///
/// 1. both have the same identifier, given explicitly;
/// 2. the new one's identifier is the old one's name;
/// 3. both have the same name;
/// 4. the old one's identifier is the new one's name.
///
/// Source: Apple, Core Data Model Versioning and Data Migration, "Lightweight Migration", "Renaming Entities and
/// Properties".
struct NameMatching {
  /// A name with its explicit renaming identifier.
  struct Item {
    var name: String
    var identifier: String?
  }

  /// The old name of each new one that has one.
  private(set) var oldNames: [String: String] = [:]

  init(old: [Item], new: [Item]) {
    var freeOld = old
    var freeNew = new
    func take(_ fits: (Item, Item) -> Bool) {
      freeNew.removeAll { item in
        guard let index = freeOld.firstIndex(where: { fits($0, item) }) else { return false }
        oldNames[item.name] = freeOld.remove(at: index).name
        return true
      }
    }
    take { $0.identifier != nil && $0.identifier == $1.identifier }
    take { $0.name == $1.identifier }
    take { $0.name == $1.name }
    take { $0.identifier == $1.name }
  }
}
