import MergewalkObjectModel

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
  typealias Item = RenamedName

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

/// Which attributes of an older version of an entity have become which of a newer one.
///
/// Elements of composite attributes are attributes with dotted names here, whose parts are renamed each by itself: so
/// they are matched level by level, first the composite attributes, then the elements of those that belong together.
struct AttributeMatching {
  /// The names of an attribute, from that of the composite attribute down to the element's own; one name when it is no
  /// element.
  typealias Path = [RenamedName]

  /// The old dotted name of each new one that has one.
  private(set) var oldNames: [String: String] = [:]
  /// What was composite and is not any more, and the other way round, by dotted names: its values have no place.
  private(set) var reshaped: [(old: String, new: String)] = []

  init(old: [Path], new: [Path]) { match(old, new, level: 0) }

  private mutating func match(_ old: [Path], _ new: [Path], level: Int) {
    let matching = NameMatching(old: Self.names(old, level), new: Self.names(new, level))
    let before = Dictionary(grouping: old) { $0[level].name }
    let after = Dictionary(grouping: new) { $0[level].name }
    for (name, was) in matching.oldNames.sorted(by: { $0.key < $1.key }) {
      guard let left = before[was], let right = after[name], let first = left.first, let second = right.first else {
        continue
      }
      switch (first.count == level + 1, second.count == level + 1) {
      case (true, true): oldNames[Self.dotted(second, level)] = Self.dotted(first, level)
      case (false, false): match(left, right, level: level + 1)
      default: reshaped.append((old: Self.dotted(first, level), new: Self.dotted(second, level)))
      }
    }
  }

  /// The names of one level, each once, in their order.
  private static func names(_ paths: [Path], _ level: Int) -> [RenamedName] {
    var known: Set<String> = []
    return paths.compactMap { known.insert($0[level].name).inserted ? $0[level] : nil }
  }

  /// The dotted name down to a level.
  private static func dotted(_ path: Path, _ level: Int) -> String {
    path[...level].map(\.name).joined(separator: ".")
  }
}
