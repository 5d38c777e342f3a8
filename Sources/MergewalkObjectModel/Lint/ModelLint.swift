public import MergewalkDiagnostics

/// Finds all mistakes in a model at once.
///
/// `docs/model-lint.md` lists the codes.
public enum ModelLint {
  /// Returns every finding in a draft, sorted by position.
  ///
  /// - Parameters:
  ///   - draft: the model; its reader's findings are included.
  ///   - advice: whether to add hints about style (`optionalNumber`, `insecureTransformer`).
  ///   - transformers: the names of the registered value transformers, and whether each can be reversed; `nil` if
  ///     unknown, which turns these checks off.
  /// - Complexity: O(properties × depth of inheritance), and for every misspelt name O(names).
  public static func check(
    _ draft: ModelDraft, advice: Bool = false, transformers: [String: Bool]? = nil
  ) -> [Diagnostic] {
    var lint = ModelChecker(draft, advice: advice, transformers: transformers)
    lint.checkAll()
    return DiagnosticList(draft.readerFindings + lint.findings.diagnostics).diagnostics
  }
}

/// The state of one run over a draft.
///
/// The cost stays about linear in the model's size, whatever the model: names are looked up in tables, the depth of
/// inheritance is bounded, and so is the number of names that are compared for hints.
struct ModelChecker {
  /// The greatest number of ancestors; a deeper hierarchy is an error.
  static let maximumDepth = 100
  /// The greatest number of entities: rows and objects name theirs in 16 bits.
  static let maximumCount = 65_535

  let draft: ModelDraft
  let advice: Bool
  let transformers: [String: Bool]?
  var findings: FindingList
  /// The first entity with each name.
  let entityIndex: [String: Int]
  /// For each entity, its ancestors from the nearest up; cut where the chain is broken, closes or is too long.
  let ancestors: [[Int]]
  let composites: CompositeElements
  private let attributeIndex: [[String: Int]]
  private let relationshipIndex: [[String: Int]]
  /// How many more names may be compared for hints.
  private var hintBudget = 50_000

  init(_ draft: ModelDraft, advice: Bool, transformers: [String: Bool]?) {
    self.draft = draft
    self.advice = advice
    self.transformers = transformers
    findings = FindingList(path: draft.path)
    func positions(_ names: [String]) -> [String: Int] {
      Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
    composites = CompositeElements(draft)
    let index = positions(draft.entities.map(\.name))
    entityIndex = index
    attributeIndex = draft.entities.map { positions($0.attributes.map(\.name)) }
    relationshipIndex = draft.entities.map { positions($0.relationships.map(\.name)) }
    ancestors = draft.entities.indices.map { entity in
      var chain: [Int] = []
      var current = entity
      while chain.count <= Self.maximumDepth, let parent = draft.entities[current].parentName.flatMap({ index[$0] }),
        parent != entity, !chain.contains(parent)
      {
        chain.append(parent)
        current = parent
      }
      return chain
    }
  }

  mutating func checkAll() {
    // Of a file that is no model, that is enough said.
    if draft.entities.isEmpty, !draft.readerFindings.contains(where: { $0.severity == .error }) {
      findings.warning("emptyModel", .file, "the model has no entities", hint: "name them under “entities”")
    }
    if draft.entities.count > Self.maximumCount {
      findings.error(
        "tooManyEntities", draft.entities[Self.maximumCount].position,
        "the model has \(draft.entities.count) entities, and \(Self.maximumCount) is the most that a model can have")
    }
    for entity in draft.entities.indices {
      checkEntity(entity)
      checkPropertyIdentifiers(entity)
      for attribute in draft.entities[entity].attributes { checkAttribute(attribute, of: entity) }
      for relationship in draft.entities[entity].relationships { checkRelationship(relationship, of: entity) }
      for property in draft.entities[entity].fetchedProperties {
        checkRequest(property.fetchRequest, "fetched property", property.name, property.position)
      }
      checkConstraints(entity)
      checkIndexes(entity)
    }
    checkEntityIdentifiers()
    checkDerivedCycles()
    checkClasses()
    checkRequests()
    checkConfigurations()
  }

  func lineage(_ entity: Int) -> [Int] { [entity] + ancestors[entity] }

  func attribute(_ name: String, of entity: Int) -> AttributeDescription? {
    for i in lineage(entity) {
      if let found = attributeIndex[i][name] { return draft.entities[i].attributes[found] }
    }
    // The element of a composite attribute.
    guard let point = name.firstIndex(of: "."), let composite = attribute(String(name[..<point]), of: entity) else {
      return nil
    }
    return composites.flattened(composite)?.first { $0.name == name }
  }

  /// Whether an entity declares an attribute itself.
  func declared(_ name: String, by entity: Int) -> Bool { attributeIndex[entity][name] != nil }

  func relationship(_ name: String, of entity: Int) -> RelationshipDescription? {
    for i in lineage(entity) {
      if let found = relationshipIndex[i][name] { return draft.entities[i].relationships[found] }
    }
    return nil
  }

  // MARK: Hints

  mutating func entityHint(_ name: String) -> String? {
    hint(name) { $0.draft.entities.map(\.name) }
  }

  mutating func propertyHint(_ name: String, of entity: Int) -> String? {
    hint(name) { checker in
      checker.lineage(entity).flatMap { i in
        checker.draft.entities[i].attributes.map(\.name) + checker.draft.entities[i].relationships.map(\.name)
      }
    }
  }

  mutating func relationshipHint(_ name: String, of entity: Int) -> String? {
    hint(name) { checker in
      checker.lineage(entity).flatMap { checker.draft.entities[$0].relationships.map(\.name) }
    }
  }

  private mutating func hint(_ name: String, _ candidates: (Self) -> [String]) -> String? {
    guard hintBudget > 0 else { return nil }
    let candidates = candidates(self)
    hintBudget -= candidates.count + 1
    if let near = FindingList.didYouMean(name, candidates) { return near }
    return candidates.isEmpty || candidates.count > 12 ? nil : "there is \(candidates.joined(separator: ", "))"
  }
}
