import CMergewalkSQLite
package import MergewalkObjectModel
import MergewalkSQLite

/// The function through which a batch update passes values that SQL computes: what it lets through is stored exactly as
/// the attribute's type is stored, and everything else is refused.
///
/// Source: [Application-defined SQL functions](https://sqlite.org/appfunc.html).
package final class BatchValueCheck {
  /// The name of the function: `mergewalk_batch_value(number, primary key, value)`.
  static let functionName = "mergewalk_batch_value"

  private let types: [AttributeType]
  private let isAllowed: (Int, Int64, UInt8, UInt64, UnsafeRawPointer) -> Bool
  /// How many values were refused.
  private var refused = 0
  /// After how many refused values the statement is given up.
  private static let limit = 100

  /// - Parameters:
  ///   - types: The types of the attributes, by their numbers.
  ///   - isAllowed: Judges the value of an attribute (its number) of a row (its primary key): tag, payload and arena of a
  ///     cell; a value that is not of the type is judged as a cell with the tag `failed`.
  package init(
    types: [AttributeType],
    isAllowed: @escaping (_ number: Int, _ primaryKey: Int64, UInt8, UInt64, UnsafeRawPointer) -> Bool
  ) {
    self.types = types
    self.isAllowed = isAllowed
  }

  /// Registers the function while `body` runs.
  package func whileRegistered<Value>(
    on store: PersistentStore, _ body: () throws(FetchError) -> Value
  ) throws(FetchError) -> Value {
    do throws(StoreError) {
      try register(store.connection, Unmanaged.passUnretained(self).toOpaque())
    } catch {
      throw .store(error)
    }
    defer { try? register(store.connection, nil) }
    return try withExtendedLifetime(self) { () throws(FetchError) in try body() }
  }

  private func register(_ connection: Connection, _ context: UnsafeMutableRawPointer?) throws(StoreError) {
    let code = sqlite3_create_function_v2(
      connection.handle, Self.functionName, 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, context,
      context == nil
        ? nil
        : { call, _, values in
          guard let call, let values, let context = sqlite3_user_data(call) else { return }
          Unmanaged<BatchValueCheck>.fromOpaque(context).takeUnretainedValue().check(values, call)
        }, nil, nil, nil)
    try connection.check(code, Self.functionName)
  }

  private func check(_ values: UnsafeMutablePointer<OpaquePointer?>, _ call: OpaquePointer) {
    guard let value = values[2] else { return sqlite3_result_null(call) }
    let number = Int(sqlite3_value_int64(values[0]))
    let (tag, payload, bytes) = cell(value, types[number])
    guard isAllowed(number, sqlite3_value_int64(values[1]), tag, payload, bytes) else {
      refused += 1
      // Some more are looked at, so that one error names several.
      if refused >= Self.limit { return sqlite3_result_error(call, "too many values were refused", -1) }
      return sqlite3_result_null(call)
    }
    switch tag {
    case CellTag.integer: sqlite3_result_int64(call, Int64(bitPattern: payload))
    case CellTag.real: sqlite3_result_double(call, Double(bitPattern: payload))
    case CellTag.null: sqlite3_result_null(call)
    default: sqlite3_result_value(call, value)
    }
  }

  /// The cell that holds a value as a type stores it; `failed` when the type cannot.
  private func cell(_ value: OpaquePointer, _ type: AttributeType) -> (UInt8, UInt64, UnsafeRawPointer) {
    let storage = sqlite3_value_type(value)
    if storage == SQLITE_NULL { return (CellTag.null, 0, noBytes) }
    let isNumber = storage == SQLITE_INTEGER || storage == SQLITE_FLOAT
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .decimal:
      if storage == SQLITE_INTEGER {
        return (CellTag.integer, UInt64(bitPattern: sqlite3_value_int64(value)), noBytes)
      }
      guard isNumber else { break }
      let number = sqlite3_value_double(value)
      if let whole = Int64(exactly: number) { return (CellTag.integer, UInt64(bitPattern: whole), noBytes) }
      if type == .decimal { return (CellTag.real, number.bitPattern, noBytes) }
    case .double, .date:
      if isNumber { return (CellTag.real, sqlite3_value_double(value).bitPattern, noBytes) }
    case .float:
      if isNumber { return (CellTag.real, Double(Float(sqlite3_value_double(value))).bitPattern, noBytes) }
    case .string, .uri:
      guard storage == SQLITE_TEXT, let start = sqlite3_value_text(value) else { break }
      return (
        CellTag.text, ByteRange(offset: 0, length: Int(sqlite3_value_bytes(value))).payload, UnsafeRawPointer(start)
      )
    case .binary, .uuid:
      guard storage == SQLITE_BLOB else { break }
      let start = sqlite3_value_blob(value) ?? noBytes
      return (CellTag.blob, ByteRange(offset: 0, length: Int(sqlite3_value_bytes(value))).payload, start)
    case .transformable, .undefined, .objectID, .composite: break
    }
    return (CellTag.failed, 0, noBytes)
  }
}
