import MergewalkDiagnostics

/// Functions and the other forms that look like calls.
extension FormatParser {
  /// Reads one of them, whose name is the next token.
  mutating func call() throws(FormatFailure) -> Node {
    let name = token
    try advance()
    try expect(.leftParenthesis, "(")
    let parts = try parts()
    switch name.kind {
    case .subquery: return try subquery(parts, at: name.start)
    case .ternary: return try conditional(parts, at: name.start)
    case .cast: return try cast(parts, at: name.start)
    case .function: return try method(parts, at: name.start)
    default: return try function(text(name.start..<name.end), parts, at: name.start)
    }
  }

  /// The arguments in the parentheses of a call, separated by commas.
  private mutating func parts() throws(FormatFailure) -> [Node] {
    var parts: [Node] = []
    nesting += 1
    while token.kind != .rightParenthesis {
      if !parts.isEmpty { try expect(.comma, "an operator, a comma or )") }
      parts.append(try parse(FormatPrecedence.or))
    }
    nesting -= 1
    try advance()
    return parts
  }

  private func depth(_ parts: [Node]) -> Int { parts.reduce(0) { max($0, $1.depth) } }

  private func expressions(_ parts: [Node]) throws(FormatFailure) -> [ObjectExpression] {
    var expressions: [ObjectExpression] = []
    for part in parts { expressions.append(try expression(part)) }
    return expressions
  }

  /// `name:other:(a, b)`, and `name(a)` for functions of at most one parameter.
  private mutating func function(_ name: String, _ parts: [Node], at start: Int) throws(FormatFailure) -> Node {
    let arguments = try expressions(parts)
    for known in [name, name + ":"] {
      guard let function = ExpressionFunction(rawValue: known), function.accepts(arguments.count) else { continue }
      return try node(.function(function, arguments), above: depth(parts), at: start)
    }
    if name == "BLOCKPREDICATE" {
      throw error(.syntax, "expected a predicate, found a closure, which has no text", at: start)
    }
    throw unknownFunction(name, arguments.count, at: start)
  }

  /// `SUBQUERY(collection, $variable, predicate)`.
  private mutating func subquery(_ parts: [Node], at start: Int) throws(FormatFailure) -> Node {
    guard parts.count == 3 else { throw wrongParts("SUBQUERY(collection, $variable, predicate)", parts, at: start) }
    guard case .expression(.variable(let variable)) = parts[1].value else {
      throw error(.syntax, "expected a variable such as $x, found another expression", at: parts[1].start)
    }
    return try node(
      .subquery(expression(parts[0]), variable: variable, condition(parts[2])), above: depth(parts), at: start)
  }

  /// `TERNARY(predicate, first, second)`.
  private mutating func conditional(_ parts: [Node], at start: Int) throws(FormatFailure) -> Node {
    guard parts.count == 3 else { throw wrongParts("TERNARY(predicate, first, second)", parts, at: start) }
    return try node(
      .conditional(condition(parts[0]), expression(parts[1]), expression(parts[2])), above: depth(parts), at: start)
  }

  /// `CAST(value, "type")`; constants that have no literal of their own are made here.
  private mutating func cast(_ parts: [Node], at start: Int) throws(FormatFailure) -> Node {
    guard parts.count == 2 else { throw wrongParts("CAST(value, \"type\")", parts, at: start) }
    let arguments = try expressions(parts)
    if case .constant(.attribute(let constant)) = arguments[0],
      case .constant(.attribute(.string(let type))) = arguments[1],
      let literal = AttributeValue(literal: constant, type: type)
    {
      return try node(.constant(.attribute(literal)), at: start)
    }
    return try node(.function(.cast, arguments), above: depth(parts), at: start)
  }

  /// `FUNCTION(operand, "name", argument ...)`: a method of Cocoa's values, as far as a function does the same.
  private mutating func method(_ parts: [Node], at start: Int) throws(FormatFailure) -> Node {
    guard parts.count >= 2 else { throw wrongParts("FUNCTION(operand, \"name\", argument ...)", parts, at: start) }
    var arguments = try expressions(parts)
    guard case .constant(.attribute(.string(let name))) = arguments.remove(at: 1) else {
      throw error(.syntax, "expected the name of a function as text, found another expression", at: parts[1].start)
    }
    guard let result = Self.method(name, arguments) else {
      throw unknownFunction(name, arguments.count, at: parts[1].start)
    }
    return try node(result, above: depth(parts), at: start)
  }

  private func condition(_ part: Node) throws(FormatFailure) -> ObjectPredicate {
    if case .predicate(let predicate) = part.value { return predicate }
    throw error(.syntax, "expected a predicate, found a value", at: part.start)
  }

  private func wrongParts(_ form: String, _ parts: [Node], at start: Int) -> FormatFailure {
    error(.syntax, "expected \(form), found \(PrintableText.count(parts.count, "part"))", at: start)
  }

  private static func method(_ name: String, _ arguments: [ObjectExpression]) -> ObjectExpression? {
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
    case ("NSDate", .decimal(let seconds)): self = .date(seconds.number.asDouble)
    case ("NSDate", .string(let text)):
      guard let seconds = Self.unwritable[text] ?? DateText.seconds(text) else { return nil }
      self = .date(seconds)
    case ("NSUUID", .string(let text)):
      guard let uuid = AttributeValue(text: text, type: .uuid) else { return nil }
      self = uuid
    case ("NSURL", .string(let text)): self = .uri(text)
    case ("NSDecimalNumber", .string(let text)):
      guard let number = DecimalNumber(text) else { return nil }
      self = .decimal(number)
    case ("NSNumber", .string(let text)):
      guard let number = Self.unwritable[text] else { return nil }
      self = .double(number)
    case ("NSData", .string(let text)):
      let digits = text.utf8.map(FormatLexer.digitValue)
      guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
      self = .binary(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    default: return nil
    }
  }
  /// The numbers that have no literal.
  private static let unwritable: [String: Double] = ["inf": .infinity, "-inf": -.infinity, "nan": .nan]
}
