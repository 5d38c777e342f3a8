/// The numbers that keep the order of relationships.
///
/// The first is 2048 and each further one 1024 more, as Core Data gives them out; an object that comes between two
/// others gets the number in the middle. Source: `docs/coredata-layout.md`, "Relationships".
@usableFromInline package enum OrderKey {
  /// The number before the first one.
  package static let beforeFirst: Int64 = 1024

  /// The usual position of the element with this index, from 0; the greatest number beyond what 64 bits hold.
  @inlinable package static func usual(_ index: Int) -> Int64 {
    let (product, overflow) = Int64(index).multipliedReportingOverflow(by: 1024)
    return overflow ? .max : product &+ 2048 < product ? .max : product &+ 2048
  }

  /// The number for the end of a list; the greatest one when a damaged store has given that out already, so that
  /// primary keys decide.
  package static func next(after last: Int64?) -> Int64 { last.map { $0 > .max - 1024 ? .max : $0 + 1024 } ?? 2048 }

  /// The number between two neighbours; `nil` when there is no room.
  package static func between(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let right else {
      let next = next(after: left)
      return next == left ? nil : next
    }
    let low = left ?? 0
    // A store may hold any number: the distance of two can be more than 64 bits hold.
    let middle = (low >> 1) + (right >> 1) + (low & right & 1)
    return middle > low && middle < right ? middle : nil
  }

  /// The positions of a list's elements: those that are known stay as far as the list's order allows, and new ones
  /// come behind them first.
  package static func placed(_ known: [Int64?]) -> [Int64] {
    var last = known.lazy.compactMap { $0 }.max()
    var positions: [Int64] = []
    positions.reserveCapacity(known.count)
    for position in known {
      if let position {
        positions.append(position)
      } else {
        let next = next(after: last)
        last = next
        positions.append(next)
      }
    }
    for (index, position) in rearranged(positions) { positions[index] = position }
    return positions
  }

  /// The new positions that make a list ascend: of one element when that is enough, else of all.
  package static func rearranged(_ positions: [Int64]) -> [(index: Int, position: Int64)] {
    func ascends(without skipped: Int?) -> Bool {
      var last: Int64?
      for (i, position) in positions.enumerated() where i != skipped {
        if let last, last >= position { return false }
        last = position
      }
      return true
    }
    if ascends(without: nil) { return [] }
    // The culprit is one of the two at the first step down.
    if let step = positions.indices.dropFirst().first(where: { positions[$0 - 1] >= positions[$0] }) {
      for i in [step - 1, step] where ascends(without: i) {
        let left = i > 0 ? positions[i - 1] : nil
        let right = i + 1 < positions.count ? positions[i + 1] : nil
        if let position = between(left, right) { return [(i, position)] }
      }
    }
    return positions.indices.map { ($0, usual($0)) }.filter { positions[$0.0] != $0.1 }
  }
}
