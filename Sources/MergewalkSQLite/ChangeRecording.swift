import CMergewalkSQLite

/// Records what a connection changes from now on, in SQLite's own form, with the values from before.
///
/// Tables without a primary key and virtual tables are not seen; the tables behind virtual ones are. It belongs to the
/// connection, and must be gone before that closes. Source: [The session
/// extension](https://sqlite.org/sessionintro.html).
package final class ChangeRecording {
  private let connection: Connection
  private let session: OpaquePointer

  /// Begins to record.
  package init(_ connection: Connection) throws(SQLiteError) {
    var session: OpaquePointer?
    var code = sqlite3session_create(connection.handle, "main", &session)
    if code == SQLITE_OK { code = sqlite3session_attach(session, nil) }
    guard code == SQLITE_OK, let session else {
      sqlite3session_delete(session)
      throw SQLiteError(code: code, message: "the changes of a save cannot be recorded")
    }
    self.connection = connection
    self.session = session
  }

  deinit { sqlite3session_delete(session) }

  /// The changes so far: rows that are as they were are not among them.
  ///
  /// - Throws: ``SQLiteError``, also when they take more than 2 GiB.
  /// - Complexity: O(changed rows); each is read once.
  package func changes() throws(SQLiteError) -> [UInt8] {
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    let code = sqlite3session_changeset(session, &count, &bytes)
    defer { sqlite3_free(bytes) }
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: code, message: "the changes of a save cannot be kept: \(String(cString: sqlite3_errstr(code)))")
    }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}

/// A change that a unique value of another row stood in the way of when it was to be made again.
package final class HeldChange {
  package let table: String
  /// Whether the row is new; otherwise some of its values are.
  package let isInsert: Bool
  /// Which columns are the table's key.
  package let keys: [Bool]
  /// The values of the row that are known, copied: those of its key, and those that are new.
  private let values: [OpaquePointer?]

  /// Takes the change at which SQLite stands; `nil` when it is a deletion.
  fileprivate init?(_ iterator: OpaquePointer) {
    var name: UnsafePointer<CChar>?
    var (count, operation, isIndirect): (Int32, Int32, Int32) = (0, 0, 0)
    var marks: UnsafeMutablePointer<UInt8>?
    guard sqlite3changeset_op(iterator, &name, &count, &operation, &isIndirect) == SQLITE_OK, let name,
      operation != SQLITE_DELETE, sqlite3changeset_pk(iterator, &marks, nil) == SQLITE_OK, let marks
    else { return nil }
    let (keys, isInsert) = ((0..<Int(count)).map { marks[$0] != 0 }, operation == SQLITE_INSERT)
    (table, self.keys, self.isInsert) = (String(cString: name), keys, isInsert)
    values = (0..<count).map { column in
      var value: OpaquePointer?
      let code =
        isInsert || !keys[Int(column)]
        ? sqlite3changeset_new(iterator, column, &value) : sqlite3changeset_old(iterator, column, &value)
      return code == SQLITE_OK ? value.flatMap { sqlite3_value_dup($0) } : nil
    }
  }

  deinit { for value in values { sqlite3_value_free(value) } }

  package func isKnown(_ column: Int) -> Bool { values[column] != nil }

  package func bind(_ column: Int, to statement: Statement, _ index: Int32) {
    sqlite3_bind_value(statement.handle, index, values[column])
  }
}

/// The changes that wait for the end, while SQLite makes others.
private final class HeldChanges {
  var list: [HeldChange] = []

  /// What SQLite does about a change that it cannot make.
  func decide(_ reason: Int32, _ iterator: OpaquePointer?) -> Int32 {
    guard reason == SQLITE_CHANGESET_CONSTRAINT, let change = iterator.flatMap({ HeldChange($0) }) else {
      return SQLITE_CHANGESET_ABORT
    }
    list.append(change)
    return SQLITE_CHANGESET_OMIT
  }
}

extension Connection {
  /// Makes changes again that another connection has made (``ChangeRecording/changes()``).
  ///
  /// - Returns: The changes that are still to be made, as their rows exchange unique values with each other; `nil` when
  ///   none were made because a row is not what it was before them.
  package func apply(_ changes: [UInt8]) throws(SQLiteError) -> [HeldChange]? {
    var changes = changes
    let held = HeldChanges()
    let code = withExtendedLifetime(held) {
      changes.withUnsafeMutableBytes {
        sqlite3changeset_apply(
          handle, Int32($0.count), $0.baseAddress, nil,
          { Unmanaged<HeldChanges>.fromOpaque($0!).takeUnretainedValue().decide($1, $2) },
          Unmanaged.passUnretained(held).toOpaque())
      }
    }
    if code == SQLITE_ABORT { return nil }
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
    return held.list
  }

  /// Runs `body` without triggers, as what they did is among what it writes, and lets it write tables behind virtual ones,
  /// such as those of R-trees.
  package func withoutTriggers<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    setOption(SQLITE_DBCONFIG_DEFENSIVE, false)
    setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    defer {
      setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, true)
      setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    }
    return try body()
  }
}

@available(*, unavailable, message: "a recording is confined to the task of its connection")
extension ChangeRecording: Sendable {}

@available(*, unavailable, message: "a change belongs to the task of its connection")
extension HeldChange: Sendable {}
