import MergewalkImporting

/// What a run counts beside its records: elements of lists, and names that repeat.
///
/// Values that others took the place of have oracles of their own, `TallyPropertyTests` and `TargetTallyTests`.
struct ReferenceTally {
  /// Elements that were linked, and those whose object was there already, by relationship.
  private(set) var links: [String: Int] = [:]
  /// How many records of the part have named each object.
  private var names: [Int: Int] = [:]
  /// How many elements the part has linked to each object, by relationship.
  private var linked: [Int: [String: Int]] = [:]

  /// Records whose object an earlier record of the part has named.
  var duplicates: Int { names.values.reduce(0) { $0 + $1 - 1 } }

  mutating func startPart() { (names, linked) = ([:], [:]) }

  /// Notes that a record stands for an object.
  mutating func note(_ object: Int) { names[object, default: 0] += 1 }

  /// Notes that a record is rejected for its object.
  mutating func noteRejected(_ object: Int) { if names[object] != nil { note(object) } }

  mutating func link(_ entity: String, _ relationship: String, new: Int, of named: Int, to owner: Int? = nil) {
    add(&links, "\(entity).\(relationship) linked", new)
    add(&links, "\(entity).\(relationship) already linked", named - new)
    if let owner { linked[owner, default: [:]]["\(entity).\(relationship)", default: 0] += new }
  }

  /// Counts the elements that were linked to an object as there already: it is what it was before the run.
  mutating func takeBack(_ owner: Int) {
    for (name, count) in linked[owner] ?? [:] {
      add(&links, "\(name) linked", -count)
      add(&links, "\(name) already linked", count)
    }
  }

  private func add(_ counts: inout [String: Int], _ name: String, _ count: Int) {
    let sum = counts[name, default: 0] + count
    counts[name] = sum == 0 ? nil : sum
  }

  /// The same of a run.
  static func links(_ lists: [ListTally]) -> [String: Int] {
    var tally = ReferenceTally()
    for list in lists {
      tally.link(list.entity, list.relationship, new: list.linked, of: list.linked + list.alreadyLinked)
    }
    return tally.links
  }
}
