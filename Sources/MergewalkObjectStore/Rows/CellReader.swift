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

  /// Reads a column of the row that a statement is at.
  @inline(__always)
  static func read(_ statement: OpaquePointer, _ column: Int32, _ kind: CellKind) -> Value {
    read(
      kind, type: { sqlite3_column_type(statement, column) }, integer: { sqlite3_column_int64(statement, column) },
      real: { sqlite3_column_double(statement, column) },
      text: { UnsafeRawPointer(sqlite3_column_text(statement, column)) },
      blob: { sqlite3_column_blob(statement, column) }, count: { sqlite3_column_bytes(statement, column) })
  }

  /// Reads an argument of a function; bytes are valid until it returns.
  @inline(__always)
  static func read(_ value: OpaquePointer, _ kind: CellKind) -> Value {
    read(
      kind, type: { sqlite3_value_type(value) }, integer: { sqlite3_value_int64(value) },
      real: { sqlite3_value_double(value) }, text: { UnsafeRawPointer(sqlite3_value_text(value)) },
      blob: { sqlite3_value_blob(value) }, count: { sqlite3_value_bytes(value) })
  }

  @inline(__always)
  private static func read(
    _ kind: CellKind, type: () -> Int32, integer: () -> Int64, real: () -> Double, text: () -> UnsafeRawPointer?,
    blob: () -> UnsafeRawPointer?, count: () -> Int32
  ) -> Value {
    switch kind {
    case .integer:
      let value = integer()
      return value == 0 && type() == SQLITE_NULL ? null : .cell(CellTag.integer, UInt64(bitPattern: value))
    case .real:
      let value = real()
      return value == 0 && type() == SQLITE_NULL ? null : .cell(CellTag.real, value.bitPattern)
    case .decimal:
      switch type() {
      case SQLITE_NULL: return null
      case SQLITE_FLOAT: return .cell(CellTag.real, real().bitPattern)
      case SQLITE_INTEGER: return .cell(CellTag.integer, UInt64(bitPattern: integer()))
      default: return .bytes(CellTag.text, text() ?? noBytes, Int(count()))
      }
    case .text:
      guard let start = text() else { return type() == SQLITE_NULL ? null : .bytes(CellTag.text, noBytes, 0) }
      return .bytes(CellTag.text, start, Int(count()))
    case .blob:
      guard let start = blob() else { return type() == SQLITE_NULL ? null : .bytes(CellTag.blob, noBytes, 0) }
      return .bytes(CellTag.blob, start, Int(count()))
    }
  }

  private static var null: Value { .cell(CellTag.null, 0) }
}

/// An address for values without bytes; nothing is read from it.
var noBytes: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }

/// Hashes of rows: a chain over the cells of the key, then of the other cells.
@usableFromInline package enum ContentHash {
  /// The chain's start.
  @inlinable @inline(__always)
  package static func start(_ seed: UInt64) -> UInt64 { CellHash.mix(seed, 0x9FB2_1C65_1E98_DF25) }

  /// Chains the bytes of a text or blob cell.
  @inlinable @inline(__always)
  package static func bytes(_ start: UnsafeRawPointer, _ count: Int, seed: UInt64) -> UInt64 {
    CellHash.bytes(start, count, seed: seed ^ CellHash.secret2)
  }

  /// Chains a primary key.
  @inlinable @inline(__always)
  package static func primaryKey(_ key: Int64, seed: UInt64) -> UInt64 {
    CellHash.mix(UInt64(bitPattern: key) ^ CellHash.secret0, seed ^ CellHash.secret1)
  }

  /// Chains a null.
  @inlinable @inline(__always)
  package static func null(seed: UInt64) -> UInt64 { CellHash.mix(CellHash.secret0, seed ^ CellHash.secret0) }
}
