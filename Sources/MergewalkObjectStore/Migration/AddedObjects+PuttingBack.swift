import CMergewalkSQLite
import MergewalkSQLite

extension AddedObjects {
  /// Makes again what is missing now that the tables are those of the new version.
  ///
  /// - Parameter new: The file that the migration has made; `nil` where it has changed the store's own.
  /// - Returns: What does not fit any more.
  func putBack(in new: Connection? = nil) throws(StoreError) -> [MigrationLoss] {
    let target = new ?? connection
    let takesTexts = target.option(SQLITE_DBCONFIG_DQS_DDL)
    defer { target.setOption(SQLITE_DBCONFIG_DQS_DDL, takesTexts) }
    var messages: [String?] = []
    for object in objects {
      if try !target.has(object) {
        messages.append(try putBack(object, in: target))
      } else {
        // An index stays with its table.
        let isItself = object.kind == .index && new == nil
        messages.append(isItself ? nil : "is not kept: the new version has one of this name")
      }
    }
    var lost = columns
    for (object, message) in zip(objects, messages) {
      var message = message
      // Only now, because a view may read one that comes after it.
      if message == nil, object.isReadable { message = try reasonNotToRead(object.name, target) }
      if let message { lost.append(MigrationLoss(kind: object.kind, name: object.name, message: message)) }
    }
    return lost
  }

  /// Makes an object again; returns why it is not kept, or may not fit.
  private func putBack(_ object: Object, in target: Connection) throws(StoreError) -> String? {
    let isOfModel = object.kind == .index && tables.contains(object.table.uppercased())
    if isOfModel, Self.isCoreDatas(index: object.name, of: object.table) {
      return "is not kept: it has a name as Core Data gives it, and the new model has no index of this name"
    }
    // Otherwise SQLite takes the name of a column that is gone for a text, if an index has it in double quotes.
    target.setOption(SQLITE_DBCONFIG_DQS_DDL, !isOfModel)
    if object.kind == .table { return try copy(object, to: target) }
    do throws(StoreError) { try target.execute(object.sql) } catch {
      return try "is not kept: " + error.refusal()
    }
    guard let before = object.reading else { return nil }
    let (isKept, message) = try target.reading(of: object.name, object.sql).fate(before: before)
    if !isKept { try target.execute("DROP TRIGGER main.\(SQLQuoting.name(object.name))") }
    return message
  }

  /// The message about a view that could be read before and cannot be now.
  private func reasonNotToRead(_ view: String, _ target: Connection) throws(StoreError) -> String? {
    do throws(StoreError) { _ = try target.prepare(Self.reading(view)) } catch {
      return try "is kept, but can no longer be read: " + error.refusal()
    }
    return nil
  }

  // MARK: - Tables

  /// Makes a table of the app's own in a new file, with its rows as they are; returns why it is not kept, if it cannot be.
  private func copy(_ table: Object, to target: Connection) throws(StoreError) -> String? {
    let upper = table.name.uppercased()
    if table.isVirtual { return "is not kept: it is a virtual table, and a mapping model makes a new file" }
    if let owner = objects.first(where: { $0.isVirtual && upper.hasPrefix($0.name.uppercased() + "_") }) {
      return "is not kept: it belongs to the virtual table \(owner.name)"
    }
    let references = try connection.prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)")
    references.bind(1, text: table.name)
    while try references.step() {
      let other = references.text(0)
      guard tables.contains(other.uppercased()) else { continue }
      return "is not kept: its rows refer to objects in \(other), which have other keys in the new file"
    }
    let attach = try target.prepare("ATTACH ?1 AS mergewalk_old")
    attach.bind(1, text: Connection.uri(connection.path, .readOnly))
    try attach.run()
    var message: String?
    do throws(StoreError) {
      // The rows are copied as they are, even if they break a CHECK constraint.
      try target.execute("PRAGMA ignore_check_constraints=ON; BEGIN")
      try target.execute(table.sql)
      try target.copyRows(of: table.name, from: "mergewalk_old")
      try target.execute("COMMIT")
    } catch {
      if !target.isAutocommit { try target.execute("ROLLBACK") }
      message = try "is not kept: " + error.refusal()
    }
    try target.execute("DETACH mergewalk_old")
    return message
  }
}

extension Connection {
  /// Whether there is an object of the same kind and name.
  fileprivate func has(_ object: AddedObjects.Object) throws(StoreError) -> Bool {
    let find = try prepare("SELECT count(*) FROM main.sqlite_master WHERE type = ?1 AND name = ?2 COLLATE NOCASE")
    find.bind(1, text: object.kind.rawValue)
    find.bind(2, text: object.name)
    return try find.step() && find.integer(0) > 0
  }

  /// Fills an empty table with the rows, and their numbers, of the table of its name in an attached database.
  fileprivate func copyRows(of table: String, from other: String) throws(StoreError) {
    let columns = try TableColumns(table, self)
    var hasNumbers = true
    do throws(StoreError) { _ = try prepare("SELECT \(columns.row) FROM main.\(columns.table)") } catch {
      // A table WITHOUT ROWID.
      _ = try error.refusal()
      hasNumbers = false
    }
    let list = columns.list(withRow: hasNumbers)
    try execute("INSERT INTO main.\(columns.table) (\(list)) SELECT \(list) FROM \(other).\(columns.table)")
    // The greatest number that was given out, with AUTOINCREMENT.
    let find = "SELECT count(*) FROM \(other).sqlite_master WHERE name = 'sqlite_sequence'"
    guard try hasTable("sqlite_sequence"), try integer(find) == 1 else { return }
    let name = SQLQuoting.text(table)
    try execute(
      "DELETE FROM main.sqlite_sequence WHERE name = \(name); INSERT INTO main.sqlite_sequence (name, seq)"
        + " SELECT name, seq FROM \(other).sqlite_sequence WHERE name = \(name)")
  }
}

extension PersistentStore {
  /// Takes what an app has added to the store's file along into a new file that a migration has made.
  ///
  /// Rows of an app's own tables stay as they are: keys of objects in them are not those of the new file.
  ///
  /// - Returns: What does not fit there.
  package func keepAdditions(in path: String) throws(StoreError) -> [MigrationLoss] {
    let added = try AddedObjects(connection, schema, hasTables: true)
    if added.objects.isEmpty { return added.columns }
    let target = try Connection.open(path, .readWrite)
    do throws(StoreError) {
      // The triggers of the model's tables need them.
      try target.registerCoreDataFunctions()
      let lost = try added.putBack(in: target)
      try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try target.close()
      return lost
    } catch {
      try? target.close()
      throw error
    }
  }
}
