import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel

/// Turns `stores` into a ``StoresPolicy``.
struct StoresBuilder {
  let findings: Findings
  /// The values of `${NAME}`, for the pipelines that are shared.
  let variables: Variables
  /// See ``PipelineSettings/readsShared``.
  let readsShared: Bool

  /// Adds what the file says; what is wrong with it is a finding.
  func build(_ component: ComponentValue, _ definition: inout ImportDefinition) {
    guard let stores = component.component("stores"), let column = stores.text("by") else { return }
    if !definition.objects.isEmpty {
      findings.add(
        .invalidOption, at: component.keyPosition("stores"), "whole objects cannot be spread over stores",
        hint: "take “stores” out, or import records with “source” and “import”")
      return
    }
    let path = stores.text("path")
    do throws(StorePathTemplate.Fault) {
      let template = try StorePathTemplate(
        path?.value ?? "{\(column.value)}.sqlite", column: column.value)
      var policy = StoresPolicy(column: column.value, path: template)
      policy.position = column.position
      policy.missing = missing(stores, template) ?? policy.missing
      if let gone = stores.component("gone") {
        policy.gone.limit = gone.count("limit")
        policy.gone.ratio = gone.share("ratio")
        policy.gone.allowsEmpty = gone.flag(orDefault: "allow_empty")
      }
      for text in stores.texts("shared") ?? [] {
        let file = findings.resolve(text)
        findings.noteRead(file)
        if readsShared { check(shared: file, at: text.position, definition) }
        policy.shared.append(file)
      }
      definition.stores = policy
    } catch {
      findings.add(.invalidOption, at: path?.position ?? column.position, error.message, hint: error.hint)
    }
    for part in definition.parts {
      if let since = part.since {
        findings.warn(
          .unsuitableOption, at: since.position,
          "of “since” only “start” applies to a family of stores, which is built from its input alone",
          hint: "give it an input with all records, or run the pipeline into a store of its own")
      }
      // What is wrong with the column itself was found where the header was looked at.
      do throws(DiagnosticList) {
        _ = try SplitColumn(column.value, at: column.position, of: part, path: findings.path)
      } catch {
        findings.add(error.diagnostics.filter { !findings.list.contains($0) })
      }
    }
  }

  /// Whether an import removes the objects that no record names, and those of a shared pipeline are among them.
  private static func removes(_ root: EntityImport, objectsOf shared: ImportDefinition) -> Bool {
    guard root.mode == .sync || root.mode == .replace, root.sync.scopeText == nil,
      let entity = shared.model.entity(named: root.entityName)
    else { return false }
    return shared.parts.contains { shared.model.entity(named: $0.root.entityName)?.isKind(of: entity) ?? false }
  }

  private func missing(_ stores: ComponentValue, _ path: StorePathTemplate) -> StoresPolicy.Missing? {
    guard let missing = stores.component("missing") else { return nil }
    if let value = missing.text("value") {
      if missing.has("records") {
        findings.add(
          .invalidOption, at: missing.keyPosition("records"), "“records” cannot be combined with “value”",
          hint: "keep one of the two")
      }
      if let refusal = StoreNames.refusal(of: value.value, path) {
        findings.add(.invalidOption, at: value.position, refusal, hint: "choose a shorter one, such as “other”")
      }
      return .value(value.value)
    }
    return missing.text("records")?.value == "skip" ? .skip : .reject
  }

  /// Reads a pipeline that is to run into each store, and checks that it fits.
  private func check(shared path: String, at position: SourcePosition, _ definition: ImportDefinition) {
    var settings = PipelineSettings()
    settings.variables = variables
    settings.readsShared = false
    settings.storePath = definition.storePath.isEmpty ? "shared.sqlite" : definition.storePath
    settings.checksHeaders = false
    settings.needsFiles = false
    do throws(DiagnosticList) {
      let shared = try Pipeline.read(path, settings: settings)
      findings.hide(shared.redaction)
      // What this one uses is not set in vain.
      let unused = Set(shared.warnings.map(\.message))
      findings.keep(.unusedVariable) { unused.contains($0.message) }
      if shared.definition.stores != nil {
        findings.add(
          .invalidOption, at: position, "“\(path)” makes a family of stores itself",
          hint: "take “stores” out of it")
      }
      if let problem = SeedBuild.problem(definition, after: shared.definition) {
        return findings.add(.invalidOption, at: position, "“\(path)” cannot run into each store: \(problem)")
      }
      for part in definition.parts where Self.removes(part.root, objectsOf: shared.definition) {
        findings.warn(
          .unsuitableOption, at: part.root.places["mode"]?.value ?? part.root.position,
          "mode “\(part.root.mode.rawValue)” removes the objects of “\(path)” from every store, where they have just been"
            + " put, unless a record names them",
          hint: "use “upsert”: a family is built from its input alone, and nothing else is to be removed; or set what"
            + " may go, with “sync: { where: … }”")
      }
    } catch {
      let first = error.diagnostics.first { $0.severity == .error }
      findings.add(
        .invalidOption, at: position,
        "“\(path)” cannot run into each store: \(first.map(\.description) ?? "it has mistakes")",
        hint: "put it right: mergewalk lint \(path)")
    }
  }
}
