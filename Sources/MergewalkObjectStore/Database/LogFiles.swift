import MergewalkSystem
import MergewalkSQLite

/// The files that SQLite puts beside a database while it is open.
enum LogFiles {
  /// Whether SQLite reads a database by way of a write-ahead log: its header says so, or there is a log with anything in it,
  /// which SQLite takes whatever the header says.
  static func areUsed(_ path: String, _ header: DatabaseHeader) -> Bool { header.isWriteAhead || hasLog(path) }

  /// Whether there is a log with anything in it.
  static func hasLog(_ path: String) -> Bool { FileSystem.size(path + "-wal") ?? 0 > 0 }

  /// Removes the index of a log, and the log if it is empty, when the database is not open anywhere: what reading has
  /// made, or a process that was killed has left.
  ///
  /// A connection that only reads cannot take the lock that makes sure of that, so one that could write does.
  ///
  /// - Parameter keepsLog: Whether an empty log stays.
  static func sweep(_ path: String, keepsLog: Bool) {
    guard access(path, W_OK) == 0, let lock = try? Connection.open(path, .readWrite) else { return }
    lock.keepLogOnClose()
    lock.setBusyTimeout(milliseconds: 0)
    do throws(StoreError) {
      // With this mode the first read locks everybody else out, and needs no -shm file itself.
      try lock.execute("PRAGMA query_only=ON; PRAGMA locking_mode=EXCLUSIVE; SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch {
      return
    }
    unlink(path + "-shm")
    if !keepsLog, FileSystem.size(path + "-wal") == 0 { unlink(path + "-wal") }
    try? lock.close()
  }

  /// Removes a rollback journal that was finished and kept, when no other process reads or writes the database: what one
  /// that was killed behind its commit has left.
  static func sweepJournal(_ path: String) {
    guard FileSystem.exists(path + "-journal"), !HotJournal.mayExist(path), access(path, W_OK) == 0,
      let lock = try? Connection.open(path, .readWrite)
    else { return }
    lock.setBusyTimeout(milliseconds: 0)
    // As long as this is held, no other process begins a journal: until it is synced, it too starts with zeros.
    if (try? lock.execute("BEGIN EXCLUSIVE")) != nil {
      if !HotJournal.mayExist(path) { unlink(path + "-journal") }
      try? lock.execute("ROLLBACK")
    }
    try? lock.close()
  }
}
