import CMergewalkSQLite
import MergewalkObjectModel

/// How the values of a column become cells.
enum CellKind: UInt8 {
  /// Integers, Boolean, to-one relationships.
  case integer
  /// Double, Float, Date: always a real cell, although SQLite may have stored a whole number.
  case real
  /// Decimal: an integer or a real cell, as it is stored.
  case decimal
  /// String and URI.
  case text
  /// Binary, UUID, Transformable.
  case blob

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .objectID: self = .integer
    case .double, .float, .date: self = .real
    case .decimal: self = .decimal
    case .string, .uri: self = .text
    case .binary, .uuid, .transformable, .composite, .undefined: self = .blob
    }
  }

  /// Whether cells of the kind may have bytes in an arena.
  var mayHaveBytes: Bool { self == .text || self == .blob || self == .decimal }

  /// The kinds of all slots below a root.
  static func kinds(of model: ManagedObjectModel, root: EntityDescription) -> [CellKind] {
    var kinds = [CellKind](repeating: .integer, count: model.columnSlotCounts[root.index])
    for entity in model.family(of: root.index) {
      for attribute in entity.attributes { kinds[attribute.slot] = CellKind(attribute.type) }
    }
    return kinds
  }
}

/// Reads columns of a statement's row, or arguments of a function, as cells.
///
/// A value is read first and its type asked for only where the value leaves it open: SQLite gives 0 or no address for a
/// null (sqlite.org/c3ref/column_blob.html), and each question is a call. Texts are read as UTF-8, which changes no type
/// that is requested after them: a value without an address is a null or has no bytes.
enum CellReader {
  /// A value of a row: a cell, or bytes that are valid until the next step.
  enum Value {
    case cell(UInt8, UInt64)
    case bytes(UInt8, UnsafeRawPointer, Int)
  }

  /// Reads a column of the row that a statement is at: numbers in one call, other values by looking for the column once.
  ///
  /// SQLite calls a column's value "unprotected": it may be read like any other by the one thread that uses the connection
  /// (sqlite.org/c3ref/value.html).
  @inline(__always)
  static func read(_ statement: OpaquePointer, _ column: Int32, _ kind: CellKind) -> Value {
    switch kind {
    case .integer:
      let number = sqlite3_column_int64(statement, column)
      if number != 0 { return .cell(CellTag.integer, UInt64(bitPattern: number)) }
    case .real:
      let number = sqlite3_column_double(statement, column)
      if number != 0 { return .cell(CellTag.real, number.bitPattern) }
    default: break
    }
    guard let value = sqlite3_column_value(statement, column) else { return null }
    return read(value, kind)
  }

  @inline(__always)
  static func read(_ statement: OpaquePointer, _ column: Int32) -> Value {
    guard let value = sqlite3_column_value(statement, column) else { return null }
    return read(value)
  }

  /// Reads an argument of a function, or a column of a row; bytes are valid until the function returns or the statement
  /// goes on.
  @inline(__always)
  static func read(_ value: OpaquePointer, _ kind: CellKind) -> Value {
    switch kind {
    case .integer:
      let number = sqlite3_value_int64(value)
      return number == 0 && isNull(value) ? null : .cell(CellTag.integer, UInt64(bitPattern: number))
    case .real:
      let number = sqlite3_value_double(value)
      return number == 0 && isNull(value) ? null : .cell(CellTag.real, number.bitPattern)
    case .decimal:
      // Bytes are no number: they are read as the text that they may be.
      if sqlite3_value_type(value) != SQLITE_BLOB { return read(value) }
      return .bytes(CellTag.text, textStart(value), Int(sqlite3_value_bytes(value)))
    case .text:
      guard let start = sqlite3_value_text(value) else {
        return isNull(value) ? null : .bytes(CellTag.text, noBytes, 0)
      }
      return .bytes(CellTag.text, UnsafeRawPointer(start), Int(sqlite3_value_bytes(value)))
    case .blob:
      guard let start = sqlite3_value_blob(value) else {
        return isNull(value) ? null : .bytes(CellTag.blob, noBytes, 0)
      }
      return .bytes(CellTag.blob, start, Int(sqlite3_value_bytes(value)))
    }
  }

  @inline(__always)
  static func read(_ value: OpaquePointer) -> Value {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return null
    case SQLITE_INTEGER: return .cell(CellTag.integer, UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT: return .cell(CellTag.real, sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT: return .bytes(CellTag.text, textStart(value), Int(sqlite3_value_bytes(value)))
    default: return .bytes(CellTag.blob, sqlite3_value_blob(value) ?? noBytes, Int(sqlite3_value_bytes(value)))
    }
  }

  @inline(__always)
  private static func textStart(_ value: OpaquePointer) -> UnsafeRawPointer {
    sqlite3_value_text(value).map { UnsafeRawPointer($0) } ?? noBytes
  }

  @inline(__always)
  private static func isNull(_ value: OpaquePointer) -> Bool { sqlite3_value_type(value) == SQLITE_NULL }

  private static var null: Value { .cell(CellTag.null, 0) }
}

/// An address for values without bytes; nothing is read from it.
var noBytes: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }

/// Hashes of rows: a chain over the cells of the key, then of the other cells.
@usableFromInline package enum ContentHash {
  @inlinable @inline(__always)
  package static func start(_ seed: UInt64) -> UInt64 { CellHash.mix(seed, 0x9FB2_1C65_1E98_DF25) }

  /// Chains the bytes of a text or blob cell.
  @inlinable @inline(__always)
  package static func bytes(_ start: UnsafeRawPointer, _ count: Int, seed: UInt64) -> UInt64 {
    CellHash.bytes(start, count, seed: seed ^ CellHash.secret2)
  }

  @inlinable @inline(__always)
  package static func primaryKey(_ key: Int64, seed: UInt64) -> UInt64 {
    CellHash.mix(UInt64(bitPattern: key) ^ CellHash.secret0, seed ^ CellHash.secret1)
  }

  @inlinable @inline(__always)
  package static func null(seed: UInt64) -> UInt64 { CellHash.mix(CellHash.secret0, seed ^ CellHash.secret0) }
}
