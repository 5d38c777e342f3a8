import MergewalkImporting

extension ComponentSpec {
  static let source = ComponentSpec(
    "source", "Where records come from and how they are written.", shorthand: "files",
    alternatives: [["files"], ["manifest"]],
    fields: FieldSpec.sourceFiles + FieldSpec.documentSources + FieldSpec.jsonSources + FieldSpec.textSources
      + FieldSpec.csvSources + FieldSpec.fixedWidthSources + FieldSpec.xmlSources + FieldSpec.databaseSources + [
        FieldSpec(
          "ignore", .texts, default: "none",
          "Columns that are deliberately unused; lint does not report them.",
          example: "[internal_id]"),
        .contract,
      ])

  static let manifest = ComponentSpec(
    "manifest", "One file in a manifest that is a YAML or JSON list.", shorthand: "path",
    fields: [
      FieldSpec("path", .path, required: true, "The file, relative to the manifest.", example: "orders-1.csv"),
      FieldSpec(
        "sha256", .text, "The SHA-256 of the file's bytes in hexadecimal; if it differs, the run fails.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
      FieldSpec("size", .text, "The file's size in bytes; if it differs, the run fails.", example: "1048576"),
    ])
}
