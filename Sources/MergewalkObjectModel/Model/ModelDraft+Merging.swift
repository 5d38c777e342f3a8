import MergewalkDiagnostics

extension ModelDraft {
  /// Creates a draft with the contents of several drafts, in their order.
  ///
  /// Equal definitions appear once. An entity that two of them define differently becomes a finding that names both
  /// positions (`duplicateEntity`), with which no ``ManagedObjectModel`` can be created; lint finds other duplicate
  /// names. A relationship may name an entity of another draft.
  ///
  /// - Complexity: O(entities).
  /// - Source: Apple, [NSManagedObjectModel
  ///   init(byMerging:)](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init(bymerging:)).
  public static func merging(_ drafts: [ModelDraft]) -> ModelDraft {
    var merged = drafts.first ?? ModelDraft()
    var owners: [String: (draft: ModelDraft, entity: EntityDraft)] = [:]
    for entity in merged.entities where owners[entity.name] == nil { owners[entity.name] = (merged, entity) }
    for draft in drafts.dropFirst() {
      merged.readerFindings += draft.readerFindings
      for entity in draft.entities {
        guard let known = owners[entity.name] else {
          owners[entity.name] = (draft, entity)
          merged.entities.append(entity)
          continue
        }
        if let finding = difference(entity, in: draft, from: known.entity, in: known.draft) {
          merged.readerFindings.append(finding)
        }
      }
      for request in draft.fetchRequestTemplates
      where !merged.fetchRequestTemplates.contains(where: { $0.withoutPositions == request.withoutPositions }) {
        merged.fetchRequestTemplates.append(request)
      }
      for composite in draft.composites
      where !merged.composites.contains(where: { $0.withoutPositions == composite.withoutPositions }) {
        merged.composites.append(composite)
      }
      let boxes = Set(merged.diagram.map(\.name))
      merged.diagram += draft.diagram.filter { !boxes.contains($0.name) }
      merged.localizationDictionary.merge(draft.localizationDictionary) { first, _ in first }
      // A configuration that several models have is the union of theirs.
      for configuration in draft.configurations {
        if let i = merged.configurations.firstIndex(where: { $0.name == configuration.name }) {
          merged.configurations[i].entityNames += configuration.entityNames.filter {
            !merged.configurations[i].entityNames.contains($0)
          }
        } else {
          merged.configurations.append(configuration)
        }
      }
    }
    return merged
  }

  /// Describes how two entities of one name differ, or `nil` when they are the same.
  private static func difference(
    _ entity: EntityDraft, in draft: ModelDraft, from first: EntityDraft, in firstDraft: ModelDraft
  ) -> Diagnostic? {
    let (left, right) = (first.withoutPositions, entity.withoutPositions)
    guard left != right else { return nil }
    func properties(_ entity: EntityDraft) -> [String: AnyHashable] {
      var table: [String: AnyHashable] = [:]
      for attribute in entity.attributes { table[attribute.name] = attribute }
      for relationship in entity.relationships { table[relationship.name] = relationship }
      for property in entity.fetchedProperties { table[property.name] = property }
      return table
    }
    let (theirs, mine) = (properties(left), properties(right))
    let names = Set(theirs.keys).union(mine.keys).filter { theirs[$0] != mine[$0] }.sorted(by: CodePointOrder.precedes)
    let place = first.position == .file ? firstDraft.path : "\(firstDraft.path):\(first.position.line)"
    return Diagnostic(
      .error, code: "duplicateEntity", path: draft.path, position: entity.position,
      message: "“\(entity.name)” is defined here and, differently, in \(place)",
      hint: names.isEmpty
        ? "they differ in the entity's own settings"
        : "they differ in " + names.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (names.count > 5 ? " …" : ""))
  }
}

// MARK: Comparing without places

extension AttributeDescription {
  fileprivate var withoutPositions: Self {
    var copy = self
    copy.position = .file
    copy.elements = elements.map(\.withoutPositions)
    return copy
  }
}

extension FetchRequestTemplate {
  fileprivate var withoutPositions: Self {
    var copy = self
    copy.position = .file
    return copy
  }
}

extension CompositeDefinition {
  fileprivate var withoutPositions: Self {
    var copy = self
    copy.position = .file
    copy.attributes = attributes.map(\.withoutPositions)
    return copy
  }
}

extension ModelDraft {
  /// The same as the content of another file, in which nothing has a line.
  package func placed(in path: String) -> ModelDraft {
    var copy = self
    copy.path = path
    copy.entities = entities.map(\.withoutPositions)
    copy.composites = composites.map(\.withoutPositions)
    for i in copy.configurations.indices { copy.configurations[i].position = .file }
    for i in copy.fetchRequestTemplates.indices { copy.fetchRequestTemplates[i].position = .file }
    return copy
  }
}

extension EntityDraft {
  /// The same without places in files, its properties and indexes by name.
  fileprivate var withoutPositions: Self {
    var copy = self
    copy.position = .file
    copy.attributes = attributes.map(\.withoutPositions).sorted { CodePointOrder.precedes($0.name, $1.name) }
    for i in copy.relationships.indices { copy.relationships[i].position = .file }
    copy.relationships.sort { CodePointOrder.precedes($0.name, $1.name) }
    for i in copy.fetchedProperties.indices {
      copy.fetchedProperties[i].position = .file
      copy.fetchedProperties[i].fetchRequest.position = .file
    }
    copy.fetchedProperties.sort { CodePointOrder.precedes($0.name, $1.name) }
    for i in copy.fetchIndexes.indices { copy.fetchIndexes[i].position = .file }
    copy.fetchIndexes.sort { CodePointOrder.precedes($0.name, $1.name) }
    return copy
  }
}
