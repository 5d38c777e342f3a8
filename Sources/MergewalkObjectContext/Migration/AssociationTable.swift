import MergewalkBytes
import MergewalkObjectModel

/// Which new objects a mapping made of which old ones: 24 bytes a pair.
struct AssociationTable {
  private struct Pair {
    var source: Int64
    var sourceEntity: Int32
    var entity: Int32
    var key: Int64
  }

  private var pairs: [Pair] = []
  private var isSorted = true

  var count: Int { pairs.count }

  /// Adds a pair by the permanent IDs of both objects.
  mutating func add(source: ManagedObjectID, destination: ManagedObjectID) {
    let pair = Pair(
      source: source.primaryKey, sourceEntity: Int32(source.entity.rootIndex), entity: Int32(destination.entity.index),
      key: destination.primaryKey)
    if let last = pairs.last, (last.sourceEntity, last.source) > (pair.sourceEntity, pair.source) { isSorted = false }
    pairs.append(pair)
  }

  /// Puts the pairs in the order of the old objects.
  mutating func sort() {
    guard !isSorted else { return }
    // The position settles equal keys: what was made first stays first.
    pairs = pairs.enumerated().sorted {
      ($0.element.sourceEntity, $0.element.source, $0.offset) < ($1.element.sourceEntity, $1.element.source, $1.offset)
    }.map(\.element)
    isSorted = true
  }

  /// The pair at a position: the old object's root entity and key, the new one's entity and key.
  func pair(_ index: Int) -> (sourceRoot: RootIndex, source: Int64, entity: Int, key: Int64) {
    let pair = pairs[index]
    return (RootIndex(Int(pair.sourceEntity)), pair.source, Int(pair.entity), pair.key)
  }

  /// Calls `body` with entity and key of each new object of an old one, in the order in which they were made.
  ///
  /// - Complexity: O(log pairs).
  mutating func forEach(of source: ManagedObjectID, _ body: (_ entity: Int, _ key: Int64) -> Void) {
    sort()
    let root = Int32(source.entity.rootIndex)
    var low = pairs.indices.first(fromWhich: {
      (pairs[$0].sourceEntity, pairs[$0].source) >= (root, source.primaryKey)
    })
    while low < pairs.count, pairs[low].sourceEntity == root, pairs[low].source == source.primaryKey {
      body(Int(pairs[low].entity), pairs[low].key)
      low += 1
    }
  }
}
