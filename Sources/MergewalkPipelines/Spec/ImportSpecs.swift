import MergewalkImporting

extension ComponentSpec {
  private static let substitutes = ["keep", "null", "default", "empty", "reject"]

  /// The objects that each record makes.
  static let entityImport = ComponentSpec(
    "import", "The objects that each record makes.",
    fields: [
      FieldSpec("entity", .text, required: true, "The entity.", example: "Order"),
      FieldSpec(
        "find_by", .names("field"),
        "The attributes that identify an object, needed in every mode but `insert`. A name in a list takes the column that `attributes` gives it, or the one"
          + " of the same name.",
        example: "[orderID]"),
      FieldSpec(
        "mode", .choice(["upsert", "insert", "update", "create-missing", "sync", "replace"]), default: "upsert",
        "`upsert` updates what is there and inserts what is not; `insert` rejects records whose object is"
          + " there; `update` skips records without an object; `create-missing` skips records that have one; `sync` is"
          + " `upsert`, then objects that no record names are deleted or marked; `replace` is `sync`, and what a record"
          + " does not fill goes to its default.",
        example: "insert"),
      FieldSpec(
        "sync", .component("sync"), default: "all objects that no record names are deleted",
        "Which objects go in the modes `sync` and `replace`, and how many may.",
        example: "{ where: \"country == 'CH'\", ratio: 10% }"),
      FieldSpec(
        "duplicates", .choice(["last", "first", "reject"]), default: "last",
        "Which of several records with the same key counts.", example: "reject"),
      FieldSpec(
        "passes", .choice(["automatic", "one", "two"]), default: "automatic",
        "For relationships within the entity's own hierarchy, such as an employee's manager: in `two` passes all objects"
          + " are created first and related then, so that records may come in any order; in `one` a target must be in the"
          + " store or in the same batch. `automatic` is two when the mode creates objects.", example: "one"),
      FieldSpec(
        "attributes", .names("field"), "The attributes and their columns; a list when the names are the same.",
        example: "{ quantity: qty }"),
      FieldSpec(
        "relationships", .named("relationship"), "The relationships and how their targets are found.",
        example: "{ customer: { find_by: { email: customer_email } } }"),
    ] + FieldSpec.transforms)

  /// Files with whole objects of one entity.
  static let objects = ComponentSpec(
    "objects", "Files with whole objects of one entity.",
    fields: [
      FieldSpec(
        "entity", .text, required: true,
        "The entity, which is not abstract; its objects are not those of entities that"
          + " inherit from it.", example: "Order"),
      FieldSpec(
        "files", .texts, required: true,
        "Paths and globs in the order in which they are read, each glob's files by name.",
        example: "Order.ndjson"),
      FieldSpec(
        "format", .choice(["csv", "tsv", "ndjson", "json", "xml", "yaml"]),
        default: "from the first file's name, then its content",
        "How records are written (as for `source`). In CSV an empty field without quotes is null, one in quotes is the"
          + " empty text.", example: "csv"),
      FieldSpec(
        "missing", .choice(["reject", "null"]), default: "reject",
        "References to objects that are in no file: the record is rejected, or the reference becomes nothing"
          + " where the relationship is optional.", example: "null"),
    ])

  /// How a relationship's target is found or made.
  static let relationshipImport = ComponentSpec(
    "relationship", "How a relationship's target is found or made.",
    fields: [
      FieldSpec(
        "entity", .text, default: "the relationship's destination",
        "The entity of the target, when it inherits from the relationship's destination.", example: "Company"),
      FieldSpec(
        "find_by", .names("field"), required: true, "The attributes that identify the target (as for `import`).",
        example: "{ email: customer_email }"),
      FieldSpec(
        "mode", .choice(["upsert", "update", "create-missing"]), default: "upsert",
        "As for `import`; `create-missing` leaves the attributes of a target that is there alone.",
        example: "create-missing"),
      FieldSpec(
        "missing", .choice(["create", "reject", "null"]), default: "create; in mode `update`: reject",
        "Targets that do not exist: create them, reject the record, or set the relationship to nothing.",
        example: "reject"),
      FieldSpec(
        "attributes", .names("field"), "The target's other attributes and their columns.",
        example: "{ name: customer_name }"),
      FieldSpec(
        "relationships", .named("relationship"), "The target's own relationships.",
        example: "{ category: { find_by: { name: category } } }"),
    ] + FieldSpec.lists)

  /// How a column fills an attribute.
  static let field = ComponentSpec(
    "field", "How a column fills an attribute.", shorthand: "from",
    fields: [
      FieldSpec(
        "from", .text, default: "the attribute's name",
        "The column of a CSV file, or the dotted path of a JSON member.",
        example: "customer.email"),
      FieldSpec(
        "trim", .flag, default: "false", "Whether white space around the value is removed first.", example: "true"),
      FieldSpec(
        "null_tokens", .texts, default: "none", "Spellings that mean null, compared exactly.", example: "[NULL, n/a]"),
      FieldSpec(
        "absent", .choice(substitutes), default: "keep",
        "Records without the field: `keep` the value, set `null`, the model's `default` or the"
          + " `empty` text, or `reject` the record.",
        example: "reject"),
      FieldSpec("null", .choice(substitutes), default: "null", "Nulls (as for `absent`).", example: "keep"),
      FieldSpec(
        "empty", .choice(substitutes), default: "empty for String and Binary, null for other types",
        "Empty fields (as for `absent`).", example: "null"),
      FieldSpec("absent_value", .text, "A value for records without the field, in place of `absent`.", example: "0"),
      FieldSpec("null_value", .text, "A value for nulls, in place of `null`.", example: "n/a"),
      FieldSpec("empty_value", .text, "A value for empty fields, in place of `empty`.", example: "unknown"),
      FieldSpec(
        "do", .steps("step"), default: "none", "The steps that the values pass before they are converted, in order.",
        example: "[trim, upper]"),
      FieldSpec(
        "value", .expression, "An expression over columns, in place of `from`.", example: "\"uppercase:(name)\""),
      FieldSpec(
        "date", .text, default: "iso8601",
        "How a date is written: `iso8601`, `unix` (seconds since 1970), `unix_ms`, `core_data` (seconds since 2001) or"
          + " a pattern of UTS 35.",
        example: "dd.MM.yyyy HH:mm"),
      FieldSpec(
        "zone", .zone, default: "UTC", "The zone of dates that name none: `UTC` or an offset.", example: "\"+02:00\""),
      FieldSpec(
        "encoding", .choice(["base64", "hex", "raw"]), default: "base64", "How bytes are written.", example: "hex"),
      FieldSpec(
        "decimal_mark", .character, default: "point", "The decimal mark of numbers.", example: "comma"),
      FieldSpec(
        "group_mark", .character, default: "none", "The mark between groups of digits, which is removed.",
        example: "point"),
      FieldSpec(
        "plain_numbers", .flag, default: "false",
        "Whether numbers with zeros or a plus before their digits are rejected: `007` and `+49` are codes, not numbers.",
        example: "true"),
      FieldSpec(
        "true", .texts, default: "[true, t, yes, y, 1, on]", "Spellings of true, without regard to ASCII case.",
        example: "[ja, j]"),
      FieldSpec(
        "false", .texts, default: "[false, f, no, n, 0, off]", "Spellings of false, without regard to ASCII case.",
        example: "[nein, n]"),
    ])

  /// What holds for every column unless it says otherwise.
  static let fieldDefaults = ComponentSpec(
    "fields", "Defaults for every column that does not set them itself, as far as they fit the attribute's type.",
    fields: field.fields.filter { !["from", "do", "value"].contains($0.name) })
}
