import ObjectStore

/// The pairs of one relationship that the next save adds, removes or moves.
struct LinkChanges {
  /// The two objects of a pair, as ``LinkRow`` names them.
  struct Pair: Hashable {
    var owner: Int64
    var target: Int64
  }
  /// What becomes of a pair.
  struct Change {
    /// The pair as the store has it, or as it would be stored.
    var row: LinkRow
    var isStored: Bool
    var isLinked: Bool
    var isMoved = false

    /// Whether the next save has something to do.
    var isEffective: Bool { isStored ? !isLinked || isMoved : isLinked }
  }

  var changes: [Pair: Change] = [:]
  /// The other ends of an object's changed pairs.
  private var partnersOfOwner: [Int64: [Int64]] = [:]
  private var partnersOfTarget: [Int64: [Int64]] = [:]
  /// The roots of owner and target.
  let ownerRoot: Int
  let targetRoot: Int

  init(ownerRoot: Int, targetRoot: Int) {
    self.ownerRoot = ownerRoot
    self.targetRoot = targetRoot
  }

  /// The other ends of an object's changed pairs.
  func partners(of key: Int64, isOwner: Bool) -> [Int64] {
    (isOwner ? partnersOfOwner[key] : partnersOfTarget[key]) ?? []
  }

  subscript(pair: Pair) -> Change? {
    get { changes[pair] }
    set {
      if changes[pair] == nil {
        partnersOfOwner[pair.owner, default: []].append(pair.target)
        partnersOfTarget[pair.target, default: []].append(pair.owner)
      }
      changes[pair] = newValue
    }
  }

  /// The pairs that satisfy a condition, in the order of their keys.
  func rows(where isWanted: (Change) -> Bool) -> [LinkRow] {
    changes.values.filter(isWanted).map(\.row).sorted { ($0.owner, $0.target) < ($1.owner, $1.target) }
  }
}

/// All pairs that the next save adds, removes or moves, by relationship.
final class PendingLinks {
  private(set) var storages: [LinkStorage: LinkChanges] = [:]
  /// The relationships in the order in which they were first changed, so that saves repeat.
  private(set) var order: [LinkStorage] = []

  /// An ordered side of a relationship of one object.
  private struct OrderedSide: Hashable {
    var storage: LinkStorage
    var isOwner: Bool
    var primaryKey: Int64
  }
  private var lastPositions: [OrderedSide: Int64] = [:]

  /// The greatest position in an object's ordered relationship, once it is known.
  func lastPosition(_ object: ManagedObject, _ relation: LinkRelation) -> Int64? {
    lastPositions[
      OrderedSide(storage: relation.storage, isOwner: relation.isOwner, primaryKey: object.primaryKey)]
  }

  func setLastPosition(_ position: Int64, _ object: ManagedObject, _ relation: LinkRelation) {
    let side = OrderedSide(storage: relation.storage, isOwner: relation.isOwner, primaryKey: object.primaryKey)
    lastPositions[side] = position
  }

  /// Whether the next save has something to do.
  var hasChanges: Bool { storages.values.contains { $0.changes.values.contains(where: \.isEffective) } }

  func removeAll() {
    storages.removeAll()
    order.removeAll()
    lastPositions.removeAll()
  }

  /// The changes of a relationship, if there are any.
  func changes(_ storage: LinkStorage) -> LinkChanges? { storages[storage] }

  /// Changes what becomes of a pair.
  func set(_ change: LinkChanges.Change, _ relation: LinkRelation) {
    if storages[relation.storage] == nil {
      storages[relation.storage] = LinkChanges(ownerRoot: relation.ownerRoot, targetRoot: relation.targetRoot)
      order.append(relation.storage)
    }
    storages[relation.storage]?[LinkChanges.Pair(owner: change.row.owner, target: change.row.target)] = change
  }

  /// Forgets the pairs that satisfy a condition: their objects are gone.
  func forget(_ storage: LinkStorage, where isGone: (LinkChanges.Pair) -> Bool) {
    for pair in storages[storage]?.changes.keys.filter(isGone) ?? [] {
      storages[storage]?.changes[pair]?.isStored = false
      storages[storage]?.changes[pair]?.isLinked = false
    }
  }

  /// The objects with changed pairs: root entity and primary key, each once, in order.
  func changedObjects() -> [(root: Int, primaryKey: Int64)] {
    struct Key: Hashable {
      var root: Int
      var key: Int64
    }
    var found = Set<Key>()
    for changes in storages.values {
      for (pair, change) in changes.changes where change.isEffective {
        found.insert(Key(root: changes.ownerRoot, key: pair.owner))
        found.insert(Key(root: changes.targetRoot, key: pair.target))
      }
    }
    return found.sorted { ($0.root, $0.key) < ($1.root, $1.key) }.map { ($0.root, $0.key) }
  }
}
