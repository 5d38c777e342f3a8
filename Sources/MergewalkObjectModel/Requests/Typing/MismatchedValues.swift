/// Comparisons that no object can satisfy, because the property cannot have the value beside it.
extension ObjectPredicate {
  /// One sentence for each value that `==`, `!=` or `IN` compares with a property of another kind: a number in quotes beside
  /// a number, a number beside a text or a date; a Float beside a number that no Float equals; or an object of another
  /// store.
  ///
  /// The language finds such values unequal, which is seldom what was meant.
  ///
  /// - Parameter storeUUID: Tells the store whose objects are compared, `nil` when it is not known; it is asked only if
  ///   there are objects.
  package func mismatchedValues(in scope: ModelScope, storeUUID: () -> String?) -> [String] {
    switch self {
    case .comparison(let comparison): return comparison.mismatchedValues(in: scope, storeUUID)
    case .and(let parts), .or(let parts):
      return parts.flatMap { $0.mismatchedValues(in: scope, storeUUID: storeUUID) }
    case .not(let part): return part.mismatchedValues(in: scope, storeUUID: storeUUID)
    case .value, .closure: return []
    }
  }
}

extension ComparisonPredicate {
  fileprivate func mismatchedValues(in scope: ModelScope, _ storeUUID: () -> String?) -> [String] {
    let strangers = Self.strangers(Self.values(of: left) + Self.values(of: right), storeUUID)
    switch comparison {
    case .equalTo, .notEqualTo:
      return Self.mismatchedValues(left, right, scope) + Self.mismatchedValues(right, left, scope) + strangers
    case .isIn: return Self.mismatchedValues(left, right, scope) + strangers
    default: return []
    }
  }

  /// A sentence for each object of another store.
  private static func strangers(_ values: [ConstantValue], _ storeUUID: () -> String?) -> [String] {
    let objects = values.filter { if case .objectID = $0 { true } else { false } }
    guard !objects.isEmpty, let own = storeUUID() else { return [] }
    return objects.compactMap { value in
      guard case .objectID(let id) = value, id.storeUUID != own else { return nil }
      return "\(id.uri) is an object of another store and never equals one of this store; "
        + "its objects are x-coredata://\(own)/…"
    }
  }

  private static func mismatchedValues(
    _ property: ObjectExpression, _ values: ObjectExpression, _ scope: ModelScope
  ) -> [String] {
    guard case .path(_, let path) = property, let names = path.propertyNames,
      let type = try? scope.type(of: property)
    else { return [] }
    let name = names.joined(separator: ".")
    return Self.values(of: values).compactMap { value in
      guard case .attribute(let value) = value else { return nil }
      return sentence(name, type, value)
    }
  }

  /// The values that stand in the text itself.
  private static func values(of expression: ObjectExpression) -> [ConstantValue] {
    switch expression {
    case .constant(let value): return values(of: value)
    case .aggregate(let elements): return elements.flatMap { values(of: $0) }
    default: return []
    }
  }

  private static func values(of constant: ConstantValue) -> [ConstantValue] {
    switch constant {
    case .attribute, .objectID: return [constant]
    case .collection(let elements): return elements.flatMap { values(of: $0) }
    case .dictionary: return []
    }
  }

  /// Describes the mistake and its cure; `nil` when the two can be equal, or for kinds that have no literals.
  private static func sentence(_ name: String, _ type: AttributeType, _ value: AttributeValue) -> String? {
    switch (type, value) {
    case (.integer16, .string(let text)), (.integer32, .string(let text)), (.integer64, .string(let text)),
      (.decimal, .string(let text)), (.double, .string(let text)), (.float, .string(let text)),
      (.boolean, .string(let text)):
      let isNumber = Double(text) != nil
      return "\(name) is \(type.xmlName) and never equals the text '\(text)'; "
        + (isNumber ? "write \(text) without quotes" : "compare it with \(type == .boolean ? "YES or NO" : "a number")")
    case (.string, .integer), (.string, .double), (.string, .decimal), (.uri, .integer), (.uri, .double),
      (.uri, .decimal):
      return "\(name) is \(type.xmlName) and never equals the number \(value.modelText ?? "beside it"); "
        + "write it in quotes"
    case (.date, .integer), (.date, .double), (.date, .decimal):
      return "\(name) is a Date and never equals the number \(value.modelText ?? "beside it"); "
        + "write a date in quotes, such as '2024-01-31'"
    case (.float, .integer), (.float, .double):
      guard let text = value.modelText, let nearest = Float(text), nearest.isFinite, Double(text) != Double(nearest)
      else { return nil }
      return "\(name) is a Float and never equals \(text); the nearest Float is \(Double(nearest)): "
        + "write that number, or %@ with --arg \(text)"
    default: return nil
    }
  }
}
