import MergewalkObjectModel

/// What the steps `lookup` of imports read of the store, and what the imports write to it.
extension ImportDefinition {
  /// Whether objects of one entity may be objects of another one.
  func mayShareObjects(_ name: String, _ otherName: String) -> Bool {
    guard let entity = model.entity(named: name), let other = model.entity(named: otherName) else { return false }
    return entity.isKind(of: other) || other.isKind(of: entity)
  }

  /// Why a run cannot go on from a checkpoint: a look-up finds objects as they were before the import began, and the
  /// earlier process has changed them since; `nil` when it can.
  func lookupLoss(_ checkpoint: RunCheckpoint) -> String? {
    // A pipeline that has changed is refused by whoever compares the two.
    guard !checkpoint.isDone, checkpoint.definition == digest ?? DefinitionDigest.of(self) else { return nil }
    let place = checkpoint.place
    // Parts of which only the second pass is missing are prepared anew, too.
    let first = min(max(place.part - place.tally.held.count, 0), parts.count)
    let end = max(min(place.position.records > 0 ? place.part + 1 : place.part, parts.count), first)
    let open = parts[first..<end]
    let written = open.flatMap { [$0.root.entityName] + $0.root.writtenTargets }
    let lost = open.flatMap(\.lookups).first { lookup in written.contains { mayShareObjects(lookup.entity, $0) } }
    return lost.map {
      "the run looks up objects of \($0.entity) as they were before its import began, and has changed such objects since"
    }
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

  /// The entities of which targets are made or changed.
  fileprivate var writtenTargets: [String] {
    relationships.flatMap { relationship in
      let isWritten = relationship.missing == .create || !relationship.target.attributes.isEmpty
      return (isWritten ? [relationship.target.entityName] : []) + relationship.target.writtenTargets
    }
  }
}
