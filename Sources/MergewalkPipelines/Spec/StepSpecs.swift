import MergewalkImporting

extension FieldSpec {
  /// How texts are read as numbers, dates and truth values: as for fields of attributes.
  static let readings: [FieldSpec] = ComponentSpec.field.fields.filter {
    ["trim", "null_tokens", "date", "zone", "decimal_mark", "group_mark", "true", "false"].contains($0.name)
  }
}

extension ComponentSpec {
  static let step = ComponentSpec(
    "step",
    "One step of a transform: a word, or a mapping with one entry. [transforms.md](transforms.md)"
      + " describes what each takes and returns.", fields: StepSpec.all.map(\.field))

  /// The components of steps, each once.
  static let stepComponents: [ComponentSpec] = StepSpec.all.compactMap(\.component).reduce(into: []) {
    list, component in
    if !list.contains(component) { list.append(component) }
  }

  static let column = ComponentSpec(
    "column", "A column computed from others, or a column of the source with a type.", shorthand: "from",
    fields: [
      FieldSpec(
        "from", .text, default: "the column's own name", "The column from which the values are taken.", example: "price"
      ),
      FieldSpec(
        "value", .expression, "An expression over columns, in place of `from`.", example: "\"quantity * price\""),
      FieldSpec("do", .steps("step"), default: "none", "The steps, in order.", example: "[trim, upper]"),
      FieldSpec(
        "type", .choice(of: ValueKind.self), default: "that of the last step",
        "The type of the values, in expressions and as the result.", example: "integer"),
    ] + FieldSpec.readings)

  static let process = ComponentSpec(
    "process",
    "A program that receives each record as a line of JSON and answers with a line; see"
      + " [transforms.md](transforms.md).", shorthand: "command",
    fields: [
      FieldSpec(
        "command", .texts, required: true, "The program and its arguments; it is started without a shell.",
        example: "[python3, enrich.py]"),
      FieldSpec(
        "folder", .path, default: "the pipeline's folder", "The folder in which it starts.", example: "scripts"),
      FieldSpec(
        "columns", .texts, default: "all that the import names", "The columns that it receives and may replace.",
        example: "[name, country]"),
      FieldSpec("gives", .names("given"), default: "none", "Further columns that it returns.", example: "[score]"),
      FieldSpec(
        "timeout", .duration, default: "30s",
        "How long an answer may take, and how long the program may take to end.",
        example: "2m"),
      FieldSpec(
        "in_flight", .count(least: 1), default: "1000",
        "The maximum number of records that wait for an answer at once.", example: "100"),
      FieldSpec("line", .bytes, default: "1MiB", "The maximum size of an answer.", example: "64KiB"),
    ])

  static let given = ComponentSpec(
    "given", "A column that a program returns.", shorthand: "type",
    fields: [
      FieldSpec("type", .choice(of: ValueKind.self), default: "text", "The type of its values.", example: "decimal")
    ])

  static let contract = ComponentSpec(
    "contract",
    "How a source may differ from the known schema: `evolve` accepts a difference and warns, `freeze`"
      + " ends the run, `discard` accepts it silently, `reject` rejects the records.",
    fields: [
      FieldSpec(
        "new", .choice(of: SchemaContract.Policy.self), default: "discard",
        "Columns of a header, or members of JSON objects, that are not used and not listed under"
          + " `ignore`.",
        example: "evolve"),
      FieldSpec(
        "missing", .choice(of: SchemaContract.Policy.self), default: "freeze",
        "Columns that a header lacks; if that is accepted, their values are absent.", example: "discard"),
      FieldSpec(
        "types", .choice(of: SchemaContract.Policy.self), default: "discard",
        "Values whose JSON type differs from the first value of the same member.", example: "reject"),
    ])
}
