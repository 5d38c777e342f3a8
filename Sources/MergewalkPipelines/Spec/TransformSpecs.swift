import MergewalkImporting

extension FieldSpec {
  /// The transforms of records before they become objects.
  static let transforms: [FieldSpec] = [
    FieldSpec(
      "columns", .named("column"), default: "none",
      "Columns computed from others, and types of the source's columns. A column defined here replaces"
        + " one of the same name in the source.", example: "{ code: { from: sku, do: [trim, upper] } }"),
    FieldSpec(
      "where", .expression,
      "A condition in the language of [predicates.md](predicates.md); records that do not satisfy it"
        + " are skipped. A column has the type that `columns` gives it, or that of the attribute it fills;"
        + " otherwise it is text.",
      example: "\"quantity > 0 AND country IN {'CH', 'DE'}\""),
    FieldSpec(
      "process", .component("process"), default: "none",
      "A program that processes every record that satisfies `where`.",
      example: "{ command: [python3, enrich.py], gives: [score] }"),
  ]

  /// The permitted differences between a source and the pipeline's description of it.
  static let contract = FieldSpec(
    "contract", .component("contract"), default: "{ new: discard, missing: freeze, types: discard }",
    "How the source may differ from the known schema.", example: "{ new: evolve }")
}
