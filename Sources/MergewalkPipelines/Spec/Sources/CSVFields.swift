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
      "What separates fields: a character or several, of at most 8 bytes in UTF-8, such as `\"||\"` or `§`.",
      example: "semicolon"),
    FieldSpec("quote", .character, default: "quote", "What encloses fields.", example: "apostrophe"),
    FieldSpec(
      "escape", .character, default: "none: a quote is written twice",
      "What makes the next character stand for itself.", example: "backslash"),
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
      "skip_lines", .count(least: 0), default: "0", "How many lines before the header are passed over.", example: "2"),
    FieldSpec(
      "comment", .text, default: "none", "The text at the start of lines that are passed over.", example: "\"#\""),
    FieldSpec(
      "blank_lines", .choice(["skip", "record"]), default: "skip",
      "What a line without anything is: nothing, or a record of one empty field.", example: "record"),
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
      "What a record with too few fields means: it is rejected, or the missing fields are absent.", example: "pad"),
    FieldSpec(
      "long_records", .choice(["reject", "drop_empty", "truncate"]), default: "reject",
      "What a record with too many fields means: it is rejected, or the surplus fields are dropped, only if they are empty or"
        + " whatever they hold.",
      example: "truncate"),
    FieldSpec(
      "repeated_headers", .choice(["skip", "record"]), default: "skip",
      "What a record is that is the header again, as where files were put one behind the other: nothing, or a record. In a"
        + " file of one column it is a record.", example: "record"),
  ]
}
