import Importing

extension FieldSpec {
  /// How texts are read as numbers, dates and truth values: as for fields of attributes.
  static let readings: [FieldSpec] = ComponentSpec.field.fields.filter {
    ["trim", "null_tokens", "date", "zone", "decimal_mark", "group_mark", "true", "false"].contains($0.name)
  }

  fileprivate static let zone = FieldSpec(
    "zone", .text, default: "UTC", "The zone whose days and hours are meant: `UTC` or an offset.",
    example: "\"+02:00\"")

  fileprivate static func otherwise(_ what: String) -> [FieldSpec] {
    [
      FieldSpec(
        "otherwise", .choice(["reject", "null", "keep"]), default: "reject",
        "What a value becomes that \(what) does not have.", example: "keep"),
      FieldSpec("default", .content, "A text for values that \(what) does not have.", example: "unknown"),
    ]
  }
}

extension ComponentSpec {
  private static let kinds = ValueKind.allCases.map(\.rawValue)

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
        "type", .choice(kinds), default: "that of the last step",
        "The type that the values have in expressions and at the end.", example: "integer"),
    ] + FieldSpec.readings)

  /// One step.
  static let step = ComponentSpec(
    "step",
    "One step of a transform: a word, or a mapping of one step. [transforms.md](transforms.md) says what each takes and"
      + " gives.",
    fields: [
      FieldSpec("trim", .flag, "Removes white space at both ends.", example: "true"),
      FieldSpec("strip", .text, "Removes these characters at both ends.", example: "\"'*\""),
      FieldSpec("collapse", .flag, "Makes one blank of each run of white space.", example: "true"),
      FieldSpec("upper", .flag, "Capitals, by Unicode's rules.", example: "true"),
      FieldSpec("lower", .flag, "Small letters, by Unicode's rules.", example: "true"),
      FieldSpec("capitalise", .flag, "Each word with a capital.", example: "true"),
      FieldSpec("unaccent", .flag, "Letters without their accents.", example: "true"),
      FieldSpec(
        "replace", .component("replace"), "Puts one text in the place of another.",
        example: "{ text: \"-\", with: \"\" }"),
      FieldSpec("extract", .component("extract"), "The first match of a regular expression.", example: "\"[0-9]+\""),
      FieldSpec(
        "split", .component("split"), "One part of the text between separators.", example: "{ at: \"-\", take: 2 }"),
      FieldSpec("substring", .component("substring"), "Some of the characters.", example: "{ from: 1, length: 3 }"),
      FieldSpec("pad", .component("pad"), "Fills up to a length.", example: "{ to: 8, with: \"0\" }"),
      FieldSpec("prepend", .text, "Puts a text before the value.", example: "\"CH-\""),
      FieldSpec("append", .text, "Puts a text behind the value.", example: "\" kg\""),
      FieldSpec(
        "concat", .component("concat"), "The value and those of other columns, one after the other.",
        example: "{ columns: [city], with: \", \" }"),
      FieldSpec("length", .flag, "The number of characters.", example: "true"),
      FieldSpec("map", .component("map"), "What a table has for the value.", example: "{ values: { D: DE, A: AT } }"),
      FieldSpec(
        "lookup", .component("lookup"), "What an object of the store has that is found by the value.",
        example: "{ entity: Country, find_by: code, take: name }"),
      FieldSpec("add", .component("operand"), "The sum.", example: "1"),
      FieldSpec("subtract", .component("operand"), "The difference.", example: "1"),
      FieldSpec("multiply", .component("operand"), "The product.", example: "100"),
      FieldSpec("divide", .component("divisor"), "The quotient.", example: "{ by: 3, places: 2 }"),
      FieldSpec("modulo", .component("operand"), "The rest of a division.", example: "7"),
      FieldSpec("negate", .flag, "The number with the other sign.", example: "true"),
      FieldSpec("abs", .flag, "The number without its sign.", example: "true"),
      FieldSpec("round", .component("round"), "Rounds to decimal places.", example: "2"),
      FieldSpec("date_add", .component("span"), "Moves a date.", example: "{ days: 30 }"),
      FieldSpec("date_part", .component("date_part"), "A number that a date has.", example: "year"),
      FieldSpec(
        "start_of", .component("start_of"), "The start of the day, the month ... of a date.", example: "months"),
      FieldSpec("format", .component("format"), "Writes a date by a pattern.", example: "yyyy-MM"),
      FieldSpec("to", .choice(kinds), "Makes a value of another type.", example: "integer"),
      FieldSpec(
        "hash", .choice(TransformStep.HashFunction.allCases.map(\.rawValue)),
        "A digest in hexadecimal digits, or `stable64`, a whole number that is the same in every run.",
        example: "sha256"),
      FieldSpec(
        "coalesce", .texts, "Columns of which the first with a value counts where the value is missing or empty.",
        example: "[email, login]"),
      FieldSpec("default", .text, "A text for values that are missing or empty.", example: "unknown"),
      FieldSpec("null_if", .texts, "Texts that become nothing.", example: "[n/a, \"-\"]"),
      FieldSpec(
        "when", .components("case"), "The first case that holds says what the value becomes.",
        example: "[{ if: \"quantity > 10\", give: bulk }, { give: single }]"),
    ])

  /// The components of steps.
  static let stepComponents: [ComponentSpec] = [
    ComponentSpec(
      "replace", "Puts one text in the place of another.",
      fields: [
        FieldSpec("text", .text, "The text that is replaced, each time it occurs.", example: "\"-\""),
        FieldSpec("pattern", .text, "A regular expression (ICU), in place of `text`.", example: "\"[^0-9]\""),
        FieldSpec(
          "with", .content, default: "nothing", "What takes its place; `$1` is the first group of `pattern`.",
          example: "\"\""),
      ]),
    ComponentSpec(
      "extract", "The first match of a regular expression, or one of its groups; nothing when there is none.",
      shorthand: "pattern",
      fields: [
        FieldSpec("pattern", .text, required: true, "A regular expression (ICU).", example: "\"([0-9]+)-\""),
        FieldSpec("group", .count(least: 0), default: "0, the whole match", "The group.", example: "1"),
      ]),
    ComponentSpec(
      "split", "One part of the text between separators; nothing when there are fewer parts.",
      fields: [
        FieldSpec("at", .text, required: true, "The separator.", example: "\";\""),
        FieldSpec("take", .text, default: "1", "Which part: from 1, or from the end with -1.", example: "2"),
      ]),
    ComponentSpec(
      "substring", "Some of the characters (Unicode scalars).",
      fields: [
        FieldSpec("from", .text, default: "1", "The first of them: from 1, or from the end with -1.", example: "-4"),
        FieldSpec("length", .count(least: 0), default: "all that follow", "How many.", example: "3"),
      ]),
    ComponentSpec(
      "pad", "Fills a text up to a length.",
      fields: [
        FieldSpec("to", .count(least: 0), required: true, "The length in characters, at most 10000.", example: "8"),
        FieldSpec("with", .text, default: "a blank", "What it is filled with.", example: "\"0\""),
        FieldSpec("side", .choice(["start", "end"]), default: "start", "Where.", example: "end"),
      ]),
    ComponentSpec(
      "concat", "The value and those of other columns, one after the other; what is missing is left out.",
      shorthand: "columns",
      fields: [
        FieldSpec("columns", .texts, required: true, "The columns.", example: "[city]"),
        FieldSpec("with", .content, default: "nothing", "What stands between.", example: "\", \""),
      ]),
    ComponentSpec(
      "map", "What a table has for the value.",
      fields: [
        FieldSpec("values", .pairs, "The table itself.", example: "{ D: DE, A: AT }"),
        FieldSpec(
          "file", .path, "A CSV file with the table: the first column's value becomes the second's. It has a header.",
          example: "countries.csv"),
      ] + FieldSpec.otherwise("the table")),
    ComponentSpec(
      "lookup", "What an object of the store has that is found by the value, as the store is when the import begins.",
      fields: [
        FieldSpec("entity", .text, required: true, "The entity.", example: "Country"),
        FieldSpec("find_by", .text, required: true, "The attribute that has the value.", example: "code"),
        FieldSpec("take", .text, required: true, "The attribute that is given.", example: "name"),
      ] + FieldSpec.otherwise("no object")),
    ComponentSpec(
      "operand", "The second number of an operation.", shorthand: "number",
      fields: [
        FieldSpec("number", .text, "The number.", example: "1.5"),
        FieldSpec("column", .text, "A column of numbers, in place of `number`.", example: "rate"),
      ]),
    ComponentSpec(
      "divisor", "What is divided by.", shorthand: "by",
      fields: [
        FieldSpec("by", .text, "The number.", example: "3"),
        FieldSpec("column", .text, "A column of numbers, in place of `by`.", example: "rate"),
        FieldSpec(
          "places", .count(least: 0), default: "10",
          "The decimal places to which a decimal quotient is rounded, halves away from zero.", example: "2"),
      ]),
    ComponentSpec(
      "round", "Rounds to decimal places.", shorthand: "places",
      fields: [
        FieldSpec("places", .text, default: "0", "How many; negative ones lie before the point.", example: "2"),
        FieldSpec(
          "mode", .choice(TransformStep.Rounding.allCases.map(\.rawValue)), default: "half_up",
          "Which way: halves away from zero, halves to the even digit, down, up, toward zero.", example: "half_even"),
      ]),
    ComponentSpec(
      "span", "A span of time; numbers may be negative.",
      fields: TransformStep.DateUnit.allCases.map {
        FieldSpec($0.rawValue, .text, default: "0", "How many \($0.rawValue).", example: "1")
      } + [.zone]),
    ComponentSpec(
      "date_part", "A number that a date has.", shorthand: "part",
      fields: [
        FieldSpec(
          "part", .choice(TransformStep.DatePart.allCases.map(\.rawValue)), required: true,
          "Which; weeks and weekdays are those of ISO 8601.", example: "month"), .zone,
      ]),
    ComponentSpec(
      "start_of", "The start of the unit of time that a date is in.", shorthand: "unit",
      fields: [
        FieldSpec(
          "unit", .choice(TransformStep.DateUnit.allCases.map(\.rawValue)), required: true,
          "Which; weeks begin on Monday.", example: "months"), .zone,
      ]),
    ComponentSpec(
      "format", "Writes a date by a pattern.", shorthand: "pattern",
      fields: [
        FieldSpec("pattern", .text, required: true, "A pattern of UTS 35.", example: "dd.MM.yyyy"), .zone,
      ]),
    ComponentSpec(
      "case", "One case of `when`; one without `if` is the last and holds for the rest.",
      fields: [
        FieldSpec("if", .expression, "A condition.", example: "\"quantity > 10\""),
        FieldSpec("give", .content, "The text that the value becomes; without it and `take` nothing.", example: "bulk"),
        FieldSpec("take", .text, "The column whose value it becomes.", example: "price"),
      ]),
  ]

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
        "timeout", .text, default: "30s",
        "The longest time that a record may stay unanswered, and that the end may take.",
        example: "2m"),
      FieldSpec(
        "in_flight", .count(least: 1), default: "1000", "The most records on their way at once.", example: "100"),
      FieldSpec("line", .bytes, default: "1MiB", "The longest answer.", example: "64KiB"),
    ])

  /// A column that a program gives.
  static let given = ComponentSpec(
    "given", "A column that a program gives.", shorthand: "type",
    fields: [FieldSpec("type", .choice(kinds), default: "text", "The type of its values.", example: "decimal")])

  /// What may differ between a source and what the pipeline knows.
  static let contract = ComponentSpec(
    "contract",
    "What may differ between a source and what the pipeline knows of it: `evolve` accepts it and warns, `freeze` ends"
      + " the run, `discard` accepts it, `reject` rejects the records.",
    fields: [
      FieldSpec(
        "new", .choice(SchemaContract.Policy.allCases.map(\.rawValue)), default: "discard",
        "Columns of a header, or members of JSON objects, that nothing uses and `ignore` does not list.",
        example: "evolve"),
      FieldSpec(
        "missing", .choice(SchemaContract.Policy.allCases.map(\.rawValue)), default: "freeze",
        "Columns that a header lacks; where that is accepted, the values are absent.", example: "discard"),
      FieldSpec(
        "types", .choice(SchemaContract.Policy.allCases.map(\.rawValue)), default: "discard",
        "Values of another JSON type than the first of their member.", example: "reject"),
    ])
}
