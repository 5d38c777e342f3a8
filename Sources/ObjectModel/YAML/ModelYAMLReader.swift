import Diagnostics
import YAML

/// Makes a draft of a model in YAML; `docs/model-yaml.md` describes the format.
struct ModelYAMLReader {
  static func read(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    _ = try YAMLDocument.parse(bytes, path: path)
    var draft = ModelDraft()
    draft.path = path
    return draft
  }
}
