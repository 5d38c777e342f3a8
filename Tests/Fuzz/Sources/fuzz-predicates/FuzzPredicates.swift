import MergewalkObjectModel

/// Called by libFuzzer with bytes that it varies to reach new code: reads them as a predicate and as an expression.
///
/// Whatever the bytes are, reading ends in a value or an error. A value's text reads as an equal value, whose text is the
/// same; binding its variables leaves none. What breaks these rules traps, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicates(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let format = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
  let arguments: [any PredicateArgument] = ["a.b", 1, [1, 2], "x"]
  for used in 0...arguments.count {
    if let predicate = try? ObjectPredicate(format: format, arguments: Array(arguments.prefix(used))) {
      check(predicate)
    }
    if let expression = try? ObjectExpression(format: format, arguments: Array(arguments.prefix(used))) {
      check(expression)
    }
  }
  return 0
}

private func check(_ predicate: ObjectPredicate) {
  let text = predicate.description
  // NaN is not equal to itself.
  if text.contains("CAST(\"nan\"") { return }
  guard let again = try? ObjectPredicate(format: text) else { preconditionFailure("cannot be read: \(text)") }
  precondition(again == predicate, "read differently: \(text)")
  precondition(again.description == text, "printed differently: \(text)")
  let values = Dictionary(uniqueKeysWithValues: predicate.variables.map { ($0, ConstantValue.null) })
  guard let bound = try? predicate.substituting(values) else { preconditionFailure("cannot be bound: \(text)") }
  precondition(bound.variables.isEmpty, "still has variables: \(text)")
}

private func check(_ expression: ObjectExpression) {
  let text = expression.description
  if text.contains("CAST(\"nan\"") { return }
  guard let again = try? ObjectExpression(format: text) else { preconditionFailure("cannot be read: \(text)") }
  precondition(again == expression, "read differently: \(text)")
}
