import MergewalkImporting

extension FieldSpec {
  /// The options of delimited text.
  static let csvSources: [FieldSpec] = [
    FieldSpec(
      "dialect", .choice(["standard", "detect"]), default: "standard",
      "Where options that are not given come from: RFC 4180, or the first 256 KiB of the first file; what is not certain"
        + " then is a finding.", example: "detect"),
    FieldSpec(
      "delimiter", .delimiter, default: "comma",
      "The delimiter between fields: a character or several, of at most 8 bytes in UTF-8, such as `\"||\"` or `§`.",
      example: "semicolon"),
    FieldSpec("quote", .character, default: "quote", "The character that encloses fields.", example: "apostrophe"),
    FieldSpec(
      "escape", .character, default: "none: a quote is written twice",
      "The character that makes the next one stand for itself.", example: "backslash"),
    FieldSpec(
      "header", .flag, default: "true", "Whether the first line names the columns; without it they are 1, 2, 3 ...",
      example: "false"),
    FieldSpec(
      "header_rows", .count(least: 1), default: "1",
      "How many records name the columns; the names of a column are joined with a space.", example: "2"),
    FieldSpec(
      "columns", .texts, default: "from the header", "The names of the columns of a file without a header.",
      example: "[id, name, price]"),
    FieldSpec(
      "skip_lines", .count(least: 0), default: "0", "How many lines before the header are skipped.", example: "2"),
    FieldSpec(
      "comment", .text, default: "none", "The text at the start of lines that are skipped.", example: "\"#\""),
    FieldSpec(
      "blank_lines", .choice(["skip", "record"]), default: "skip",
      "Empty lines: they are skipped, or each is a record of one empty field.", example: "record"),
    FieldSpec(
      "trim", .flag, default: "false; of fixed-width text only those behind fields",
      "Whether spaces and tabs around fields without quotes are removed; `false` keeps all.",
      example: "true"),
    FieldSpec(
      "trim_quoted", .flag, default: "false",
      "Whether spaces and tabs inside quotes, at both ends of a field, are removed, as in `\" text \"`.",
      example: "true"),
    FieldSpec(
      "null", .texts, default: "none", "Spellings that mean null in every column.", example: "[NULL, \"\"]"),
    FieldSpec(
      "quoted_nulls", .flag, default: "false", "Whether fields in quotes can be spellings of null too.",
      example: "true"),
    FieldSpec(
      "lenient_quotes", .flag, default: "false",
      "Whether quotes inside fields without quotes, and text behind a closing quote, are just text.", example: "true"),
    FieldSpec(
      "short_records", .choice(["reject", "pad"]), default: "reject",
      "Records with too few fields: they are rejected, or the missing fields are absent.", example: "pad"),
    FieldSpec(
      "long_records", .choice(["reject", "drop_empty", "truncate"]), default: "reject",
      "Records with too many fields: they are rejected, or the surplus fields are dropped, only if they are empty or"
        + " whatever they hold.",
      example: "truncate"),
    FieldSpec(
      "repeated_headers", .choice(["skip", "record"]), default: "skip",
      "Records that repeat the header, as in files put one behind the other, and lines that draw a rule below or above it"
        + " (`|---|---|`): they are skipped, or read as records. In a file of one column it is a record.",
      example: "record"),
  ]
}
