extension ComponentSpec {
  /// Where records come from.
  static let source = ComponentSpec(
    "source", "Where records come from and how they are written.", shorthand: "files",
    fields: [
      FieldSpec(
        "files", .texts, required: true,
        "Paths and globs in the order in which they are read, each glob's files by name; `-` is standard input.",
        example: "[orders-*.csv, late.csv]"),
      FieldSpec(
        "format", .choice(["csv", "tsv", "ndjson"]), default: "from the first file's name, then its content",
        "How records are written: `tsv` is `csv` with tabs, `ndjson` is one JSON object a line.", example: "csv"),
      FieldSpec(
        "encoding", .choice(["automatic", "utf-8", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252"]),
        default: "automatic", "The encoding: `automatic` is UTF-16 where a byte order mark says so, else UTF-8.",
        example: "iso-8859-1"),
      FieldSpec("delimiter", .character, default: "comma", "What separates fields.", example: "semicolon"),
      FieldSpec("quote", .character, default: "quote", "What encloses fields.", example: "apostrophe"),
      FieldSpec(
        "escape", .character, default: "none: a quote is written twice",
        "What makes the next character stand for itself.", example: "backslash"),
      FieldSpec(
        "header", .flag, default: "true", "Whether the first line names the columns; without it they are 1, 2, 3 ...",
        example: "false"),
      FieldSpec(
        "skip_lines", .count(least: 0), default: "0", "How many lines before the header are passed over.", example: "2"),
      FieldSpec("comment", .character, default: "none", "What starts a line that is passed over.", example: "\"#\""),
      FieldSpec("trim", .flag, default: "false", "Whether white space around fields is removed.", example: "true"),
      FieldSpec(
        "null", .texts, default: "none", "Spellings that mean null in every column when they are not quoted.",
        example: "NULL"),
      FieldSpec(
        "lenient_quotes", .flag, default: "false", "Whether a quote inside a field that is not quoted is just a quote.",
        example: "true"),
      FieldSpec(
        "ragged", .choice(["reject", "allow"]), default: "reject",
        "What a record with too few or too many fields means: it is rejected, or missing fields are absent and extra"
          + " ones are passed over.",
        example: "allow"),
      FieldSpec(
        "ignore", .texts, default: "none", "Columns that are meant not to be used, so that lint is silent about them.",
        example: "[internal_id]"),
    ])
}
