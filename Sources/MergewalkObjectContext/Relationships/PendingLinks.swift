import MergewalkObjectStore

/// The pairs of one relationship that the next save adds, removes or moves.
struct LinkChanges {
  /// The two objects of a pair, as ``LinkRow`` names them.
  struct Pair: Hashable {
    var owner: Int64
    var target: Int64
  }
  struct Change {
    /// The pair as the store has it, or as it would be stored.
    var row: LinkRow
    var isStored: Bool
    var isLinked: Bool
    var isMoved = false

    /// Whether the next save has something to do.
    var isEffective: Bool { isStored ? !isLinked || isMoved : isLinked }
    /// Whether nothing is said about the pair: it was not in the store, and was made and taken apart here, or its objects
    /// are gone.
    var isIdle: Bool { !isStored && !isLinked }
  }

  var changes: [Pair: Change] = [:]
  /// The other ends of an object's changed pairs.
  private var partnersOfOwner: [Int64: [Int64]] = [:]
  private var partnersOfTarget: [Int64: [Int64]] = [:]
  /// The relationship, seen from the side that was changed first.
  let relation: LinkRelation
  var ownerTable: TableID { relation.ownerTable }
  var targetTable: TableID { relation.targetTable }

  init(_ relation: LinkRelation) { self.relation = relation }

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

  /// Whether the next save has something to do.
  var hasChanges: Bool { changes.values.contains(where: \.isEffective) }

  /// Forgets the pairs of which the next save has nothing to do.
  mutating func dropReverted() {
    changes = changes.filter { $0.value.isEffective }
    for (owner, targets) in partnersOfOwner {
      partnersOfOwner[owner] = targets.filter { changes[Pair(owner: owner, target: $0)] != nil }
    }
    for (target, owners) in partnersOfTarget {
      partnersOfTarget[target] = owners.filter { changes[Pair(owner: $0, target: target)] != nil }
    }
  }

  /// The pairs that satisfy a condition, in the order of their keys.
  func rows(where isWanted: (Change) -> Bool) -> [LinkRow] {
    changes.values.filter(isWanted).map(\.row).sorted { ($0.owner, $0.target) < ($1.owner, $1.target) }
  }
}

/// All pairs that the next save adds, removes or moves, by relationship.
final class PendingLinks {
  private(set) var storages: [LinkPlace: LinkChanges] = [:] {
    didSet { stamp &+= 1 }
  }
  /// Moves whenever a pair changes.
  private(set) var stamp: UInt64 = 0
  /// The relationships in the order in which they were first changed, so that saves repeat.
  private(set) var order: [LinkPlace] = []

  /// An ordered side of a relationship of one object.
  private struct OrderedSide: Hashable {
    var place: LinkPlace
    var isOwner: Bool
    var primaryKey: Int64
  }
  /// Writes down what changes, for an undo manager.
  var recorder: ChangeRecorder?
  private var lastPositions: [OrderedSide: Int64] = [:]

  /// The greatest position in an object's ordered relationship, once it is known.
  func lastPosition(_ object: ManagedObject, _ relation: LinkRelation) -> Int64? {
    lastPositions[
      OrderedSide(place: relation.place, isOwner: relation.isOwner, primaryKey: object.primaryKey)]
  }

  func setLastPosition(_ position: Int64, _ object: ManagedObject, _ relation: LinkRelation) {
    let side = OrderedSide(place: relation.place, isOwner: relation.isOwner, primaryKey: object.primaryKey)
    lastPositions[side] = position
  }

  /// Whether the next save has something to do.
  var hasChanges: Bool { storages.values.contains(where: \.hasChanges) }

  func replace(_ place: LinkPlace, with changes: LinkChanges) { storages[place] = changes }

  /// Forgets the positions that were found out.
  func forgetPositions() { lastPositions.removeAll() }

  /// Forgets the changes of relationships that satisfy a condition.
  func removeAll(where isMeant: (LinkPlace) -> Bool) {
    storages = storages.filter { !isMeant($0.key) }
    order.removeAll(where: isMeant)
    lastPositions.removeAll()
  }

  func removeAll() {
    storages.removeAll()
    order.removeAll()
    lastPositions.removeAll()
  }

  /// All pairs that are pending, to go back there.
  struct Moment {
    fileprivate let storages: [LinkPlace: LinkChanges]
    fileprivate let order: [LinkPlace]
  }

  /// The pending changes at this moment.
  var moment: Moment { Moment(storages: storages, order: order) }

  /// Makes pending what was so at a moment, and nothing else.
  func goBack(to moment: Moment) {
    storages = moment.storages
    order = moment.order
    forgetPositions()
  }

  /// The changes of a relationship, if there are any.
  func changes(_ place: LinkPlace) -> LinkChanges? { storages[place] }

  func set(_ change: LinkChanges.Change, _ relation: LinkRelation) {
    if storages[relation.place] == nil {
      storages[relation.place] = LinkChanges(relation)
      order.append(relation.place)
    }
    let pair = LinkChanges.Pair(owner: change.row.owner, target: change.row.target)
    if let recorder, let old = storages[relation.place]?[pair] { recorder.willSet(old, relation) }
    storages[relation.place]?[pair] = change
  }

  /// Forgets the pairs that satisfy a condition: their objects are gone.
  func forget(_ place: LinkPlace, where isGone: (LinkChanges.Pair) -> Bool) {
    for pair in storages[place]?.changes.keys.filter(isGone) ?? [] {
      storages[place]?.changes[pair]?.isStored = false
      storages[place]?.changes[pair]?.isLinked = false
    }
  }

  /// Forgets the pairs that are again what they were: the store or the parent may have them in another way by now.
  func dropReverted() {
    for place in order where storages[place]?.changes.values.contains(where: { !$0.isEffective }) ?? false {
      storages[place]?.dropReverted()
    }
    forgetPositions()
  }

  /// The objects with changed pairs: table and primary key, each once, in order.
  func changedObjects() -> [(table: TableID, primaryKey: Int64)] {
    struct Key: Hashable {
      var table: TableID
      var key: Int64
    }
    var found = Set<Key>()
    for changes in storages.values {
      for (pair, change) in changes.changes where change.isEffective {
        found.insert(Key(table: changes.ownerTable, key: pair.owner))
        found.insert(Key(table: changes.targetTable, key: pair.target))
      }
    }
    return found.sorted { ($0.table, $0.key) < ($1.table, $1.key) }.map { ($0.table, $0.key) }
  }
}
