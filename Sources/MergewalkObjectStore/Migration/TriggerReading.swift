import CMergewalkSQLite
import MergewalkSQLite

/// What SQLite makes of an app's trigger.
///
/// An app may have functions that are not here. And it may have texts in double quotes, which SQLite takes for texts where
/// they are no names, unless it is told not to: when columns come and go, a name becomes a text without a word, or a text
/// a name. This shows in what the trigger reads and writes.
enum TriggerReading {
  /// The tables and columns that it reads and writes; and if it compiles only because words in double quotes may be texts,
  /// SQLite's message without that.
  case uses(Set<String>, String?)
  /// It cannot be compiled, for this reason.
  case nothing(String)

  var isKnown: Bool { if case .nothing = self { false } else { true } }

  /// Whether a trigger can stay that is read like this now, and what is to be said of it.
  func fate(before: TriggerReading) -> (isKept: Bool, message: String?) {
    switch (before, self) {
    case (.nothing, .nothing(let reason)):
      return (true, "is kept as it is, but may not fit: it could not be read before the migration either: \(reason)")
    case (.nothing, .uses), (.uses(_, .none), .uses(_, .none)): return (true, nil)
    case (.uses(let former, let reason), .uses(let present, let refusal)):
      if former == present { return (true, nil) }
      if reason == nil, let refusal { return (false, "is not kept: \(refusal)") }
      let others = former.symmetricDifference(present).sorted().joined(separator: ", ")
      return (false, "is not kept: words in double quotes would change from names to texts or back: \(others)")
    case (.uses, .nothing(let reason)): return (false, "is not kept: \(reason)")
    }
  }
}

extension Connection {
  /// Finds out what SQLite makes of a trigger of a table.
  func reading(of trigger: String, _ sql: String) throws(StoreError) -> TriggerReading {
    let former = [SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML].map { ($0, option($0)) }
    defer { for (number, isOn) in former { setOption(number, isOn) } }
    // Nothing is run: what an app's functions are and do does not matter.
    setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    // A stand-in for one of SQLite's own functions, which have fixed numbers of arguments, would replace it.
    let known = Set(try texts("SELECT lower(name) FROM pragma_function_list"))
    for word in sql.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
    where !known.contains(word.lowercased()) {
      registerStandIn(String(word))
    }
    do throws(StoreError) {
      return .uses(try uses(of: trigger), nil)
    } catch {
      let refusal = try error.refusal()
      setOption(SQLITE_DBCONFIG_DQS_DML, true)
      do throws(StoreError) { return .uses(try uses(of: trigger), refusal) } catch {
        return .nothing(try error.refusal())
      }
    }
  }

  /// Compiles statements that run a trigger of a table, as SQLite looks at what one does only then.
  ///
  /// - Returns: What it reads and writes.
  /// - Throws: ``StoreError`` with `sqlite` when it cannot be compiled.
  func uses(of trigger: String) throws(StoreError) -> Set<String> {
    let wasOn = option(SQLITE_DBCONFIG_ENABLE_TRIGGER)
    setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, true)
    defer { setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, wasOn) }
    let find = try prepare("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = ?1")
    find.bind(1, text: trigger)
    guard try find.step() else { return [] }
    let columns = try TableColumns(find.text(0), self)
    find.reset()
    // What is missing may be what the migration took away.
    return try storeErrors(name) { () throws(SQLiteError) in
      try uses(ofTrigger: trigger, in: columns.statementsThatWrite)
    }
  }
}
