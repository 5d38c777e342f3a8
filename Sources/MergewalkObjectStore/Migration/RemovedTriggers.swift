import MergewalkSQLite

/// The triggers that stand in the way of a migration, and are restored or dropped when it is done.
final class RemovedTriggers {
  var list: [(name: String, sql: String)] = []

  /// Makes the R-trees and triggers of the new version.
  ///
  /// Of the others that were removed those come back that still fit: triggers that an app has made itself.
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
    for trigger in new.triggers where try !connection.hasTrigger(trigger.name) { try connection.execute(trigger.sql) }
    for trigger in list where !usual.contains(trigger.name.uppercased()) { try bringBack(trigger, connection) }
  }

  /// Makes a trigger again if what it does still compiles.
  private func bringBack(_ trigger: (name: String, sql: String), _ connection: Connection) throws(StoreError) {
    guard try !connection.hasTrigger(trigger.name), (try? connection.execute(trigger.sql)) != nil else { return }
    let find = try connection.prepare("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = ?1")
    find.bind(1, text: trigger.name)
    guard try find.step() else { return }
    let columns = try TableColumns(find.text(0), connection)
    let all = columns.names.map { TableColumns.quoted($0) }.map { "\($0) = \($0)" }.joined(separator: ", ")
    let statements = [
      "INSERT INTO \(columns.table) DEFAULT VALUES", "UPDATE \(columns.table) SET \(all)",
      "DELETE FROM \(columns.table)",
    ]
    find.reset()
    // SQLite looks at what triggers do only when a statement would run them.
    let fits = statements.allSatisfy { (try? connection.prepare("EXPLAIN " + $0)) != nil }
    if !fits { try connection.execute("DROP TRIGGER \(TableColumns.quoted(trigger.name))") }
  }
}
