import MergewalkImporting

extension ComponentSpec {
  static let stores = ComponentSpec(
    "stores",
    "How `mergewalk stores` distributes the records over a family of stores, one for each value of a"
      + " column.",
    fields: [
      FieldSpec(
        "by", .text, required: true, "The column: one of the source, or one defined under `columns`.",
        example: "country"),
      FieldSpec(
        "path", .content, default: "the column in braces and `.sqlite`",
        "The paths of the stores in the family's folder: `{country}` is the percent-encoded value,"
          + " `{country:2}` its first two characters.", example: "\"{country:2}/{country}.sqlite\""),
      FieldSpec(
        "shared", .texts, default: "none",
        "Pipelines that run into each store before its own records; they are counted separately.",
        example: "[categories.yaml]"),
      FieldSpec(
        "missing", .component("missing"), default: "reject",
        "Records whose column is absent, null or empty.", example: "{ value: other }"),
      FieldSpec(
        "gone", .component("gone"), default: "any number of stores, but not all records",
        "How much of the published family may go when another takes its place.", example: "{ ratio: 10% }"),
    ])

  static let goneStores = ComponentSpec(
    "gone",
    "How much of a published family may go when another takes its place; with more nothing of it changes, exit code 3.",
    fields: [
      FieldSpec(
        "limit", .count(least: 0), default: "none",
        "The greatest number of published stores that may go because the input has their value no more.", example: "5"),
      FieldSpec(
        "ratio", .share, default: "none", "The greatest share of the published stores that may go.", example: "10%"),
      FieldSpec(
        "allow_empty", .flag, default: "false",
        "Whether an input without one good record empties the family; else it is refused.", example: "true"),
    ])

  static let missingStore = ComponentSpec(
    "missing", "Records that do not name a store: either of these.", shorthand: "records",
    fields: [
      FieldSpec(
        "records", .choice(["reject", "skip"]), default: "reject",
        "`reject` rejects them with `store.badName`, `skip` counts them and leaves them out.", example: "skip"),
      FieldSpec("value", .text, default: "none", "The value of the store into which they go.", example: "other"),
    ])
}
