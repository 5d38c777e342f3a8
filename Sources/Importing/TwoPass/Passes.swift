/// How often the records of an import are gone through for the relationships whose targets may be records of their own.
public enum Passes: String, Sendable, CaseIterable {
  /// Twice when a relationship leads into the records' own hierarchy and the import creates objects, else once.
  case automatic
  /// Once: a target is there when the store has it, or when a record of the same batch is it.
  case one
  /// Twice: first all objects are created, then the relationships are set.
  case two
}

extension ImportRelationship {
  /// In which order relationships are set in a second pass: first those that reject, so that nothing is created for a
  /// record that goes, and last those that take what is there.
  enum Stage: CaseIterable {
    case rejecting, creating, taking
  }

  /// When the relationship is set in a second pass.
  var stage: Stage {
    switch missing {
    case .create: .creating
    case .reject: .rejecting
    case .null: isOptional ? .taking : .rejecting
    }
  }
}

extension ImportPlan {
  /// The relationships of the root node that are set when all objects are there.
  var postponed: [ImportRelationship] { nodes[root].relationships.filter(\.isPostponed) }
  /// The fields that the second pass needs of a record besides its object.
  var postponedFields: [Int] {
    var fields: [Int] = []
    for relationship in postponed {
      for field in nodes[relationship.target].keyFields + nodes[relationship.target].attributeFields
      where !fields.contains(field) {
        fields.append(field)
      }
    }
    return fields
  }
}
