/// The types of expressions, as far as they follow from the model.
extension ModelScope {
  /// The entity whose objects an expression gives; `nil` when it gives none, or it is not known.
  package func entity(of expression: ObjectExpression) throws(PredicateError) -> EntityDescription? {
    switch expression {
    case .evaluatedObject: return entity
    case .variable(let name): return variables[name] ?? nil
    case .path(let base, let path):
      guard case .objects(let entity) = try target(path.components, from: entity(of: base)) else { return nil }
      return entity
    case .subquery(let collection, _, _), .element(let collection, _): return try entity(of: collection)
    case .set(_, let left, let right):
      if let entity = try entity(of: left) { return entity }
      return try entity(of: right)
    case .function(.distinct, let arguments):
      guard let argument = arguments.first else { return nil }
      return try entity(of: argument)
    default: return nil
    }
  }

  /// The type of an expression's value, or of its elements; `nil` when it is not known.
  package func type(of expression: ObjectExpression) throws(PredicateError) -> AttributeType? {
    switch expression {
    case .constant(let value): return Self.type(of: value)
    case .evaluatedObject: return .objectID
    case .variable(let name): return variables[name] == nil ? nil : .objectID
    case .path(let base, let path):
      switch try target(path.components, from: entity(of: base)) {
      case .attribute(let attribute): return attribute.type
      case .objects: return .objectID
      case .type(let type): return type
      }
    case .function(let function, let arguments): return try type(of: function, arguments)
    case .aggregate(let elements):
      for element in elements { if let type = try type(of: element) { return type } }
      return nil
    case .subquery, .set: return .objectID
    case .conditional(_, let first, let second):
      if let type = try type(of: first) { return type }
      return try type(of: second)
    case .element(_, .size): return .integer64
    case .element(let base, _): return try type(of: base)
    case .assignment(_, let value): return try type(of: value)
    }
  }

  private func type(of function: ExpressionFunction, _ arguments: [ObjectExpression]) throws(PredicateError)
    -> AttributeType?
  {
    switch function {
    case .min, .max, .mode, .distinct, .noIndex, .objectWithIndex:
      guard let argument = arguments.first else { return nil }
      return try type(of: argument)
    case .add, .subtract:
      // A date and seconds make a date; two dates make seconds.
      var dates = 0
      for argument in arguments where try type(of: argument) == .date { dates += 1 }
      return dates == 1 ? .date : .double
    case .sum, .average, .median, .standardDeviation, .multiply, .divide, .modulus, .raise, .squareRoot, .logarithm,
      .naturalLogarithm, .exponential, .ceiling, .floor, .absolute, .truncate, .random, .randomBelow, .bitwiseAnd,
      .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement, .distance:
      return .double
    case .count, .length: return .integer64
    case .uppercase, .lowercase, .canonical: return .string
    case .now: return .date
    case .cast:
      guard case .constant(.attribute(.string(let name)))? = arguments.last else { return nil }
      switch name {
      case "NSDate", "Date": return .date
      case "NSString", "String": return .string
      case "NSNumber", "NSDecimalNumber", "Number": return .double
      case "NSUUID", "UUID": return .uuid
      default: return nil
      }
    }
  }

  private static func type(of value: ConstantValue) -> AttributeType? {
    switch value {
    case .attribute(.integer), .attribute(.double), .attribute(.decimal), .attribute(.boolean): .double
    case .attribute(.string), .attribute(.uri): .string
    case .attribute(.date): .date
    case .attribute(.uuid): .uuid
    case .attribute(.binary): .binary
    case .objectID: .objectID
    case .attribute(.null), .collection, .dictionary: nil
    }
  }
}
