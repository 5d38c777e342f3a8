import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// Checks a ``SyncPolicy`` against the model.
struct SyncCheck {
  private(set) var findings: FindingList
  /// The attribute that says that an object is gone, when it can.
  private(set) var softDelete: SoftDelete?
  /// The predicate for the objects that may go, whose texts are dates and UUIDs where they are compared with some.
  private(set) var scope: ObjectPredicate?

  /// Checks the policy of one import.
  ///
  /// - Parameter storePath: The store of the run; `nil` when it is not known.
  init(part: EntityImport, entity: EntityDescription, model: ManagedObjectModel, path: String, storePath: String?) {
    findings = FindingList(path: path)
    checkSoftDelete(part, entity)
    checkScope(part, entity, model, storePath)
  }

  private func place(_ option: String, _ part: EntityImport) -> SourcePosition {
    part.sync.places[option]?.value ?? part.places["mode"]?.key ?? part.position
  }

  private mutating func checkSoftDelete(_ part: EntityImport, _ entity: EntityDescription) {
    guard let name = part.sync.softDelete else {
      if part.sync.deletion == .mark {
        findings.report(
          .missingField, at: place("delete", part), "marking objects as gone needs an attribute",
          hint: "name it as soft_delete")
      }
      return
    }
    let position = place("soft_delete", part)
    guard let attribute = entity.attribute(named: name) else {
      let nearest = NearestName.find(name, in: entity.attributes.map(\.name))
      findings.report(
        .unknownAttribute, at: position, "\(entity.name) has no attribute \(name)",
        hint: nearest.map { "did you mean \($0)?" })
      return
    }
    if part.filledAttributes.contains(name) {
      findings.report(
        .mappedTwice, at: position, "\(name) marks objects as gone, so no column can fill it",
        hint: "take it out of the attributes")
      return
    }
    softDelete = SoftDelete(attribute)
    if softDelete == nil {
      findings.report(
        .unsuitableAttribute, at: position,
        "\(entity.name).\(name) cannot mark objects as gone: this needs a stored Boolean, or an optional Date")
      return
    }
    // Whoever names the attribute in a pipeline means to mark objects, unless they say that these are removed.
    if part.mode.removesOthers, part.sync.deletion == .remove, part.sync.places["soft_delete"] != nil,
      part.sync.places["delete"] == nil
    {
      findings.report(
        .invalidOption, at: position, "“soft_delete” marks nothing, because objects that no record names are deleted",
        hint: "set “delete: mark”; or “delete: remove”, if records are only to clear older marks")
    }
  }

  private mutating func checkScope(
    _ part: EntityImport, _ entity: EntityDescription, _ model: ManagedObjectModel, _ storePath: String?
  ) {
    guard let scope = part.sync.scope else { return }
    do throws(PredicateError) {
      let typing = ModelScope(model, entity).reading(part.sync.scopeText?.text ?? "")
      let typed = try ArgumentTyping(texts: []).typed(scope, in: typing)
      self.scope = typed
      var request = FetchRequest(entity.name, where: typed)
      request.includesSubentities = false
      _ = try FetchCompiler(schema: StoreSchema(model: model), storeUUID: "").compile(
        request, selecting: .primaryKeys(withSortKeys: false))
      // Such a mistake beside `!=` would let everything go.
      let mismatched = typed.mismatchedValues(in: typing) {
        storePath.flatMap { try? StoreMetadata.read(path: $0).uuid }
      }
      for sentence in mismatched {
        findings.report(.invalidScope, at: part.sync.scopeText?.position ?? place("where", part), sentence)
      }
    } catch {
      findings.report(
        .invalidScope, at: part.sync.scopeText?.position(of: error) ?? place("where", part),
        "the predicate cannot be carried out: \(error.message)", hint: error.hint)
    }
  }
}
