import MergewalkBytes
import MergewalkObjectModel

/// Compares two results of a request.
struct ResultDifference {
  /// One of the results.
  struct Side {
    var ids: FetchedObjectIDs
    var sections: [FetchedResults.Section]
    var fingerprints: [UInt64]

    /// The section and the place in it of each object.
    var places: [FetchedResults.Place] {
      sections.enumerated().flatMap { number, section in
        (0..<section.range.count).map { FetchedResults.Place(section: number, item: $0) }
      }
    }
  }

  let old: Side
  let new: Side

  /// The differences.
  ///
  /// - Complexity: O(n log n).
  var changes: FetchedResults.Changes {
    var changes = FetchedResults.Changes()
    let oldValues = Set(old.sections.map(\.value))
    let newValues = Set(new.sections.map(\.value))
    changes.deletedSections = old.sections.indices.filter { !newValues.contains(old.sections[$0].value) }
    changes.insertedSections = new.sections.indices.filter { !oldValues.contains(new.sections[$0].value) }

    let (oldPlaces, newPlaces) = (old.places, new.places)
    var oldIndex: [ManagedObjectID: Int] = [:]
    for (index, id) in old.ids.enumerated() { oldIndex[id] = index }
    var stayed: [(old: Int, new: Int)] = []
    for (index, id) in new.ids.enumerated() {
      if let known = oldIndex.removeValue(forKey: id) {
        stayed.append((known, index))
      } else {
        changes.inserted.append(.init(objectID: id, from: nil, to: newPlaces[index]))
      }
    }
    for index in oldIndex.values.sorted() {
      changes.deleted.append(.init(objectID: old.ids[index], from: oldPlaces[index], to: nil))
    }
    let settled = Self.longestAscent(stayed.map(\.old))
    for (index, pair) in stayed.enumerated() {
      let change = FetchedResults.Changes.Change(
        objectID: new.ids[pair.new], from: oldPlaces[pair.old], to: newPlaces[pair.new])
      let isSameSection =
        old.sections[oldPlaces[pair.old].section].value == new.sections[newPlaces[pair.new].section].value
      if !settled[index] || !isSameSection { changes.moved.append(change) }
      if old.fingerprints[pair.old] != new.fingerprints[pair.new] { changes.updated.append(change) }
    }
    return changes
  }

  /// Which elements belong to a longest ascending subsequence: the most that can stay where they are.
  static func longestAscent(_ numbers: [Int]) -> [Bool] {
    // For each length, the element that ends the ascent of this length with the least end.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      let low = ends.indices.first(fromWhich: { numbers[ends[$0]] >= numbers[index] })
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result = [Bool](repeating: false, count: numbers.count)
    var index = ends.last ?? -1
    while index >= 0 {
      result[index] = true
      index = before[index]
    }
    return result
  }
}
