import MergewalkObjectModel
import MergewalkSQLite

/// What a store holds, summed up in 32 bytes that do not depend on when, where and by which SQLite it was written.
enum ContentDigest {
  /// Computes the digest of an open store: the version hashes of its entities, and every row of every table but the
  /// metadata, tables by name and rows by number.
  ///
  /// - Complexity: O(bytes of the store); memory is that of one row.
  static func compute(_ connection: Connection, hashes: ModelHashes) throws(StoreError) -> [UInt8] {
    let digest = DigestStream()
    digest.add(text: "mergewalk contents 1")
    for entity in hashes.entities {
      digest.add(text: entity.name)
      entity.hash.withUnsafeBytes { digest.add($0) }
    }
    for table in try tables(connection) {
      let select = try connection.prepare(
        "SELECT * FROM \(connection.quoted(table)) ORDER BY \(try order(table, connection))")
      digest.add(text: table)
      let columns = select.columnCount
      digest.add(Int64(columns))
      for column in 0..<columns { digest.add(text: select.columnName(column)) }
      while try select.step() {
        for column in 0..<columns { add(select, column, to: digest) }
      }
    }
    return digest.finish()
  }

  /// The tables, by name as bytes compare.
  private static func tables(_ connection: Connection) throws(StoreError) -> [String] {
    let select = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        + " AND name <> 'Z_METADATA' ORDER BY name COLLATE BINARY")
    var names: [String] = []
    while try select.step() { names.append(select.text(0)) }
    return names
  }

  /// The order of a table's rows: by the columns of its primary key, which join tables have two of.
  private static func order(_ table: String, _ connection: Connection) throws(StoreError) -> String {
    let select = try connection.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
    select.bind(1, text: table)
    var names: [String] = []
    while try select.step() { names.append(connection.quoted(select.text(0))) }
    return names.isEmpty ? "rowid" : names.joined(separator: ", ")
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
