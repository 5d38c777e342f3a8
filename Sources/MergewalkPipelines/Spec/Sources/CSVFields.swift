import MergewalkImporting

extension FieldSpec {
  /// The options of delimited text.
  static let csvSources: [FieldSpec] = [
    FieldSpec(
      "dialect", .choice(["standard", "detect"]), default: "standard",
      "Where options that are not set come from: `standard` is RFC 4180, `detect` looks at the first"
        + " 256 KiB of the first file and reports what is uncertain.", example: "detect"),
    FieldSpec(
      "delimiter", .delimiter, default: "comma",
      "The delimiter between fields: one or more characters, at most 8 bytes in UTF-8, such as `\"||\"`"
        + " or `§`.",
      example: "semicolon"),
    FieldSpec("quote", .character, default: "quote", "The character that encloses fields.", example: "apostrophe"),
    FieldSpec(
      "escape", .character, default: "none: a quote is written twice",
      "The character that makes the next one literal.", example: "backslash"),
    FieldSpec(
      "header", .flag, default: "true",
      "Whether the first line names the columns; otherwise they are called 1, 2, 3 ...",
      example: "false"),
    FieldSpec(
      "header_rows", .count(least: 1), default: "1",
      "How many lines the header has; the parts of a column's name are joined with a space.", example: "2"),
    FieldSpec(
      "columns", .texts, default: "from the header", "The names of the columns, for a file without a header.",
      example: "[id, name, price]"),
    FieldSpec(
      "skip_lines", .count(least: 0), default: "0", "How many lines to skip before the header.", example: "2"),
    FieldSpec(
      "comment", .text, default: "none", "Lines that begin with this text are skipped.", example: "\"#\""),
    FieldSpec(
      "blank_lines", .choice(["skip", "record"]), default: "skip",
      "Whether empty lines are skipped, or each is a record with one empty field.", example: "record"),
    FieldSpec(
      "trim", .flag, default: "false; of fixed-width text only those after fields",
      "Whether spaces and tabs around unquoted fields are removed; `false` keeps them all.",
      example: "true"),
    FieldSpec(
      "trim_quoted", .flag, default: "false",
      "Whether spaces and tabs at both ends of a quoted field are removed, as in `\" text \"`.",
      example: "true"),
    FieldSpec(
      "null", .texts, default: "none", "Texts that mean null, in every column.", example: "[NULL, \"\"]"),
    FieldSpec(
      "quoted_nulls", .flag, default: "false", "Whether quoted fields can mean null too.",
      example: "true"),
    FieldSpec(
      "lenient_quotes", .flag, default: "false",
      "Whether quotes inside unquoted fields, and text after a closing quote, are treated as plain"
        + " text.", example: "true"),
    FieldSpec(
      "short_records", .choice(["reject", "pad"]), default: "reject",
      "Whether records with too few fields are rejected, or the missing fields count as absent.", example: "pad"),
    FieldSpec(
      "long_records", .choice(["reject", "drop_empty", "truncate"]), default: "reject",
      "Records with too many fields: `reject` rejects them, `drop_empty` drops the extra fields if they"
        + " are empty, `truncate` drops them in any case.",
      example: "truncate"),
    FieldSpec(
      "repeated_headers", .choice(["skip", "record"]), default: "skip",
      "Whether lines that repeat the header, as in concatenated files, and lines that draw a rule below or above it"
        + " (`|---|---|`), are skipped or read as records. In a file with one column they are records.",
      example: "record"),
  ]
}
