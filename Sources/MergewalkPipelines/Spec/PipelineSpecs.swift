import MergewalkImporting

extension ComponentSpec {
  static let pipeline = ComponentSpec(
    "pipeline", "The file itself.", alternatives: [["source", "import"], ["imports"], ["objects"]],
    fields: [
      FieldSpec(
        "pipeline", .text, default: "the file's name without extension",
        "The pipeline's name, as shown in summaries and rejects.", example: "orders"),
      FieldSpec(
        "include", .texts, default: "none",
        "Other files that supply fields this file does not set. Mappings are merged field by field, other"
          + " values are replaced, and later files override earlier ones. Paths in an included file are"
          + " relative to that file.",
        example: "[common.yaml]"),
      FieldSpec(
        "model", .path, required: true,
        "The data model: an `.xcdatamodeld`, an `.xcdatamodel`, a `.momd`, a `.mom` or a YAML model, or a store, for the copy that it carries.",
        example: "../models/Shop.xcdatamodeld"),
      FieldSpec(
        "model_version", .text, default: "the current version",
        "The version to use if the `.xcdatamodeld` has several.", example: "Shop 2"),
      FieldSpec(
        "store", .path, required: true,
        "The store; it is created if it does not exist. `--store` overrides it. It may be left out if"
          + " `stores` is set.",
        example: "../build/shop.sqlite"),
      FieldSpec(
        "source", .component("source"), default: "required without `imports` and `objects`", "Where records come from.",
        example: "orders-*.csv"),
      FieldSpec(
        "import", .component("import"), default: "required without `imports` and `objects`",
        "The objects that each record creates or updates.", example: "{ entity: Order, ... }"),
      FieldSpec(
        "imports", .components("part"), default: "none",
        "Several imports into the same store, in place of `source` and `import`. Either all of them take"
          + " effect or none does.",
        example: "[{ source: artists.csv, import: { entity: Artist, ... } }, ...]"),
      FieldSpec(
        "order", .choice(["dependencies", "file"]), default: "dependencies",
        "The order in which several imports run: with `dependencies`, an import that looks objects up"
          + " runs after the one that creates them; with `file`, they run as listed.", example: "file"),
      FieldSpec(
        "objects", .components("objects"), default: "none",
        "Files of whole objects with their identities, as `mergewalk export` writes them, to load into a"
          + " new store; in place of `source` and `import`.", example: "[{ entity: Order, files: Order.ndjson }]"),
      FieldSpec(
        "fields", .component("fields"), default: "none",
        "Defaults for all columns; a column's own options override them.",
        example: "{ trim: true, empty: null }"),
      FieldSpec(
        "batch", .component("batch"), default: "{ records: 20000, bytes: 32MiB }",
        "How large a batch may grow before it is written.", example: "{ records: 5000 }"),
      FieldSpec(
        "memory", .component("memory"), default: "{ keys: 48MiB, cache: 24MiB }", "Limits on memory.",
        example: "{ cache: 64MiB }"),
      .since,
      FieldSpec(
        "find", .choice(["automatic", "seek", "scan", "deduplicate"]), default: "automatic",
        "How existing objects are found: `seek` looks up each batch by index, `scan` reads the table"
          + " once, and `deduplicate`, for flat entities, creates objects for the whole batch and then"
          + " deletes those that already existed.",
        example: "seek"),
      FieldSpec(
        "rejects", .component("rejects"), default: "counted, without limit",
        "Where to write records that cannot be imported, and how many of them are too many.",
        example: "{ file: rejects.ndjson, limit: 100 }"),
      FieldSpec(
        "stores", .component("stores"), default: "none: one store",
        "How `mergewalk stores` distributes the records over several stores; `mergewalk run` always makes"
          + " a single one.",
        example: "{ by: country, path: \"{country}.sqlite\" }"),
    ] + policyFields + runFields)

  static let part = ComponentSpec(
    "part", "One of several imports: a source, and the objects that its records become.",
    fields: [
      FieldSpec(
        "name", .text, default: "the entity's name", "The name shown in progress and summaries.", example: "artists"),
      FieldSpec("source", .component("source"), required: true, "Where records come from.", example: "artists.csv"),
      FieldSpec(
        "import", .component("import"), required: true, "The objects that each record creates or updates.",
        example: "{ entity: Artist, ... }"),
      FieldSpec(
        "fields", .component("fields"), default: "those of the file",
        "Defaults for the columns of this import, in place of the file's `fields`.",
        example: "{ trim: true }"),
      .since,
      FieldSpec(
        "after", .texts, default: "none",
        "Imports that must run before this one, in addition to those whose objects it looks up.",
        example: "artists"),
      FieldSpec(
        "find", .choice(["automatic", "seek", "scan", "deduplicate"]), default: "that of the file",
        "How existing objects are found.", example: "seek"),
    ])

  static let batch = ComponentSpec(
    "batch", "The limits of a batch; it is written as soon as it reaches one of them.",
    fields: [
      FieldSpec(
        "records", .count(least: 1), default: "20000", "The maximum number of records in a batch.", example: "5000"),
      FieldSpec("bytes", .bytes, default: "32MiB", "The maximum size of a batch's input.", example: "8MiB"),
    ])

  static let memory = ComponentSpec(
    "memory", "Limits on memory.",
    fields: [
      FieldSpec("keys", .bytes, default: "48MiB", "Memory for tables of known keys.", example: "64MiB"),
      FieldSpec("cache", .bytes, default: "24MiB", "Memory for SQLite's page cache.", example: "64MiB"),
    ])

  static let rejects = ComponentSpec(
    "rejects", "Where to write records that cannot be imported, and how many of them are too many.", shorthand: "file",
    fields: [
      FieldSpec(
        "file", .path, default: "none: rejects are only counted",
        "An NDJSON file for the rejected records and the reasons.", example: "../build/orders.rejects.ndjson")
    ] + rejectLimitFields)
}
