import MergewalkObjectModel
import MergewalkSQLite
import MergewalkStorePages

/// Sums up the content of a store in 16 bytes that do not depend on when, where and by which SQLite it was written.
enum ContentDigest {
  /// Computes the digest of an open store: the version hashes of its entities, and every row of every table but the
  /// metadata, tables by name and rows by number.
  ///
  /// Rows are taken as they are stored: a record's bytes follow from its values
  /// ([2.1](https://sqlite.org/fileformat2.html#record_format)), wherever it is in the file.
  ///
  /// - Parameter connection: The store, in rollback mode, with a lock, so that its pages are what the file has.
  /// - Throws: ``StoreError`` with `damagedFile` when pages are not what they should be.
  /// - Complexity: O(bytes of the store); memory is that of one row.
  static func compute(_ connection: Connection, hashes: ModelHashes) throws(StoreError) -> [UInt8] {
    // It is to tell contents apart, not to prove who wrote them, and reads as much as the file has.
    let digest = DigestStream(.xxh3)
    digest.add(text: "mergewalk contents 3")
    for entity in hashes.entities {
      digest.add(text: entity.name)
      entity.hash.withUnsafeBytes { digest.add($0) }
    }
    let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    let pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    let scan = TableScan(pageSize: pageSize, pageCount: pageCount, columns: []) { first, buffer in
      connection.read(at: (Int(first) - 1) * pageSize, into: buffer)
    }
    for (name, root, key) in try tables(connection) {
      digest.add(text: name)
      // Rows of join tables have numbers by the order in which they came.
      if key.count > 1 || root == 0 {
        try addValues(name, by: key, connection, to: digest)
      } else {
        var rows: Int64 = 0
        let isWhole = scan?.records(root: root) { row, record in
          digest.add(row)
          digest.add(Int64(record.count))
          digest.add(record)
          rows += 1
          return true
        }
        guard isWhole == true else {
          throw StoreError(.damagedFile, path: connection.name, message: "the pages of \(name) cannot be read")
        }
        digest.add(rows)
      }
    }
    return digest.finish()
  }

  /// The tables with their root pages (0 for virtual ones) and the columns of their primary keys, quoted; by name as bytes
  /// compare.
  private static func tables(
    _ connection: Connection
  ) throws(StoreError) -> [(name: String, root: UInt32, key: [String])] {
    let select = try connection.prepare(
      "SELECT t.name, t.rootpage, c.name FROM sqlite_master AS t LEFT JOIN pragma_table_info(t.name) AS c ON c.pk > 0"
        + " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' AND t.name <> 'Z_METADATA'"
        + " ORDER BY t.name COLLATE BINARY, c.pk")
    var tables: [(name: String, root: UInt32, key: [String])] = []
    while try select.step() {
      let name = select.text(0)
      if tables.last?.name != name { tables.append((name, UInt32(truncatingIfNeeded: select.integer(1)), [])) }
      if !select.isNull(2) { tables[tables.count - 1].key.append(SQLQuoting.name(select.text(2))) }
    }
    return tables
  }

  /// Adds the values of a table, sorted by some columns.
  private static func addValues(
    _ table: String, by key: [String], _ connection: Connection, to digest: DigestStream
  ) throws(StoreError) {
    let order = key.isEmpty ? "rowid" : key.joined(separator: ", ")
    let select = try connection.prepare("SELECT * FROM \(SQLQuoting.name(table)) ORDER BY \(order)")
    let columns = select.columnCount
    digest.add(Int64(columns))
    for column in 0..<columns { digest.add(text: select.columnName(column)) }
    while try select.step() {
      for column in 0..<columns { add(select, column, to: digest) }
    }
  }

  private static func add(_ row: Statement, _ column: Int32, to digest: DigestStream) {
    let type = row.type(column)
    digest.add(Int64(type))
    switch type {
    case 1: digest.add(row.integer(column))
    case 2: digest.add(Int64(bitPattern: row.double(column).bitPattern))
    case 5: break
    default:
      let bytes = row.bytes(column)
      digest.add(Int64(bytes.count))
      digest.add(bytes)
    }
  }
}
