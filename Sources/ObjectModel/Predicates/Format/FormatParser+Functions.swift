/// Functions and the other forms that look like calls.
extension FormatParser {
  /// `name:other:(a, b)`, and `name(a)` for functions of at most one parameter.
  mutating func call(_ name: String) throws(PredicateError) -> Node {
    let start = token.start
    try advance()
    let (arguments, depth) = try arguments()
    guard let function = ExpressionFunction(rawValue: name), function.accepts(arguments.count) else {
      guard let function = ExpressionFunction(rawValue: name + ":"), function.accepts(arguments.count) else {
        if name == "BLOCKPREDICATE" || name == "BLOCK" {
          throw error(.syntax, "expected a predicate, found a closure, which has no text", at: start)
        }
        throw unknownFunction(name, arguments.count, at: start)
      }
      return try node(.function(function, arguments), above: depth, at: start)
    }
    return try node(.function(function, arguments), above: depth, at: start)
  }

  /// Expressions in parentheses with commas between them.
  private mutating func arguments() throws(PredicateError) -> (expressions: [Expression], depth: Int) {
    try expect(.leftParenthesis, "(")
    var expressions: [Expression] = []
    var depth = 0
    while token.kind != .rightParenthesis {
      if !expressions.isEmpty { try expect(.comma, "a comma or )") }
      let argument = try parse(FormatPrecedence.value)
      expressions.append(try expression(argument))
      depth = max(depth, argument.depth)
    }
    try advance()
    return (expressions, depth)
  }

  /// `SUBQUERY(collection, $variable, predicate)`.
  mutating func subquery() throws(PredicateError) -> Node {
    let start = token.start
    try advance()
    try expect(.leftParenthesis, "(")
    let collection = try parse(FormatPrecedence.value)
    try expect(.comma, "a comma after the collection")
    guard token.kind == .variable else { throw unexpected("a variable such as $x") }
    let variable = text(token.start + 1..<token.end)
    try advance()
    try expect(.comma, "a comma after the variable")
    let condition = try parse(FormatPrecedence.or)
    try expect(.rightParenthesis, "an operator or )")
    return try node(
      .subquery(expression(collection), variable: variable, predicate(condition)),
      above: max(collection.depth, condition.depth), at: start)
  }

  /// `TERNARY(predicate, first, second)`.
  mutating func conditional() throws(PredicateError) -> Node {
    let start = token.start
    try advance()
    try expect(.leftParenthesis, "(")
    let condition = try parse(FormatPrecedence.or)
    let test = try predicate(condition)
    try expect(.comma, "a comma after the predicate")
    let first = try parse(FormatPrecedence.value)
    try expect(.comma, "a comma after the first value")
    let second = try parse(FormatPrecedence.value)
    try expect(.rightParenthesis, "an operator or )")
    return try node(
      .conditional(test, expression(first), expression(second)),
      above: max(condition.depth, first.depth, second.depth), at: start)
  }

  /// `CAST(value, "type")`; constants that have no literal of their own are made here.
  mutating func cast() throws(PredicateError) -> Node {
    let start = token.start
    try advance()
    try expect(.leftParenthesis, "(")
    let value = try parse(FormatPrecedence.value)
    try expect(.comma, "a comma after the value")
    let type = try parse(FormatPrecedence.value)
    try expect(.rightParenthesis, "an operator or )")
    let (operand, name) = (try expression(value), try expression(type))
    if case .constant(.attribute(let constant)) = operand, case .constant(.attribute(.string(let name))) = name,
      let literal = AttributeValue(literal: constant, type: name)
    {
      return try node(.constant(.attribute(literal)), at: start)
    }
    return try node(.function(.cast, [operand, name]), above: max(value.depth, type.depth), at: start)
  }

  /// `FUNCTION(operand, "name", argument ...)`: a method of Cocoa's values, as far as a function does the same.
  mutating func method() throws(PredicateError) -> Node {
    let start = token.start
    try advance()
    try expect(.leftParenthesis, "(")
    let operand = try parse(FormatPrecedence.value)
    try expect(.comma, "a comma after the operand")
    guard token.kind == .string else { throw unexpected("the name of a function in quotation marks") }
    let name = try string(token.start..<token.end)
    let nameStart = token.start
    try advance()
    var arguments = [try expression(operand)]
    var depth = operand.depth
    while token.kind != .rightParenthesis {
      try expect(.comma, "a comma or )")
      let argument = try parse(FormatPrecedence.value)
      arguments.append(try expression(argument))
      depth = max(depth, argument.depth)
    }
    try advance()
    guard let result = Self.method(name, arguments) else {
      throw unknownFunction(name, arguments.count, at: nameStart)
    }
    // Some methods become two levels.
    return try node(result, above: depth + 1, at: start)
  }

  private static func method(_ name: String, _ arguments: [Expression]) -> Expression? {
    for known in [name, name + ":", methods[name] ?? ""] {
      if let function = ExpressionFunction(rawValue: known), function.accepts(arguments.count) {
        return .function(function, arguments)
      }
    }
    switch (name, arguments.count) {
    case ("objectAtIndex:", 2), ("objectForKey:", 2): return .element(arguments[0], .at(arguments[1]))
    case ("firstObject", 1): return .element(arguments[0], .first)
    case ("lastObject", 1): return .element(arguments[0], .last)
    case ("description", 1), ("stringValue", 1): return .function(.cast, arguments + [.constant("NSString")])
    case ("doubleValue", 1), ("timeIntervalSinceReferenceDate", 1):
      return .function(.cast, arguments + [.constant("NSNumber")])
    case ("valueForKey:", 2), ("valueForKeyPath:", 2):
      guard case .constant(.attribute(.string(let path))) = arguments[1], let path = PropertyPath(path),
        path.components.count <= maximumDepth
      else { return nil }
      if case .path(let base, let inner) = arguments[0] {
        let components = inner.components + path.components
        return components.count <= maximumDepth ? .path(base, PropertyPath(components)) : nil
      }
      return .path(arguments[0], path)
    default: return nil
    }
  }

  /// Methods of `NSString`, `NSNumber`, `NSDate` and `NSDecimalNumber` that a function does.
  private static let methods: [String: String] = [
    "uppercaseString": "uppercase:", "localizedUppercaseString": "uppercase:", "lowercaseString": "lowercase:",
    "localizedLowercaseString": "lowercase:", "dateByAddingTimeInterval:": "add:to:",
    "timeIntervalSinceDate:": "from:subtract:", "decimalNumberByAdding:": "add:to:",
    "decimalNumberBySubtracting:": "from:subtract:", "decimalNumberByMultiplyingBy:": "multiply:by:",
    "decimalNumberByDividingBy:": "divide:by:", "decimalNumberByRaisingToPower:": "raise:toPower:",
  ]
}

extension AttributeValue {
  /// The constant that `CAST(value, "type")` spells: dates, UUIDs, URLs, bytes, decimals and numbers without literal.
  ///
  /// - Returns: `nil` when the cast is none of these, so it is left to the evaluation.
  init?(literal value: AttributeValue, type: String) {
    switch (type, value) {
    case ("NSDate", .integer(let seconds)): self = .date(Double(seconds))
    case ("NSDate", .double(let seconds)): self = .date(seconds)
    case ("NSDate", .string(let text)):
      guard let seconds = DateText.seconds(text) else { return nil }
      self = .date(seconds)
    case ("NSUUID", .string(let text)):
      guard let uuid = AttributeValue(text: text, type: .uuid) else { return nil }
      self = uuid
    case ("NSURL", .string(let text)): self = .uri(text)
    case ("NSDecimalNumber", .string(let text)):
      guard let number = DecimalNumber(text) else { return nil }
      self = .decimal(number)
    case ("NSNumber", .string("inf")): self = .double(.infinity)
    case ("NSNumber", .string("-inf")): self = .double(-.infinity)
    case ("NSNumber", .string("nan")): self = .double(.nan)
    case ("NSData", .string(let text)):
      let digits = text.utf8.map(FormatLexer.digitValue)
      guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
      self = .binary(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    default: return nil
    }
  }
}
