import MergewalkObjectModel

/// Which names of an older version of a model have become which of a newer one.
///
/// A renaming identifier is the name that something had before, or a name that all versions share; without one, the name
/// is its own identifier. What has the same name and the same explicit identifier in both versions is the same. Of the
/// rest the first rule that applies decides:
///
/// 1. both have the same identifier, given explicitly;
/// 2. the new one's identifier is the old one's name;
/// 3. both have the same name;
/// 4. the old one's identifier is the new one's name.
///
/// Where several new ones have one identifier that an old one answers to, the rules would choose one of them and leave
/// the others without values: these are ``conflicts``, with which nothing may be migrated.
///
/// Source: Apple, Core Data Model Versioning and Data Migration, "Lightweight Migration", "Renaming Entities and
/// Properties".
struct NameMatching {
  /// A name with its explicit renaming identifier.
  typealias Item = RenamedName

  /// Several new names that continue one old name.
  struct Conflict: Hashable {
    var old: String
    /// The new names, in the order in which they were given.
    var new: [String]
  }

  /// The old name of each new one that has one.
  private(set) var oldNames: [String: String] = [:]
  /// What the rules do not decide.
  private(set) var conflicts: [Conflict] = []

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
    // An identifier that has done its work in an earlier migration claims nothing: another property may have the name.
    take { $0.identifier != nil && $0 == $1 }
    conflicts = Self.conflicts(freeOld, freeNew)
    take { $0.identifier != nil && $0.identifier == $1.identifier }
    take { $0.name == $1.identifier }
    take { $0.name == $1.name }
    take { $0.identifier == $1.name }
  }

  /// Core Data's identifier of what has none is its name, so a name that is kept is a claim like any other.
  private static func conflicts(_ old: [Item], _ new: [Item]) -> [Conflict] {
    let claims = Dictionary(grouping: new) { $0.identifier ?? $0.name }
    var known: Set<String> = []
    var result: [Conflict] = []
    for item in old {
      for identifier in [item.name, item.identifier ?? item.name] {
        guard let names = claims[identifier], names.count > 1, known.insert(identifier).inserted else { continue }
        result.append(Conflict(old: item.name, new: names.map(\.name)))
      }
    }
    return result
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
  /// What the identifiers leave open, by dotted names.
  private(set) var conflicts: [NameMatching.Conflict] = []

  init(old: [Path], new: [Path]) { match(old, new, level: 0) }

  private mutating func match(_ old: [Path], _ new: [Path], level: Int) {
    let matching = NameMatching(old: Self.names(old, level), new: Self.names(new, level))
    let before = Dictionary(grouping: old) { $0[level].name }
    let after = Dictionary(grouping: new) { $0[level].name }
    for conflict in matching.conflicts {
      // All paths of one call have the same names above the level.
      let old = before[conflict.old]?.first.map { Self.dotted($0, level) } ?? conflict.old
      let new = conflict.new.map { name in after[name]?.first.map { Self.dotted($0, level) } ?? name }
      conflicts.append(NameMatching.Conflict(old: old, new: new))
    }
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
