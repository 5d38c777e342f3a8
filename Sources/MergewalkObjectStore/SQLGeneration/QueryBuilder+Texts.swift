import MergewalkObjectModel

extension QueryBuilder {
  func text(
    _ left: SQLValue, _ comparison: ComparisonPredicate.Operator, _ right: SQLValue,
    _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    for (side, value) in [("left", left), ("right", right)] where !value.isNull {
      try refuseOpaque(value)
      guard value.family == .text else {
        throw PredicateError(
          .typeMismatch, "\(comparison.rawValue) needs a text on its \(side); \(value.name) is \(value.family.words)",
          hint: "CAST the value to a text, or compare it with ==")
      }
    }
    if comparison == .matches, case .attribute(let pattern)? = right.constant {
      try QueryFunctions.checkPattern(pattern, options)
    }
    if left.isNull || right.isNull { return .known(false) }
    let arguments = [left.text, right.text]
    let isPlain = QueryFunctions.suffix(options).isEmpty
    let canBeNull = left.isNullable || right.isNullable
    switch comparison {
    case .beginsWith:
      if left.isColumn, let prefix = plainText(right), isPlain {
        return range(left, prefix: prefix)
      }
      return .text(.call(QueryFunctions.name(.begins, options), arguments), canBeNull: canBeNull)
    case .endsWith:
      return .text(.call(QueryFunctions.name(.ends, options), arguments), canBeNull: canBeNull)
    case .like:
      let call = SQLCondition.text(.call(QueryFunctions.name(.like, options), arguments), canBeNull: canBeNull)
      guard left.isColumn, let pattern = plainText(right), isPlain else { return call }
      return like(left, LikePrefix(pattern), call)
    case .matches:
      return .text(.call(QueryFunctions.name(.matches, options), arguments), canBeNull: canBeNull)
    case .equalsType:
      return .text(.call(QueryFunctions.equalsType, arguments), canBeNull: canBeNull)
    default:
      return .text(.call(QueryFunctions.conformsToType, arguments), canBeNull: canBeNull)
    }
  }

  /// Whether the right text is a part of the left one.
  func part(
    _ part: SQLValue, of whole: SQLValue, _ word: String, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    // In place of a list, null is an empty one.
    if whole.isNull { return .known(false) }
    for value in [whole, part] where !value.isNull {
      try refuseOpaque(value)
      guard value.family == .text else {
        throw PredicateError(
          .typeMismatch, "\(word) needs a list, a to-many path or texts; \(value.name) is \(value.family.words)",
          hint: "compare it with ==")
      }
    }
    if part.isNull { return .known(false) }
    let canBeNull = whole.isNullable || part.isNullable
    let arguments = [whole.text, part.text]
    if QueryFunctions.suffix(options).isEmpty {
      return .text(SQLText("\(SQLText.call("instr", arguments)) > 0", .comparison), canBeNull: canBeNull)
    }
    return .text(.call(QueryFunctions.name(.contains, options), arguments), canBeNull: canBeNull)
  }

  /// A constant text.
  private func plainText(_ value: SQLValue) -> String? {
    switch value.constant {
    case .attribute(.string(let text))?, .attribute(.uri(let text))?: text
    default: nil
    }
  }

  /// The texts that begin with a prefix, as a range that an index can find.
  private func range(_ column: SQLValue, prefix: String) -> SQLCondition {
    if prefix.isEmpty { return nullCheck(column, isNull: false) }
    let start: SQLText = "\(column.text) >= \(SQLText(.text(prefix)))"
    guard let end = LikePrefix.successor(of: prefix) else {
      return .text(start.with(.comparison), canBeNull: column.isNullable)
    }
    return .text(
      SQLText("\(start) AND \(column.text) < \(SQLText(.text(end)))", .and), canBeNull: column.isNullable)
  }

  /// `LIKE` with a constant pattern: what its plain beginning says goes to an index, the rest to the function.
  private func like(_ column: SQLValue, _ pattern: LikePrefix, _ call: SQLCondition) -> SQLCondition {
    switch pattern.rest {
    case .nothing:
      return .text(SQLText("\(column.text) = \(SQLText(.text(pattern.text)))", .equality), canBeNull: column.isNullable)
    case .anything: return range(column, prefix: pattern.text)
    case .pattern: return pattern.text.isEmpty ? call : .all([range(column, prefix: pattern.text), call])
    }
  }
}

/// The plain beginning of a `LIKE` pattern.
struct LikePrefix: Hashable {
  /// The rest behind the beginning.
  enum Rest: Hashable {
    case nothing
    /// A single `*`: anything.
    case anything
    case pattern
  }

  /// The beginning, its escapes resolved.
  let text: String
  let rest: Rest

  init(_ pattern: String) {
    var text = String.UnicodeScalarView()
    var scalars = pattern.unicodeScalars[...]
    while let scalar = scalars.first, scalar != "*", scalar != "?" {
      scalars.removeFirst()
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      // A backslash before anything else stands for itself, as LikePattern reads it.
      if let next = scalars.first, next == "*" || next == "?" || next == "\\" {
        text.append(next)
        scalars.removeFirst()
      } else {
        text.append(scalar)
      }
    }
    self.text = String(text)
    rest = scalars.isEmpty ? .nothing : scalars.allSatisfy { $0 == "*" } ? .anything : .pattern
  }

  /// The least text that is greater than all texts that begin with `prefix`; `nil` when there is none.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      var next = last.value + 1
      if next == 0xD800 { next = 0xE000 }
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
      }
    }
    return nil
  }
}
