public import Diagnostics

/// Finds what is wrong in a model, all of it at once.
///
/// `docs/model-lint.md` lists the codes.
public enum ModelLint {
  /// Returns every finding in a draft, sorted by position.
  ///
  /// - Parameters:
  ///   - draft: the model; what its reader found is among the findings.
  ///   - advice: whether to add hints that are a matter of style (`optionalNumber`).
  /// - Complexity: O(properties × depth of inheritance), and for every misspelt name O(names).
  public static func check(_ draft: ModelDraft, advice: Bool = false) -> [Diagnostic] {
    var lint = ModelChecker(draft, advice: advice)
    lint.checkAll()
    return DiagnosticList(draft.readerFindings + lint.findings.diagnostics).diagnostics
  }
}

/// The state of one run over a draft.
struct ModelChecker {
  let draft: ModelDraft
  let advice: Bool
  var findings: FindingList
  /// The first entity with each name.
  let entityIndex: [String: Int]
  /// For each entity, its ancestors from the nearest up; cut where the chain is broken or closes.
  let ancestors: [[Int]]

  init(_ draft: ModelDraft, advice: Bool) {
    self.draft = draft
    self.advice = advice
    findings = FindingList(path: draft.path)
    let index = Dictionary(draft.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    entityIndex = index
    ancestors = draft.entities.indices.map { entity in
      var chain: [Int] = []
      var seen: Set<Int> = [entity]
      var current = entity
      while let parent = draft.entities[current].parentName.flatMap({ index[$0] }), seen.insert(parent).inserted {
        chain.append(parent)
        current = parent
      }
      return chain
    }
  }

  mutating func checkAll() {
    if draft.entities.isEmpty { findings.warning("emptyModel", .file, "the model has no entities") }
    for entity in draft.entities.indices {
      checkEntity(entity)
      for attribute in draft.entities[entity].attributes { checkAttribute(attribute, of: entity) }
      for relationship in draft.entities[entity].relationships { checkRelationship(relationship, of: entity) }
      for property in draft.entities[entity].fetchedProperties {
        checkRequest(property.fetchRequest, "fetched property", property.name, property.position)
      }
      checkConstraints(entity)
      checkIndexes(entity)
    }
    checkRequests()
    checkConfigurations()
  }

  /// The entity and its ancestors.
  func lineage(_ entity: Int) -> [Int] { [entity] + ancestors[entity] }

  /// The names of all properties that an entity has, inherited ones included.
  func propertyNames(_ entity: Int) -> [String] {
    lineage(entity).flatMap { i in
      draft.entities[i].attributes.map(\.name) + draft.entities[i].relationships.map(\.name)
        + draft.entities[i].fetchedProperties.map(\.name)
    }
  }

  func attribute(_ name: String, of entity: Int) -> AttributeDescription? {
    for i in lineage(entity) {
      if let found = draft.entities[i].attributes.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  func relationship(_ name: String, of entity: Int) -> RelationshipDescription? {
    for i in lineage(entity) {
      if let found = draft.entities[i].relationships.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  func entityHint(_ name: String) -> String? { FindingList.didYouMean(name, draft.entities.map(\.name)) }

  func propertyHint(_ name: String, of entity: Int) -> String? {
    FindingList.didYouMean(name, propertyNames(entity))
  }
}
