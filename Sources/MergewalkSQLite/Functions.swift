import CMergewalkSQLite

/// The arguments of a call of a function from SQL, and the place for its result.
///
/// Bytes are SQLite's own and valid until the function returns.
package struct FunctionCall {
  package let context: OpaquePointer
  private let arguments: UnsafeMutablePointer<OpaquePointer?>?
  /// How many arguments there are.
  package let count: Int

  init(context: OpaquePointer, count: Int32, arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.count = Int(count)
    self.arguments = arguments
  }

  private func argument(_ index: Int) -> OpaquePointer? { arguments?[index] }

  // MARK: Arguments

  /// The storage class: `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
  package func type(_ index: Int) -> Int32 { sqlite3_value_type(argument(index)) }
  /// Whether any argument is null.
  package var hasNull: Bool { (0..<count).contains { type($0) == SQLITE_NULL } }
  package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(argument(index)) }
  /// The argument as a binary64 number.
  package func double(_ index: Int) -> Double { sqlite3_value_double(argument(index)) }

  /// The bytes of a text or blob.
  package func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let value = argument(index)
    let start =
      sqlite3_value_type(value) == SQLITE_BLOB
      ? sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
      : sqlite3_value_text(value).map { UnsafePointer($0) }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The argument as text; bytes that are no UTF-8 are repaired.
  package func text(_ index: Int) -> String { String(decoding: bytes(index), as: UTF8.self) }

  // MARK: Result

  /// The result is null, as it is without a call of any of these.
  package func returnNull() { sqlite3_result_null(context) }
  /// The result is an integer.
  package func `return`(_ value: Int64) { sqlite3_result_int64(context, value) }
  /// The result is a binary64 number; NaN becomes null.
  package func `return`(_ value: Double) { sqlite3_result_double(context, value) }
  /// The result is 1 or 0.
  package func `return`(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

  /// The result is text; SQLite copies it.
  package func `return`(_ value: String) { FunctionCall.return(value, to: context) }
  /// The result is a blob; SQLite copies it.
  package func `return`(_ value: [UInt8]) { FunctionCall.return(value, to: context) }

  /// Makes a text the result of SQLite's context; it is copied.
  package static func `return`(_ value: String, to context: OpaquePointer) {
    var value = value
    value.withUTF8 { bytes in
      sqlite3_result_text64(
        context, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? emptyText,
        UInt64(bytes.count), sqliteTransient, UInt8(SQLITE_UTF8))
    }
  }

  /// Makes bytes the result of SQLite's context; they are copied.
  package static func `return`(_ value: [UInt8], to context: OpaquePointer) {
    value.withUnsafeBytes { bytes in
      sqlite3_result_blob64(
        context, bytes.baseAddress ?? UnsafeRawPointer(emptyText), UInt64(bytes.count), sqliteTransient)
    }
  }

  /// The statement ends with an error.
  package func fail(_ message: String) { sqlite3_result_error(context, message, -1) }
}

/// An aggregate function, which collects values for one group.
package protocol AggregateFunction: AnyObject {
  /// Takes the arguments of one row.
  func step(_ call: FunctionCall)
  /// Gives the result.
  func finish(_ call: FunctionCall)
}

extension Connection {
  /// Registers a function.
  ///
  /// It is innocuous: it has no effects, so the schema of a file may use it too.
  /// Source: [Application-defined SQL functions](https://sqlite.org/appfunc.html).
  ///
  /// - Parameter isDeterministic: Whether equal arguments give equal results within a statement.
  /// - Throws: ``SQLiteError`` when the name is too long or there are more than 127 arguments.
  package func registerFunction(
    _ name: String, argumentCount: Int32, isDeterministic: Bool = true, _ body: @escaping (FunctionCall) -> Void
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount,
      SQLITE_UTF8 | SQLITE_INNOCUOUS | (isDeterministic ? SQLITE_DETERMINISTIC : 0), box,
      { context, count, arguments in
        guard let context, let data = sqlite3_user_data(context) else { return }
        let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
        box.body(FunctionCall(context: context, count: count, arguments: arguments))
      }, nil, nil, { data in data.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } })
    // SQLite lets go of the box itself when it refuses the function.
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
  }

  /// Registers an aggregate function.
  ///
  /// - Parameters:
  ///   - argumentCount: The number of arguments, -1 for any.
  ///   - make: Makes the collector of a group.
  /// - Throws: ``SQLiteError`` when the name is too long.
  package func registerAggregate(
    _ name: String, argumentCount: Int32 = 1, _ make: @escaping () -> any AggregateFunction
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(AggregateBox(make)).toOpaque()
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, box, nil,
      { context, count, arguments in
        guard let context, let collector = collector(context, makes: true) else { return }
        collector.function.step(FunctionCall(context: context, count: count, arguments: arguments))
      },
      { context in
        guard let context, let data = sqlite3_user_data(context) else { return }
        let call = FunctionCall(context: context, count: 0, arguments: nil)
        guard let collector = collector(context, makes: false) else {
          Unmanaged<AggregateBox>.fromOpaque(data).takeUnretainedValue().make().finish(call)
          return
        }
        collector.function.finish(call)
        Unmanaged.passUnretained(collector).release()
      }, { data in data.map { Unmanaged<AggregateBox>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
  }

  /// Registers a collation: an order of texts by their UTF-8 bytes.
  ///
  /// - Parameter compare: Less than 0 when the first comes first, 0 when they are equal.
  /// - Throws: ``SQLiteError`` when statements are running.
  package func registerCollation(
    _ name: String, _ compare: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(CollationBox(compare))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { data, leftCount, left, rightCount, right in
        guard let data else { return 0 }
        let box = Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
        let first = UnsafeBufferPointer(start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount))
        let second = UnsafeBufferPointer(start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount))
        return Int32(box.compare(first, second).signum())
      }, { data in data.map { Unmanaged<CollationBox>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else {
      // Unlike with functions, SQLite leaves the box alone when it refuses.
      box.release()
      throw SQLiteError(handle: handle, fallback: code)
    }
  }
}

/// Classes around closures, so that C pointers can refer to them.
private final class FunctionBox {
  let body: (FunctionCall) -> Void
  init(_ body: @escaping (FunctionCall) -> Void) { self.body = body }
}

private final class AggregateBox {
  let make: () -> any AggregateFunction
  init(_ make: @escaping () -> any AggregateFunction) { self.make = make }
}

private final class CollationBox {
  let compare: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int
  init(_ compare: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int) { self.compare = compare }
}

private final class Collector {
  let function: any AggregateFunction
  init(_ function: any AggregateFunction) { self.function = function }
}

/// The collector of the group that SQLite is at; it lives until the group's end.
private func collector(_ context: OpaquePointer, makes: Bool) -> Collector? {
  let size = MemoryLayout<UnsafeMutableRawPointer?>.size
  guard let memory = sqlite3_aggregate_context(context, makes ? Int32(size) : 0) else { return nil }
  let place = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  if let known = place.pointee { return Unmanaged<Collector>.fromOpaque(known).takeUnretainedValue() }
  guard makes, let data = sqlite3_user_data(context) else { return nil }
  let made = Collector(Unmanaged<AggregateBox>.fromOpaque(data).takeUnretainedValue().make())
  place.pointee = Unmanaged.passRetained(made).toOpaque()
  return made
}
