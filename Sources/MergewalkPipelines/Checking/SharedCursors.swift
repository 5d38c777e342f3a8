import MergewalkDiagnostics
import MergewalkImporting

/// The incremental imports of the pipelines that are checked together: two files whose pipelines have one name must not
/// write into one store, where one cursor would be that of both.
package struct SharedCursors {
  private struct Key: Hashable {
    let store: String
    let pipeline: String
    let part: String
  }

  /// The file that has each cursor.
  private var files: [Key: String] = [:]

  package init() {}

  /// Notes the cursors of a pipeline, and adds a finding for the first that another file has, too.
  mutating func check(_ definition: ImportDefinition, _ findings: Findings) {
    // A family keeps none.
    guard !definition.storePath.isEmpty, let path = definition.path else { return }
    let store = ResolvedPath.absolute(definition.storePath)
    var isReported = false
    for part in definition.parts {
      guard let since = part.since else { continue }
      let key = Key(store: store, pipeline: definition.name, part: part.name)
      guard let other = files[key] else {
        files[key] = path
        continue
      }
      if isReported || ResolvedPath.absolute(other) == ResolvedPath.absolute(path) { continue }
      isReported = true
      findings.add(
        .cursorOfAnother, at: since.position,
        "“\(other)” has the same name, “\(definition.name)”, and the same store, so that both would go on at one cursor",
        hint: "give each its own name, such as “pipeline: \(definition.name)-2”")
    }
  }
}
