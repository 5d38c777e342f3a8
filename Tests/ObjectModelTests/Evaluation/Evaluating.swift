import MergewalkObjectModel

/// Whether a predicate in text holds.
func holds(
  _ format: String, _ object: EvaluatedValue = .null, _ arguments: [any PredicateArgument] = [],
  variables: [String: EvaluatedValue] = [:]
) throws -> Bool {
  try ObjectPredicate(format: format, arguments: arguments).evaluate(with: object, variables: variables)
}

/// The value of an expression in text.
func value(
  _ format: String, _ object: EvaluatedValue = .null, _ arguments: [any PredicateArgument] = [],
  variables: [String: EvaluatedValue] = [:], now: Double? = nil
) throws -> EvaluatedValue {
  try ObjectExpression(format: format, arguments: arguments).evaluate(with: object, variables: variables, now: now)
}

/// The single value of an expression in text.
func single(_ format: String, _ object: EvaluatedValue = .null, _ arguments: [any PredicateArgument] = []) throws
  -> AttributeValue
{
  guard case .attribute(let single) = try value(format, object, arguments) else { throw NotSingle() }
  return single
}

/// The elements of an expression in text, which are single values.
func list(_ format: String, _ object: EvaluatedValue = .null) throws -> [AttributeValue] {
  guard case .collection(let elements) = try value(format, object) else { throw NotSingle() }
  return try elements.map { element in
    guard case .attribute(let single) = element else { throw NotSingle() }
    return single
  }
}

struct NotSingle: Error {}

/// The code of the error that evaluating a predicate ends with; `nil` when there is none.
func failure(_ format: String, _ object: EvaluatedValue = .null, _ arguments: [any PredicateArgument] = []) throws
  -> PredicateError.Code?
{
  let predicate = try ObjectPredicate(format: format, arguments: arguments)
  do throws(PredicateError) {
    _ = try predicate.evaluate(with: object)
    return nil
  } catch {
    return error.code
  }
}

/// An object with an ID, which has the properties that it is given and no others.
struct Thing: KeyedValues {
  var id: ManagedObjectID
  var properties: [String: EvaluatedValue]

  init(_ primaryKey: Int64, _ properties: [String: EvaluatedValue] = [:]) {
    id = ManagedObjectID(storeUUID: "S", entity: Thing.entity, primaryKey: primaryKey)
    self.properties = properties
  }

  var evaluatedObjectID: ManagedObjectID? { id }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    guard let value = properties[key] else { throw PredicateError(.unknownKey, "Thing has no property \"\(key)\"") }
    return value
  }

  static let entity: EntityDescription = {
    var thing = EntityDraft(name: "Thing")
    thing.attributes = [AttributeDescription(name: "name", type: .string)]
    var draft = ModelDraft()
    draft.entities = [thing]
    guard let model = try? ManagedObjectModel(draft) else {
      preconditionFailure("the entity Thing is well formed")
    }
    return model.entities[0]
  }()
}
