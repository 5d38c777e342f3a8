import MergewalkDiagnostics

/// Operands: what stands between operators.
extension FormatParser {
  /// Reads a prefix operator with its operand, or a value with the steps and indexes behind it.
  mutating func operand() throws(FormatFailure) -> Node {
    let form = form
    if form == .prefix { return try prefixed() }
    return try postfix(form == .simple ? simple() : nested(form))
  }

  /// The forms of operands, by their first token.
  private enum Form {
    case prefix, parenthesis, list, call, variable, simple
  }

  private var form: Form {
    switch token.kind {
    case .not, .any, .some, .all, .none, .minus, .complement: .prefix
    case .leftParenthesis: .parenthesis
    case .leftBrace: .list
    case .selector: .call
    case .word, .subquery, .function, .cast, .ternary: lexer.isFollowed(by: "(") ? .call : .simple
    case .variable: .variable
    default: .simple
    }
  }

  private mutating func nested(_ form: Form) throws(FormatFailure) -> Node {
    switch form {
    case .parenthesis: try parenthesised()
    case .list: try list()
    case .call: try call()
    default: try variable()
    }
  }

  // MARK: Prefix operators

  private mutating func prefixed() throws(FormatFailure) -> Node {
    let prefix = token
    try advance()
    if prefix.kind == .minus, token.kind == .dot, let number = try lexer.fraction(after: token) { token = number }
    // Part of the number, so that the least integer can be written.
    if prefix.kind == .minus, token.kind == .number { return try postfix(number(isNegative: true, at: prefix.start)) }
    // A sign binds more tightly than every operator between two operands.
    let isSign = prefix.kind == .minus || prefix.kind == .complement
    let operand = try parse(isSign ? .max : FormatPrecedence.comparison)
    return try apply(prefix, operand)
  }

  private mutating func apply(_ prefix: FormatToken, _ operand: Node) throws(FormatFailure) -> Node {
    let start = prefix.start
    switch prefix.kind {
    case .not: return try node(.not(predicate(operand)), above: operand.depth, at: start)
    case .minus:
      return try node(.function(.subtract, [.constant(0), expression(operand)]), above: operand.depth, at: start)
    case .complement:
      return try node(.function(.onesComplement, [expression(operand)]), above: operand.depth, at: start)
    default: return try quantified(prefix, operand)
    }
  }

  /// `ANY`, `SOME`, `ALL` or `NONE` before a comparison.
  private mutating func quantified(_ prefix: FormatToken, _ operand: Node) throws(FormatFailure) -> Node {
    guard case .comparison(var comparison) = try predicate(operand), comparison.modifier == .direct else {
      throw error(
        .syntax, "expected a comparison after \(text(prefix.start..<prefix.end)), found another predicate",
        at: operand.start)
    }
    comparison.modifier = prefix.kind == .all ? .all : .any
    let quantified = try node(.comparison(comparison), above: operand.depth - 1, at: prefix.start)
    guard prefix.kind == .none else { return quantified }
    return try node(.not(predicate(quantified)), above: quantified.depth, at: prefix.start)
  }

  // MARK: Values

  private mutating func parenthesised() throws(FormatFailure) -> Node {
    let start = token.start
    try advance()
    var inner = try parse(FormatPrecedence.or)
    try expect(.rightParenthesis, "an operator or )")
    inner.start = start
    return inner
  }

  /// Values without parts.
  private mutating func simple() throws(FormatFailure) -> Node {
    let start = token.start
    switch token.kind {
    case .number: return try number(isNegative: false, at: start)
    case .string:
      let value = try string(token.start..<token.end)
      try advance()
      return try node(.constant(.attribute(.string(value))), at: start)
    case .placeholder: return try placeholder()
    case .dot:
      guard let number = try lexer.fraction(after: token) else { throw unexpected("a value") }
      token = number
      return try self.number(isNegative: false, at: start)
    case .collectionOperator, .word, .escapedWord, .first, .last, .size, .subquery, .function, .cast, .ternary, .union,
      .intersect, .setMinus:
      let step = try step()
      return try node(.path(.evaluatedObject, PropertyPath([step])), at: start)
    default: return try constant()
    }
  }

  private mutating func constant() throws(FormatFailure) -> Node {
    let start = token.start
    let kind = token.kind
    let expression: ObjectExpression
    switch kind {
    // Apple's constants are the numbers 1 and 0 as well, and print as such.
    case .yes: expression = .constant(1)
    case .no: expression = .constant(0)
    case .null: expression = .constant(.null)
    case .evaluatedObject: expression = .evaluatedObject
    case .truePredicate, .falsePredicate:
      try advance()
      return try node(.value(kind == .truePredicate), at: start)
    default:
      let isReserved = FormatWords.kinds[text(token.start..<token.end).lowercased()] != nil
      throw unexpected("a value or a name", hint: isReserved ? "write # before a name that is a reserved word" : nil)
    }
    try advance()
    return try node(expression, at: start)
  }

  private mutating func variable() throws(FormatFailure) -> Node {
    let start = token.start
    let name = text(token.start + 1..<token.end)
    try advance()
    guard token.kind == .assign else { return try node(.variable(name), at: start) }
    try advance()
    let value = try parse(FormatPrecedence.value)
    return try node(.assignment(variable: name, expression(value)), above: value.depth, at: start)
  }

  /// Reads a list, `{a, b, c}`, or a dictionary of constants, `{"key" = value}`.
  ///
  /// A list of constants is itself a constant.
  private mutating func list() throws(FormatFailure) -> Node {
    let start = token.start
    try advance()
    var elements: [Node] = []
    // The number of elements before each equals sign.
    var equals: [Int] = []
    nesting += 1
    while token.kind != .rightBrace {
      if token.kind == .equal, equals.last != elements.count {
        equals.append(elements.count)
        try advance()
        if elements.isEmpty { break }
      } else if !elements.isEmpty {
        try expect(.comma, "an operator, a comma or }")
      }
      elements.append(try parse(FormatPrecedence.value))
    }
    nesting -= 1
    try expect(.rightBrace, "}")
    return equals.isEmpty ? try list(elements, at: start) : try dictionary(elements, equals, at: start)
  }

  private mutating func list(_ elements: [Node], at start: Int) throws(FormatFailure) -> Node {
    var expressions: [ObjectExpression] = []
    var constants: [ConstantValue] = []
    var depth = 0
    for element in elements {
      let value = try expression(element)
      depth = max(depth, element.depth)
      expressions.append(value)
      if case .constant(let constant) = value { constants.append(constant) }
    }
    if constants.count == elements.count {
      return try node(.constant(.collection(constants)), above: depth, at: start)
    }
    return try node(.aggregate(expressions), above: depth, at: start)
  }

  private mutating func dictionary(
    _ elements: [Node], _ equals: [Int], at start: Int
  ) throws(FormatFailure) -> Node {
    // An equals sign after every first of two elements, or one alone.
    guard elements.isEmpty || equals == Array(stride(from: 1, to: elements.count, by: 2)), elements.count % 2 == 0
    else {
      throw error(.syntax, "expected a dictionary such as {\"key\" = 1}, found lone elements in it", at: start)
    }
    var values: [String: ConstantValue] = [:]
    var depth = 0
    for i in stride(from: 0, to: elements.count, by: 2) {
      guard case .expression(.constant(.attribute(.string(let key)))) = elements[i].value else {
        throw error(.syntax, "expected a text as key, found another expression", at: elements[i].start)
      }
      guard case .expression(.constant(let value)) = elements[i + 1].value else {
        throw error(.syntax, "expected a constant for the key, found another expression", at: elements[i + 1].start)
      }
      values[key] = value
      depth = max(depth, elements[i + 1].depth)
    }
    return try node(.constant(.dictionary(values)), above: depth, at: start)
  }

  // MARK: Steps and indexes

  /// Reads what follows a value: `.name`, `.@count`, `.%K`, `[0]`, `[FIRST]`.
  private mutating func postfix(_ base: Node) throws(FormatFailure) -> Node {
    var node = base
    while true {
      switch token.kind {
      case .dot: node = try path(node)
      case .leftBracket: node = try element(node)
      default: return node
      }
    }
  }

  private mutating func path(_ base: Node) throws(FormatFailure) -> Node {
    var steps: [PropertyPath.Component] = []
    while token.kind == .dot {
      try advance()
      if token.kind == .placeholder {
        steps += try keyPath()
      } else if token.kind == .evaluatedObject {
        // A value's own self, as in `numbers.@sum.self`.
        try advance()
      } else {
        steps.append(try step())
      }
    }
    if steps.isEmpty { return base }
    return try path(expression(base), steps, above: base.depth, at: base.start)
  }

  /// Lengthens a path, or begins one at a value.
  private mutating func path(
    _ base: ObjectExpression, _ steps: [PropertyPath.Component], above depth: Int, at start: Int
  ) throws(FormatFailure) -> Node {
    try count(steps.count, at: start)
    var (origin, all) = (base, steps)
    if case .path(let inner, let path) = base { (origin, all) = (inner, path.components + steps) }
    try checkDepth(all.count, at: start)
    return try node(.path(origin, PropertyPath(all)), above: depth, at: start)
  }

  /// Reads one step of a path; any word is a name here.
  private mutating func step() throws(FormatFailure) -> PropertyPath.Component {
    let step: PropertyPath.Component
    switch token.kind {
    case .collectionOperator:
      let name = text(token.start..<token.end)
      guard let known = CollectionOperator(rawValue: name) else {
        let names = CollectionOperator.allCases.map(\.rawValue)
        throw unexpected(
          "an operator on a collection",
          hint: name.utf8.count <= 40 ? NearestName.find(name, in: names).map { "did you mean \($0)?" } : nil)
      }
      step = .collectionOperator(known)
    case .escapedWord:
      let isQuoted = token.end - token.start > 1 && !FormatLexer.isNameStart(lexer.bytes[token.start + 1])
      let range = token.start + 1..<token.end
      step = .property(isQuoted ? try string(range) : text(range))
    case .variable:
      // `$a.$b`: behind a point everything is a name, the mark with it.
      step = .property(text(token.start..<token.end))
    default:
      guard token.end > token.start, token.kind != .selector, FormatLexer.isNameStart(lexer.bytes[token.start]) else {
        throw unexpected("the name of a property")
      }
      step = .property(text(token.start..<token.end))
    }
    try advance()
    return step
  }

  private mutating func element(_ base: Node) throws(FormatFailure) -> Node {
    try advance()
    var depth = base.depth
    let place: CollectionElement
    switch token.kind {
    case .first, .last, .size:
      place = token.kind == .first ? .first : token.kind == .last ? .last : .size
      try advance()
    default:
      nesting += 1
      let index = try parse(FormatPrecedence.value)
      nesting -= 1
      depth = max(depth, index.depth)
      place = .at(try expression(index))
    }
    try expect(.rightBracket, "]")
    return try node(.element(expression(base), place), above: depth, at: base.start)
  }

  // MARK: Placeholders

  private mutating func placeholder() throws(FormatFailure) -> Node {
    let start = token.start
    if lexer.bytes[token.end - 1] == UInt8(ascii: "K") {
      let steps = try keyPath()
      if steps.isEmpty { return try node(.evaluatedObject, at: start) }
      return try path(.evaluatedObject, steps, above: 0, at: start)
    }
    let placeholder = token
    let value = try converted(argument(placeholder), placeholder)
    try advance()
    return try node(.constant(value), above: constantDepth(value, at: start), at: start)
  }

  private mutating func keyPath() throws(FormatFailure) -> [PropertyPath.Component] {
    let placeholder = token
    guard lexer.bytes[token.end - 1] == UInt8(ascii: "K") else { throw unexpected("%K or the name of a property") }
    guard case .attribute(.string(let text)) = try argument(placeholder), let path = PropertyPath(text) else {
      throw error(
        .argumentType, "expected a key path as text for “%K”, found another value", at: placeholder.start,
        hint: "steps are separated by single points and operators begin with @")
    }
    try checkDepth(path.components.count, at: placeholder.start)
    try advance()
    // `SELF` alone is a path without steps.
    return path.components.filter { !$0.isSelf }
  }
}
