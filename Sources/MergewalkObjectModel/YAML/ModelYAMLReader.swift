import MergewalkDiagnostics
import MergewalkYAML

/// Makes a draft of a model in YAML; `docs/model-yaml.md` describes the format.
///
/// What the file says wrongly becomes a finding of the draft, and reading goes on.
struct ModelYAMLReader {
  var findings: FindingList

  /// Reads a model.
  ///
  /// - Throws: what stops ``YAMLDocument``.
  static func read(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    var duplicates: [Diagnostic] = []
    let root = try YAMLDocument.parse(bytes, path: path, findings: &duplicates)
    if let pipeline = pipeline(root, path: path) { throw DiagnosticList([pipeline]) }
    var reader = ModelYAMLReader(findings: FindingList(path: path))
    var draft = reader.model(root)
    draft.path = path
    draft.readerFindings = duplicates + reader.findings.diagnostics
    return draft
  }

  /// The finding about a pipeline that is given in place of a model; `nil` for other files.
  private static func pipeline(_ root: YAMLNode, path: String) -> Diagnostic? {
    guard root["entities"] == nil, root["import"] ?? root["imports"] ?? root["objects"] != nil, root["model"] != nil
    else { return nil }
    return Diagnostic(
      .error, code: "wrongType", path: path, position: SourcePosition(line: 1, column: 1),
      message: "this is a pipeline, not a model",
      hint: "its model is “\(root["model"]?.text ?? "")”; check the pipeline with “mergewalk lint \(path)”")
  }

  private mutating func model(_ root: YAMLNode) -> ModelDraft {
    var draft = ModelDraft()
    var fields = YAMLFields(root, "the model", &findings)
    draft.name = fields.string("model", &findings) ?? ""
    draft.versionIdentifier = fields.string("identifier", &findings) ?? ""
    draft.xmlAttributes = fields.pairs("xml", &findings)
    if !fields.has("entities"), root.entries != nil {
      findings.error(
        "missingField", root.position, "the model has no field “entities”",
        hint: "for example “entities: { Person: { attributes: { name: string } } }”")
    }
    for entry in fields.named("entities", &findings) { draft.entities.append(entity(entry)) }
    for entry in fields.named("composites", &findings) { draft.composites.append(composite(entry)) }
    for entry in fields.named("fetch_requests", &findings) {
      let name = entry.key.text ?? ""
      var request = fetchRequest(entry.value, "the fetch request “\(name)”", name: name)
      request.position = entry.key.position
      draft.fetchRequestTemplates.append(request)
    }
    for entry in fields.named("configurations", &findings) { draft.configurations.append(configuration(entry)) }
    if let diagram = fields.node("diagram") { draft.diagram = self.diagram(diagram) }
    fields.finish(&findings)
    return draft
  }

  private mutating func diagram(_ node: YAMLNode) -> [DiagramElement] {
    (node.items ?? []).compactMap { item in
      let parts = YAMLFields.names(item, "an item of “diagram”", &findings)
      guard parts.count == 5 else {
        findings.error(
          "wrongType", item.position, "an item of “diagram” needs an entity, x, y, width and height")
        return nil
      }
      return DiagramElement(name: parts[0], x: parts[1], y: parts[2], width: parts[3], height: parts[4])
    }
  }

  // MARK: Entities

  private mutating func entity(_ entry: YAMLNode.Entry) -> EntityDraft {
    var entity = EntityDraft(name: entry.key.text ?? "")
    entity.position = entry.key.position
    var fields = YAMLFields(entry.value, "the entity “\(entity.name)”", &findings)
    // As in a new entity of Xcode's: a class of the same name, synchronised. `~` takes either away.
    entity.className = fields.has("class") ? nil : entity.name
    if let name = fields.string("class", &findings) { entity.className = name }
    entity.isSyncable = fields.has("syncable") ? nil : true
    if let value = fields.flag("syncable", &findings) { entity.isSyncable = value }
    entity.parentName = fields.string("parent", &findings)
    entity.isAbstract = fields.flag("abstract", &findings) ?? false
    entity.codeGenerationType = fields.string("codegen", &findings)
    entity.versionHashModifier = fields.string("hash_modifier", &findings)
    entity.renamingIdentifier = fields.string("renamed_from", &findings)
    entity.userInfo = fields.pairs("user_info", &findings)
    entity.unknownXMLAttributes = fields.pairs("xml", &findings)
    for entry in fields.named("attributes", &findings) { entity.attributes.append(attribute(entry)) }
    for entry in fields.named("relationships", &findings) { entity.relationships.append(relationship(entry)) }
    for entry in fields.named("fetched", &findings) { entity.fetchedProperties.append(fetchedProperty(entry)) }
    for entry in fields.named("indexes", &findings) { entity.fetchIndexes.append(fetchIndex(entry)) }
    entity.compoundIndexes = fields.nameLists("compound_indexes", &findings)
    entity.uniquenessConstraints = fields.nameLists("unique", &findings)
    fields.finish(&findings)
    return entity
  }

  private mutating func composite(_ entry: YAMLNode.Entry) -> CompositeDefinition {
    var composite = CompositeDefinition(name: entry.key.text ?? "", attributes: [])
    composite.position = entry.key.position
    var fields = YAMLFields(entry.value, "the composite “\(composite.name)”", &findings)
    composite.unknownXMLAttributes = fields.pairs("xml", &findings)
    for entry in fields.named("attributes", &findings) { composite.attributes.append(attribute(entry)) }
    fields.finish(&findings)
    return composite
  }

  private mutating func configuration(_ entry: YAMLNode.Entry) -> ModelConfiguration {
    var configuration = ModelConfiguration(name: entry.key.text ?? "", entityNames: [])
    configuration.position = entry.key.position
    let owner = "the configuration “\(configuration.name)”"
    guard entry.value.entries != nil else {
      if !entry.value.isNull { configuration.entityNames = YAMLFields.names(entry.value, owner, &findings) }
      return configuration
    }
    var fields = YAMLFields(entry.value, owner, &findings)
    configuration.entityNames = fields.names("entities", &findings)
    configuration.unknownXMLAttributes = fields.pairs("xml", &findings)
    fields.finish(&findings)
    return configuration
  }

  // MARK: Indexes and requests

  private mutating func fetchIndex(_ entry: YAMLNode.Entry) -> FetchIndexDescription {
    var index = FetchIndexDescription(name: entry.key.text ?? "", elements: [])
    index.position = entry.key.position
    let owner = "the index “\(index.name)”"
    guard entry.value.entries != nil else {
      index.elements = indexElements(entry.value, owner)
      return index
    }
    var fields = YAMLFields(entry.value, owner, &findings)
    if let node = fields.node("elements") { index.elements = indexElements(node, owner) }
    index.partialIndexPredicateText = fields.string("where", &findings)
    index.isAlone = fields.flag("alone", &findings) ?? false
    index.unknownXMLAttributes = fields.pairs("xml", &findings)
    fields.finish(&findings)
    return index
  }

  private mutating func indexElements(_ node: YAMLNode, _ owner: String) -> [FetchIndexDescription.Element] {
    (node.items ?? [node]).compactMap { item in
      if let name = item.string { return FetchIndexDescription.Element(propertyName: name) }
      guard item.entries != nil else {
        findings.error("wrongType", item.position, "an element of \(owner) is \(item.summary), not a name or a mapping")
        return nil
      }
      var fields = YAMLFields(item, "an element of " + owner, &findings)
      var element = FetchIndexDescription.Element(propertyName: fields.string("property", &findings))
      element.expression = fields.string("expression", &findings)
      element.expressionType = fields.string("expression_type", &findings)
      element.isAscending = !(fields.flag("descending", &findings) ?? false)
      if fields.flag("rtree", &findings) == true { element.kind = .rTree }
      element.unknownXMLAttributes = fields.pairs("xml", &findings)
      fields.finish(&findings)
      return element
    }
  }

  mutating func fetchRequest(_ node: YAMLNode, _ owner: String, name: String) -> FetchRequestTemplate {
    var fields = YAMLFields(node, owner, &findings)
    var request = FetchRequestTemplate(name: name, entityName: fields.string("entity", &findings) ?? "")
    request.position = node.position
    request.predicateText = fields.string("predicate", &findings)
    request.resultType = choice(&fields, "result", ModelYAMLNames.resultTypes.map { ($0.name, $0.type) }) ?? .objects
    request.fetchLimit = fields.count("limit", &findings) ?? 0
    request.fetchBatchSize = fields.count("batch_size", &findings) ?? 0
    for (name, xmlName) in ModelYAMLNames.options {
      if let value = fields.flag(name, &findings) { request.options[xmlName] = value }
    }
    request.userInfo = fields.pairs("user_info", &findings)
    request.unknownXMLAttributes = fields.pairs("xml", &findings)
    if let own = fields.string("name", &findings) { request.name = own }
    fields.finish(&findings)
    return request
  }

  /// One of several words.
  mutating func choice<Value>(
    _ fields: inout YAMLFields, _ name: String, _ choices: [(name: String, value: Value)]
  ) -> Value? {
    guard let node = fields.node(name), !node.isNull else { return nil }
    if let text = node.text, let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map(\.name)
    findings.error(
      "invalidValue", node.position, "“\(name)” of \(fields.owner) is \(node.summary)",
      hint: node.text.flatMap { FindingList.didYouMean($0, names) } ?? "it is one of " + names.joined(separator: ", "))
    return nil
  }
}
