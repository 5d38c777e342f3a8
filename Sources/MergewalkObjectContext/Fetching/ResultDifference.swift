import MergewalkBytes
import MergewalkObjectModel

/// Compares two results of a request.
struct ResultDifference {
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
    let kinds = stayed.map { pair in
      let isSameSection =
        old.sections[oldPlaces[pair.old].section].value == new.sections[newPlaces[pair.new].section].value
      return !isSameSection ? Stay.moved : old.fingerprints[pair.old] == new.fingerprints[pair.new] ? .same : .changed
    }
    let settled = Self.settled(stayed.map(\.old), kinds)
    for (index, pair) in stayed.enumerated() {
      let change = FetchedResults.Changes.Change(
        objectID: new.ids[pair.new], from: oldPlaces[pair.old], to: newPlaces[pair.new])
      if !settled[index] { changes.moved.append(change) }
      if old.fingerprints[pair.old] != new.fingerprints[pair.new] { changes.updated.append(change) }
    }
    return changes
  }

  /// What became of an object that is in both results.
  enum Stay {
    /// It has the same values, and is in the same section.
    case same
    /// It has other values, and is in the same section.
    case changed
    /// It is in another section.
    case moved
  }

  /// Which objects are where they were: where two have changed places, the one that was changed has moved, and what is
  /// in another section has moved in any case.
  ///
  /// - Parameter old: The former places of the objects, in their new order.
  static func settled(_ old: [Int], _ kinds: [Stay]) -> [Bool] {
    var result = [Bool](repeating: false, count: old.count)
    func settle(_ indices: [Int]) {
      for (index, isSettled) in zip(indices, longestAscent(indices.map { old[$0] })) where isSettled {
        result[index] = true
      }
    }
    let same = old.indices.filter { kinds[$0] == .same }
    guard zip(same, same.dropFirst()).allSatisfy({ old[$0] < old[$1] }) else {
      // They are ordered by values of others.
      settle(old.indices.filter { kinds[$0] != .moved })
      return result
    }
    for index in same { result[index] = true }
    // Between two that stay, those that changed may be in order among themselves.
    var start = 0
    var low = -1
    for end in same + [old.count] {
      let high = end < old.count ? old[end] : Int.max
      settle((start..<end).filter { kinds[$0] == .changed && old[$0] > low && old[$0] < high })
      (start, low) = (end + 1, high)
    }
    return result
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
