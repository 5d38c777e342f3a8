import MergewalkImporting

extension ComponentSpec {
  private static let substitutes = ["keep", "null", "default", "empty", "reject"]

  static let entityImport = ComponentSpec(
    "import", "The objects that each record creates or updates.",
    fields: [
      FieldSpec("entity", .text, required: true, "The entity.", example: "Order"),
      FieldSpec(
        "find_by", .names("field"),
        "The attributes that identify an object; required in every mode except `insert`. An attribute"
          + " listed by name only uses the column that `attributes` gives it, or the column with the same"
          + " name.",
        example: "[orderID]"),
      FieldSpec(
        "mode", .choice(["upsert", "insert", "update", "create-missing", "sync", "replace"]), default: "upsert",
        "`upsert` updates existing objects and inserts new ones; `insert` rejects records whose object"
          + " exists; `update` skips records without an object; `create-missing` skips records that have one;"
          + " `sync` is `upsert`, and afterwards deletes or marks the objects that no record names; `replace`"
          + " is `sync`, and also resets whatever a record does not fill to its default.",
        example: "insert"),
      FieldSpec(
        "sync", .component("sync"), default: "all objects that no record names are deleted",
        "Which objects the modes `sync` and `replace` delete, and how many they may.",
        example: "{ where: \"country == 'CH'\", ratio: 10% }"),
      FieldSpec(
        "duplicates", .choice(["last", "first", "reject"]), default: "last",
        "Which record counts if several have the same key.", example: "reject"),
      FieldSpec(
        "passes", .choice(["automatic", "one", "two"]), default: "automatic",
        "For relationships within the entity's own hierarchy, such as an employee's manager: with `two`"
          + " passes, all objects are created first and then related, so records may come in any order; with"
          + " `one`, a target must be in the store or in the same batch. `automatic` makes two if the mode"
          + " creates objects.", example: "one"),
      FieldSpec(
        "attributes", .names("field"), "The attributes and their columns; a list is enough if the names are the same.",
        example: "{ quantity: qty }"),
      FieldSpec(
        "relationships", .named("relationship"), "The relationships, and how their targets are found.",
        example: "{ customer: { find_by: { email: customer_email } } }"),
    ] + FieldSpec.transforms)

  static let objects = ComponentSpec(
    "objects", "Files of whole objects of one entity.",
    fields: [
      FieldSpec(
        "entity", .text, required: true,
        "The entity. It must not be abstract; objects of entities that inherit from it are listed"
          + " separately.", example: "Order"),
      FieldSpec(
        "files", .texts, required: true,
        "Paths and globs, in the order in which they are read; the files of a glob are read by name.",
        example: "Order.ndjson"),
      FieldSpec(
        "format", .choice(["csv", "tsv", "ndjson", "json", "xml", "yaml"]),
        default: "from the first file's name, then its content",
        "The format of the records (as for `source`). In CSV, an empty field is null, and an empty quoted"
          + " field is empty text.", example: "csv"),
      FieldSpec(
        "missing", .choice(["reject", "null"]), default: "reject",
        "Whether a record that refers to an object in none of the files, or one-to-one to an object that does not refer"
          + " back, is rejected, or the reference becomes null, where the relationship is optional.", example: "null"),
    ])

  static let relationshipImport = ComponentSpec(
    "relationship", "How a relationship's target is found or created.",
    fields: [
      FieldSpec(
        "entity", .text, default: "the relationship's destination",
        "The entity of the target, if it is one that inherits from the relationship's destination.", example: "Company"),
      FieldSpec(
        "find_by", .names("field"), required: true, "The attributes that identify the target (as for `import`).",
        example: "{ email: customer_email }"),
      FieldSpec(
        "mode", .choice(["upsert", "update", "create-missing"]), default: "upsert",
        "As for `import`; `create-missing` does not change the attributes of an existing target.",
        example: "create-missing"),
      FieldSpec(
        "missing", .choice(["create", "reject", "null"]), default: "create; in mode `update`: reject",
        "If the target does not exist: create it, reject the record, or set the relationship to null.",
        example: "reject"),
      FieldSpec(
        "attributes", .names("field"), "The target's other attributes and their columns.",
        example: "{ name: customer_name }"),
      FieldSpec(
        "relationships", .named("relationship"), "The target's own relationships.",
        example: "{ category: { find_by: { name: category } } }"),
    ] + FieldSpec.lists)

  static let field = ComponentSpec(
    "field", "How a column fills an attribute.", shorthand: "from",
    fields: [
      FieldSpec(
        "from", .text, default: "the attribute's name",
        "The column of a CSV file, or the dotted path of a JSON member.",
        example: "customer.email"),
      FieldSpec(
        "trim", .flag, default: "false", "Whether to remove white space around the value first.", example: "true"),
      FieldSpec(
        "null_tokens", .texts, default: "none", "Texts that mean null, compared exactly.", example: "[NULL, n/a]"),
      FieldSpec(
        "absent", .choice(substitutes), default: "keep",
        "If the record lacks the field: `keep` the value, set `null`, the model's `default` or the"
          + " `empty` text, or `reject` the record.",
        example: "reject"),
      FieldSpec(
        "null", .choice(substitutes), default: "null", "If the field is null (as for `absent`).", example: "keep"),
      FieldSpec(
        "empty", .choice(substitutes), default: "empty for String and Binary, null for other types",
        "If the field is empty (as for `absent`).", example: "null"),
      FieldSpec("absent_value", .text, "A value for records without the field, in place of `absent`.", example: "0"),
      FieldSpec("null_value", .text, "A value for nulls, in place of `null`.", example: "n/a"),
      FieldSpec("empty_value", .text, "A value for empty fields, in place of `empty`.", example: "unknown"),
      FieldSpec(
        "do", .steps("step"), default: "none", "Steps that are applied to the value, in order, before it is converted.",
        example: "[trim, upper]"),
      FieldSpec(
        "value", .expression, "An expression over columns, in place of `from`.", example: "\"uppercase:(name)\""),
      FieldSpec(
        "date", .text, default: "iso8601",
        "How dates are written: `iso8601`, `unix` (seconds since 1970), `unix_ms`, `core_data` (seconds"
          + " since 2001) or a UTS 35 pattern.",
        example: "dd.MM.yyyy HH:mm"),
      FieldSpec(
        "zone", .zone, default: "UTC", "The time zone of dates that do not give one: `UTC` or an offset.",
        example: "\"+02:00\""),
      FieldSpec(
        "encoding", .choice(["base64", "hex", "raw"]), default: "base64", "How bytes are written.", example: "hex"),
      FieldSpec(
        "decimal_mark", .character, default: "point", "The decimal mark of numbers.", example: "comma"),
      FieldSpec(
        "group_mark", .character, default: "none", "The mark between groups of digits, which is removed.",
        example: "point"),
      FieldSpec(
        "plain_numbers", .flag, default: "false",
        "Whether to reject numbers with leading zeros or a plus sign: `007` and `+49` are codes, not"
          + " numbers.",
        example: "true"),
      FieldSpec(
        "true", .texts, default: "[true, t, yes, y, 1, on]", "Texts that mean true; ASCII case is ignored.",
        example: "[ja, j]"),
      FieldSpec(
        "false", .texts, default: "[false, f, no, n, 0, off]", "Texts that mean false; ASCII case is ignored.",
        example: "[nein, n]"),
    ])

  static let fieldDefaults = ComponentSpec(
    "fields",
    "Defaults for all columns, where they fit the attribute's type; a column's own options override"
      + " them.",
    fields: field.fields.filter { !["from", "do", "value"].contains($0.name) })
}
