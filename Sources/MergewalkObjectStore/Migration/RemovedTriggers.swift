import MergewalkSQLite

/// The triggers that stand in the way of a migration, and are restored or dropped when it is done.
final class RemovedTriggers {
  var list: [(name: String, sql: String)] = []

  /// Makes the R-trees and triggers of the new version.
  ///
  /// Of the others that were removed those come back that still fit: those of derived attributes that are as they were, in
  /// another wording than ours. Then these have no second set.
  func replace(_ connection: Connection, _ old: StoreSchema, _ new: StoreSchema) throws(StoreError) {
    let (former, present) = (old.spatialIndexes, new.spatialIndexes)
    // What belongs to the old version only, or to a table that has another name now.
    let usual = Set((old.triggers + new.triggers).map { $0.name.uppercased() })
    for trigger in old.triggers where !new.triggers.contains(trigger) {
      if try connection.hasTrigger(trigger.name) { try connection.execute("DROP TRIGGER \(trigger.name)") }
    }
    for index in former where !present.contains(index) {
      if try connection.hasTable(index.name) { try connection.execute("DROP TABLE \(index.name)") }
    }
    for index in present { try connection.build(index) }
    // Before there are triggers that depend on a count.
    for count in new.countedAttributes where !count.triggers.allSatisfy(old.triggers.contains) {
      try connection.execute(count.fillStatement)
    }
    try connection.trustSpatialIndexes()
    try dropStale(connection, old, new)
    for trigger in list where !usual.contains(trigger.name.uppercased()) { try Self.bringBack(trigger, connection) }
    let others = try Self.names(connection).filter { !usual.contains($0.uppercased()) }
    let kept = new.derivedAttributes.filter { attribute in others.contains { attribute.owns(trigger: $0) } }
      .flatMap { $0.triggers.map(\.name) }
    for trigger in new.triggers where !kept.contains(trigger.name) {
      if try !connection.hasTrigger(trigger.name) { try connection.execute(trigger.sql) }
    }
  }

  /// Takes out triggers, of any wording, of derived attributes that are not what they were.
  private func dropStale(_ connection: Connection, _ old: StoreSchema, _ new: StoreSchema) throws(StoreError) {
    let same = Set(new.triggers.map(\.sql))
    let stale = old.derivedAttributes.filter { !$0.triggers.allSatisfy { same.contains($0.sql) } }
    list.removeAll { trigger in stale.contains { $0.owns(trigger: trigger.name) } }
    for name in try Self.names(connection) where stale.contains(where: { $0.owns(trigger: name) }) {
      try connection.execute("DROP TRIGGER \(SQLQuoting.name(name))")
    }
  }

  private static func names(_ connection: Connection) throws(StoreError) -> [String] {
    try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'")
  }

  /// Makes a trigger again if what it does still compiles.
  private static func bringBack(_ trigger: (name: String, sql: String), _ connection: Connection) throws(StoreError) {
    if try connection.hasTrigger(trigger.name) { return }
    do throws(StoreError) { try connection.execute(trigger.sql) } catch {
      _ = try error.refusal()
      return
    }
    do throws(StoreError) { _ = try connection.uses(of: trigger.name) } catch {
      _ = try error.refusal()
      try connection.execute("DROP TRIGGER \(SQLQuoting.name(trigger.name))")
    }
  }
}
