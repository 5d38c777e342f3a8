import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkYAML

/// Reads one pipeline file and everything it names, and collects all findings.
struct PipelineLoader {
  private let settings: PipelineSettings
  private let findings: Findings
  private let registry: ComponentRegistry

  init(settings: PipelineSettings, findings: Findings, registry: ComponentRegistry = .standard) {
    self.settings = settings
    self.findings = findings
    self.registry = registry
  }

  /// Returns the definition, or `nil` when an error keeps it from being whole; what was found is in the findings.
  func load() -> ImportDefinition? {
    guard let file = ConfigurationFile(settings.variables, findings: findings) else { return nil }
    if let wrong = WrongFile.model(file.root, path: findings.path) {
      findings.add([wrong])
      return nil
    }
    let spec = rootSpec(file.root)
    guard let component = ComponentReader(registry: registry, findings: findings).read(file.root, as: spec) else {
      return nil
    }
    let model = component.text("model").flatMap { self.model($0, version: component.text("model_version")) }
    if component.has("objects") {
      if !settings.sourcePaths.isEmpty {
        findings.add(
          .invalidOption, at: component.keyPosition("objects"),
          "other files cannot take the place of those of “objects”",
          hint: "name them in the pipeline")
      }
      let objects = ObjectsBuilder(model: model, findings: findings, checksHeaders: settings.checksHeaders)
        .build(component)
      guard let model, let store = storePath(component, model) else { return nil }
      return definition(
        component, ImportDefinition(name: name(component), model: model, storePath: store, objects: objects))
    }
    let builder = PartBuilder(
      model: model, findings: findings, sourcePaths: settings.sourcePaths, checksHeaders: settings.checksHeaders,
      readsArchives: settings.isLint, needsFiles: settings.needsFiles,
      replacements: settings.sourceReplacements, formats: settings.formats)
    let parts = builder.parts(component)
    guard let model, let parts, !parts.isEmpty, let store = storePath(component, model) else { return nil }
    var result = ImportDefinition(name: name(component), model: model, storePath: store, parts: parts)
    result.keepsOrder = component.text("order")?.value == "file"
    return definition(component, result)
  }

  /// Who is told how a run ended, and of which pipeline, as far as the file says it well; of a file that cannot be run,
  /// too.
  func notices() -> (pipeline: String, list: [RunNotification]) {
    guard let file = ConfigurationFile(settings.variables, checksUse: false, findings: findings),
      let entries = file.root.entries
    else { return (name(nil), []) }
    func value(_ field: String) -> YAMLNode? { entries.first { $0.key.text == field }?.value }
    let reader = ComponentReader(registry: registry, findings: findings)
    let list = (value("notify")?.items ?? []).compactMap { reader.read($0, as: registry["notify"]) }
      .compactMap(NotificationBuilder(findings: findings).build)
    return (name(value("pipeline")?.string), list)
  }

  private func name(_ component: ComponentValue) -> String { name(component.text("pipeline")?.value) }

  /// The name that the file gives to its pipeline, or its own.
  private func name(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return Paths.stem(findings.path) }
    return text
  }

  private func storePath(_ component: ComponentValue, _ model: ManagedObjectModel) -> String? {
    let path = settings.storePath ?? component.text("store").map(findings.resolve)
    // A family has its paths under “stores”; a run of it then has to be told one.
    if path == nil, component.has("stores"), !component.has("store") { return "" }
    if let path {
      let place = settings.storePath == nil ? component.text("store")?.position : nil
      StoreCheck(findings: findings, looksInside: settings.isLint)
        .run(path, model: model, modelFile: modelFile(component), at: place ?? .file)
    }
    return path
  }

  /// The file of the model, and its version, as a command takes them.
  private func modelFile(_ component: ComponentValue) -> String? {
    component.text("model").map { ShellText.word(findings.resolve($0)) }
      .map { file in
        file + (component.text("model_version").map { " --model-version " + ShellText.word($0.value) } ?? "")
      }
  }

  /// Adds what the file says about batches, memory and rejects.
  private func definition(_ component: ComponentValue, _ definition: ImportDefinition) -> ImportDefinition {
    var definition = definition
    definition.path = findings.path
    definition.modelFile = modelFile(component)
    definition.isNameGiven = component.text("pipeline").map { !$0.value.isEmpty } ?? false
    definition.redaction = findings.redaction
    let batch = component.component("batch") ?? ComponentValue(.batch, position: component.position)
    definition.batchLimit = BatchLimit(
      records: batch.count(orDefault: "records"),
      bytes: batch.count(orDefault: "bytes"))
    let memory = component.component("memory") ?? ComponentValue(.memory, position: component.position)
    definition.keyMemory = memory.count(orDefault: "keys")
    definition.cacheMemory = memory.count(orDefault: "cache")
    definition.reporting = ReportingBuilder(findings: findings).reporting(component)
    PolicyBuilder(findings: findings).build(component, &definition)
    StoresBuilder(findings: findings, variables: settings.variables, readsShared: settings.readsShared)
      .build(component, &definition)
    definition.readFiles = findings.readFiles
    if settings.storePath == nil { definition.outputPlaces["store"] = component.text("store")?.position }
    definition.outputPlaces["metrics"] = component.text("metrics")?.position
    definition.outputPlaces["report"] = component.text("report")?.position
    definition.outputPlaces["rejects"] = component.component("rejects")?.text("file")?.position
    findings.add(definition.checkWhole(path: findings.path, ordersParts: !findings.hasErrors))
    return definition
  }

  private func model(_ path: Located<String>, version: Located<String>?) -> ManagedObjectModel? {
    let file = findings.resolve(path)
    findings.noteRead(file)
    do throws(DiagnosticList) {
      let draft = try StoreModel.draft(at: file, version: version?.value)
      findings.add(ModelLint.check(draft).map { place($0, at: path) })
      return try ManagedObjectModel(draft)
    } catch {
      findings.add(error.diagnostics.map { place($0, at: $0.code == "unknownVersion" ? version ?? path : path) })
      return nil
    }
  }

  /// Moves a finding about a model as a whole to the text of the pipeline that names it.
  private func place(_ finding: Diagnostic, at text: Located<String>) -> Diagnostic {
    guard finding.position.line == 0 else { return finding }
    var finding = finding
    finding.message = "“\(finding.path)”: \(finding.message)"
    finding.path = text.position.includedPath ?? findings.path
    finding.position = text.position
    return finding
  }

  /// The component of the file: when the caller names the store, the file need not; without objects and several
  /// imports it needs a source and an import.
  private func rootSpec(_ root: YAMLNode) -> ComponentSpec {
    var spec = registry.root
    let hasObjects = root.entries?.contains { $0.key.text == "objects" || $0.key.text == "imports" } ?? false
    let isFamily = root.entries?.contains { $0.key.text == "stores" } ?? false
    for index in spec.fields.indices {
      switch spec.fields[index].name {
      case "store" where settings.storePath != nil || isFamily: spec.fields[index].isRequired = false
      case "source", "import": spec.fields[index].isRequired = !hasObjects
      default: break
      }
    }
    return spec
  }
}
