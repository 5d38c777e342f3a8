import MergewalkDiagnostics

/// Fetch requests, configurations and composites.
extension ModelChecker {
  mutating func checkRequests() {
    var names: Set<String> = []
    for request in draft.fetchRequestTemplates {
      if !names.insert(request.name).inserted {
        findings.warning(
          "duplicateFetchRequest", request.position,
          "there are two fetch requests “\(request.name)”; the first one counts")
      }
      checkRequest(request, "fetch request", request.name, request.position)
    }
    var composites: Set<String> = []
    for composite in draft.composites {
      if !composites.insert(composite.name).inserted {
        findings.error("duplicateComposite", composite.position, "there are two composites “\(composite.name)”")
      }
      checkElements(composite.attributes, of: "the composite “\(composite.name)”")
    }
  }

  mutating func checkRequest(
    _ request: FetchRequestTemplate, _ kind: String, _ name: String, _ position: SourcePosition
  ) {
    // A fetched property without a request is the reader's finding.
    if request.entityName.isEmpty {
      if kind == "fetch request" {
        findings.warning("missingEntity", position, "the fetch request “\(name)” has no entity")
      }
    } else if entityIndex[request.entityName] == nil {
      findings.warning(
        "unknownEntity", position, "the \(kind) “\(name)” fetches “\(request.entityName)”, which is not in the model",
        hint: entityHint(request.entityName))
    }
    if request.fetchLimit < 0 || request.fetchBatchSize < 0 {
      findings.warning("illegalCount", position, "the limit or batch size of the \(kind) “\(name)” is negative")
    }
    checkPredicate(request, kind, name, position)
  }

  /// A predicate that cannot be read is a warning: the model serves for everything but this request.
  private mutating func checkPredicate(
    _ request: FetchRequestTemplate, _ kind: String, _ name: String, _ position: SourcePosition
  ) {
    guard let format = request.predicateText, !format.isEmpty else { return }
    do {
      _ = try ObjectPredicate(format: format)
    } catch {
      let place = error.position == .file ? "" : " at \(error.position.line):\(error.position.column)"
      findings.warning(
        "invalidPredicate", position,
        "the predicate of the \(kind) “\(name)” cannot be read: \(error.message)\(place)", hint: error.hint)
    }
  }

  mutating func checkConfigurations() {
    var names: Set<String> = []
    for configuration in draft.configurations {
      if !names.insert(configuration.name).inserted {
        findings.warning(
          "duplicateConfiguration", configuration.position,
          "there are two configurations “\(configuration.name)”; the first one counts")
      }
      for member in configuration.entityNames where entityIndex[member] == nil {
        findings.warning(
          "unknownEntity", configuration.position,
          "the configuration “\(configuration.name)” has the member “\(member)”, which is not in the model",
          hint: entityHint(member))
      }
    }
    checkCrossings()
  }

  /// Relationships cannot lead from one store to another, so both ends need a configuration in common.
  private mutating func checkCrossings() {
    var memberships: [String: Set<Int>] = [:]
    for (i, configuration) in draft.configurations.enumerated() {
      for member in configuration.entityNames { memberships[member, default: []].insert(i) }
    }
    for entity in draft.entities {
      guard let own = memberships[entity.name] else { continue }
      for relationship in entity.relationships where !relationship.isTransient {
        guard let other = memberships[relationship.destinationEntityName], own.isDisjoint(with: other) else { continue }
        findings.warning(
          "crossConfiguration", relationship.position,
          "“\(relationship.name)” leads from “\(entity.name)” to “\(relationship.destinationEntityName)”, "
            + "and no configuration has both",
          hint: "a relationship cannot cross stores; use a fetched property")
      }
    }
  }
}
