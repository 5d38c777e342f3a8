import MergewalkSystem

/// Who has a database file open.
enum StoreLock {
  /// SQLite's locks lie in these bytes of the file, whatever its size.
  ///
  /// Source: `os.h` of SQLite: `PENDING_BYTE` and the 511 bytes after it.
  private static let range: (start: off_t, length: off_t) = (0x4000_0000, 512)

  /// The number of a process that has a lock on the file; `nil` when none has, or when it cannot be told.
  ///
  /// It must not be asked by a process that has a lock on the file itself: closing it drops that lock.
  static func holder(_ path: String) -> Int32? {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var question = flock()
    question.l_type = Int16(F_WRLCK)
    question.l_whence = Int16(SEEK_SET)
    question.l_start = range.start
    question.l_len = range.length
    guard withUnsafeMutablePointer(to: &question, { fcntl(file, F_GETLK, $0) }) == 0 else { return nil }
    return question.l_type == Int16(F_UNLCK) || question.l_pid <= 0 ? nil : question.l_pid
  }

  /// The error for a store that another process has open.
  ///
  /// - Parameters:
  ///   - path: the file with the lock.
  ///   - store: the store's path, when the file is another one.
  static func error(
    _ path: String, store: String? = nil, waited seconds: Double, doing action: String = "has the store open"
  ) -> StoreError {
    error(store: store ?? path, holder: holder(path), waited: seconds, doing: action)
  }

  /// The same for a holder that is known; `nil` when it is not.
  ///
  /// - Parameter state: What has been achieved all the same, after a semicolon.
  static func error(
    store: String, holder: Int32?, waited seconds: Double, doing action: String, state: String = ""
  ) -> StoreError {
    var who = "another program"
    if let process = holder {
      who = "process \(process)"
      if let name = FileSystem.head("/proc/\(process)/comm", count: 64) {
        who += " (" + String(decoding: name.filter { $0 != 10 }, as: UTF8.self) + ")"
      }
    }
    let time = seconds == seconds.rounded() ? "\(Int(max(0, min(seconds, 86_400))))" : "\(seconds)"
    let wait = seconds > 0 ? ", even after \(time) s of waiting" : ""
    return StoreError(
      .busy, path: store, message: "\(who) \(action)\(wait)\(state); wait for its end, or wait longer")
  }
}
