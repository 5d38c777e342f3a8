import MergewalkObjectModel
import MergewalkTestSupport

/// Generates expressions and predicates over the columns of ``ExpressionRecords``, as text.
///
/// Types fit nearly always, so that there is something to compute; what lint refuses is left out by the tests.
struct ExpressionGenerator {
  enum Kind: CaseIterable { case integer, decimal, double, text, date, boolean }

  var random: SeededGenerator
  /// Whether numbers are integers and binary64 numbers alone, and types do not mix: what a store computes alike.
  let isPlain: Bool

  init(seed: UInt64, isPlain: Bool) {
    random = SeededGenerator(seed: seed)
    self.isPlain = isPlain
  }

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  /// The kinds of expressions that this generator makes.
  var kinds: [Kind] { isPlain ? [.integer, .double, .text, .date, .boolean] : Kind.allCases }

  // MARK: Values

  mutating func value(_ kind: Kind, _ depth: Int) -> String {
    if depth <= 0 || chance(5) { return chance(3) ? literal(kind) : column(kind) }
    switch kind {
    case .integer: return integer(depth - 1)
    case .decimal: return decimal(depth - 1)
    case .double: return double(depth - 1)
    case .text: return text(depth - 1)
    case .date: return date(depth - 1)
    case .boolean: return conditional(.boolean, depth - 1)
    }
  }

  private mutating func column(_ kind: Kind) -> String {
    switch kind {
    case .integer: return chance(12) && !isPlain ? "bad" : pick(["n", "m", "k"])
    case .decimal: return pick(["p", "q"])
    case .double: return pick(["x", "y"])
    case .text: return pick(["s", "t"])
    case .date: return pick(["d", "e"])
    case .boolean: return pick(["f", "g"])
    }
  }

  private mutating func literal(_ kind: Kind) -> String {
    switch kind {
    case .integer:
      return pick(["0", "1", "2", "3", "7", "-2", "10", "64", "9223372036854775807", "4611686018427387904"])
    case .decimal:
      return pick([
        "0.1", "0.2", "0.3", "2.50", "100.0", "-0.5", "1.5", "12345678901234567.8", "0.30000000000000004",
        "99999999999999999999", "0.000000000000000000000000000000000001",
      ])
    case .double:
      return isPlain
        ? pick(["CAST(2, 'double')", "CAST('0.5', 'double')", "CAST('0.1', 'double')"])
        : pick(["CAST(0.1, 'double')", "CAST(0.3, 'double')", "CAST(1e20, 'double')", "CAST(3, 'double')"])
    case .text: return pick(["'a'", "'Ab'", "''", "'12'", "'0.10'", "'é'", "'file10'", "'1e30'", "'x'"])
    case .date: return pick(["CAST(0, 'NSDate')", "CAST('2024-02-29', 'NSDate')", "CAST(86400, 'NSDate')"])
    case .boolean: return column(.boolean)
    }
  }

  private mutating func number(_ depth: Int) -> String { value(pick(numbers), depth) }

  private var numbers: [Kind] { isPlain ? [.integer, .integer, .double] : [.integer, .decimal, .double, .boolean] }

  private mutating func conditional(_ kind: Kind, _ depth: Int) -> String {
    var first = value(kind, depth)
    var second = value(kind, depth)
    if chance(8) { second = "NULL" }
    if !isPlain, chance(6), kind != .date {
      second = kind == .text ? value(pick([.text, .integer]), depth) : number(depth)
    }
    if chance(2) { swap(&first, &second) }
    return "TERNARY(\(predicate(chance(2) ? depth : 0)), \(first), \(second))"
  }

  private mutating func list(_ kinds: [Kind], _ depth: Int) -> String {
    (0..<Int.random(in: 2...3, using: &random)).map { _ in value(pick(kinds), depth) }.joined(separator: ", ")
  }

  private mutating func integer(_ depth: Int) -> String {
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1, 2: return "(\(value(.integer, depth)) \(pick(["+", "-", "*", "/"])) \(value(.integer, depth)))"
    case 3: return "modulus:by:(\(value(.integer, depth)), \(value(.integer, depth)))"
    case 4:
      let function = pick(["abs", "ceiling", "floor", "trunc", "noindex", "onesComplement"])
      return "\(function):(\(value(.integer, depth)))"
    case 5: return "length:(\(value(.text, depth)))"
    case 6: return "(\(value(.integer, depth)) \(pick(["&", "|", "^", "<<", ">>"])) \(value(.integer, 0)))"
    case 7: return "CAST(\(value(isPlain ? pick([.integer, .double]) : pick(Kind.allCases), depth)), 'integer')"
    case 8: return "count:(\(list(kinds, depth)))"
    case 9: return "\(pick(["sum", "min", "max", "mode"])):(\(list([.integer], depth)))"
    case 10: return "sum:({\(list([.integer], depth))})"
    case 11 where !isPlain: return "{\(list([.integer], depth))}[\(pick(["0", "1", "FIRST", "LAST", "SIZE", "2"]))]"
    case 12 where !isPlain:
      let operation = pick(["UNION", "INTERSECT", "MINUS"])
      let left = list([.integer, .decimal, .double], depth)
      return "count:(distinct:({\(left)} \(operation) {\(list([.integer, .decimal], depth))}))"
    default: return conditional(.integer, depth)
    }
  }

  private mutating func decimal(_ depth: Int) -> String {
    let other = chance(3) ? Kind.integer : .decimal
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2: return "(\(value(.decimal, depth)) \(pick(["+", "-", "*", "/"])) \(value(other, depth)))"
    case 3: return "(\(value(other, depth)) \(pick(["+", "-", "*", "/"])) \(value(.decimal, depth)))"
    case 4: return "modulus:by:(\(value(.decimal, depth)), \(value(other, depth)))"
    case 5: return "\(pick(["abs", "ceiling", "floor", "trunc", "noindex"])):(\(value(.decimal, depth)))"
    case 6: return "CAST(\(value(pick([.integer, .decimal, .text, .double]), depth)), 'NSDecimalNumber')"
    case 7: return "CAST(\(value(pick([.text, .decimal]), depth)), 'NSNumber')"
    case 8:
      let function = pick(["sum", "average", "median", "min", "max", "mode"])
      return "\(function):(\(list([.integer, .decimal, .boolean], depth)), \(value(.decimal, depth)))"
    case 9: return "average:({\(list([.integer], depth))})"
    case 10: return "{\(list([.integer, .decimal], depth)), \(value(.decimal, 0))}[\(pick(["0", "1", "LAST"]))]"
    default: return conditional(.decimal, depth)
    }
  }

  private mutating func double(_ depth: Int) -> String {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2: return "(\(value(.double, depth)) \(pick(["+", "-", "*", "/"])) \(number(depth)))"
    case 3: return "(\(number(depth)) \(pick(["+", "-", "*", "/"])) \(value(.double, depth)))"
    case 4: return "\(pick(["sqrt", "ln", "log", "exp"])):(\(number(depth)))"
    case 5: return "raise:toPower:(\(number(depth)), \(value(isPlain ? .integer : pick([.integer, .decimal]), 0)))"
    case 6: return "\(pick(["abs", "ceiling", "floor", "trunc", "noindex"])):(\(value(.double, depth)))"
    case 7: return "modulus:by:(\(value(.double, depth)), \(number(depth)))"
    case 8: return "CAST(\(number(depth)), 'double')"
    case 9: return "(\(value(.date, depth)) - \(value(.date, depth)))"
    case 10:
      let function = isPlain ? pick(["sum", "stddev"]) : pick(["sum", "average", "median", "stddev", "min", "max"])
      return "\(function):(\(list(numbers, depth)), \(value(.double, depth)))"
    default: return conditional(.double, depth)
    }
  }

  private mutating func text(_ depth: Int) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return "\(pick(["uppercase", "lowercase", "canonical"])):(\(value(.text, depth)))"
    case 2: return "CAST(\(value(isPlain ? pick([.integer, .text]) : pick(Kind.allCases), depth)), 'NSString')"
    case 3: return "\(pick(["min", "max", "mode"])):(\(list([.text], depth)))"
    default: return conditional(.text, depth)
    }
  }

  private mutating func date(_ depth: Int) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return "(\(value(.date, depth)) \(pick(["+", "-"])) \(number(depth)))"
    case 2: return "CAST(\(number(depth)), 'NSDate')"
    case 3: return "\(pick(["min", "max"])):(\(list([.date], depth)))"
    default: return conditional(.date, depth)
    }
  }

  // MARK: Predicates

  mutating func predicate(_ depth: Int) -> String {
    if depth > 0 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: return "(\(predicate(depth - 1)) AND \(predicate(depth - 1)))"
      case 1: return "(\(predicate(depth - 1)) OR \(predicate(depth - 1)))"
      case 2: return "NOT (\(predicate(depth - 1)))"
      default: break
      }
    }
    let kind = pick(kinds)
    let left = value(kind, depth)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return "\(left) \(pick(["==", "!="])) NULL"
    case 1: return "\(left) BETWEEN {\(partner(kind, depth - 1)), \(partner(kind, depth - 1))}"
    case 2: return "\(left) IN {\((0..<3).map { _ in literals(kind) }.joined(separator: ", "))}"
    case 3: return "\(left) IN {\((0..<9).map { _ in literals(kind) }.joined(separator: ", "))}"
    case 4: return "\(left) IN {\(partner(kind, 0)), \(partner(kind, depth - 1))}"
    case 5 where !isPlain: return "\(pick(["ANY", "ALL", "NONE"])) {\(left), \(partner(kind, 0))} < \(partner(kind, 0))"
    case 5 where kind == .text, 6 where kind == .text:
      let options = pick(["", "", "[c]", "[d]", "[cd]", "[n]"])
      let operation = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "IN"])
      switch operation {
      case "LIKE": return "\(left) LIKE\(options) \(pick(["'*'", "'a*'", "'?b'", "'É*'"]))"
      case "MATCHES": return "\(left) MATCHES\(options) \(pick(["'[a-z]+'", "'.*\\\\d'", "'é?'"]))"
      default: return "\(left) \(operation)\(options) \(value(.text, 0))"
      }
    default:
      let options = kind == .text ? pick(["", "", "[c]", "[cd]", "[l]"]) : ""
      return "\(left) \(pick(["==", "!=", "<", "<=", ">", ">="]))\(options) \(partner(kind, depth - 1))"
    }
  }

  /// Something of a kind that compares with another.
  private mutating func partner(_ kind: Kind, _ depth: Int) -> String {
    switch kind {
    case .integer, .decimal, .double, .boolean: chance(2) ? value(kind, depth) : number(depth)
    default: value(kind, depth)
    }
  }

  private mutating func literals(_ kind: Kind) -> String {
    if chance(10), !isPlain { return "NULL" }
    switch kind {
    case .integer, .decimal, .double, .boolean: return literal(isPlain ? .integer : pick([.integer, .decimal]))
    default: return literal(kind)
    }
  }
}
