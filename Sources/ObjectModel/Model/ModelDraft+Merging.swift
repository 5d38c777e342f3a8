extension ModelDraft {
  /// The draft that holds everything of several drafts, in their order.
  ///
  /// Names that several of them have stay double, so that lint and ``ManagedObjectModel`` report them (`duplicateEntity`
  /// and the like). A relationship may name an entity of another draft.
  ///
  /// - Complexity: O(entities).
  public static func merging(_ drafts: [ModelDraft]) -> ModelDraft {
    var merged = drafts.first ?? ModelDraft()
    for draft in drafts.dropFirst() {
      merged.entities += draft.entities
      merged.fetchRequestTemplates += draft.fetchRequestTemplates
      merged.composites += draft.composites
      merged.diagram += draft.diagram
      merged.readerFindings += draft.readerFindings
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
}
