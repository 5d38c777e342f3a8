import CMergewalkSQLite

extension Connection {
  /// Copies the database, as this connection sees it, to a new file.
  ///
  /// What is in the write-ahead log is in the copy. Source: [SQLite Backup API](https://sqlite.org/backup.html).
  ///
  /// - Parameter path: A file that does not exist, or is empty.
  /// - Throws: ``SQLiteError`` when a file cannot be read or written; half a copy may be left then.
  package func backUp(to path: String) throws(SQLiteError) {
    let copy = try Connection(path: path, mode: .create)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw SQLiteError(code: sqlite3_errcode(copy.handle), message: String(cString: sqlite3_errmsg(copy.handle)))
    }
    var code = SQLITE_OK
    while code == SQLITE_OK { code = sqlite3_backup_step(backup, 1024) }
    let ended = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, ended == SQLITE_OK else {
      let failed = code == SQLITE_DONE ? ended : code
      throw SQLiteError(code: failed, message: "cannot copy to \(path): \(String(cString: sqlite3_errstr(failed)))")
    }
    try copy.close()
  }
}
