import MergewalkSystem
import MergewalkSQLite

/// The rollback journal that a process leaves beside a database when it is killed in the middle of a transaction.
///
/// It belongs to the database: until it is played back, the file's pages are half new and half old. SQLite does that
/// when a process opens the file that may write it; one that only reads gets an error instead. Source: [File Locking
/// And Concurrency, section 4](https://sqlite.org/lockingv3.html#rollback).
enum HotJournal {
  /// Whether there is a journal that is not known to be over: one that starts with zeros was finished and kept, and of one
  /// that cannot be read nothing is known.
  static func mayExist(_ path: String) -> Bool {
    let (bytes, failure) = FileSystem.start(of: path + "-journal", count: 8)
    return failure == 0 ? bytes.contains { $0 != 0 } : ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(failure)
  }

  /// Plays a journal back that a crash has left, as SQLite does; nothing happens while a process is at work with it.
  ///
  /// - Returns: Whether the database can be read by a process that only reads.
  static func playBack(_ path: String) -> Bool {
    guard mayExist(path) else { return true }
    guard access(path, W_OK) == 0, access(FileSystem.folder(of: path), W_OK) == 0,
      let connection = try? Connection.open(path, .readWrite)
    else { return false }
    // The first one who reads looks whether the journal's maker is still there. That it is no database others find out.
    _ = try? connection.integer("SELECT count(*) FROM sqlite_master")
    try? connection.close()
    return true
  }
}
