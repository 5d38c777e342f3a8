import CMergewalkSQLite
import MergewalkSystem

/// The pages of a database as they were at one moment, read without SQLite's cache.
///
/// For the next developer:
/// - A connection with an open read transaction holds the snapshot; it does nothing else until it is asked to apply.
/// - While that transaction is open, SQLite keeps the pages that we read: in write-ahead mode, no connection moves
///   later pages into the file or restarts the log while we need it (the transaction's read mark forbids both); with a
///   rollback journal, no connection writes at all.
/// - Pages that are still only in the log are found by its index, which this connection has mapped: we never open
///   `-shm`, nor the database a second time, because closing them would drop the locks of this process.
///
/// Sources: [WAL-mode file format](https://sqlite.org/walformat.html), [the write-ahead
/// log](https://sqlite.org/fileformat2.html#the_write_ahead_log).
package final class DatabaseSnapshot {
  /// The committed state of a log: empty when all of it is in the database's file.
  package struct LogState: Hashable, Sendable {
    /// How many frames are committed; 0 when the file has everything.
    package var frames = 0
    /// The salts and the checksum of the last frame.
    package var marks: [UInt32] = []
  }

  /// The connection whose read transaction holds the snapshot.
  package let connection: Connection
  package let pageSize: Int
  package let pageCount: Int
  /// The state of the log beyond the file.
  package let log: LogState

  /// Whether the database has a write-ahead log: then what is written goes there, and the file keeps the snapshot.
  package let hasLog: Bool

  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods
  private let logFile: Int32
  /// The index of the log when the snapshot was taken; `nil` without one.
  private let index: LogIndex?
  /// The place in the log of the last version of a page.
  private var frames: [UInt32: Int] = [:]

  /// Begins a read transaction and remembers where its pages are.
  ///
  /// - Throws: ``SQLiteError``: `SQLITE_BUSY` while other processes write all the time, `SQLITE_CORRUPT` when log and
  ///   index do not go together, or what reading throws.
  /// - Complexity: O(frames of the log).
  package init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    // The first statement of all finds the log, and plays back what a crash has left.
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    guard let (file, methods) = connection.mainFile else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the database has no file")
    }
    self.file = file
    self.methods = methods
    let hasLog = try connection.text("PRAGMA journal_mode") == "wal"
    self.hasLog = hasLog
    var attempt = 0
    while true {
      // Asking for the index makes one: only where there is a log.
      let before = hasLog ? LogIndex(file, methods) : nil
      try connection.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
      let after = hasLog ? LogIndex(file, methods) : nil
      if before?.header == after?.header {
        index = after
        log = after?.state ?? LogState()
        break
      }
      try connection.execute("COMMIT")
      attempt += 1
      if attempt == 1000 { throw SQLiteError(code: SQLITE_BUSY, message: "other processes write all the time") }
    }
    pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    logFile = log.frames > 0 ? open(connection.path + "-wal", O_RDONLY | O_CLOEXEC) : -1
    if log.frames > 0 { try readFrames() }
  }

  deinit { if logFile >= 0 { close(logFile) } }

  /// Whether no process has committed since the snapshot was taken, asked by a connection that has given up its read
  /// transaction and has the lock of writers.
  ///
  /// Checkpoints change no page: what was in the log is read from the file when it was moved there.
  package func isCurrent() -> Bool {
    guard let index, let now = LogIndex(file, methods), now.commits == index.commits, now.pages == index.pages else {
      return false
    }
    if now.state.frames == 0 { frames = [:] }
    return now.state.frames == 0 || now.state == log
  }

  private static let logHeaderLength = 32
  private static let frameHeaderLength = 24

  private func readFrames() throws(SQLiteError) {
    var header = [UInt8](repeating: 0, count: Self.frameHeaderLength)
    for frame in 0..<log.frames {
      let place = Self.logHeaderLength + frame * (Self.frameHeaderLength + pageSize)
      guard header.withUnsafeMutableBytes({ Self.fill($0, logFile, place) }),
        header.bigEndian(at: 8) == log.marks.first, header.bigEndian(at: 12) == log.marks[1]
      else { throw SQLiteError(code: SQLITE_CORRUPT, message: "the log does not match its index") }
      frames[header.bigEndian(at: 0)] = place + Self.frameHeaderLength
    }
  }

  /// Reads bytes of the database, within one page; false when they are not there or cannot be read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    if logFile >= 0, let place = frames[UInt32(truncatingIfNeeded: offset / pageSize + 1)] {
      return Self.fill(buffer, logFile, place + offset % pageSize)
    }
    return methods.xRead?(file, buffer.baseAddress, Int32(buffer.count), sqlite3_int64(offset)) == SQLITE_OK
  }

  /// Reads whole pages that follow each other; false when one is not there or cannot be read.
  package func read(pagesFrom first: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let count = buffer.count / pageSize
    let offset = (Int(first) - 1) * pageSize
    guard first > 0, Int(first) - 1 + count <= pageCount else { return false }
    if logFile < 0 { return read(at: offset, into: buffer) }
    return (0..<count).allSatisfy {
      read(
        at: offset + $0 * pageSize,
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[$0 * pageSize..<($0 + 1) * pageSize]))
    }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, _ file: Int32, _ offset: Int) -> Bool {
    guard let base = buffer.baseAddress else { return true }
    var done = 0
    while done < buffer.count {
      let got = pread(file, base + done, buffer.count - done, off_t(offset + done))
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return false }
      done += got
    }
    return true
  }
}

/// The index of a write-ahead log, which all connections share; `nil` with a rollback journal.
private struct LogIndex {
  /// `WalIndexHdr`: changes with each commit, and when the log starts anew.
  var header: [UInt8]
  /// How many commits the index knows of, which checkpoints leave as it is, and how many pages the database has.
  var (commits, pages): (UInt32, UInt32)
  var state: DatabaseSnapshot.LogState

  init?(_ file: UnsafeMutablePointer<sqlite3_file>, _ methods: sqlite3_io_methods) {
    guard methods.iVersion >= 2, let map = methods.xShmMap else { return nil }
    var region: UnsafeMutableRawPointer?
    guard map(file, 0, 32_768, 0, &region) == SQLITE_OK, let region else { return nil }
    header = Array(UnsafeRawBufferPointer(start: region, count: 48))
    commits = region.load(fromByteOffset: 8, as: UInt32.self)
    pages = region.load(fromByteOffset: 20, as: UInt32.self)
    let frames = region.load(fromByteOffset: 16, as: UInt32.self)
    // Behind both copies of the header: how many frames were moved into the file.
    let moved = region.load(fromByteOffset: 96, as: UInt32.self)
    state = DatabaseSnapshot.LogState()
    guard frames > 0, moved < frames else { return }
    state.frames = Int(frames)
    // The salts are kept as they lie in the log, the checksum in the machine's order.
    state.marks = [
      UInt32(bigEndian: region.load(fromByteOffset: 32, as: UInt32.self)),
      UInt32(bigEndian: region.load(fromByteOffset: 36, as: UInt32.self)),
      region.load(fromByteOffset: 24, as: UInt32.self), region.load(fromByteOffset: 28, as: UInt32.self),
    ]
  }
}

extension [UInt8] {
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
