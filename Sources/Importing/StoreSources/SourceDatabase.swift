import Glibc
import ObjectStore
import RecordFormats
import SQLite

/// A database that is the source of an import: opened for reading, at one moment, and left as it was found.
///
/// The whole reading is one transaction, so a writer's later commits are not seen. A database in write-ahead mode gets
/// a `-shm` and perhaps an empty `-wal` file beside it while it is read, because that is where SQLite keeps its locks.
/// Those that were not there before are removed at the end, unless somebody else uses the database by then.
final class SourceDatabase {
  let path: String
  let connection: Connection
  private let wasWriteAhead: Bool
  private let hadIndex: Bool
  private let hadLog: Bool
  /// Whether texts are kept in UTF-16.
  let isUTF16: Bool
  private var pages = 0
  private let pageSize: Int
  private let fileSize: Int

  /// Opens the database and takes its state of this moment.
  ///
  /// - Throws: `notFound`, `isDirectory`, `permissionDenied`, `inputFailed`, `unsupportedContainer`, `corrupt`,
  ///   `truncated`, `locked`, `checksumMismatch`.
  init(_ source: ByteSource) throws(ReadError) {
    path = source.path
    try Self.checkFile(source)
    hadIndex = Self.exists(path + "-shm")
    hadLog = Self.exists(path + "-wal")
    let connection: Connection
    do throws(SQLiteError) {
      connection = try Connection(path: source.path, mode: .readOnly)
    } catch {
      throw ReadError(error, database: source.path)
    }
    self.connection = connection
    let header = try Self.header(connection, path)
    wasWriteAhead = header[18] == 2 || header[19] == 2
    let exponent = Int(header[16]) << 8 | Int(header[17])
    pageSize = exponent == 1 ? 65_536 : exponent
    fileSize = connection.fileSize ?? 0
    isUTF16 = header[59] == 2 || header[59] == 3
    do throws(SQLiteError) {
      try connection.apply(.read(cacheKiB: 4096))
      // The transaction has its moment when it reads first.
      try connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch {
      // SQLite calls a file that was cut damaged; there is more to say.
      if error.isCorrupt { try checkLength(header) }
      throw ReadError(error, database: path, isWriteAhead: wasWriteAhead)
    }
    // SQLite takes what is missing of the last page for zeros. In write-ahead mode others may change the file now.
    if !wasWriteAhead { try checkLength(Self.header(connection, path)) }
  }

  deinit { close() }

  /// The bytes read so far, for progress.
  var bytesRead: Int {
    if !connection.isClosed { pages = connection.pagesRead }
    return min(fileSize, pages * pageSize)
  }

  /// Ends the transaction and removes the files that reading has made.
  func close() {
    if connection.isClosed { return }
    pages = connection.pagesRead
    // What was read is read; there is nothing that could be lost.
    try? connection.close()
    if wasWriteAhead, !hadIndex { removeLeftovers() }
  }

  /// Says what a failure of SQLite means.
  func failure(_ error: SQLiteError) -> ReadError {
    ReadError(error, database: path, isWriteAhead: wasWriteAhead)
  }

  // MARK: Checks

  private static func checkFile(_ source: ByteSource) throws(ReadError) {
    let path = source.path
    if source.isReadOnce {
      throw ReadError(
        .inputFailed, path: path,
        message: "a database is read here and there, so not from \(path == "-" ? "standard input" : "a pipe");"
          + " write it to a file first")
    }
    if source.isFolder {
      throw ReadError(.isDirectory, path: path, message: "this is a folder, not a database")
    }
    if !exists(path) { throw ReadError(.notFound, path: path, message: "there is no such file") }
    if access(path, R_OK) != 0 {
      throw ReadError(.permissionDenied, path: path, message: "this user may not read the file")
    }
    if source.container.formats?.isEmpty == false || !source.container.members.isEmpty {
      throw packed(path)
    }
    try source.verifyExpectation()
  }

  private static func packed(_ path: String) -> ReadError {
    ReadError(
      .unsupportedContainer, path: path,
      message: "the file is compressed or an archive; a database is read in place, so unpack it first")
  }

  /// The first 100 bytes, which say that it is a database.
  ///
  /// Source: [Database file format, section 1.3](https://sqlite.org/fileformat2.html#the_database_header).
  private static func header(_ connection: Connection, _ path: String) throws(ReadError) -> [UInt8] {
    guard let bytes = connection.head(count: 512) else {
      throw ReadError(.inputFailed, path: path, message: "the file cannot be read")
    }
    if bytes.starts(with: SourceFormat.sqliteMagic), bytes.count >= 100 { return bytes }
    if ContainerFormat.isPacked(bytes) { throw packed(path) }
    let what =
      bytes.isEmpty
      ? "the file is empty"
      : bytes.starts(with: SourceFormat.sqliteMagic)
        ? "the file ends within its header" : "the file does not begin as an SQLite database does"
    throw ReadError(
      bytes.starts(with: SourceFormat.sqliteMagic) ? .truncated : .corrupt, path: path,
      message: "\(what); check its path, or whether it is encrypted or damaged")
  }

  /// Checks that the file is as long as its header says.
  private func checkLength(_ header: [UInt8]) throws(ReadError) {
    func number(_ offset: Int) -> UInt32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    // The count is valid only when the version that wrote it also wrote the file's change counter.
    let fileSize = connection.fileSize ?? 0
    guard number(24) == number(92), pageSize > 0 else { return }
    let pages = Int(number(28))
    guard fileSize < pages * pageSize else { return }
    throw ReadError(
      .truncated, path: path,
      message: "the database should have \(pages) pages of \(pageSize) bytes, but its file has only \(fileSize) bytes;"
        + " copy it again, or save what is left with “sqlite3 \(path) .recover”")
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  // MARK: Leftovers

  /// Removes what reading has made beside the database, when nobody else has it open.
  ///
  /// A connection that only reads cannot take the lock that makes sure of that, so another one does.
  private func removeLeftovers() {
    let log = path + "-wal"
    guard access(path, W_OK) == 0, let lock = try? Connection(path: path, mode: .readWrite) else { return }
    lock.keepLogOnClose()
    lock.setBusyTimeout(milliseconds: 0)
    do throws(SQLiteError) {
      // With this mode the first read locks everybody else out, and needs no -shm file itself.
      try lock.execute("PRAGMA query_only=ON; PRAGMA locking_mode=EXCLUSIVE; SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch {
      return
    }
    unlink(path + "-shm")
    var status = stat()
    if !hadLog, stat(log, &status) == 0, status.st_size == 0 { unlink(log) }
    try? lock.close()
  }
}

extension ReadError {
  /// A failure of SQLite, with what it means for who wants to read the database.
  init(_ error: SQLiteError, database path: String, isWriteAhead: Bool = false) {
    let words = error.message
    switch (error.primaryCode, error.code) {
    case (11, _):
      self.init(
        .corrupt, path: path,
        message: "the database is damaged (\(words)); take a backup, or save what is left with"
          + " “sqlite3 \(path) .recover”")
    case (26, _):
      self.init(.corrupt, path: path, message: "the file is no SQLite database, or an encrypted one (\(words))")
    case (5, _), (6, _):
      self.init(
        .locked, path: path, message: "somebody else has the database locked (\(words)); try again when they are done")
    case (8, 776):
      self.init(
        .inputFailed, path: path,
        message: "a program died while it wrote the database; open it once with a program that may write, which takes"
          + " back what was half done")
    case (8, _) where isWriteAhead, (14, _) where isWriteAhead:
      self.init(
        .inputFailed, path: path,
        message: "the database is in write-ahead mode, and this user cannot make or use the -shm and -wal files beside"
          + " it (\(words)); copy it, with its -wal file if there is one, to a folder that can be written")
    default: self.init(.inputFailed, path: path, message: "SQLite cannot read the database: \(words)")
    }
  }
}
