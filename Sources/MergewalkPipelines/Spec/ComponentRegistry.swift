package import MergewalkImporting

/// The components a pipeline file is made of: a value that is handed in, so that nothing registers itself.
package struct ComponentRegistry: Sendable {
  /// The components in the order of the reference; the first is the file itself.
  package let components: [ComponentSpec]

  init(_ components: [ComponentSpec]) {
    precondition(!components.isEmpty, "a registry needs the component of the file itself")
    self.components = components
  }

  /// The component of the file itself.
  var root: ComponentSpec { components[0] }

  /// The component with this name; the name must be one that a field spec of this registry uses.
  subscript(name: String) -> ComponentSpec {
    guard let component = component(named: name) else { preconditionFailure("no component is called \(name)") }
    return component
  }

  /// The component with this name, if files of this kind have it.
  func component(named name: String) -> ComponentSpec? { components.first { $0.name == name } }

  /// The components of pipeline files.
  package static let standard = ComponentRegistry(
    [
      .pipeline, .part, .source, .manifest, .entityImport, .sync, .since, .relationshipImport, .field, .fieldDefaults,
      .objects, .batch,
      .memory,
      .rejects, .stores, .missingStore, .goneStores, .anomalies, .notify, .column, .step, .process, .given, .contract,
    ] + ComponentSpec.stepComponents)
}
