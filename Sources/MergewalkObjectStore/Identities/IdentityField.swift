package import MergewalkObjectModel

/// One field of the records in which whole objects are written: what an export writes and an import of objects reads.
///
/// | name | what | JSON | CSV |
/// |---|---|---|---|
/// | `_id` | the identity (`Z_PK`) | number | number |
/// | `note` | an attribute | its value | its value |
/// | `customer` | the identity that a to-one relationship refers to | number | number |
/// | `customer:order` | the position in the ordered inverse of the relationship | number | number |
/// | `Person:friends` | the identity of the owner of a to-many relationship without an inverse | number | number |
/// | `Person:friends:order` | the position in it, when it is ordered | number | number |
/// | `tags` | the identities that a many-to-many relationship refers to, at the end that keeps it | array | `1 2 3` |
/// | `tags:order` | the positions of `tags`, where they are not the usual ones | array | `1 2 3` |
/// | `tags:inverse_order` | the positions in the ordered inverses of `tags` | array | `1 2 3` |
///
/// Names of properties have no colon, so nothing collides; a property that is itself called `_id` is `_id:value`.
package struct IdentityField: Sendable {
  /// The kind of value in a field.
  package enum Kind: Sendable {
    /// The object's identity.
    case identity
    /// The value of an attribute.
    case attribute(AttributeDescription)
    /// The identity of a to-one relationship's object.
    case toOne(RelationshipDescription)
    /// The position in the ordered inverse of a to-one relationship.
    case toOneOrder(RelationshipDescription)
    /// The identity of the object that has this one in a to-many relationship without an inverse.
    case owner(RelationshipDescription)
    /// The position in that relationship.
    case ownerOrder(RelationshipDescription)
    /// The identities of a many-to-many relationship.
    case links(RelationshipDescription, joinTable: Int)
    /// The positions of these.
    case linkOrders(RelationshipDescription, joinTable: Int)
    /// The positions in the inverse relationships of these.
    case inverseOrders(RelationshipDescription, joinTable: Int)
  }

  package let name: String
  package let kind: Kind
  /// The column of the entity's table that keeps it; `nil` for what a join table keeps.
  package let column: ColumnDefinition?

  package static let identityName = "_id"

  /// The relationship that it is about, or `nil`.
  package var relationship: RelationshipDescription? {
    switch kind {
    case .identity, .attribute: nil
    case .toOne(let relationship), .toOneOrder(let relationship), .owner(let relationship),
      .ownerOrder(let relationship), .links(let relationship, _), .linkOrders(let relationship, _),
      .inverseOrders(let relationship, _):
      relationship
    }
  }

  /// The attribute as whose values the field is read, with the demands on them.
  package var attribute: AttributeDescription {
    if case .attribute(var attribute) = kind {
      if attribute.isDerived {
        attribute.derivationExpression = nil
        attribute.isOptional = true
      }
      return attribute
    }
    var attribute = AttributeDescription(name: name, type: isList ? .string : .integer64)
    switch kind {
    case .identity: attribute.isOptional = false
    case .toOne(let relationship): attribute.isOptional = relationship.isOptional
    default: attribute.isOptional = true
    }
    switch kind {
    case .identity, .toOne, .owner:
      attribute.validation.minimumValue = .integer(1)
      attribute.validation.minimumText = "1"
    default: break
    }
    return attribute
  }

  /// Whether it holds several numbers.
  package var isList: Bool {
    switch kind {
    case .links, .linkOrders, .inverseOrders: true
    default: false
    }
  }

  /// Whether it may be left out although the object has the property: a usual value takes its place.
  package var isImplied: Bool {
    switch kind {
    case .toOneOrder, .ownerOrder, .linkOrders, .inverseOrders: true
    default: false
    }
  }
}

extension StoreSchema {
  /// The fields of an entity's objects: the identity, attributes by name, to-one relationships by name, owners,
  /// many-to-many relationships by name.
  ///
  /// The end of a many-to-many relationship that has the field is the one that names the join table in a new store of
  /// the model, so it is the same for all stores of the model; of columns the names are those of this schema.
  ///
  /// - Complexity: O(properties of the model).
  package func objectFields(of entity: EntityDescription) -> [IdentityField] {
    let table = table(forRoot: entity.root)
    func column(_ role: ColumnDefinition.Role) -> ColumnDefinition? { table.columns.first { $0.role == role } }
    var fields = [IdentityField(name: IdentityField.identityName, kind: .identity, column: column(.primaryKey))]
    func add(_ name: String, _ kind: IdentityField.Kind, _ role: ColumnDefinition.Role) {
      // Properties without a column are not stored.
      if let column = column(role) { fields.append(IdentityField(name: name, kind: kind, column: column)) }
    }
    func name(_ property: String) -> String {
      property == IdentityField.identityName ? property + ":value" : property
    }
    for attribute in entity.attributes { add(name(attribute.name), .attribute(attribute), .slot(attribute.slot)) }
    for relationship in entity.relationships where !relationship.isToMany {
      add(name(relationship.name), .toOne(relationship), .slot(relationship.slot))
      add(name(relationship.name) + ":order", .toOneOrder(relationship), .orderKey(ofSlot: relationship.slot))
    }
    for owner in model.entities {
      for relationship in owner.relationships
      where relationship.declaringEntity == owner.index && relationship.isToMany && relationship.inverseSlot < 0
        && entity.isKind(of: model.entities[relationship.destinationEntity])
      {
        let name = "\(owner.name):\(relationship.name)"
        let slot = relationship.slot
        add(name, .owner(relationship), .reverse(ofSlot: slot, ownerEntity: owner.index))
        add(name + ":order", .ownerOrder(relationship), .reverseOrderKey(ofSlot: slot, ownerEntity: owner.index))
      }
    }
    let canonical = StoreSchema(model: model, numbers: entityNumbers)
    for relationship in entity.relationships where relationship.isToMany {
      let (declared, slot) = (relationship.declaringEntity, relationship.slot)
      guard
        let position = canonical.joinTables.firstIndex(where: {
          $0.master.entity == declared && $0.master.slot == slot
        })
      else { continue }
      let join = canonical.joinTables[position]
      let name = name(relationship.name)
      fields.append(IdentityField(name: name, kind: .links(relationship, joinTable: position), column: nil))
      if join.master.orderColumn != nil {
        fields.append(
          IdentityField(name: name + ":order", kind: .linkOrders(relationship, joinTable: position), column: nil))
      }
      if !join.isReflexive, join.inverse.orderColumn != nil {
        fields.append(
          IdentityField(
            name: name + ":inverse_order", kind: .inverseOrders(relationship, joinTable: position), column: nil))
      }
    }
    return fields
  }
}
