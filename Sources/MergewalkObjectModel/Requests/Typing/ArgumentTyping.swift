/// Gives the texts of the command line the types of what they are compared with, so that `placed > %@` with
/// `2024-01-31` compares dates.
///
/// Arguments may be of any type. Texts in quotes in a predicate are typed beside dates, UUIDs and objects only, which
/// cannot be written otherwise; beside numbers they stay texts, as everywhere in the language.
package struct ArgumentTyping {
  package let texts: [String]

  /// Takes the arguments.
  package init(texts: [String]) { self.texts = texts }

  private static let markKey = "mergewalk.argument"

  /// The placeholder for an argument until its type is known; no text of the language makes such a value.
  package static func mark(_ number: Int) -> ConstantValue {
    .dictionary([markKey: .attribute(.integer(Int64(number)))])
  }

  // MARK: Predicates

  /// The predicate with typed arguments.
  ///
  /// - Throws: ``PredicateError``: `argumentType` when an argument is no value of its type, `unknownKey`.
  package func typed(_ predicate: ObjectPredicate, in scope: ModelScope) throws(PredicateError) -> ObjectPredicate {
    switch predicate {
    case .value, .closure: return predicate
    case .comparison(let comparison): return .comparison(try typed(comparison, in: scope))
    case .and(let terms): return .and(try typed(terms, in: scope))
    case .or(let terms): return .or(try typed(terms, in: scope))
    case .not(let inner): return .not(try typed(inner, in: scope))
    }
  }

  private func typed(_ terms: [ObjectPredicate], in scope: ModelScope) throws(PredicateError) -> [ObjectPredicate] {
    var result: [ObjectPredicate] = []
    for term in terms { result.append(try typed(term, in: scope)) }
    return result
  }

  private func typed(
    _ comparison: ComparisonPredicate, in scope: ModelScope
  ) throws(PredicateError) -> ComparisonPredicate {
    var result = comparison
    let (left, right): (AttributeType?, AttributeType?)
    switch comparison.comparison {
    case .like, .matches, .beginsWith, .endsWith, .conformsTo, .equalsType: (left, right) = (.string, .string)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .between, .isIn,
      .contains:
      left = try scope.type(of: comparison.right)
      right = try scope.type(of: comparison.left)
    }
    let names = (Self.name(comparison.right), Self.name(comparison.left))
    result.left = try typed(comparison.left, as: left, beside: names.0, in: scope)
    result.right = try typed(comparison.right, as: right, beside: names.1, in: scope)
    return result
  }

  // MARK: Expressions

  /// The expression with typed arguments.
  ///
  /// - Parameters:
  ///   - type: the type that its value is compared with; `nil` when it is not known.
  ///   - name: the key path it is compared with, for messages.
  func typed(
    _ expression: ObjectExpression, as type: AttributeType?, beside name: String? = nil, in scope: ModelScope
  ) throws(PredicateError) -> ObjectExpression {
    switch expression {
    case .constant(let value): return .constant(try typed(value, as: type, beside: name, in: scope))
    case .evaluatedObject, .variable: return expression
    case .path(let base, let path):
      _ = try scope.type(of: expression)
      return .path(try typed(base, as: nil, in: scope), path)
    case .function(let function, let arguments):
      let inner = Self.argumentType(function, type)
      return .function(function, try typed(arguments, as: inner, beside: name, in: scope))
    case .aggregate(let elements): return .aggregate(try typed(elements, as: type, beside: name, in: scope))
    case .subquery(let collection, let variable, let predicate):
      let entity = try scope.entity(of: collection)
      let inner = try typed(predicate, in: scope.inside(variable, of: entity))
      return .subquery(try typed(collection, as: nil, in: scope), variable: variable, inner)
    case .set(let operation, let left, let right):
      return .set(operation, try typed(left, as: type, in: scope), try typed(right, as: type, in: scope))
    case .conditional(let predicate, let first, let second):
      return .conditional(
        try typed(predicate, in: scope), try typed(first, as: type, beside: name, in: scope),
        try typed(second, as: type, beside: name, in: scope))
    case .element(let base, .at(let index)):
      return .element(try typed(base, as: type, in: scope), .at(try typed(index, as: .integer64, in: scope)))
    case .element(let base, let place): return .element(try typed(base, as: type, in: scope), place)
    case .assignment(let variable, let value):
      return .assignment(variable: variable, try typed(value, as: type, beside: name, in: scope))
    }
  }

  private func typed(
    _ expressions: [ObjectExpression], as type: AttributeType?, beside name: String?, in scope: ModelScope
  ) throws(PredicateError) -> [ObjectExpression] {
    var result: [ObjectExpression] = []
    for expression in expressions { result.append(try typed(expression, as: type, beside: name, in: scope)) }
    return result
  }

  /// The type of a function's arguments when its value is compared with one of this type.
  private static func argumentType(_ function: ExpressionFunction, _ type: AttributeType?) -> AttributeType? {
    switch function {
    case .min, .max, .mode, .distinct, .noIndex, .objectWithIndex: type
    case .uppercase, .lowercase, .canonical, .length: .string
    case .cast, .count, .now, .random, .distance: nil
    default: .double
    }
  }

  /// The key path that an expression is, for messages.
  private static func name(_ expression: ObjectExpression) -> String? {
    guard case .path(_, let path) = expression else { return nil }
    return path.propertyNames?.joined(separator: ".")
  }

  // MARK: Values

  private func typed(
    _ value: ConstantValue, as type: AttributeType?, beside name: String?, in scope: ModelScope
  ) throws(PredicateError) -> ConstantValue {
    switch value {
    case .dictionary(let values):
      guard case .attribute(.integer(let number))? = values[Self.markKey] else { return value }
      let text = texts[Int(number)]
      guard let typed = Self.value(text, type ?? .string, scope.model) else {
        throw error(text, "as argument \(number + 1)", type, name)
      }
      return typed
    case .attribute(.string(let text)) where type == .date || type == .uuid || type == .objectID:
      guard let typed = Self.value(text, type ?? .string, scope.model) else {
        throw error(text, "as text", type, name).located(literal: text, in: scope.source)
      }
      return typed
    case .collection(let elements):
      var result: [ConstantValue] = []
      for element in elements { result.append(try typed(element, as: type, beside: name, in: scope)) }
      return .collection(result)
    case .attribute, .objectID: return value
    }
  }

  private func error(_ text: String, _ place: String, _ type: AttributeType?, _ name: String?) -> PredicateError {
    let beside = name.map { " beside \($0)" } ?? ""
    let excerpt = text.count > 60 ? text.prefix(60) + "…" : text[...]
    return PredicateError(
      .argumentType, "expected \(Self.words(type)) \(place)\(beside), found “\(excerpt)”", hint: Self.hint(type))
  }

  private static func words(_ type: AttributeType?) -> String {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: "a number"
    case .boolean: "true or false"
    case .date: "a date"
    case .uuid: "a UUID"
    case .objectID: "the URI of an object"
    case .binary, .transformable, .composite: "no text"
    case .string, .uri, .undefined, nil: "a text"
    }
  }

  private static func hint(_ type: AttributeType?) -> String? {
    switch type {
    case .date: "ISO 8601: 2024-01-31, 2024-01-31T12:00:00Z, 2024-01-31 12:00+02:00; without a zone it is UTC"
    case .uuid: "such as 01234567-89AB-CDEF-0123-456789ABCDEF"
    case .objectID: "such as x-coredata://01234567-89AB-CDEF-0123-456789ABCDEF/Order/p17"
    case .boolean: "true, false, yes, no, 1 or 0"
    case .binary, .transformable, .composite: "values of this kind are compared with NULL only"
    default: nil
    }
  }

  /// The value that a text is for a type; `nil` when it is none.
  private static func value(_ text: String, _ type: AttributeType, _ model: ManagedObjectModel) -> ConstantValue? {
    switch type {
    case .string, .uri, .undefined: return .attribute(.string(text))
    case .integer16, .integer32, .integer64, .double: return number(text)
    case .float:
      // Rounded once, as an import does, so that the digits of a Float find it.
      let nearest = Float(text).flatMap { $0.isFinite ? ConstantValue.attribute(.double(Double($0))) : nil }
      return number(text).map { nearest ?? $0 }
    case .decimal: return DecimalNumber(text).map { .attribute(.decimal($0)) }
    case .boolean:
      switch text.lowercased() {
      case "true", "yes", "1": return .attribute(.integer(1))
      case "false", "no", "0": return .attribute(.integer(0))
      default: return nil
      }
    case .date: return DateText.seconds(text).map { .attribute(.date($0)) }
    case .uuid: return AttributeValue(text: text, type: .uuid).map { .attribute($0) }
    case .objectID: return objectID(text, model)
    case .binary, .transformable, .composite: return nil
    }
  }

  /// A whole number, or else a binary64 number.
  package static func number(_ text: String) -> ConstantValue? {
    if let integer = Int64(text) { return .attribute(.integer(integer)) }
    // Double takes "inf", "nan" and hexadecimal digits, too.
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let double = Double(text), double.isFinite
    else { return nil }
    return .attribute(.double(double))
  }

  /// The object that `x-coredata://STORE/Entity/p17` names.
  private static func objectID(_ text: String, _ model: ManagedObjectModel) -> ConstantValue? {
    let scheme = "x-coredata://"
    let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard text.hasPrefix(scheme), parts.count == 3, let entity = model.entity(named: String(parts[1])),
      parts[2].first == "p", let key = Int64(parts[2].dropFirst()), key > 0
    else { return nil }
    return .objectID(ManagedObjectID(storeUUID: String(parts[0]), entity: entity, primaryKey: key))
  }
}
