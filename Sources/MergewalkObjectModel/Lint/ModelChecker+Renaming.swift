import MergewalkDiagnostics

/// Renaming identifiers, by which a migration knows what entities and properties were before.
extension ModelChecker {
  /// What has a name and maybe a renaming identifier.
  private struct Renamed {
    var name: String
    var identifier: String?
    var position: SourcePosition
    /// Whether it is declared here; what is inherited is reported where it is declared.
    var isOwn = true
  }

  mutating func checkEntityIdentifiers() {
    checkIdentifiers(
      draft.entities.map { Renamed(name: $0.name, identifier: $0.renamingIdentifier, position: $0.position) },
      "entities", of: "the model")
  }

  mutating func checkPropertyIdentifiers(_ index: Int) {
    let chain = lineage(index)
    let hasIdentifiers = chain.contains { i in
      draft.entities[i].attributes.contains { $0.renamingIdentifier != nil }
        || draft.entities[i].relationships.contains { $0.renamingIdentifier != nil }
    }
    guard hasIdentifiers else { return }
    var attributes: [Renamed] = []
    var relationships: [Renamed] = []
    // What is inherited comes first, so that findings are about what is declared here.
    for i in chain.reversed() {
      let entity = draft.entities[i]
      attributes += entity.attributes.map {
        Renamed(name: $0.name, identifier: $0.renamingIdentifier, position: $0.position, isOwn: i == index)
      }
      relationships += entity.relationships.map {
        Renamed(name: $0.name, identifier: $0.renamingIdentifier, position: $0.position, isOwn: i == index)
      }
    }
    let owner = "“\(draft.entities[index].name)”"
    checkIdentifiers(attributes, "attributes", of: owner)
    checkIdentifiers(relationships, "relationships", of: owner)
  }

  mutating func checkElementIdentifiers(_ elements: [AttributeDescription], of owner: String) {
    checkIdentifiers(
      elements.map { Renamed(name: $0.name, identifier: $0.renamingIdentifier, position: $0.position) },
      "elements", of: owner)
  }

  private mutating func checkIdentifiers(_ items: [Renamed], _ kind: String, of owner: String) {
    let plain = Dictionary(items.filter { $0.identifier == nil }.map { ($0.name, $0) }) { first, second in
      second.isOwn ? second : first
    }
    var names: [String: String] = [:]
    for item in items {
      guard let identifier = item.identifier else { continue }
      if let first = names[identifier] {
        // A property that is declared again is another finding.
        guard first != item.name, item.isOwn else { continue }
        // Stores of apps have such models, and are read as well as others.
        findings.warning(
          "renamingConflict", item.position,
          "the \(kind) “\(first)” and “\(item.name)” of \(owner) have the same renaming identifier, “\(identifier)”",
          hint: "only one of them can have the values from before; remove the other identifier")
        continue
      }
      names[identifier] = item.name
      guard identifier != item.name, let kept = plain[identifier], item.isOwn || kept.isOwn else { continue }
      findings.warning(
        "renamingConflict", item.isOwn ? item.position : kept.position,
        "“\(item.name)” of \(owner) has the renaming identifier “\(identifier)”, but there still is a"
          + " “\(identifier)”, whose identifier is its name; migrations that could fill either are refused",
        hint: "give “\(identifier)” a renaming identifier of its own")
    }
  }
}
