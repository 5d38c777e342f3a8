import MergewalkDiagnostics
import MergewalkSQLite

/// The first 100 bytes of a database file.
///
/// Source: [Database file format, section 1.3](https://sqlite.org/fileformat2.html#the_database_header).
package struct DatabaseHeader: Sendable {
  package static let size = 100
  package let bytes: [UInt8]

  /// Takes the first bytes of a file; `nil` when they are not those of a database.
  package init?(bytes: [UInt8]) {
    guard bytes.count >= Self.size, bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
    self.bytes = Array(bytes.prefix(Self.size))
  }

  /// Reads and checks the header of a file that need not be open.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `sqlite` or `notADatabase`.
  ///
  /// - Parameter name: What errors call it; `nil` for the path.
  init(_ path: String, name: String? = nil) throws(StoreError) {
    guard FileSystem.size(path) != nil else {
      throw StoreError(.notFound, path: name ?? path, message: "there is no such file")
    }
    guard FileKind(path) != .folder else {
      throw StoreError(.notADatabase, path: name ?? path, message: "this is a folder, not a file")
    }
    try self.init(Connection.open(path, .readOnly, name: name))
  }

  /// Reads and checks the header of an open file.
  init(_ connection: Connection) throws(StoreError) {
    let head = connection.head(count: ForeignStoreFile.headSize) ?? []
    if let foreign = ForeignStoreFile(head: head) { throw foreign.error(connection.name) }
    bytes = Array(head.prefix(Self.size))
  }

  /// Whether the file is in write-ahead mode.
  package var isWriteAhead: Bool { bytes[18] == 2 || bytes[19] == 2 }
  /// Whether texts are kept in UTF-16.
  package var isUTF16: Bool { bytes[59] == 2 || bytes[59] == 3 }
  /// The bytes of a page; 0 in a damaged header.
  package var pageSize: Int {
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    return size == 1 ? 65_536 : size
  }
  /// How many pages the file has; `nil` when the version that wrote last did not count them.
  package var pageCount: Int? {
    // The count is valid only when the version that wrote it also wrote the file's change counter.
    number(24) == number(92) ? Int(number(28)) : nil
  }

  private func number(_ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}
