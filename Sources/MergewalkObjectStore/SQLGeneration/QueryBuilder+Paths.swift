import MergewalkDiagnostics
import MergewalkObjectModel

extension QueryBuilder {
  func pathOperand(_ base: ObjectExpression, _ path: PropertyPath) throws(PredicateError) -> QueryOperand {
    if base == .evaluatedObject {
      if case .property(let name)? = path.components.first, path.components.count == 1,
        let named = namedExpressions[name]
      {
        // A fetched expression may not be made of itself.
        guard expandedNames.insert(name).inserted else {
          throw PredicateError(.invalidRequest, "the fetched expression \(name) refers to itself")
        }
        defer { expandedNames.remove(name) }
        let outerNames = namedExpressions
        namedExpressions[name] = nil
        defer { namedExpressions = outerNames }
        return try operand(named)
      }
      try checkGrouped(path.text)
      return try follow(.row(root), path.components[...])
    }
    return try follow(operand(base), path.components[...])
  }

  /// Refuses what is neither grouped nor inside an aggregate.
  func checkGrouped(_ path: String) throws(PredicateError) {
    guard grouped != nil, !isInAggregate else { return }
    throw PredicateError(
      .invalidRequest, "\(path) is neither grouped nor inside an aggregate",
      hint: "group by it, too, or use an aggregate such as max:(\(path))")
  }

  /// Goes along a path.
  func follow(
    _ operand: QueryOperand, _ path: ArraySlice<PropertyPath.Component>
  ) throws(PredicateError) -> QueryOperand {
    var operand = operand
    var rest = path
    while let component = rest.popFirst() {
      switch component {
      case .property(var name):
        // The element of a composite attribute is one property with a longer name.
        while let entity = operand.entity, !entity.elements(ofComposite: name).isEmpty,
          case .property(let next)? = rest.first
        {
          name += "." + next
          rest.removeFirst()
        }
        operand = try step(operand, name)
      case .collectionOperator(let operation): return .value(try apply(operation, to: operand, rest))
      }
    }
    return operand
  }

  private func step(_ operand: QueryOperand, _ name: String) throws(PredicateError) -> QueryOperand {
    switch operand {
    case .row(let row): return try step(row, name, in: nil)
    case .collection(let collection):
      guard case .row(let row) = collection.element else { throw noProperties(collection.name, name) }
      return try step(row, name, in: collection)
    case .dictionary(let values): return self.operand(values[name] ?? .null)
    case .value(let value):
      if value.isNull { return operand }
      if let row = value.row { return try step(row, name, in: nil) }
      if name == "length", value.family == .text {
        return .value(
          .number(.call(QueryFunctions.name(.length), [value.text]), .integer, isNullable: value.isNullable))
      }
      throw noProperties(value.name, name)
    case .constants, .list:
      throw PredicateError(
        .notInSQL, "the elements of a list have no properties in SQL", hint: "compute the values before the fetch")
    }
  }

  private func noProperties(_ what: String, _ name: String) -> PredicateError {
    PredicateError(.unknownKey, "\(what) has no property \(name): it is not an object")
  }

  /// One property of a row, or of the rows of a collection.
  private func step(
    _ row: QueryRow, _ name: String, in collection: QueryCollection?
  ) throws(PredicateError) -> QueryOperand {
    if let attribute = row.entity.attribute(named: name) {
      let value = try self.value(of: attribute, row)
      guard var collection else { return .value(value) }
      collection.element = .value(value)
      collection.name += ".\(name)"
      return .collection(collection)
    }
    if let relationship = row.entity.relationship(named: name) {
      if relationship.isToMany {
        guard let collection else { return .collection(try .elements(relationship, of: row, names)) }
        return .collection(try collection.following(relationship, of: row, names))
      }
      guard !relationship.isTransient, let destination = row.destination(relationship) else {
        throw PredicateError(
          .notInSQL, "\(row.entity.name).\(name) is transient: the store does not have it",
          hint: "fetch without it, and filter what was fetched")
      }
      guard var collection else { return .row(destination) }
      collection.element = .row(destination)
      collection.name += ".\(name)"
      return .collection(collection)
    }
    if row.entity.fetchedProperties.contains(where: { $0.name == name }) {
      throw PredicateError(
        .notInSQL, "\(row.entity.name).\(name) is a fetched property: the store does not have it",
        hint: "use the predicate of its request, or filter what was fetched")
    }
    if name == "entity" {
      let value = entityName(row)
      guard var collection else { return .value(value) }
      collection.element = .value(value)
      collection.name += ".entity"
      return .collection(collection)
    }
    // An ID stands for its object.
    if name == "objectID" { return collection.map { QueryOperand.collection($0) } ?? .row(row) }
    throw unknown(name, row.entity)
  }

  /// The name of a row's own entity.
  private func entityName(_ row: QueryRow) -> SQLValue {
    var text: SQLText
    if let number = row.entityNumber() {
      let cases = schema.model.family(of: row.entity.index).map { entity in
        let number = SQLText(name: String(schema.entityNumbers[entity.index]))
        return "WHEN \(number) THEN \(SQLText(.text(entity.name)))" as SQLText
      }
      text = "CASE \(number) \(SQLText.joined(cases, " ")) END"
    } else {
      text = "CASE WHEN \(row.key) IS NOT NULL THEN \(SQLText(.text(row.entity.name))) END"
    }
    text.depth += 1
    return .computed(text, .string, isNullable: row.isNullable, name: "\(row.entity.name).entity")
  }

  private func unknown(_ name: String, _ entity: EntityDescription) -> PredicateError {
    if let error = entity.compositeError(name) { return error }
    let below = schema.model.family(of: entity.index)
    let owner = below.first { $0.attribute(named: name) != nil || $0.relationship(named: name) != nil }
    let known = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    let hint =
      owner.map { "\($0.name), which inherits from it, has one: fetch \($0.name)" }
      ?? NearestName.find(name, in: known).map { "did you mean \($0)?" }
    return PredicateError(.unknownKey, "\(entity.name) has no property \(name)", hint: hint)
  }

  func value(of attribute: AttributeDescription, _ row: QueryRow) throws(PredicateError) -> SQLValue {
    let name = "\(row.entity.name).\(attribute.name)"
    if attribute.isTransient {
      throw PredicateError(
        .notInSQL, "\(name) is transient: the store does not have it",
        hint: "fetch without it, and filter what was fetched")
    }
    guard let column = row.table.columnName(slot: attribute.slot) else {
      throw PredicateError(
        .notInSQL, "\(name) is of type \(attribute.type.xmlName), which has no column",
        hint: "fetch without it, and filter what was fetched")
    }
    // Bytes that may live in a file beside the store cannot be looked into, only asked for.
    let family = attribute.allowsExternalBinaryDataStorage ? .opaque : SQLFamily(attribute.type)
    return SQLValue(
      text: row.column(column), family: family, type: attribute.type, kind: NumberKind(attribute.type), isColumn: true,
      name: name)
  }
}

extension QueryOperand {
  /// The entity of the row or of the rows of the collection, if it is of rows.
  fileprivate var entity: EntityDescription? {
    switch self {
    case .row(let row): row.entity
    case .collection(let collection): if case .row(let row) = collection.element { row.entity } else { nil }
    case .value(let value): value.row?.entity
    case .dictionary, .constants, .list: nil
    }
  }
}
