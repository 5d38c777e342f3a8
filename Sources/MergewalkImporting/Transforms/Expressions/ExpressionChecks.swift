import MergewalkObjectModel

/// Lint of expressions over columns.
extension TransformCompiler {
  /// Whether a predicate uses nothing that records do not have, and compares values of fitting types; its columns then.
  mutating func check(_ predicate: ObjectPredicate, in text: SourceText) -> (
    types: ExpressionTyping, columns: [RowColumn]
  )? {
    var finder = ColumnFinder()
    finder.visit(.predicate(predicate))
    if let obstacle = finder.obstacle {
      report("expressionType", text.position, obstacle)
      return nil
    }
    guard let columns = rowColumns(finder.names, text) else { return nil }
    // A record that has a value of each column's type shows what cannot be computed or compared.
    let sample = RowValues()
    for column in columns { sample.set(column.path, Self.sample(column.kind)) }
    let types = ExpressionTyping(columns)
    for comparison in finder.comparisons {
      if let mismatch = Self.mismatch(comparison, types) {
        report(
          mismatch, hint: "give the column a type under “columns”, or convert with CAST(value, 'type')",
          isMismatch: true, columns, text)
        return nil
      }
      do throws(PredicateError) {
        var evaluator = PredicateEvaluator(now: now, .exact)
        _ = try evaluator.evaluate(.comparison(comparison), with: .object(sample))
      } catch {
        switch error.code {
        // Other values may do.
        case .patternTimeLimit, .overflow, .indexOutOfRange, .divisionByZero, .undefined: continue
        default: break
        }
        report(error.message, hint: error.hint, isMismatch: error.code == .typeMismatch, columns, text)
        return nil
      }
    }
    // What the sample did not come to.
    var typing = types
    _ = typing.typed(predicate)
    if let problem = typing.problem {
      report(problem, hint: nil, isMismatch: true, columns, text)
      return nil
    }
    return (types, columns)
  }

  private mutating func report(
    _ message: String, hint: String?, isMismatch: Bool, _ columns: [RowColumn], _ text: SourceText
  ) {
    var position = text.position
    var hint = hint
    if isMismatch, let column = columns.first(where: { $0.kind == .text }) {
      let name = column.path.joined(separator: ".")
      // If the source does not have it, that is the mistake, and this is none.
      position = text.position(ofName: name)
      hint = "“\(name)” is text unless “columns” gives it a type"
    }
    report("expressionType", position, message, hint: hint)
  }

  /// The oddity of a comparison with values that can never be equal to the other side; a list is searched for one by one.
  private static func mismatch(_ comparison: ComparisonPredicate, _ types: ExpressionTyping) -> String? {
    var types = types
    var (lefts, rights) = ([types.typed(comparison.left).kind], [types.typed(comparison.right).kind])
    guard !types.isMixed else { return nil }
    if comparison.modifier != .direct || comparison.comparison == .contains, case .list(let elements) = lefts[0] {
      lefts = elements
    }
    switch comparison.comparison {
    case .equalTo, .notEqualTo: break
    case .isIn:
      guard case .list(let elements) = rights[0] else { return nil }
      rights = elements
    case .contains:
      guard case .list = types.typed(comparison.left).kind else { return nil }
    default: return nil
    }
    func family(_ kind: ValueKind) -> ValueKind { kind.isNumber || kind == .boolean ? .integer : kind }
    for case .value(let left) in lefts {
      for case .value(let right) in rights where family(left) != family(right) {
        return "\(left.described) is never equal to \(right.described)"
      }
    }
    return nil
  }

  private static func sample(_ kind: ValueKind) -> AttributeValue {
    switch kind {
    case .text: .string("a")
    case .integer: .integer(1)
    case .decimal: .decimal(DecimalNumber(significand: 15, exponent: -1))
    case .double: .double(1.5)
    case .date: .date(0)
    case .boolean: .boolean(true)
    }
  }
}

/// Finds the columns that a predicate names, and what records cannot answer.
struct ColumnFinder {
  private(set) var names: [String] = []
  private(set) var comparisons: [ComparisonPredicate] = []
  /// The reason why the predicate cannot be evaluated for records.
  private(set) var obstacle: String?
  /// Whether it differs each time it is asked, or from run to run.
  private(set) var differs = false

  mutating func visit(_ part: PredicatePart) {
    switch part {
    case .predicate(.closure): obstacle = "code cannot judge records; use a hook"
    case .predicate(.comparison(let comparison)): comparisons.append(comparison)
    case .expression(.evaluatedObject): obstacle = obstacle ?? "SELF is not a column: name one"
    case .expression(.variable(let name)): obstacle = obstacle ?? "there is no value for the variable “$\(name)”"
    case .expression(.path(let base, let path)):
      guard case .evaluatedObject = base, let name = TransformCompiler.columnName(path) else {
        obstacle = obstacle ?? "a record has single values, to which no collection operator applies"
        return
      }
      if !names.contains(name) { names.append(name) }
      return
    case .expression(.function(.random, _)), .expression(.function(.randomBelow, _)), .expression(.function(.now, _)):
      differs = true
    case .expression(.subquery):
      obstacle = obstacle ?? "a record has single values, so there is nothing for SUBQUERY to look into"
      return
    case .expression(.assignment):
      obstacle = obstacle ?? "an expression over columns assigns no variables"
    default: break
    }
    for inner in part.parts { visit(inner) }
  }
}
