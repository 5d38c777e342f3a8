import CMergewalkSQLite

extension Connection {
  /// Compiles statements, and returns what a trigger that they run reads and writes: tables, and columns as
  /// `TABLE.COLUMN`, in upper case, as SQLite understands the names in its text.
  ///
  /// Source: [Compile-Time Authorization Callbacks](https://sqlite.org/c3ref/set_authorizer.html).
  package func uses(ofTrigger name: String, in statements: [String]) throws(SQLiteError) -> Set<String> {
    let uses = TriggerUses(name)
    return try withExtendedLifetime(uses) { () throws(SQLiteError) in
      sqlite3_set_authorizer(
        handle,
        { context, action, first, second, _, trigger in
          guard let context, let trigger else { return SQLITE_OK }
          Unmanaged<TriggerUses>.fromOpaque(context).takeUnretainedValue().note(action, first, second, in: trigger)
          return SQLITE_OK
        }, Unmanaged.passUnretained(uses).toOpaque())
      defer { sqlite3_set_authorizer(handle, nil, nil) }
      for statement in statements { _ = try prepare("EXPLAIN " + statement) }
      return uses.names
    }
  }

  /// Lets statements be compiled that call a function which only another program has; to run one is an error.
  ///
  /// The name must be that of no function, as the stand-in would come before one of SQLite's own; what cannot be a name does
  /// not matter.
  package func registerStandIn(_ function: String) { sqlite3_overload_function(handle, function, -1) }
}

/// What SQLite tells of a trigger while it compiles a statement.
private final class TriggerUses {
  private let trigger: String
  private(set) var names = Set<String>()

  init(_ trigger: String) { self.trigger = trigger }

  func note(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, in trigger: UnsafePointer<CChar>
  ) {
    guard [SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action),
      String(cString: trigger) == self.trigger
    else { return }
    let parts = [first, second].compactMap { $0.map { String(cString: $0).uppercased() } }
    // Of a table that is only counted no column is named.
    names.insert(parts.filter { !$0.isEmpty }.joined(separator: "."))
  }
}
