import MergewalkDiagnostics
package import MergewalkObjectStore

/// The cursors of one pipeline in a store's metadata, by the name of the import; that of the only one is empty.
package struct StoredCursors {
  private var state: MergewalkState
  private let pipeline: String
  /// Where the pipeline lies as seen from the store; `nil` for one that no file has.
  private let place: String?

  package init(_ metadata: StoreMetadata, pipeline: String, place: String? = nil) {
    state = metadata.mergewalk
    self.pipeline = pipeline
    self.place = place
  }

  init(_ metadata: StoreMetadata, of definition: ImportDefinition) {
    // A store may be shipped with its metadata, and then tells no names of folders.
    let place = definition.path.map { path in
      let hash = SourcePrint.nameHash(ResolvedPath.relative(path, from: definition.storePath))
      return String(hash, radix: 16)
    }
    self.init(metadata, pipeline: definition.name, place: place)
  }

  /// Whether a pipeline of the same name, but from another file, has written the cursor of an import.
  func isOfAnother(part: String) -> Bool {
    guard let place, let writer = state.cursor(pipeline: pipeline, part: part)?.place else { return false }
    return writer != place
  }

  /// The cursor of an import; `nil` for none, and when what is there is about another column or kind.
  package func value(part: String, _ policy: SincePolicy) -> CursorValue? {
    guard let entry = state.cursor(pipeline: pipeline, part: part), entry.column == policy.column,
      entry.kind == policy.kind.rawValue
    else { return nil }
    return switch (policy.kind, entry.value) {
    case (.date, .real(let seconds)): .date(seconds)
    case (.integer, .integer(let number)): .integer(number)
    case (.text, .text(let text)): .text(text)
    default: nil
    }
  }

  /// The column and kind of a cursor that is not about what the policy says; `nil` when there is none or it fits.
  package func mismatch(part: String, _ policy: SincePolicy) -> String? {
    guard let entry = state.cursor(pipeline: pipeline, part: part), value(part: part, policy) == nil else { return nil }
    return "the column \(entry.column) of type \(entry.kind)"
  }

  /// Replaces the cursor of an import; `nil` removes it.
  mutating func set(_ value: CursorValue?, part: String, _ policy: SincePolicy) {
    guard let value else { return state.setCursor(nil, pipeline: pipeline, part: part) }
    let content: MergewalkState.Cursor.Value =
      switch value {
      case .date(let seconds): .real(seconds)
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      }
    state.setCursor(
      MergewalkState.Cursor(column: policy.column, kind: policy.kind.rawValue, value: content, place: place),
      pipeline: pipeline, part: part)
  }

  func written(to metadata: StoreMetadata) -> StoreMetadata {
    var metadata = metadata
    var current = metadata.mergewalk
    current.cursors[pipeline] = state.cursors[pipeline]
    metadata.mergewalk = current
    return metadata
  }
}
