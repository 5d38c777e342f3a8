/// The number of passes over the records of an import, for relationships whose targets may be records of the same
/// import.
public enum Passes: String, Sendable, CaseIterable {
  /// Two if a relationship leads into the records' own hierarchy and the import creates objects, otherwise one.
  case automatic
  /// One: a target must be in the store, or be a record of the same batch.
  case one
  /// Two: first all objects are created, then the relationships are set.
  case two
}

/// The purpose of importing a batch.
enum Pass: Equatable {
  /// Everything at once.
  case single
  /// All but the relationships that are postponed.
  case first
  /// Records that were put off until an index could tell whether their keys are known; within the first of two passes, or
  /// within the only one.
  case deferred(isFirst: Bool)
  /// The postponed relationships of one stage, of objects that the first pass created.
  case references(ImportRelationship.Stage)
  /// The lists of these objects, where the second pass may reject their records.
  case lists
  /// Records that wait, when objects have gone whose place they may take.
  case replacing
  /// Records whose objects were there before, when everything that they may refer to is.
  case waiting

  /// Whether relationships wait for a second pass.
  var postpones: Bool { self == .first || self == .replacing || self == .deferred(isFirst: true) }
  /// Whether what is imported was read and counted before.
  var isReplay: Bool { self != .single && self != .first }
  /// Whether an object that is found was made by this run: the store was empty when it began.
  var foundWereMade: Bool { if case .deferred = self { true } else { false } }
}

extension ImportRelationship {
  /// In which order relationships are set in a second pass: first those that reject, so that nothing is created for a
  /// record that goes, and last those that take what is there.
  ///
  /// What records say of the targets of those that reject has a stage of its own (``telling``), when it is known which
  /// records have theirs: one that goes says nothing.
  enum Stage: CaseIterable {
    case rejecting, telling, creating, taking

    /// The stages behind the lists.
    static let behindLists = allCases.filter { $0 != .rejecting }
  }

  /// When the relationship is set in a second pass.
  var stage: Stage {
    switch missing {
    case .create: .creating
    case .reject: .rejecting
    case .null: isOptional ? .taking : .rejecting
    }
  }

  /// When what records say of the target is written in a second pass.
  var tellingStage: Stage { stage == .rejecting ? .telling : stage }
}

extension ImportPlan {
  /// The relationships of the root node that are set when all objects exist.
  var postponed: [ImportRelationship] { nodes[root].relationships.filter(\.isPostponed) }

  /// Those of them that a stage sets, or of whose targets it writes what records say.
  func postponed(in stage: ImportRelationship.Stage) -> [ImportRelationship] {
    postponed.filter { $0.stage == stage || $0.tellingStage == stage && nodes[$0.target].fills }
  }

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
