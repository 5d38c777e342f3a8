import CMergewalkSQLite
import MergewalkObjectModel
import MergewalkSQLite

/// The triggers by which SQLite keeps a derived attribute.
///
/// Each computes the value anew, so that whoever computes it as well changes nothing. Word by word like Core Data's are those
/// of a path over one to-one relationship (a library of Photos) and of the time (a published log); that texts are changed by
/// `NSCoreDataCanonical` and its like, and how counts read, is published without the whole statements. The rest follows from
/// these: `docs/coredata-layout.md` says which is which.
struct DerivedTriggers {
  private let attribute: DerivedAttribute
  private static let inserted = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  private static let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  private static let functions = [
    "canonical": "NSCoreDataCanonical", "uppercase": "NSCoreDataToUpper", "lowercase": "NSCoreDataToLower",
  ]

  init(_ attribute: DerivedAttribute) { self.attribute = attribute }

  var list: [TriggerDefinition] {
    let table = attribute.table
    guard attribute.value != nil else {
      return ["INSERT", "UPDATE OF Z_OPT"].map { trigger("", table, $0, [("NSCoreDataNow()", Self.own)]) }
    }
    guard attribute.levels.count <= 2 else { return DerivedPathTriggers(self, attribute).list }
    guard let link = attribute.levels.last?.link else {
      guard let source = attribute.source else { return [] }
      return ["INSERT", "UPDATE OF \(source)"].map {
        trigger("", table, $0, [(changed(attribute.isSourceDerived ? source : "NEW.\(source)"), Self.own)])
      }
    }
    if !link.isToOne { return aggregates(of: attribute.levels[1].table, link) }
    guard let source = attribute.source else { return [] }
    let other = attribute.levels[1].table
    let value = "(SELECT \(changed(source)) FROM \(other) WHERE Z_PK = NEW.\(link.column))"
    // Another trigger may have changed a derived value since the row was written.
    let present = "(SELECT \(changed(source)) FROM \(other) WHERE Z_PK = NEW.Z_PK)"
    let reached = (attribute.isSourceDerived ? present : changed("NEW.\(source)"), "\(link.column) = NEW.Z_PK")
    return [
      trigger("_SOURCE", table, "INSERT", [(value, Self.own)]),
      trigger("_SOURCE", table, "UPDATE OF \(link.column)", [(value, Self.own)]),
      trigger("_PARAMETER", other, "INSERT", [reached]),
      trigger("_PARAMETER", other, "UPDATE OF \(source)", [reached]),
    ]
  }

  static let own = "Z_PK = NEW.Z_PK"

  /// The result of the expression's function for a value.
  func changed(_ value: String) -> String {
    attribute.function.flatMap { Self.functions[$0] }.map { "\($0)(\(value))" } ?? value
  }

  /// Counts and sums: the row is new, or what it is computed of comes, goes or changes.
  private func aggregates(of members: String, _ link: DerivedAttribute.Link) -> [TriggerDefinition] {
    let (table, source) = (attribute.table, attribute.source)
    /// The value for the row with a key.
    func value(_ key: String) -> String {
      guard let pairs = link.pairs else {
        return "(SELECT \(result(link.column)) FROM \(members) WHERE \(link.column) = \(key))"
      }
      guard source != nil else {
        return "(SELECT \(result(pairs.owner)) FROM \(pairs.table) WHERE \(pairs.owner) = \(key))"
      }
      // The rows may be of the attribute's own table.
      return "(SELECT \(result("")) FROM \(members) AS t WHERE t.Z_PK IN (SELECT \(pairs.target) FROM"
        + " \(pairs.table) WHERE \(pairs.owner) = \(key)))"
    }
    /// The triggers on the table whose column says what belongs to a row.
    func triggers(on changed: String, _ column: String, _ columns: [String]) -> [TriggerDefinition] {
      func row(_ name: String) -> (String, String) { (value("\(name).\(column)"), "Z_PK = \(name).\(column)") }
      return [
        trigger("_PARAMETER", changed, "INSERT", [row("NEW")]),
        trigger("_PARAMETER", changed, "UPDATE OF \(columns.joined(separator: ", "))", [row("OLD"), row("NEW")]),
        trigger("_PARAMETER", changed, "DELETE", [row("OLD")]),
      ]
    }
    let first = trigger("_SOURCE", table, "INSERT", [(value("NEW.Z_PK"), Self.own)])
    guard let pairs = link.pairs else {
      return [first] + triggers(on: members, link.column, [link.column] + (source.map { [$0] } ?? []))
    }
    let list = [first] + triggers(on: pairs.table, pairs.owner, [pairs.owner, pairs.target])
    guard let source else { return list }
    return list
      + [("INSERT", "NEW"), ("UPDATE OF \(source)", "NEW"), ("DELETE", "OLD")].map { event, row in
        let owners = "(SELECT \(pairs.owner) FROM \(pairs.table) WHERE \(pairs.target) = \(row).Z_PK)"
        return trigger("_PARAMETER", members, event, [(value("\(table).Z_PK"), "Z_PK IN \(owners)")])
      }
  }

  /// The result of an aggregate over the rows that have a column.
  private func result(_ link: String) -> String {
    result(of: attribute.source) ?? "IFNULL(COUNT(\(link)), 0)"
  }

  /// What the expression's aggregate makes of a column; `nil` when there is none.
  func result(of source: String?) -> String? {
    guard let source else { return nil }
    return switch attribute.function {
    case "min": "MIN(\(source))"
    case "max": "MAX(\(source))"
    case "avg", "average": "AVG(\(source))"
    default: "IFNULL(SUM(\(source)), 0)"
    }
  }

  /// A trigger that writes values into rows for which conditions hold, and tells of it.
  func trigger(
    _ role: String, _ changed: String, _ event: String, _ writes: [(value: String, condition: String)]
  ) -> TriggerDefinition {
    let (table, column, name) = (attribute.table, attribute.column, attribute.name)
    let function = event == "INSERT" ? Self.inserted : Self.updated
    // Rows of other entities in the same table have no such value.
    let entities = attribute.numbers.map { " AND Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    let body = writes.map { write in
      let condition = write.condition + entities
      return
        "UPDATE \(table) SET \(column) = \(write.value) WHERE \(condition); SELECT \(function)('\(table)', Z_ENT, Z_PK,"
        + " '\(name)', \(column)) FROM \(table) WHERE \(condition);"
    }
    return TriggerDefinition(
      name: "Z_DA_\(changed)_\(attribute.entity.name)_\(name)\(role)_\(event.prefix(6))", table: changed,
      event: "AFTER \(event)", body: body.joined(separator: " "))
  }
}

extension DerivedAttribute {
  /// See ``DerivedTriggers``.
  var triggers: [TriggerDefinition] { DerivedTriggers(self).list }
}

extension Connection {
  /// Leaves derived values to ``DerivedValueWriter``, and their triggers alone, of whatever wording: for each row that is
  /// written, a count would count anew what belongs to its owner.
  ///
  /// SQLite leaves out all triggers of a file or none. Where the store has others, this connection gets copies of those, or
  /// everything stays as it is.
  ///
  /// - Parameter copiesOthers: Whether it may have copies: then no change that triggers had a part in is applied to it.
  func leaveDerivedValues(_ schema: StoreSchema, copiesOthers: Bool) throws(StoreError) {
    let attributes = schema.derivedAttributes
    guard !attributes.isEmpty else { return }
    var others: [(name: String, sql: String)] = []
    var count = 0
    let rows = try prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    while try rows.step() {
      let name = rows.text(0)
      count += 1
      if !attributes.contains(where: { $0.owns(trigger: name) }) { others.append((name, rows.text(1))) }
    }
    rows.reset()
    // SQLite keeps their text from the name on behind these words.
    let word = "CREATE TRIGGER "
    guard others.count < count, others.isEmpty || copiesOthers && others.allSatisfy({ $0.sql.hasPrefix(word) })
    else { return }
    for (number, other) in others.enumerated() {
      do throws(StoreError) { try execute("CREATE TEMP TRIGGER " + other.sql.dropFirst(word.count)) } catch {
        for made in others[..<number] { try execute("DROP TRIGGER temp.\(SQLQuoting.name(made.name))") }
        return
      }
    }
    setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
  }

  /// Whether statements of this connection may run triggers.
  func runsTriggers() throws(StoreError) -> Bool {
    let schemas = ["sqlite_temp_schema"] + (option(SQLITE_DBCONFIG_ENABLE_TRIGGER) ? ["sqlite_schema"] : [])
    for schema in schemas {
      let rows = try prepare("SELECT count(*) FROM \(schema) WHERE type = 'trigger'")
      if try rows.step(), rows.integer(0) > 0 { return true }
    }
    return false
  }
}
