import MergewalkSystem
import MergewalkObjectStore
import MergewalkRecordFormats

/// A database that is the source of an import: checked, and its failures in words for who wants to read it.
struct SourceDatabase {
  /// The database, read at one moment.
  let reading: ReadOnlyDatabase
  private let header: DatabaseHeader

  var path: String { reading.path }
  /// Whether texts are kept in UTF-16.
  var isUTF16: Bool { header.isUTF16 }
  /// The bytes read so far, for progress.
  var bytesRead: Int { min(fileSize, reading.pagesRead * header.pageSize) }
  private let fileSize: Int

  /// Opens the database and takes its state of this moment.
  ///
  /// - Throws: `notFound`, `isDirectory`, `permissionDenied`, `inputFailed`, `unsupportedContainer`, `corrupt`,
  ///   `truncated`, `locked`, `checksumMismatch`.
  init(_ source: ByteSource) throws(ReadError) {
    try Self.checkFile(source)
    do throws(StoreError) {
      reading = try ReadOnlyDatabase(source.path)
    } catch {
      throw ReadError(error, database: source.path)
    }
    header = try Self.header(reading)
    fileSize = reading.fileSize
    do throws(StoreError) {
      try reading.begin(header)
    } catch {
      // SQLite calls a file that was cut damaged; there is more to say.
      if error.cause?.kind == .damaged || error.cause?.kind == .notADatabase { try checkLength(header) }
      throw failure(error)
    }
    // SQLite takes what is missing of the last page for zeros. In write-ahead mode others may change the file now.
    if !header.isWriteAhead { try checkLength(Self.header(reading)) }
  }

  func close() { reading.close() }

  /// Says what a failure of SQLite means.
  func failure(_ error: StoreError) -> ReadError {
    ReadError(error, database: path, isWriteAhead: header.isWriteAhead)
  }

  // MARK: Checks

  private static func checkFile(_ source: ByteSource) throws(ReadError) {
    let path = source.path
    if source.isReadOnce {
      throw ReadError(
        .inputFailed, path: path,
        message: "a database is read at many places, so it cannot come from"
          + " \(path == "-" ? "standard input" : "a pipe"); write it to a file first")
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

  /// The header, which says that it is a database.
  private static func header(_ reading: ReadOnlyDatabase) throws(ReadError) -> DatabaseHeader {
    let path = reading.path
    guard let bytes = reading.head(512) else {
      throw ReadError(.inputFailed, path: path, message: "the file cannot be read")
    }
    if let header = DatabaseHeader(bytes: bytes) { return header }
    if ContainerFormat.isPacked(bytes) { throw packed(path) }
    if let foreign = ForeignStoreFile(head: bytes), foreign.code == .otherStoreType {
      let error = foreign.error("")
      throw ReadError(.corrupt, path: path, message: error.words, hasCure: true)
    }
    let isCut = bytes.starts(with: SourceFormat.sqliteMagic)
    let what =
      bytes.isEmpty
      ? "the file is empty"
      : isCut ? "the file ends within its header" : "the file does not begin as an SQLite database does"
    throw ReadError(
      isCut ? .truncated : .corrupt, path: path,
      message: "\(what); check its path, or whether it is encrypted or damaged", hasCure: true)
  }

  /// Checks that the file is as long as its header says.
  private func checkLength(_ header: DatabaseHeader) throws(ReadError) {
    let fileSize = reading.fileSize
    guard let pages = header.pageCount, header.pageSize > 0, fileSize < pages * header.pageSize else { return }
    throw ReadError(
      .truncated, path: path,
      message: "the database should have \(pages) pages of \(header.pageSize) bytes, but its file has only \(fileSize)"
        + " bytes; copy it again, or save what is left with “sqlite3 \(path) .recover”", hasCure: true)
  }

  private static func exists(_ path: String) -> Bool { stat(path: path) != nil }
}

extension ReadError {
  /// A failure of SQLite, with what it means for who wants to read the database.
  init(_ error: StoreError, database path: String, isWriteAhead: Bool = false) {
    let words = error.cause?.message ?? error.message
    switch (error.cause?.kind, error.cause?.code) {
    case (.damaged, _):
      self.init(
        .corrupt, path: path,
        message: "the database is damaged (\(words)); take a backup, or save what is left with"
          + " “sqlite3 \(path) .recover”", hasCure: true)
    case (.notADatabase, _):
      self.init(
        .corrupt, path: path,
        message: "the file is not a SQLite database, or an encrypted one (\(words)); check its path", hasCure: true)
    case (.busy, _):
      self.init(
        .locked, path: path, message: "another process has the database locked (\(words)); try again later")
    // SQLITE_READONLY_ROLLBACK.
    case (.readOnly, 776):
      self.init(
        .inputFailed, path: path,
        message: "a program died while it wrote the database; open it once with a program that may write, which takes"
          + " back what was half done")
    case (.readOnly, _) where isWriteAhead, (.unopenable, _) where isWriteAhead:
      self.init(
        .inputFailed, path: path,
        message: "the database is in write-ahead mode, and this user cannot make or use the -shm and -wal files beside"
          + " it (\(words)); copy it, with its -wal file if there is one, to a folder that can be written")
    default: self.init(.inputFailed, path: path, message: "SQLite cannot read the database: \(words)")
    }
  }
}
