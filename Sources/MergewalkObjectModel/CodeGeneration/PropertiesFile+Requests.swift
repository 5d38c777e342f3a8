/// The model's fetch requests as functions, with a parameter for each variable.
extension PropertiesFile {
  mutating func writeTemplates() {
    // A request that cannot be read is a finding of the model's lint.
    let templates = model.draft.fetchRequestTemplates.filter { $0.entityName == entity.name }
      .sorted { CodePointOrder.precedes($0.name, $1.name) }
      .compactMap { template in (try? FetchRequest(template: template)).map { (template, $0) } }
    guard !templates.isEmpty else { return }
    var names: Set<String> = ["fetchRequest"]
    line()
    line("// MARK: Fetch requests of the model")
    line("extension \(type) {")
    for (template, request) in templates {
      var name = SwiftNames.camelCase(template.name)
      while !names.insert(name).inserted || BaseClassNames.members.contains(name) { name += "Request" }
      write(template, request, as: SwiftNames.escaped(name))
    }
    line("}")
  }

  private mutating func write(_ template: FetchRequestTemplate, _ request: FetchRequest, as name: String) {
    let kinds = request.predicate.map { VariableTypes.find($0, of: entity, in: model) } ?? [:]
    var parameters: [String] = []
    var values: [String] = []
    var labels: Set<String> = []
    for variable in kinds.keys.sorted(by: CodePointOrder.precedes) {
      var label = SwiftNames.camelCase(variable)
      while !labels.insert(label).inserted { label += "2" }
      let (type, constant) = parameter(kinds[variable] ?? .any, SwiftNames.escaped(label))
      parameters.append("\(SwiftNames.escaped(label)): \(type)")
      values.append("\(SwiftNames.literal(variable)): \(constant)")
    }
    let isTyped = request.resultType == .objects
    let fetchRequest = types.classNames.contains("FetchRequest") ? "MergewalkObjectModel.FetchRequest" : "FetchRequest"
    if !isTyped { _ = types.type("FetchRequest", in: "MergewalkObjectModel") }
    let result = isTyped ? "\(types.type("TypedFetchRequest", in: "MergewalkObjectContext"))<\(type)>" : fetchRequest
    let isThrowing = request.predicate != nil
    let failure = isThrowing ? " throws(\(types.type("PredicateError", in: "MergewalkObjectModel")))" : ""

    line()
    if let text = template.predicateText, isThrowing {
      comment("The fetch request “\(SwiftNames.comment(template.name))”: `\(SwiftNames.comment(text))`.")
    } else {
      comment("The fetch request “\(SwiftNames.comment(template.name))”.")
    }
    line("  public class func \(name)(")
    if parameters.isEmpty {
      body.removeLast()
      line(")\(failure) -> \(result) {")
    } else {
      for (index, parameter) in parameters.enumerated() {
        line("    \(parameter)\(index < parameters.count - 1 ? "," : "")")
      }
      line("  )\(failure) -> \(result) {")
    }
    let settings = settings(template, request)
    if !isThrowing, settings.isEmpty, isTyped {
      line("    \(types.type("TypedFetchRequest", in: "MergewalkObjectContext"))(\(SwiftNames.literal(entity.name)))")
      line("  }")
      return
    }
    privateModules.insert("MergewalkObjectModel")
    line(
      "    \(isThrowing || !settings.isEmpty ? "var" : "let") request = \(fetchRequest)(\(SwiftNames.literal(entity.name)))"
    )
    if isThrowing {
      let predicate =
        types.classNames.contains("ObjectPredicate") ? "MergewalkObjectModel.ObjectPredicate" : "ObjectPredicate"
      line("    request.predicate = try \(predicate)(")
      line("      format: \(SwiftNames.literal(template.predicateText ?? ""))")
      if values.isEmpty {
        line("    )")
      } else {
        line("    ).substituting([")
        let comma = values.count > 1 ? "," : ""
        for value in values { line("      \(value)\(comma)") }
        line("    ])")
      }
    }
    for setting in settings { line("    request.\(setting)") }
    let typed = isTyped ? types.type("TypedFetchRequest", in: "MergewalkObjectContext") + "(request)" : "request"
    line("    return \(typed)")
    line("  }")
  }

  /// The type of a parameter, and the constant that its value becomes.
  private mutating func parameter(_ kind: VariableTypes.Kind, _ name: String) -> (type: String, constant: String) {
    let constant = types.classNames.contains("ConstantValue") ? "MergewalkObjectModel.ConstantValue" : "ConstantValue"
    switch kind {
    case .attribute(let type, let isOptional):
      switch type {
      case .transformable, .undefined, .composite, .objectID: return parameter(.any, name)
      default:
        let value = types.value(AttributeDescription(name: "", type: type))
        return (value + (isOptional ? "?" : ""), "\(constant).attribute(\(name).attributeValue)")
      }
    case .text: return (types.type("String", in: "Swift"), "\(constant).attribute(\(name).attributeValue)")
    case .count: return (types.type("Int", in: "Swift"), "\(constant).attribute(\(name).attributeValue)")
    case .object(let index): return (objectClass(index) + "?", "(\(name)?.objectID).constantValue")
    case .list(let element):
      if case .object(let index) = element {
        return ("[\(objectClass(index))]", "\(name).map(\\.objectID).constantValue")
      }
      let (type, value) = parameter(element, "$0")
      return ("[\(type)]", "\(constant).collection(\(name).map { \(value) })")
    case .any: return (types.type("ConstantValue", in: "MergewalkObjectModel"), name)
    }
  }

  /// The settings of the template besides the predicate.
  private func settings(_ template: FetchRequestTemplate, _ request: FetchRequest) -> [String] {
    let usual = FetchRequest(template.entityName)
    var settings: [String] = []
    func add(_ name: String, _ value: Bool, _ usualValue: Bool) {
      if value != usualValue { settings.append("\(name) = \(value)") }
    }
    switch request.resultType {
    case .objects: break
    case .objectIDs: settings.append("resultType = .objectIDs")
    case .dictionaries: settings.append("resultType = .dictionaries")
    case .count: settings.append("resultType = .count")
    }
    if request.fetchLimit != 0 { settings.append("fetchLimit = \(request.fetchLimit)") }
    if request.fetchBatchSize != 0 { settings.append("fetchBatchSize = \(request.fetchBatchSize)") }
    add("includesSubentities", request.includesSubentities, usual.includesSubentities)
    add("includesPropertyValues", request.includesPropertyValues, usual.includesPropertyValues)
    add("includesPendingChanges", request.includesPendingChanges, usual.includesPendingChanges)
    add("returnsObjectsAsFaults", request.returnsObjectsAsFaults, usual.returnsObjectsAsFaults)
    add("returnsDistinctResults", request.returnsDistinctResults, usual.returnsDistinctResults)
    return settings
  }
}
