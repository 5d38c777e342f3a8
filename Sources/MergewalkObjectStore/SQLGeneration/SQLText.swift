import MergewalkObjectModel

/// A piece of SQL with the values of its parameters, in order.
///
/// Pieces are put together by interpolation: `"\(left) = \(right)"` keeps the order of the parameters right. Plain text
/// cannot be interpolated but as ``StringInterpolation/appendInterpolation(name:)``, so that no value gets into SQL by
/// accident.
struct SQLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  var sql: String
  var bindings: [SQLBinding]
  /// How tightly the outermost operator binds.
  var precedence = Precedence.primary
  /// How deep the parentheses of ``enclosed(atLeast:)`` nest.
  var depth = 0

  /// SQLite's operators from the loosest to the tightest.
  ///
  /// Source: [SQL Language Expressions](https://sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes).
  enum Precedence: Int, Comparable {
    case or, and, not, equality, comparison, bits, sum, product, collate, unary, primary

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }
  }

  init(sql: String = "", bindings: [SQLBinding] = []) {
    self.sql = sql
    self.bindings = bindings
  }

  init(stringLiteral value: StaticString) { self.init(sql: value.description) }

  init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

  /// A text with its outermost operator.
  init(_ text: SQLText, _ precedence: Precedence) {
    self = text
    self.precedence = precedence
  }

  /// A name of the schema, or words that do not depend on values.
  init(name: String) { self.init(sql: name) }

  init(_ binding: SQLBinding) { self.init(sql: "?", bindings: [binding]) }

  struct Interpolation: StringInterpolationProtocol {
    var text = SQLText()

    init(literalCapacity: Int, interpolationCount: Int) { text.sql.reserveCapacity(literalCapacity * 2) }
    mutating func appendLiteral(_ literal: StaticString) { text.sql += literal.description }
    mutating func appendInterpolation(_ part: SQLText) { text.append(part) }
    mutating func appendInterpolation(name: String) { text.sql += name }
  }

  mutating func append(_ part: SQLText) {
    sql += part.sql
    bindings += part.bindings
    depth = max(depth, part.depth)
  }

  /// The same text with another outermost operator.
  func with(_ precedence: Precedence) -> SQLText {
    var copy = self
    copy.precedence = precedence
    return copy
  }

  /// The text, in parentheses when its outermost operator binds more loosely than `precedence`.
  func enclosed(atLeast precedence: Precedence) -> SQLText {
    if self.precedence >= precedence { return self }
    var result: SQLText = "(\(self))"
    result.depth += 1
    return result
  }

  /// The parts with a separator between them.
  static func joined(_ parts: [SQLText], _ separator: StaticString) -> SQLText {
    var result = SQLText()
    for (i, part) in parts.enumerated() {
      if i > 0 { result.sql += separator.description }
      result.append(part)
    }
    return result
  }

  /// A binary operator that takes its operands from the left to the right.
  static func infix(_ left: SQLText, _ name: StaticString, _ right: SQLText, _ precedence: Precedence) -> SQLText {
    let tighter = Precedence(rawValue: precedence.rawValue + 1) ?? .primary
    var result = left.enclosed(atLeast: precedence)
    result.sql += " \(name) "
    result.append(right.enclosed(atLeast: tighter))
    return result.with(precedence)
  }

  static func call(_ name: String, _ arguments: [SQLText]) -> SQLText {
    var result: SQLText = "\(name: name)(\(joined(arguments, ", ")))"
    result.depth += 1
    return result
  }

  /// Many operands of AND or OR.
  ///
  /// SQLite refuses expressions that are deeper than 1000, and a chain of operators is as deep as it is long; so long
  /// chains become chains of chains. Deep operands come first, where they need the least of the parser's 100 places.
  static func chain(_ parts: [SQLText], _ name: StaticString, _ precedence: Precedence) -> SQLText {
    let width = 64
    var parts = parts
    if let deepest = parts.indices.max(by: { parts[$0].depth < parts[$1].depth }), parts[deepest].depth > 8 {
      parts.insert(parts.remove(at: deepest), at: 0)
    }
    while parts.count > width {
      parts = stride(from: 0, to: parts.count, by: width).map { start in
        let group = Array(parts[start..<min(start + width, parts.count)])
        return group.count == 1 ? group[0] : flat(group, name, precedence)
      }
    }
    return parts.count == 1 ? parts[0] : flat(parts, name, precedence)
  }

  private static func flat(_ parts: [SQLText], _ name: StaticString, _ precedence: Precedence) -> SQLText {
    let tighter = Precedence(rawValue: precedence.rawValue + 1) ?? .primary
    var result = SQLText()
    for (i, part) in parts.enumerated() {
      if i > 0 { result.sql += " \(name) " }
      result.append(part.enclosed(atLeast: tighter))
    }
    return result.with(precedence)
  }

  /// The most parameters of a statement: the time that SQLite takes to compile it grows with the square of their number.
  static let parameterLimit = 8_000

  /// Refuses a statement with too many parameters.
  func checkSize() throws(PredicateError) {
    guard bindings.count > SQLText.parameterLimit else { return }
    throw PredicateError(
      .tooLarge, "the predicate has \(bindings.count) constants, and \(SQLText.parameterLimit) are allowed",
      hint: "use IN with a list, which counts as one")
  }
}
