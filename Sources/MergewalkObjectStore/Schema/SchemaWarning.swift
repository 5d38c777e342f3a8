package import MergewalkDiagnostics
package import MergewalkObjectModel

/// Something of a model that the store cannot hold, or where Core Data's own choice is not known.
package struct SchemaWarning: Sendable, Hashable, CustomStringConvertible {
  /// The kind of finding.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// An attribute of a type that has no known column: object ID, undefined, a composite without known elements.
    case unsupportedAttribute
    /// A composite attribute: its elements have columns of our own naming, which Core Data may not look for.
    case uncertainComposite
    /// An index with an expression or a predicate that is not understood: it is left out, which costs speed only.
    case unsupportedIndex
    /// An index whose name is taken by another one, as SQLite takes `a` and `A` for one name: it is left out, as Core
    /// Data leaves it out.
    case sameIndexName
  }

  package var code: Code
  package var entity: String
  /// The name of the property or the index.
  package var property: String
  package var message: String

  /// `Entity.property: message [code]`.
  package var description: String { "\(entity).\(property): \(message) [\(code.rawValue)]" }
}

extension StoreSchema {
  /// What keeps stores from being made of a model, and the indexes that they are made without, as findings; none while
  /// the model has errors.
  package static func lint(_ draft: ModelDraft) -> [Diagnostic] {
    guard let model = try? ManagedObjectModel(draft) else { return [] }
    let schema = StoreSchema(model: model)
    let refusal = schema.tableNameClash.map { clash in
      Diagnostic(
        // Configurations may keep the two in stores of their own.
        draft.configurations.isEmpty ? .error : .warning, code: "sameTableName", path: draft.path,
        position: draft.entities.first { $0.name == clash.entity }?.position ?? .file, message: clash.message)
    }
    let indexes = schema.warnings.filter { $0.code == .unsupportedIndex }.map { warning in
      let index = draft.entities.first { $0.name == warning.entity }?.fetchIndexes.first { $0.name == warning.property }
      return Diagnostic(
        .warning, code: warning.code.rawValue, path: draft.path, position: index?.position ?? .file,
        message: "“\(warning.entity).\(warning.property)”: \(warning.message)",
        hint:
          "an index may have attributes, arithmetic and conditions of them; without it, searches are slower and the same"
      )
    }
    return [refusal].compactMap { $0 } + indexes
  }
}
