import MergewalkObjectModel

/// A property that rows of a batch insert can give.
struct BatchColumn {
  enum Property {
    case attribute(AttributeDescription)
    case reference(RelationshipDescription)
  }

  let property: Property
  let name: String
  let slot: Int
  /// The type of an attribute; ``AttributeType/objectID`` for a relationship.
  let type: AttributeType
  /// The values that an integer attribute can hold.
  let range: ClosedRange<Int64>
  /// The index of the root entity that a relationship leads to; -1 for an attribute.
  let destinationRoot: RootIndex

  /// Resolves a property of an entity that can be written.
  init(_ entity: EntityDescription, _ name: String, _ model: ManagedObjectModel) throws(ObjectError) {
    self.name = name
    if let attribute = entity.attribute(named: name) {
      guard !attribute.isDerived else {
        throw ObjectError(.readOnly, "\(entity.name).\(name) is derived: the store computes it")
      }
      guard !attribute.isTransient else {
        throw ObjectError(.transient, "\(entity.name).\(name) is transient: it is not in the store")
      }
      property = .attribute(attribute)
      slot = attribute.slot
      type = attribute.type
      range = attribute.type.integerRange ?? Int64.min...Int64.max
      destinationRoot = RootIndex(-1)
      return
    }
    guard let relationship = entity.relationship(named: name) else {
      throw ObjectError(.unknownKey, "\(entity.name) has no property \"\(name)\"")
    }
    guard !relationship.isToMany else {
      throw ObjectError(
        .unknownKey, "\(entity.name).\(name) is a to-many relationship; batch requests write attributes and to-one ones"
      )
    }
    guard !relationship.isTransient else {
      throw ObjectError(.transient, "\(entity.name).\(name) is transient: it is not in the store")
    }
    property = .reference(relationship)
    slot = relationship.slot
    type = .objectID
    range = Int64.min...Int64.max
    destinationRoot = model.entities[relationship.destinationEntity].root
  }

  /// The relationship, or `nil` for an attribute.
  var reference: RelationshipDescription? {
    if case .reference(let relationship) = property { relationship } else { nil }
  }

  /// The cell that holds a value; whole numbers become the numbers that the attribute holds.
  func cell(_ value: AttributeValue, entity: EntityDescription) throws(ObjectError) -> StoredCell {
    guard case .attribute(let attribute) = property else {
      if value == .null { return .null }
      throw ObjectError(.typeMismatch, "\(entity.name).\(name) is a relationship and takes an object ID, not \(value)")
    }
    var stored = value
    if case .integer(let number) = value {
      switch type {
      case .double, .float:
        if let exact = Double(exactly: number) { stored = .double(exact) }
      case .decimal: stored = .decimal(DecimalNumber(significand: Int128(number), exponent: 0))
      default:
        guard range.contains(number) || !type.isInteger else { throw outOfRange(number, entity) }
      }
    }
    if case .date(let seconds) = value, !seconds.isFinite {
      throw ObjectError(.typeMismatch, "\(entity.name).\(name) cannot be a date that is not finite")
    }
    return try attribute.cell(stored, entity: entity)
  }

  func outOfRange(_ number: Int64, _ entity: EntityDescription) -> ObjectError {
    ObjectError(
      .typeMismatch,
      "\(entity.name).\(name) is of type \(type.xmlName) and holds \(range.lowerBound) to \(range.upperBound), not \(number)"
    )
  }

  func mismatch(_ found: String, _ entity: EntityDescription) -> ObjectError {
    let expected = type == .objectID ? "a relationship" : "of type \(type.xmlName)"
    return ObjectError(.typeMismatch, "\(entity.name).\(name) is \(expected) and cannot be \(found)")
  }
}
