import MergewalkDiagnostics

/// Comparisons that no object can satisfy, because a property cannot have the value beside it.
extension ObjectPredicate {
  /// One sentence for each value that never equals what `==`, `!=`, `IN` or `CONTAINS` compares it with.
  ///
  /// It is of another kind, such as a number in quotes beside a number; a number that no Float equals, or that
  /// an attribute of whole numbers or truth values cannot hold; an object of
  /// another store or entity; or the name of no entity. Conditions of subqueries and of `TERNARY` count.
  /// The language finds such values unequal, which is seldom what was meant.
  ///
  /// - Parameter storeUUID: Tells the store whose objects are compared, `nil` when it is not known; it is asked only if
  ///   there are objects.
  package func mismatchedValues(in scope: ModelScope, storeUUID: () -> String?) -> [String] {
    PredicatePart.predicate(self).mismatchedValues(in: scope, storeUUID)
  }
}

extension PredicatePart {
  fileprivate func mismatchedValues(in scope: ModelScope, _ storeUUID: () -> String?) -> [String] {
    var sentences: [String] = []
    var inner = scope
    switch self {
    case .predicate(.comparison(let comparison)): sentences = comparison.mismatchedValues(in: scope, storeUUID)
    case .expression(.subquery(let collection, let variable, _)):
      inner = scope.inside(variable, of: (try? scope.entity(of: collection)) ?? nil)
    default: break
    }
    for part in parts { sentences += part.mismatchedValues(in: inner, storeUUID) }
    return sentences
  }
}

extension ComparisonPredicate {
  fileprivate func mismatchedValues(in scope: ModelScope, _ storeUUID: () -> String?) -> [String] {
    let strangers = Self.strangers(Self.values(of: left) + Self.values(of: right), storeUUID)
    switch comparison {
    case .equalTo, .notEqualTo:
      return mismatches(left, right, scope) + mismatches(right, left, scope) + strangers + strangeSides(scope)
    case .isIn: return mismatches(left, right, scope) + elements(of: right, left, scope) + strangers
    case .contains: return mismatches(right, left, scope) + elements(of: left, right, scope) + strangers
    default: return []
    }
  }

  /// A sentence for a value that a collection never contains; a text may be searched, too.
  private func elements(
    of collection: ObjectExpression, _ value: ObjectExpression, _ scope: ModelScope
  ) -> [String] {
    if case .string? = (try? scope.type(of: collection)) ?? nil { return [] }
    return mismatches(collection, value, scope)
  }

  /// The sentence about two sides of which neither is a constant.
  private func strangeSides(_ scope: ModelScope) -> [String] {
    guard let first = Self.type(left, scope), let second = Self.type(right, scope) else { return [] }
    let families = [first, second].map { Self.family(of: $0) }
    guard families[0] != families[1],
      zip([first, second], families).allSatisfy({ $0 == .objectID || $1 != nil })
    else { return [] }
    return ["\(left) is \(first.xmlName) and \(right) is \(second.xmlName): they are equal only if both are null"]
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

  /// A sentence for each of the values that what an expression gives never equals.
  private func mismatches(
    _ expression: ObjectExpression, _ values: ObjectExpression, _ scope: ModelScope
  ) -> [String] {
    guard let type = Self.type(expression, scope) else { return [] }
    let entity = (try? scope.entity(of: expression)) ?? nil
    return Self.values(of: values).compactMap { value in
      switch value {
      case .attribute(.string(let name)) where options.isEmpty && type == .string:
        return Self.sentence(expression, entityName: name, scope)
      case .attribute(let value): return Self.sentence(expression, type, entity, value)
      case .objectID(let id): return Self.sentence(expression, type, entity, id)
      case .collection, .dictionary: return nil
      }
    }
  }

  /// The type of what is no constant; `nil` where it is not known.
  private static func type(_ expression: ObjectExpression, _ scope: ModelScope) -> AttributeType? {
    switch expression {
    case .path, .function, .evaluatedObject, .variable: (try? scope.type(of: expression)) ?? nil
    default: nil
    }
  }

  /// The sentence about a name that no entity of the objects has, beside their `entity`.
  private static func sentence(_ expression: ObjectExpression, entityName: String, _ scope: ModelScope) -> String? {
    guard case .path(let base, let path) = expression, case .property("entity")? = path.components.last,
      let target = try? scope.target(Array(path.components.dropLast()), from: scope.entity(of: base)),
      case .objects(let owner) = target, owner.attribute(named: "entity") == nil
    else { return nil }
    let names = scope.model.family(of: owner.index).map(\.name)
    guard !names.contains(entityName) else { return nil }
    let near = NearestName.find(entityName, in: names)
    return "\(expression) never equals '\(entityName)', which is no entity of these objects; "
      + (near.map { "did you mean '\($0)'?" } ?? "they are of \(names.joined(separator: ", "))")
  }

  /// The sentence about an object of another entity, or beside what is no object.
  private static func sentence(
    _ expression: ObjectExpression, _ type: AttributeType, _ entity: EntityDescription?, _ id: ManagedObjectID
  ) -> String? {
    guard type == .objectID else {
      return family(of: type) == nil
        ? nil : "\(expression) is \(type.xmlName) and never equals an object; compare it with a value"
    }
    guard let entity, !id.entity.isKind(of: entity), !entity.isKind(of: id.entity) else { return nil }
    return "\(expression) is of \(entity.name) and never equals \(id.uri), which is of \(id.entity.name)"
  }

  /// The family of a type's values, `nil` for objects and where values are not known.
  private static func family(of type: AttributeType) -> ValueFamily? {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
    case .string, .uri: .text
    case .date: .date
    case .binary: .binary
    case .uuid: .uuid
    case .objectID, .transformable, .composite, .undefined: nil
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

  /// The sentence about a number that an attribute of whole numbers, or of truth values, cannot hold.
  private static func unreachable(
    _ name: ObjectExpression, _ type: AttributeType, _ value: AttributeValue
  ) -> String? {
    // What is computed from such attributes, such as a sum, may be larger.
    guard case .path(_, let path) = name,
      path.components.allSatisfy({ if case .property = $0 { true } else { false } }),
      let text = value.modelText, let number = Double(text), number.isFinite
    else { return nil }
    let range: (least: Double, most: Double, words: String) =
      switch type {
      case .boolean: (0, 1, "0 and 1, YES and NO")
      case .integer16: (-0x1p15, 0x1p15 - 1, "whole numbers from \(Int16.min) to \(Int16.max)")
      case .integer32: (-0x1p31, 0x1p31 - 1, "whole numbers from \(Int32.min) to \(Int32.max)")
      // A decimal that is rounded to 2^63 may be one of them.
      default: (-0x1p63, 0x1p63, "whole numbers of 64 bits")
      }
    guard number != number.rounded() || number < range.least || number > range.most else { return nil }
    return "\(name) is \(type.xmlName) and never equals \(text); it holds \(range.words)"
  }

  /// Describes the mistake and its cure; `nil` when the two can be equal.
  private static func sentence(
    _ name: ObjectExpression, _ type: AttributeType, _ entity: EntityDescription?, _ value: AttributeValue
  ) -> String? {
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
    case (.integer16, .integer), (.integer16, .double), (.integer16, .decimal), (.integer32, .integer),
      (.integer32, .double), (.integer32, .decimal), (.integer64, .double), (.integer64, .decimal),
      (.boolean, .integer), (.boolean, .double), (.boolean, .decimal):
      return unreachable(name, type, value)
    case (.objectID, _):
      guard !value.isNull else { return nil }
      let attribute = entity?.attributes.first.map { ", such as \(name).\($0.name)" } ?? ""
      return "\(name) is an object and never equals \(value.kind); "
        + "compare its URI, or one of its attributes\(attribute)"
    default:
      guard let other = value.family, let own = family(of: type), own != other else { return nil }
      let cure =
        switch own {
        case .binary: "; write its bytes as CAST('00FF', 'NSData')"
        case .uuid: "; write a UUID in quotes"
        default: ""
        }
      return "\(name) is \(type.xmlName) and never equals \(value.kind)\(cure)"
    }
  }
}
