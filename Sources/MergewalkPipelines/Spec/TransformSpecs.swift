import MergewalkImporting

extension FieldSpec {
  /// What is done with records before they become objects.
  static let transforms: [FieldSpec] = [
    FieldSpec(
      "columns", .named("column"), default: "none",
      "Columns that are made from others, and types of the source's columns. A name that the source has too is used in"
        + " its place.", example: "{ code: { from: sku, do: [trim, upper] } }"),
    FieldSpec(
      "where", .expression,
      "The condition that records must satisfy, in the language of [predicates.md](predicates.md); others are skipped."
        + " A column has the type that `columns` gives it or that of the attribute that it fills, else it is text.",
      example: "\"quantity > 0 AND country IN {'CH', 'DE'}\""),
    FieldSpec(
      "process", .component("process"), default: "none", "A program that sees every record that `where` lets through.",
      example: "{ command: [python3, enrich.py], gives: [score] }"),
  ]

  /// What may differ between a source and what the pipeline knows of it.
  static let contract = FieldSpec(
    "contract", .component("contract"), default: "{ new: discard, missing: freeze, types: discard }",
    "The differences from the known schema that the source may have.", example: "{ new: evolve }")
}
