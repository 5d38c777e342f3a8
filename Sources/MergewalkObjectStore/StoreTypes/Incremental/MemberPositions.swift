import MergewalkObjectModel
import MergewalkSQLite

/// The positions that the members of ordered relationships have in a store's tables, and those they had before they
/// were evicted.
///
/// Contexts know the positions and compute new ones from them, so members that are brought again get their old ones.
final class MemberPositions {
  // The store owns this by what brings its records.
  private unowned let store: PersistentStore
  private let relationships: [Entry]
  private var lookups: [Int: Statement] = [:]
  private var updates: [Int: Statement] = [:]

  private struct Entry {
    var table: RelationshipTable
    var order: String
    var declaringEntity: Int
    var slot: Int
    var destinationRoot: RootIndex
  }

  /// - Throws: ``StoreError`` with `sqlite`.
  init(_ store: PersistentStore) throws(StoreError) {
    self.store = store
    var relationships: [Entry] = []
    for entity in store.model.entities where store.contains(entity) {
      for relationship in entity.relationships where relationship.declaringEntity == entity.index {
        guard let table = RelationshipTable(relationship, in: store.schema), let order = table.order else { continue }
        relationships.append(
          Entry(
            table: table, order: order, declaringEntity: entity.index, slot: relationship.slot,
            destinationRoot: store.model.entities[relationship.destinationEntity].root))
      }
    }
    self.relationships = relationships
    guard !relationships.isEmpty else { return }
    try store.connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS mergewalk_positions (relationship INTEGER, target INTEGER, owner INTEGER, "
        + "position INTEGER, PRIMARY KEY (relationship, target, owner)) WITHOUT ROWID")
  }

  /// Keeps the positions of all members; their rows are about to go.
  func keepAll() throws(StoreError) {
    for (number, entry) in relationships.enumerated() {
      let table = entry.table
      try store.connection.execute(
        "INSERT OR REPLACE INTO mergewalk_positions SELECT \(number), \(table.target), \(table.owner), \(entry.order) "
          + "FROM \(table.table) WHERE \(table.owner) NOT NULL AND \(entry.order) NOT NULL")
    }
  }

  /// The positions for the members of a record, in the order of the list; `nil` when the relationship has no order.
  func positions(
    of members: [StoredReference], owner: Int64, _ relationship: RelationshipDescription
  ) throws(StoreError) -> [Int64]? {
    let found = relationships.firstIndex {
      $0.declaringEntity == relationship.declaringEntity && $0.slot == relationship.slot
    }
    guard let number = found else { return nil }
    let lookup = try lookup(number)
    defer { lookup.reset() }
    var known: [Int64?] = []
    var seen = Set<Int64>()
    for member in members {
      known.append(nil)
      // A list from elsewhere may name a member twice.
      guard seen.insert(member.primaryKey).inserted else { continue }
      lookup.reset()
      lookup.bind(1, owner)
      lookup.bind(2, member.primaryKey)
      if try lookup.step(), !lookup.isNull(0) { known[known.count - 1] = lookup.integer(0) }
    }
    return OrderKey.placed(known)
  }

  private func lookup(_ number: Int) throws(StoreError) -> Statement {
    if let known = lookups[number] { return known }
    let (table, order) = (relationships[number].table, relationships[number].order)
    let lookup = try store.connection.prepare(
      "SELECT coalesce((SELECT \(order) FROM \(table.table) WHERE \(table.owner) = ?1 AND \(table.target) = ?2), "
        + "(SELECT position FROM mergewalk_positions WHERE relationship = \(number) AND owner = ?1 AND target = ?2))")
    lookups[number] = lookup
    return lookup
  }

  /// Gives records that were brought without their owners the positions that they had.
  ///
  /// - Parameter keys: Their primary keys, by root entity.
  func restore(_ keys: [RootIndex: Set<Int64>]) throws(StoreError) {
    for (number, entry) in relationships.enumerated() where entry.table.kind == .inverse {
      guard let keys = keys[entry.destinationRoot], !keys.isEmpty else { continue }
      let update = try update(number)
      for key in keys {
        update.bind(1, key)
        try update.run()
      }
    }
  }

  private func update(_ number: Int) throws(StoreError) -> Statement {
    if let known = updates[number] { return known }
    let (table, order) = (relationships[number].table, relationships[number].order)
    let update = try store.connection.prepare(
      "UPDATE \(table.table) SET \(order) = p.position FROM mergewalk_positions AS p "
        + "WHERE \(table.table).Z_PK = ?1 AND \(table.table).\(order) IS NULL "
        + "AND p.relationship = \(number) AND p.target = ?1 AND p.owner = \(table.table).\(table.owner)")
    updates[number] = update
    return update
  }
}
