import MergewalkImporting

extension ComponentSpec {
  /// Where records come from.
  static let source = ComponentSpec(
    "source", "Where records come from and how they are written.", shorthand: "files",
    alternatives: [["files"], ["manifest"]],
    fields: FieldSpec.sourceFiles + FieldSpec.documentSources + FieldSpec.jsonSources + FieldSpec.textSources
      + FieldSpec.csvSources + FieldSpec.fixedWidthSources + FieldSpec.xmlSources + FieldSpec.databaseSources + [
        FieldSpec(
          "ignore", .texts, default: "none",
          "Columns that are meant not to be used, so that lint is silent about them.",
          example: "[internal_id]"),
        .contract,
      ])

  /// One file of a manifest.
  static let manifest = ComponentSpec(
    "manifest", "One file of a manifest that is a YAML or JSON list.", shorthand: "path",
    fields: [
      FieldSpec("path", .path, required: true, "The file, relative to the manifest.", example: "orders-1.csv"),
      FieldSpec(
        "sha256", .text, "The SHA-256 of the file's bytes in hexadecimal; another one ends the run.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
      FieldSpec("size", .text, "The file's size in bytes; another one ends the run.", example: "1048576"),
    ])
}
