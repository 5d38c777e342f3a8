import YAML

/// Writes models as text: Xcode's XML and Mergewalk's YAML.
///
/// The same draft always gives the same text. Reading it gives the same draft again, apart from positions.
public enum ModelWriter {
  /// The text of a `contents` file as current versions of Xcode lay it out, without a line feed at its end.
  ///
  /// - Complexity: O(text).
  public static func xml(_ draft: ModelDraft) -> String {
    var writer = ModelXMLWriter()
    writer.write(draft)
    return writer.text
  }

  /// The text of a model in YAML, as `docs/model-yaml.md` describes it.
  ///
  /// - Precondition: names are unique, as ``ModelLint`` demands; of several equal names the last is kept by readers.
  /// - Complexity: O(text).
  public static func yaml(_ draft: ModelDraft) -> String { ModelYAMLWriter.tree(draft).text }
}
