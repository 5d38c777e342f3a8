import MergewalkPropertyLists

/// The predicates of partial indexes and fetch requests as archives hold them: comparisons of properties, constants and
/// variables, joined by `AND`, `OR` and `NOT`. Others are not understood.
extension KeyedArchive {
  /// The operators by their numbers in archives.
  fileprivate static let operators: [ComparisonPredicate.Operator] = [
    .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
  ]

  /// The greatest depth of predicates inside predicates.
  private static let maximumDepth = 20

  /// The predicate that an object stands for; `nil` when it is of another kind.
  func predicate(_ object: Object, depth: Int = 0) -> ObjectPredicate? {
    guard depth < Self.maximumDepth else { return nil }
    switch className(object) {
    case "NSCompoundPredicate"?:
      let parts = objects(object, "NSSubpredicates")
      let read = parts.compactMap { predicate($0, depth: depth + 1) }
      guard read.count == parts.count, let first = read.first else { return nil }
      switch integer(object, "NSCompoundPredicateType") {
      case 0?: return read.count == 1 ? .not(first) : nil
      case 1?: return .and(read)
      case 2?: return .or(read)
      default: return nil
      }
    case "NSComparisonPredicate"?:
      guard let left = self.object(object, "NSLeftExpression").flatMap({ operand($0) }),
        let right = self.object(object, "NSRightExpression").flatMap({ operand($0) }),
        let kind = self.object(object, "NSPredicateOperator"), integer(kind, "NSModifier") ?? 0 == 0,
        integer(kind, "NSOptions") ?? 0 == 0,
        let number = integer(kind, "NSOperatorType").flatMap({ Int(exactly: $0) }),
        Self.operators.indices.contains(number)
      else { return nil }
      return .comparison(ComparisonPredicate(left, Self.operators[number], right))
    default: return nil
    }
  }

  /// A side of a comparison: the object, a key path from it, a constant or a variable.
  private func operand(_ object: Object) -> ObjectExpression? {
    switch className(object) {
    case "NSConstantValueExpression"?: return constant(object).map { .constant(.attribute($0)) }
    case "NSVariableExpression"?: return string(object, "NSVariable").map { .variable($0) }
    default: return keyPath(object)
    }
  }

  /// The object itself, or a key path from it.
  func keyPath(_ object: Object) -> ObjectExpression? {
    switch className(object) {
    case "NSSelfExpression"?: return .evaluatedObject
    case "NSKeyPathExpression"?:
      guard let path = objects(object, "NSArguments").first.flatMap({ string($0, "NSKeyPath") }) else { return nil }
      return PropertyPath(path).map { .keyPath($0) }
    default: return nil
    }
  }

  private func constant(_ object: Object) -> AttributeValue? {
    switch value(object, "NSConstantValue") {
    case nil: .null
    case .integer(let number)?: .integer(number)
    case .real(let number)?: .double(number)
    case .boolean(let flag)?: .boolean(flag)
    case .string(let text)?: .string(text)
    default: nil
    }
  }
}

extension ModelArchiver {
  /// Writes a predicate of the kind that ``KeyedArchive/predicate(_:depth:)`` reads; `nil` for others.
  mutating func predicate(_ predicate: ObjectPredicate) -> PropertyList? {
    let (kind, parts): (Int64, [ObjectPredicate])
    switch predicate {
    case .comparison(let comparison): return self.comparison(comparison)
    case .not(let inner): (kind, parts) = (0, [inner])
    case .and(let inner): (kind, parts) = (1, inner)
    case .or(let inner): (kind, parts) = (2, inner)
    case .value, .closure: return nil
    }
    var written: [PropertyList] = []
    for part in parts {
      guard let part = self.predicate(part) else { return nil }
      written.append(part)
    }
    return writer.object(
      "NSCompoundPredicate",
      [("NSCompoundPredicateType", .integer(kind)), ("NSSubpredicates", writer.list(written, "NSArray"))])
  }

  private mutating func comparison(_ comparison: ComparisonPredicate) -> PropertyList? {
    guard comparison.modifier == .direct, comparison.options.isEmpty,
      let number = KeyedArchive.operators.firstIndex(of: comparison.comparison),
      let left = operand(comparison.left), let right = operand(comparison.right)
    else { return nil }
    let isEquality = number >= 4
    var kind: [(String, PropertyList)] = [
      ("NSOperatorType", .integer(Int64(number))), ("NSModifier", .integer(0)), ("NSOptions", .integer(0)),
    ]
    kind.append(isEquality ? ("NSNegate", .boolean(number == 5)) : ("NSVariant", .integer(Int64(number))))
    return writer.object(
      "NSComparisonPredicate",
      [
        ("NSLeftExpression", left), ("NSRightExpression", right),
        (
          "NSPredicateOperator",
          writer.object(isEquality ? "NSEqualityPredicateOperator" : "NSComparisonPredicateOperator", kind)
        ),
      ])
  }

  /// A side of a comparison; `nil` for expressions that ``KeyedArchive/predicate(_:depth:)`` does not read.
  private mutating func operand(_ expression: ObjectExpression) -> PropertyList? {
    switch expression {
    case .constant(.attribute(let value)): return constant(value)
    case .variable(let name):
      return writer.object(
        "NSVariableExpression", [("NSExpressionType", .integer(2)), ("NSVariable", writer.text(name))])
    default: return keyPath(expression)
    }
  }

  private mutating func constant(_ value: AttributeValue) -> PropertyList? {
    let entry: (String, PropertyList)
    switch value {
    case .null: entry = ("NSConstantValueClassName", ArchiveWriter.null)
    case .integer(let number): entry = ("NSConstantValue", writer.plain(.integer(number)))
    case .double(let number): entry = ("NSConstantValue", writer.plain(.real(number)))
    case .boolean(let flag): entry = ("NSConstantValue", writer.plain(.boolean(flag)))
    case .string(let text): entry = ("NSConstantValue", writer.text(text))
    default: return nil
    }
    return writer.object("NSConstantValueExpression", [("NSExpressionType", .integer(0)), entry])
  }

  /// The object itself, or a key path from it; `nil` for other expressions.
  mutating func keyPath(_ expression: ObjectExpression) -> PropertyList? {
    switch expression {
    case .evaluatedObject: evaluated()
    case .path(.evaluatedObject, _): keyPath(expression.description)
    default: nil
    }
  }
}
