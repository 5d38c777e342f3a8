public import Diagnostics

/// Finds what is wrong in a model, all of it at once.
public enum ModelLint {
  /// Returns every finding in a draft, unsorted.
  public static func check(_ draft: ModelDraft, advice: Bool = false) -> [Diagnostic] {
    draft.readerFindings
  }
}
