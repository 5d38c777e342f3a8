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

  /// The kinds of all slots below a root.
  static func kinds(of model: ManagedObjectModel, root: EntityDescription) -> [CellKind] {
    var kinds = [CellKind](repeating: .integer, count: model.columnSlotCounts[root.index])
    for entity in model.family(of: root.index) {
      for attribute in entity.attributes { kinds[attribute.slot] = CellKind(attribute.type) }
    }
    return kinds
  }
}

/// Reads columns of a statement's row as cells.
enum CellReader {
  /// A value of a row: a cell, or bytes that are valid until the next step.
  enum Value {
    case cell(UInt8, UInt64)
    case bytes(UInt8, UnsafeRawPointer, Int)
  }

  @inline(__always)
  static func read(_ statement: OpaquePointer, _ column: Int32, _ kind: CellKind) -> Value {
    let type = sqlite3_column_type(statement, column)
    if type == SQLITE_NULL { return .cell(CellTag.null, 0) }
    switch kind {
    case .integer:
      return .cell(CellTag.integer, UInt64(bitPattern: sqlite3_column_int64(statement, column)))
    case .real:
      return .cell(CellTag.real, sqlite3_column_double(statement, column).bitPattern)
    case .decimal where type == SQLITE_FLOAT:
      return .cell(CellTag.real, sqlite3_column_double(statement, column).bitPattern)
    case .decimal where type == SQLITE_INTEGER:
      return .cell(CellTag.integer, UInt64(bitPattern: sqlite3_column_int64(statement, column)))
    case .text, .decimal:
      let start = UnsafeRawPointer(sqlite3_column_text(statement, column))
      let count = Int(sqlite3_column_bytes(statement, column))
      return .bytes(CellTag.text, start ?? noBytes, count)
    case .blob:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .bytes(CellTag.blob, start ?? noBytes, count)
    }
  }
}

extension CellReader {
  /// Reads an argument of a function; bytes are valid until it returns.
  @inline(__always)
  static func read(_ value: OpaquePointer, _ kind: CellKind) -> Value {
    let type = sqlite3_value_type(value)
    if type == SQLITE_NULL { return .cell(CellTag.null, 0) }
    switch kind {
    case .integer: return .cell(CellTag.integer, UInt64(bitPattern: sqlite3_value_int64(value)))
    case .real: return .cell(CellTag.real, sqlite3_value_double(value).bitPattern)
    case .decimal where type == SQLITE_FLOAT: return .cell(CellTag.real, sqlite3_value_double(value).bitPattern)
    case .decimal where type == SQLITE_INTEGER:
      return .cell(CellTag.integer, UInt64(bitPattern: sqlite3_value_int64(value)))
    case .text, .decimal:
      let start = UnsafeRawPointer(sqlite3_value_text(value))
      return .bytes(CellTag.text, start ?? noBytes, Int(sqlite3_value_bytes(value)))
    case .blob:
      let start = sqlite3_value_blob(value)
      return .bytes(CellTag.blob, start ?? noBytes, Int(sqlite3_value_bytes(value)))
    }
  }
}

/// An address for values without bytes; nothing is read from it.
var noBytes: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }

/// Hashes of rows: a chain over the cells of the key, then of the other cells.
public enum ContentHash {
  /// The chain's start.
  @inlinable @inline(__always)
  public static func start(_ seed: UInt64) -> UInt64 { CellHash.mix(seed, 0x9FB2_1C65_1E98_DF25) }

  /// Chains the bytes of a text or blob cell.
  @inlinable @inline(__always)
  public static func bytes(_ start: UnsafeRawPointer, _ count: Int, seed: UInt64) -> UInt64 {
    CellHash.bytes(start, count, seed: seed ^ CellHash.secret2)
  }

  /// Chains a primary key.
  @inlinable @inline(__always)
  public static func primaryKey(_ key: Int64, seed: UInt64) -> UInt64 {
    CellHash.mix(UInt64(bitPattern: key) ^ CellHash.secret0, seed ^ CellHash.secret1)
  }

  /// Chains a null.
  @inlinable @inline(__always)
  public static func null(seed: UInt64) -> UInt64 { CellHash.mix(CellHash.secret0, seed ^ CellHash.secret0) }
}
