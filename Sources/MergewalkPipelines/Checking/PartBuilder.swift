import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats

/// Turns sources and what their records become into the parts of a definition.
struct PartBuilder {
  let model: ManagedObjectModel?
  let findings: Findings
  /// The files that take the place of those that the pipeline names.
  let sourcePaths: [String]
  /// Whether to compare the headers of input files with the columns that the pipeline uses.
  let checksHeaders: Bool
  /// Whether this reads tar archives to their end.
  var readsArchives = false
  /// Whether the files that the pipeline names must be there.
  var needsFiles = true
  /// Files that are read in place of others, by the text that names them.
  var replacements: [String: [String]] = [:]
  /// The formats of the parts, when they are known already and no input is to be looked for.
  var formats: [RecordFormat] = []

  /// The parts of a pipeline file in their order; nil when findings keep one of them from being whole.
  func parts(_ component: ComponentValue) -> [ImportPart]? {
    guard component.has("imports") else { return part(component, 0, file: component).map { [$0] } }
    for name in ["source", "import", "since"] where component.has(name) {
      findings.add(
        .invalidOption, at: component.keyPosition(name), "“\(name)” cannot be combined with “imports”",
        hint: "make it one of the imports")
    }
    if !sourcePaths.isEmpty {
      findings.add(
        .invalidOption, at: component.keyPosition("imports"), "other files cannot take the place of those of “imports”",
        hint: "name them in the pipeline")
    }
    let parts = component.components("imports").enumerated().map { part($1, $0, file: component) }
    findings.add(ImportPart.checkNames(of: parts.compactMap { $0 }, path: findings.path))
    return parts.contains { $0 == nil } ? nil : parts.compactMap { $0 }
  }

  /// One part: the file itself when it has only one.
  private func part(_ component: ComponentValue, _ number: Int, file: ComponentValue) -> ImportPart? {
    var source = component.component("source")
    let known = formats.indices.contains(number) ? formats[number] : nil
    let inputs =
      known != nil
      ? []
      : source.map {
        SourceFiles(findings: findings, replacements: replacements, needsFiles: needsFiles)
          .expand($0, needsFiles: true, instead: sourcePaths)
      } ?? []
    if !needsFiles, inputs.isEmpty, known == nil { source = source.flatMap(named) }
    let format = known ?? source.flatMap { SourceBuilder(findings: findings).format($0, firstInput: inputs.first) }
    if known == nil, let source { SourceBuilder(findings: findings).checkNames(inputs, source) }
    let records = component.component("import")
    let fields = component.component("fields") ?? file.component("fields")
    var nullWords: [String] = []
    if case .csv(let options)? = format { nullWords = options.nullWords }
    var part = ImportPart(
      sources: inputs.map(\.source), format: format ?? .ndjson(NDJSONOptions()),
      root: ImportBuilder(model: model, defaults: fields, findings: findings, nullWords: nullWords).root(records))
    part.position = component.position
    part.places = component.places
    for name in component.texts("after") ?? [] {
      part.after.append(name.value)
      part.places["after", name.value] = .init(key: name.position, value: name.position)
    }
    part.name = component.text("name")?.value ?? (file.has("imports") ? part.root.entityName : "")
    part.since = SinceBuilder(findings: findings).build(component)
    part.passes = records?.choice("passes", as: Passes.self) ?? part.passes
    part.findPlan =
      (component.choice("find", as: FindPlan.self) ?? file.choice("find", as: FindPlan.self)) ?? part.findPlan
    if let records {
      TransformBuilder(findings: findings, defaults: fields, nullWords: nullWords)
        .complete(&part, records, source: source)
    }
    let by = file.component("stores")?.text("by")
    part.columnsTakenElsewhere = by.map { [$0.value] } ?? []
    let resolved = part.resolved(
      model: model, path: findings.path, hasRejectsFile: file.component("rejects")?.has("file") ?? false,
      isModelLinted: true)
    findings.add(resolved.findings)
    var columns = resolved.columns
    if let by, !part.columns.contains(where: { $0.name == by.value }) {
      columns.append(ColumnUse(name: by.value, position: by.position))
    }
    // A column with a mistake is there all the same.
    let broken = records?.named("columns").filter { $0.value?.brokenFields.isEmpty == false }.map(\.name.value) ?? []
    columns.removeAll { broken.contains($0.name) }
    guard let format else { return nil }
    if checksHeaders, let source {
      part.inputFindings = HeaderCheck(findings: findings, readsArchives: readsArchives).run(
        inputs, format: format, source: source, columns: columns, contract: part.contract)
    }
    if !findings.hasErrors {
      for column in resolved.unusedColumns {
        findings.add(
          .unusedColumn, at: column.position, "the column “\(column.name)” is made, and nothing uses it",
          hint: "fill an attribute from it, or leave it out")
      }
    }
    return records?.text("entity") == nil ? nil : part
  }

  /// The source with the format that the names of its files tell, when it says none; nil, after a finding, when they do
  /// not.
  private func named(_ source: ComponentValue) -> ComponentValue? {
    if source.has("format") { return source }
    let names = source.texts("files") ?? []
    guard let format = names.lazy.compactMap({ SourceFormat(fileName: $0.value) }).first else {
      findings.add(
        .missingField, at: source.position, "the files do not exist, and their names do not show their format",
        hint: "set “format”")
      return nil
    }
    var source = source
    source.fields["format"] = .init(
      keyPosition: source.position, position: source.position, value: .text(format.rawValue))
    return source
  }
}
