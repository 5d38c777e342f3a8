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

extension Connection {
  /// Makes changes again that another connection has made (``ChangeRecording/changes()``), all or none.
  ///
  /// Triggers do not run: what they did is among the changes.
  ///
  /// - Returns: Whether they were made; false when a row is not what it was before them.
  package func apply(_ changes: [UInt8]) throws(SQLiteError) -> Bool {
    // R-trees and full-text tables have their rows in tables that only they may write.
    setOption(SQLITE_DBCONFIG_DEFENSIVE, false)
    setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    defer {
      setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, true)
      setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    }
    var changes = changes
    let code = changes.withUnsafeMutableBytes {
      sqlite3changeset_apply(
        handle, Int32($0.count), $0.baseAddress, nil, { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
    }
    if code == SQLITE_ABORT { return false }
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
    return true
  }
}

@available(*, unavailable, message: "a recording is confined to the task of its connection")
extension ChangeRecording: Sendable {}
