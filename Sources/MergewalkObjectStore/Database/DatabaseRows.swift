public import MergewalkSQLite

/// The storage class of a cell of a database, whatever type its column declares.
///
/// Source: [Storage classes](https://sqlite.org/datatype3.html).
@frozen @usableFromInline package enum StorageClass: Int32, Sendable {
  case integer = 1
  case real, text, blob, null

  /// The kind in words, as in “holds text”.
  package var words: String {
    switch self {
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "text"
    case .blob: "bytes"
    case .null: "nothing"
    }
  }
}

/// A statement of one's own and the rows that it gives; columns count from 0.
@usableFromInline package struct DatabaseRows {
  @usableFromInline package let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  // MARK: Running

  /// Goes to the next row, and says whether there is one.
  package func step() throws(StoreError) -> Bool { try statement.step() }

  /// Runs the statement to its end, so that it can run again.
  package func run() throws(StoreError) { try statement.run() }

  /// Gives the parameters values, from the first one on.
  package func bind(_ values: [SQLBinding]) {
    for (i, value) in values.enumerated() { value.bind(to: statement, Int32(i + 1)) }
  }

  // MARK: Columns

  package var columnCount: Int32 { statement.columnCount }
  /// The name of a column as the statement gives it.
  package func columnName(_ column: Int32) -> String { statement.columnName(column) }
  /// The storage class of the cell; to be read before the cell is read as something else.
  @inlinable
  package func storage(_ column: Int32) -> StorageClass { StorageClass(rawValue: statement.type(column)) ?? .null }
  /// Whether the cell is null.
  @inlinable
  package func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
  /// The value as an integer; 0 for null.
  @inlinable
  package func integer(_ column: Int32) -> Int64 { statement.integer(column) }
  /// The value as binary64; 0 for null.
  @inlinable
  package func double(_ column: Int32) -> Double { statement.double(column) }
  /// The value as text; empty for null.
  package func text(_ column: Int32) -> String { statement.text(column) }
  /// The bytes of a text or blob, valid until the next step.
  @inlinable
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer { statement.bytes(column) }
  /// The UTF-16 code units of a text, valid until the next step.
  package func utf16(_ column: Int32) -> UnsafeBufferPointer<UInt16> { statement.utf16(column) }
}

@available(*, unavailable, message: "rows are confined to the task of their database")
extension DatabaseRows: Sendable {}
