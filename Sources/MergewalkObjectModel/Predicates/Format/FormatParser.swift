import MergewalkDiagnostics

/// Reads a predicate or an expression from a format string.
///
/// One climb over operator precedences serves both: a parenthesis may hold a predicate or an expression, which only its
/// inside tells, so every step makes a ``Node`` that is either, and operators check what they get. Nothing is read
/// twice, so the time is linear in the length of the text. What is nested is limited, both while reading and in the
/// result, so neither this parser nor whoever walks over its result needs much stack.
struct FormatParser {
  /// The longest text in bytes.
  static let maximumLength = 1 << 20
  /// How deep the result may nest; an operator nests deeper than its operands, but `AND` and `OR` chains are one level.
  static let maximumDepth = 100
  /// How deep the text may nest: a level of the result may take an operator and a parenthesis.
  static let maximumNesting = 2 * maximumDepth + 10
  /// The greatest number of parts: predicates, expressions, steps of key paths, elements of lists.
  static let maximumNodes = 250_000
  /// The longest number in bytes.
  static let maximumNumberLength = 400

  /// Something that was read, with the number of levels below it.
  struct Node {
    enum Value {
      case expression(ObjectExpression)
      case predicate(ObjectPredicate)
    }
    var value: Value
    var depth: Int
    /// The first byte, for errors.
    var start: Int
  }

  var lexer: FormatLexer
  var token: FormatToken
  private let arguments: [any PredicateArgument]
  /// Whether numbers with a point are decimals.
  private(set) var isExact = false
  private var usedArguments = 0
  private var nodes = 0
  /// How many levels of the text are open; those that are a level of the result too count twice.
  var nesting = 0

  private init(_ format: String, _ arguments: [any PredicateArgument]) throws(FormatFailure) {
    let length = format.utf8.count
    guard length <= Self.maximumLength else {
      throw .failed(
        PredicateError(.tooLarge, "expected a format of at most \(Self.maximumLength) bytes, found \(length)"))
    }
    lexer = FormatLexer(Array(format.utf8))
    token = FormatToken(kind: .end, start: 0, end: 0)
    self.arguments = arguments
    try advance()
  }

  // MARK: Whole texts

  static func predicate(
    _ format: String, _ arguments: [any PredicateArgument], _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> ObjectPredicate {
    do {
      var parser = try FormatParser(format, arguments)
      parser.isExact = policy == .exact
      let node = try parser.parse(FormatPrecedence.or)
      let predicate = try parser.predicate(node)
      try parser.finish("AND, OR or the end")
      return predicate
    } catch {
      throw error.error
    }
  }

  static func expression(
    _ format: String, _ arguments: [any PredicateArgument], _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> ObjectExpression {
    do {
      var parser = try FormatParser(format, arguments)
      parser.isExact = policy == .exact
      let node = try parser.parse(FormatPrecedence.or)
      let expression = try parser.expression(node)
      try parser.finish("an operator or the end")
      return expression
    } catch {
      throw error.error
    }
  }

  private func finish(_ expected: String) throws(FormatFailure) {
    guard token.kind == .end else { throw unexpected(expected) }
    guard try arguments.count - usedArguments <= quotedPlaceholders() else {
      throw .failed(
        PredicateError(
          .unusedArgument, "expected \(PrintableText.count(usedArguments, "argument")), found \(arguments.count)",
          hint: "write %@ where a value belongs"))
    }
  }

  /// How many placeholders stand in quotation marks; Cocoa's programs may give arguments for those, which are not
  /// needed.
  private func quotedPlaceholders() throws(FormatFailure) -> Int {
    if usedArguments == arguments.count { return 0 }
    var copy = FormatLexer(lexer.bytes)
    var count = 0
    while true {
      let token = try copy.token()
      if token.kind == .end { return count }
      if token.kind == .string { count += lexer.bytes[token.start..<token.end].count { $0 == UInt8(ascii: "%") } }
    }
  }

  // MARK: Tokens

  mutating func advance() throws(FormatFailure) { token = try lexer.token() }

  mutating func expect(_ kind: FormatToken.Kind, _ expected: String) throws(FormatFailure) {
    guard token.kind == kind else { throw unexpected(expected) }
    try advance()
  }

  /// The text of some of the format's bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: lexer.bytes[range], as: UTF8.self) }

  // MARK: Operators

  /// Reads operands and the operators between them that bind at least as tightly as `minimum`.
  mutating func parse(_ minimum: Int) throws(FormatFailure) -> Node {
    try enter()
    var left = try operand()
    while true {
      let precedence = token.kind.precedence
      guard precedence >= minimum, precedence > 0 else { break }
      left = try infix(left, precedence)
    }
    leave()
    return left
  }

  private mutating func infix(_ left: Node, _ precedence: Int) throws(FormatFailure) -> Node {
    switch precedence {
    case FormatPrecedence.or, FormatPrecedence.and: return try junction(left, precedence)
    case FormatPrecedence.comparison:
      let comparison = try comparisonOperator()
      let right = try parse(FormatPrecedence.value)
      return try compare(left, comparison, right)
    default:
      let kind = token.kind
      try advance()
      let right = try parse(precedence + 1)
      return try calculate(left, kind, right)
    }
  }

  /// Reads a chain of `AND` or of `OR`, which makes one predicate however long it is.
  private mutating func junction(_ first: Node, _ precedence: Int) throws(FormatFailure) -> Node {
    let kind = token.kind
    var terms = [try predicate(first)]
    var depth = first.depth
    while token.kind == kind {
      try advance()
      let term = try parse(precedence + 1)
      terms.append(try predicate(term))
      depth = max(depth, term.depth)
    }
    return try node(kind == .and ? .and(terms) : .or(terms), above: depth, at: first.start)
  }

  private typealias Comparison = (operator: ComparisonPredicate.Operator, options: ComparisonPredicate.Options)

  private mutating func comparisonOperator() throws(FormatFailure) -> Comparison {
    guard let comparison = token.kind.comparison else { throw unexpected(Self.comparison) }
    try advance()
    guard token.kind == .leftBracket else { return (comparison, []) }
    try advance()
    var options: ComparisonPredicate.Options = []
    for byte in lexer.bytes[token.start..<token.end] {
      switch byte | 0x20 {
      case UInt8(ascii: "c"): options.insert(.caseInsensitive)
      case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
      case UInt8(ascii: "n"): options.insert(.normalized)
      case UInt8(ascii: "l"): options.insert(.localeSensitive)
      default:
        let isList = comparison == .isIn || comparison == .between
        throw unexpected(
          "the options c, d, n or l", hint: isList ? Self.braces : "[c] ignores case, [d] diacritics: name ==[cd] 'ada'"
        )
      }
    }
    try advance()
    try expect(.rightBracket, "] after the options")
    return (comparison, options)
  }

  private mutating func compare(
    _ left: Node, _ comparison: Comparison, _ right: Node
  ) throws(FormatFailure) -> Node {
    let predicate = ComparisonPredicate(
      try expression(left), comparison.operator, try expression(right), options: comparison.options)
    return try node(.comparison(predicate), above: max(left.depth, right.depth), at: left.start)
  }

  private mutating func calculate(
    _ left: Node, _ kind: FormatToken.Kind, _ right: Node
  ) throws(FormatFailure) -> Node {
    let (first, second) = (try expression(left), try expression(right))
    let result: ObjectExpression =
      switch kind {
      case .union: .set(.union, first, second)
      case .intersect: .set(.intersect, first, second)
      case .setMinus: .set(.minus, first, second)
      default: .function(kind.function ?? .add, [first, second])
      }
    return try node(result, above: max(left.depth, right.depth), at: left.start)
  }

  // MARK: Arguments

  mutating func argument(_ placeholder: FormatToken) throws(FormatFailure) -> ConstantValue {
    guard usedArguments < arguments.count else {
      throw error(
        .missingArgument,
        "expected an argument for “\(text(placeholder.start..<placeholder.end))”, found only \(arguments.count)",
        at: placeholder.start)
    }
    usedArguments += 1
    return arguments[usedArguments - 1].constantValue
  }

  // MARK: Nodes

  mutating func node(_ expression: ObjectExpression, above depth: Int = 0, at start: Int) throws(FormatFailure) -> Node
  {
    try count(1, at: start)
    try checkDepth(depth + 1, at: start)
    return Node(value: .expression(expression), depth: depth + 1, start: start)
  }

  mutating func node(_ predicate: ObjectPredicate, above depth: Int = 0, at start: Int) throws(FormatFailure) -> Node {
    try count(1, at: start)
    try checkDepth(depth + 1, at: start)
    return Node(value: .predicate(predicate), depth: depth + 1, start: start)
  }

  mutating func count(_ new: Int, at start: Int) throws(FormatFailure) {
    nodes += new
    guard nodes <= Self.maximumNodes else {
      throw error(.tooLarge, "expected at most \(Self.maximumNodes) parts, found more", at: start)
    }
  }

  private mutating func enter() throws(FormatFailure) {
    nesting += 1
    guard nesting <= Self.maximumNesting else {
      throw error(.tooLarge, "expected at most \(Self.maximumNesting) levels of nesting, found more", at: token.start)
    }
  }

  private mutating func leave() { nesting -= 1 }

  func checkDepth(_ depth: Int, at start: Int) throws(FormatFailure) {
    guard depth <= Self.maximumDepth else {
      throw error(.tooLarge, "expected at most \(Self.maximumDepth) levels of nesting, found more", at: start)
    }
  }

  func expression(_ node: Node) throws(FormatFailure) -> ObjectExpression {
    guard case .expression(let expression) = node.value else {
      throw error(
        .syntax, "expected a value, found a predicate", at: node.start,
        hint: "a predicate is not a value; TERNARY(predicate, 1, 0) makes one of it")
    }
    return expression
  }

  func predicate(_ node: Node) throws(FormatFailure) -> ObjectPredicate {
    if case .predicate(let predicate) = node.value { return predicate }
    guard case .expression(.constant(.attribute(.integer(let number)))) = node.value, number == 0 || number == 1 else {
      throw unexpected(Self.comparison)
    }
    throw unexpected(Self.comparison, hint: number == 1 ? "write TRUEPREDICATE" : "write FALSEPREDICATE")
  }

  // MARK: Errors

  func error(
    _ code: PredicateError.Code, _ message: String, at offset: Int, hint: String? = nil
  ) -> FormatFailure {
    lexer.error(code, message, at: offset, hint: hint)
  }
}
