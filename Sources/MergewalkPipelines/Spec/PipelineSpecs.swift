import MergewalkImporting

extension ComponentSpec {
  /// The pipeline file itself.
  static let pipeline = ComponentSpec(
    "pipeline", "The file itself.", alternatives: [["source", "import"], ["imports"], ["objects"]],
    fields: [
      FieldSpec(
        "pipeline", .text, default: "the file's name without extension",
        "The pipeline's name, which summaries and rejects carry.", example: "orders"),
      FieldSpec(
        "include", .texts, default: "none",
        "Other files whose fields hold where this file does not say otherwise: mappings are merged field by field,"
          + " anything else is replaced, a later file's goes before an earlier one's. Paths in them are relative to"
          + " themselves.",
        example: "[common.yaml]"),
      FieldSpec(
        "model", .path, required: true,
        "The data model: an `.xcdatamodeld`, an `.xcdatamodel` or a YAML model.",
        example: "../models/Shop.xcdatamodeld"),
      FieldSpec(
        "model_version", .text, default: "the current version",
        "The version to use of an `.xcdatamodeld` that has several.", example: "Shop 2"),
      FieldSpec(
        "store", .path, required: true,
        "The store; it is created when it does not exist. `--store` takes its place. Beside `stores` it may be left out.",
        example: "../build/shop.sqlite"),
      FieldSpec(
        "source", .component("source"), default: "required without `imports` and `objects`", "Where records come from.",
        example: "orders-*.csv"),
      FieldSpec(
        "import", .component("import"), default: "required without `imports` and `objects`",
        "The objects that each record makes.", example: "{ entity: Order, ... }"),
      FieldSpec(
        "imports", .components("part"), default: "none",
        "In place of `source` and `import`: several imports into the same store, which happen together or not at all.",
        example: "[{ source: artists.csv, import: { entity: Artist, ... } }, ...]"),
      FieldSpec(
        "order", .choice(["dependencies", "file"]), default: "dependencies",
        "In which order several imports run: an import that only looks objects up after the one that creates them, or as"
          + " they stand in the file.", example: "file"),
      FieldSpec(
        "objects", .components("objects"), default: "none",
        "In place of `source` and `import`: files of whole objects with their identities, as `mergewalk export` writes"
          + " them, for a new store.", example: "[{ entity: Order, files: Order.ndjson }]"),
      FieldSpec(
        "fields", .component("fields"), default: "none", "Defaults for every column that does not set them itself.",
        example: "{ trim: true, empty: null }"),
      FieldSpec(
        "batch", .component("batch"), default: "{ records: 20000, bytes: 32MiB }",
        "When a batch is full and is written.", example: "{ records: 5000 }"),
      FieldSpec(
        "memory", .component("memory"), default: "{ keys: 48MiB, cache: 24MiB }", "How much memory may be used.",
        example: "{ cache: 64MiB }"),
      .since,
      FieldSpec(
        "find", .choice(["automatic", "seek", "scan", "deduplicate"]), default: "automatic",
        "How existing objects are found: by index batch by batch, by one scan of the table, or, for flat entities, by making all objects of a batch and deleting those that were there.",
        example: "seek"),
      FieldSpec(
        "rejects", .component("rejects"), default: "counted, without limit",
        "Where records go that cannot be imported, and how many are too many.",
        example: "{ file: rejects.ndjson, limit: 100 }"),
      FieldSpec(
        "stores", .component("stores"), default: "none: one store",
        "How `mergewalk stores` spreads the records over many stores; a run makes one in any case.",
        example: "{ by: country, path: \"{country}.sqlite\" }"),
    ] + policyFields + runFields)

  /// One of several imports.
  static let part = ComponentSpec(
    "part", "One of several imports: a source and what its records become.",
    fields: [
      FieldSpec(
        "name", .text, default: "the entity's name", "The name that progress and summaries show.", example: "artists"),
      FieldSpec("source", .component("source"), required: true, "Where records come from.", example: "artists.csv"),
      FieldSpec(
        "import", .component("import"), required: true, "The objects that each record makes.",
        example: "{ entity: Artist, ... }"),
      FieldSpec(
        "fields", .component("fields"), default: "those of the file",
        "Defaults for every column of this import that does not set them itself, in place of the file's `fields`.",
        example: "{ trim: true }"),
      .since,
      FieldSpec(
        "after", .texts, default: "none",
        "The names of imports that have to run before this one, besides those whose objects it looks up.",
        example: "artists"),
      FieldSpec(
        "find", .choice(["automatic", "seek", "scan", "deduplicate"]), default: "that of the file",
        "How existing objects are found.", example: "seek"),
    ])

  /// When a batch is full.
  static let batch = ComponentSpec(
    "batch", "When a batch is full: whichever limit comes first.",
    fields: [
      FieldSpec(
        "records", .count(least: 1), default: "20000", "The greatest number of records in a batch.", example: "5000"),
      FieldSpec("bytes", .bytes, default: "32MiB", "The greatest size of a batch's input.", example: "8MiB"),
    ])

  /// How much memory may be used.
  static let memory = ComponentSpec(
    "memory", "How much memory may be used.",
    fields: [
      FieldSpec("keys", .bytes, default: "48MiB", "Memory for tables of known keys.", example: "64MiB"),
      FieldSpec("cache", .bytes, default: "24MiB", "Memory for SQLite's page cache.", example: "64MiB"),
    ])

  /// Where rejects go.
  static let rejects = ComponentSpec(
    "rejects", "Where records go that cannot be imported, and how many are too many.", shorthand: "file",
    fields: [
      FieldSpec(
        "file", .path, default: "none: rejects are only counted",
        "An NDJSON file that takes the rejected records and the reasons.", example: "../build/orders.rejects.ndjson")
    ] + rejectLimitFields)
}
