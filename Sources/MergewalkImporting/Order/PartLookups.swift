import MergewalkObjectModel

/// What the steps `lookup` of imports read of the store.
extension ImportDefinition {
  /// Whether objects of one entity may be objects of another one.
  func mayShareObjects(_ name: String, _ otherName: String) -> Bool {
    guard let entity = model.entity(named: name), let other = model.entity(named: otherName) else { return false }
    return entity.isKind(of: other) || other.isKind(of: entity)
  }
}

extension ImportPart {
  /// What the steps of the part look up.
  var lookups: [StoreLookup] {
    (columns.flatMap(\.steps) + root.allSteps).compactMap { ($0.action.step as? LookupStep)?.lookup }
  }
}

extension EntityImport {
  /// The steps of all fields, with those of the targets.
  fileprivate var allSteps: [TransformStep] {
    (findBy + attributes).flatMap(\.steps) + relationships.flatMap { $0.target.allSteps }
  }
}
