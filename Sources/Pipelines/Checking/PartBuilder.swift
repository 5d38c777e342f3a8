import Diagnostics
import Importing
import ObjectModel
import RecordFormats

/// Turns sources and what their records become into the parts of a definition.
struct PartBuilder {
  let model: ManagedObjectModel?
  let findings: Findings
  /// The files that take the place of those that the pipeline names.
  let sourcePaths: [String]
  /// Whether headers of input files are compared with the columns that the pipeline names.
  let checksHeaders: Bool
  /// Whether the files that the pipeline names must be there.
  var needsFiles = true
  /// Files that are read in place of others, by the text that names them.
  var replacements: [String: [String]] = [:]

  /// The parts of a pipeline file in their order; nil when findings keep one of them from being whole.
  func parts(_ component: ComponentValue) -> [ImportPart]? {
    guard component.has("imports") else { return part(component, file: component).map { [$0] } }
    for name in ["source", "import", "since"] where component.has(name) {
      findings.add(
        .invalidOption, at: component.keyPosition(name), "“\(name)” cannot stand beside “imports”",
        hint: "make it one of the imports")
    }
    if !sourcePaths.isEmpty {
      findings.add(
        .invalidOption, at: component.keyPosition("imports"), "other files cannot take the place of those of “imports”",
        hint: "name them in the pipeline")
    }
    var parts: [ImportPart?] = []
    var names: Set<String> = []
    for item in component.components("imports") {
      let built = part(item, file: component)
      parts.append(built)
      guard let built else { continue }
      if !names.insert(built.name).inserted {
        findings.add(
          .invalidOption, at: item.text("name")?.position ?? item.position,
          "two imports are called “\(built.name)”", hint: "give each a “name” of its own")
      }
    }
    checkAfter(component, names)
    return parts.contains { $0 == nil } ? nil : parts.compactMap { $0 }
  }

  /// Finds names of imports that there are not.
  private func checkAfter(_ component: ComponentValue, _ names: Set<String>) {
    for item in component.components("imports") {
      for name in item.texts("after") ?? [] where !names.contains(name.value) {
        findings.addUnknown(
          .unknownImport, at: name.position, "no import is called “\(name.value)”", name: name.value,
          candidates: names.sorted())
      }
    }
  }

  /// One part: the file itself when it has only one.
  private func part(_ component: ComponentValue, file: ComponentValue) -> ImportPart? {
    var source = component.component("source")
    let inputs =
      source.map {
        SourceFiles(findings: findings, replacements: replacements, needsFiles: needsFiles)
          .expand($0, needsFiles: true, instead: sourcePaths)
      } ?? []
    if !needsFiles, inputs.isEmpty { source = source.flatMap(named) }
    let format = source.flatMap { SourceBuilder(findings: findings).format($0, firstInput: inputs.first) }
    var builder = ImportBuilder(
      model: model, defaults: component.component("fields") ?? file.component("fields"), findings: findings)
    let entity = component.component("import").flatMap { builder.root($0) }
    guard let format else { return nil }
    var part = ImportPart(
      sources: inputs.map(\.source), format: format, root: entity ?? EntityImport(entityName: "", findBy: []))
    part.since = SinceBuilder(findings: findings).build(
      component, root: entity, hasRejectsFile: file.component("rejects")?.has("file") ?? false)
    let transforms = TransformBuilder(findings: findings)
    if let records = component.component("import") { transforms.complete(&part, records, source: source) }
    var columns = transforms.check(part, model: model, columns: builder.columns)
    let since = component.component("since")?.text("column").map { ColumnUse(name: $0.value, position: $0.position) }
    let made = Set(part.columns.map(\.name))
    for use in builder.listColumns + [since].compactMap({ $0 })
    where !made.contains(use.name) && !columns.contains(where: { $0.name == use.name }) {
      columns.append(use)
    }
    if checksHeaders, let source {
      HeaderCheck(findings: findings).run(
        inputs, format: format, source: source, columns: columns, contract: part.contract)
    }
    guard let entity else { return nil }
    part.name = component.text("name")?.value ?? (file.has("imports") ? entity.entityName : "")
    part.position = component.position
    part.after = component.texts("after")?.map(\.value) ?? []
    part.passes = component.component("import")?.choice("passes", as: Passes.self) ?? .automatic
    part.findPlan =
      (component.choice("find", as: FindPlan.self) ?? file.choice("find", as: FindPlan.self)) ?? .automatic
    return part
  }

  /// The source with the format that the names of its files tell, when it says none; nil, after a finding, when they do
  /// not.
  private func named(_ source: ComponentValue) -> ComponentValue? {
    if source.has("format") { return source }
    let names = source.texts("files") ?? []
    guard let format = names.lazy.compactMap({ SourceFormat(fileName: $0.value) }).first else {
      findings.add(
        .missingField, at: source.position, "the files are not there, and their names do not tell their format",
        hint: "say it with “format”")
      return nil
    }
    var source = source
    source.fields["format"] = .init(
      keyPosition: source.position, position: source.position, value: .text(format.rawValue))
    return source
  }
}
