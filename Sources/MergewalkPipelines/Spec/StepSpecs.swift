import MergewalkImporting

extension FieldSpec {
  /// How texts are read as numbers, dates and truth values: as for fields of attributes.
  static let readings: [FieldSpec] = ComponentSpec.field.fields.filter {
    ["trim", "null_tokens", "date", "zone", "decimal_mark", "group_mark", "true", "false"].contains($0.name)
  }
}

extension ComponentSpec {
  /// One step; the steps themselves say what each is told.
  static let step = ComponentSpec(
    "step",
    "One step of a transform: a word, or a mapping of one step. [transforms.md](transforms.md) says what each takes and"
      + " gives.", fields: StepSpec.all.map(\.field))

  /// The components of steps, each once.
  static let stepComponents: [ComponentSpec] = StepSpec.all.compactMap(\.component).reduce(into: []) {
    list, component in
    if !list.contains(component) { list.append(component) }
  }

  /// A column that is made from others, or a source's column with a type.
  static let column = ComponentSpec(
    "column", "A column that is made from others, or a column of the source with a type.", shorthand: "from",
    fields: [
      FieldSpec(
        "from", .text, default: "the column's own name", "The column that the values are taken from.", example: "price"),
      FieldSpec(
        "value", .expression, "An expression over columns, in place of `from`.", example: "\"quantity * price\""),
      FieldSpec("do", .steps("step"), default: "none", "The steps, in order.", example: "[trim, upper]"),
      FieldSpec(
        "type", .choice(of: ValueKind.self), default: "that of the last step",
        "The type that the values have in expressions and at the end.", example: "integer"),
    ] + FieldSpec.readings)

  /// A program that answers every record.
  static let process = ComponentSpec(
    "process",
    "A program that is given each record as a line of JSON and answers with a line. [transforms.md](transforms.md) has"
      + " the rules.", shorthand: "command",
    fields: [
      FieldSpec(
        "command", .texts, required: true, "The program and its arguments; no shell reads them.",
        example: "[python3, enrich.py]"),
      FieldSpec("folder", .path, default: "the pipeline's folder", "The folder that it starts in.", example: "scripts"),
      FieldSpec(
        "columns", .texts, default: "all that the import names", "The columns that it is given and may replace.",
        example: "[name, country]"),
      FieldSpec("gives", .names("given"), default: "none", "Further columns that it gives.", example: "[score]"),
      FieldSpec(
        "timeout", .duration, default: "30s",
        "The longest time that a record may stay unanswered, and that the end may take.",
        example: "2m"),
      FieldSpec(
        "in_flight", .count(least: 1), default: "1000", "The most records on their way at once.", example: "100"),
      FieldSpec("line", .bytes, default: "1MiB", "The longest answer.", example: "64KiB"),
    ])

  /// A column that a program gives.
  static let given = ComponentSpec(
    "given", "A column that a program gives.", shorthand: "type",
    fields: [
      FieldSpec("type", .choice(of: ValueKind.self), default: "text", "The type of its values.", example: "decimal")
    ])

  /// What may differ between a source and what the pipeline knows.
  static let contract = ComponentSpec(
    "contract",
    "The differences from the known schema that a source may have: `evolve` accepts it and warns, `freeze` ends"
      + " the run, `discard` accepts it, `reject` rejects the records.",
    fields: [
      FieldSpec(
        "new", .choice(of: SchemaContract.Policy.self), default: "discard",
        "Columns of a header, or members of JSON objects, that nothing uses and `ignore` does not list.",
        example: "evolve"),
      FieldSpec(
        "missing", .choice(of: SchemaContract.Policy.self), default: "freeze",
        "Columns that a header lacks; where that is accepted, the values are absent.", example: "discard"),
      FieldSpec(
        "types", .choice(of: SchemaContract.Policy.self), default: "discard",
        "Values of another JSON type than the first of their member.", example: "reject"),
    ])
}
