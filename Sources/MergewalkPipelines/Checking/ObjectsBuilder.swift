import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats

/// Turns the `objects` component into ``IdentityImport``s, which check themselves.
struct ObjectsBuilder {
  let model: ManagedObjectModel?
  let findings: Findings
  /// Whether fields that files have are compared with those that the entity has.
  let checksHeaders: Bool

  /// Builds the imports; what is wrong is in the findings.
  func build(_ component: ComponentValue) -> [IdentityImport] {
    for name in ["source", "import", "fields", "find"] where component.has(name) {
      findings.add(
        .invalidOption, at: component.keyPosition(name), "“\(name)” has no effect together with “objects”",
        hint: "leave one of the two out")
    }
    return component.components("objects").compactMap(objects)
  }

  private func objects(_ component: ComponentValue) -> IdentityImport? {
    let inputs = SourceFiles(findings: findings).expand(component)
    // What can be read only once is not looked into: it is refused.
    let format =
      inputs.contains { $0.source.isReadOnce }
      ? nil : SourceBuilder(findings: findings).objectsFormat(component, firstInput: inputs.first)
    guard let name = component.text("entity") else { return nil }
    var result = IdentityImport(
      entityName: name.value, inputs: [], format: format ?? .ndjson(NDJSONOptions()))
    result.sources = inputs.map(\.source)
    result.missing = component.choice(orDefault: "missing", as: MissingTargetPolicy.self)
    result.position = name.position
    result.places = component.places
    for input in inputs {
      result.places["files", input.path] = .init(key: input.position, value: input.position)
    }
    findings.add(
      result.check(
        model: model, path: findings.path, readsFiles: checksHeaders && format != nil && !findings.hasErrors))
    return format == nil ? nil : result
  }
}
