import Diagnostics
import ObjectModel

/// Conditions on records.
extension TransformCompiler {
  /// The register of a condition; nil with findings when it cannot be used.
  mutating func predicate(_ text: SourceText) -> Int? {
    let parsed: Predicate
    do throws(PredicateError) {
      parsed = try Predicate(format: text.text)
    } catch {
      report(error, in: text)
      return nil
    }
    guard check(parsed, in: text) else { return nil }
    return condition(parsed, text)
  }

  /// Compiles a predicate that was checked.
  mutating func condition(_ predicate: Predicate, _ text: SourceText) -> Int? {
    switch predicate {
    case .value(let value): return constant(.boolean(value)).register
    case .and(let terms): return combine(terms, text).map { emit(.and($0), .boolean, "AND", origin: -1).register }
    case .or(let terms): return combine(terms, text).map { emit(.or($0), .boolean, "OR", origin: -1).register }
    case .not(let inner): return condition(inner, text).map { emit(.not($0), .boolean, "NOT", origin: -1).register }
    case .comparison(let comparison):
      if let register = self.comparison(comparison, text) { return register }
    case .closure: return nil
    }
    return evaluated(predicate, text)
  }

  private mutating func evaluated(_ predicate: Predicate, _ text: SourceText) -> Int? {
    var finder = ColumnFinder()
    finder.visit(predicate)
    guard let columns = rowColumns(finder.names, text) else { return nil }
    let origin = columns.first.map { plan.instructions[$0.register].origin } ?? -1
    return emit(.predicate(predicate, columns), .boolean, "where", origin: origin).register
  }

  private mutating func combine(_ terms: [Predicate], _ text: SourceText) -> [Int]? {
    var registers: [Int] = []
    for term in terms {
      guard let register = condition(term, text) else { return nil }
      registers.append(register)
    }
    return registers
  }

  /// A comparison that has an instruction; nil for others.
  private mutating func comparison(_ comparison: ComparisonPredicate, _ text: SourceText) -> Int? {
    guard comparison.modifier == .direct, Self.isSimple(comparison.left) else { return nil }
    switch comparison.comparison {
    case .equalTo, .notEqualTo:
      if Self.isNull(comparison.right) { return nullTest(comparison.left, comparison.comparison == .equalTo, text) }
      if Self.isNull(comparison.left) { return nullTest(comparison.right, comparison.comparison == .equalTo, text) }
      return order(comparison, text)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: return order(comparison, text)
    case .beginsWith, .endsWith, .contains: return order(comparison, text)
    case .isIn: return isIn(comparison, text)
    case .between:
      guard let bounds = Self.elements(comparison.right), bounds.count == 2 else { return nil }
      let low = ComparisonPredicate(comparison.left, .greaterThanOrEqualTo, bounds[0], options: comparison.options)
      let high = ComparisonPredicate(comparison.left, .lessThanOrEqualTo, bounds[1], options: comparison.options)
      return condition(.and([.comparison(low), .comparison(high)]), text)
    case .like, .matches, .conformsTo, .equalsType: return nil
    }
  }

  /// Whether an expression has one value that instructions make.
  private static func isSimple(_ expression: Expression) -> Bool {
    switch expression {
    case .constant(.attribute), .path(.evaluatedObject, _), .function, .conditional: true
    default: false
    }
  }

  private static func isNull(_ expression: Expression) -> Bool {
    if case .constant(.attribute(.null)) = expression { return true }
    return false
  }

  private mutating func nullTest(_ expression: Expression, _ isEqual: Bool, _ text: SourceText) -> Int? {
    guard let value = value(expression, text) else { return nil }
    let test = emit(.isNull(value.register), .boolean, "==", origin: value.origin)
    return isEqual ? test.register : emit(.not(test.register), .boolean, "!=", origin: value.origin).register
  }

  private mutating func order(_ comparison: ComparisonPredicate, _ text: SourceText) -> Int? {
    guard Self.isSimple(comparison.right), let left = value(comparison.left, text),
      let right = value(comparison.right, text)
    else { return nil }
    let name = comparison.comparison.rawValue
    if left.kind == .text, right.kind == .text {
      let options = comparison.options.contains(.normalized) ? [] : comparison.options
      return emit(
        .compareText(comparison.comparison, left.register, right.register, options), .boolean, name,
        origin: left.origin
      ).register
    }
    let operation: Instruction.Comparison
    switch comparison.comparison {
    case .equalTo: operation = .equal
    case .notEqualTo: operation = .notEqual
    case .lessThan: operation = .less
    case .lessThanOrEqualTo: operation = .lessOrEqual
    case .greaterThan: operation = .greater
    case .greaterThanOrEqualTo: operation = .greaterOrEqual
    default: return nil
    }
    var sides = (left, right)
    if left.kind != right.kind {
      guard let first = plainNumber(left, text), let second = plainNumber(right, text),
        let same = common(first, second, step: name, at: text.position)
      else { return nil }
      sides = same
    }
    return emit(
      .compare(operation, sides.0.register, sides.1.register), .boolean, name, origin: left.origin
    ).register
  }

  /// Numbers, and truth values as 1 and 0.
  private mutating func plainNumber(_ value: Value, _ text: SourceText) -> Value? {
    if value.kind.isNumber { return value }
    return value.kind == .boolean ? convert(value, to: .integer, step: "==", at: text.position) : nil
  }

  private mutating func isIn(_ comparison: ComparisonPredicate, _ text: SourceText) -> Int? {
    guard let elements = Self.elements(comparison.right), let left = value(comparison.left, text) else { return nil }
    var texts: [String] = []
    var numbers: [Int64] = []
    for element in elements {
      switch element {
      case .constant(.attribute(.string(let text))): texts.append(text)
      case .constant(.attribute(.integer(let number))): numbers.append(number)
      default: return nil
      }
    }
    if left.kind == .text, texts.count == elements.count, comparison.options.subtracting(.normalized).isEmpty {
      let table = ValueTable(texts.map { ($0, "") })
      return emit(.isIn(left.register, table), .boolean, "IN", origin: left.origin).register
    }
    if left.kind == .integer, numbers.count == elements.count, numbers.count <= 64 {
      return emit(.isInNumbers(left.register, numbers), .boolean, "IN", origin: left.origin).register
    }
    return nil
  }

  /// The elements of a list.
  private static func elements(_ expression: Expression) -> [Expression]? {
    switch expression {
    case .aggregate(let elements): elements
    case .constant(.collection(let constants)): constants.map { .constant($0) }
    default: nil
    }
  }
}
