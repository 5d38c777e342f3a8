extension ComponentSpec {
  /// Where records come from.
  static let source = ComponentSpec(
    "source", "Where records come from and how they are written.", shorthand: "files",
    fields: [
      FieldSpec(
        "files", .texts, default: "needed, unless there is a `manifest`",
        "Paths, globs and folders in the order in which they are read, a glob's and a folder's files by name; `-` is"
          + " standard input. A file that is found twice is read once.",
        example: "[orders-*.csv, late.csv]"),
      FieldSpec(
        "pattern", .text, default: "\"*\"", "Which files of a folder are read.", example: "\"*.csv.gz\""),
      FieldSpec(
        "recursive", .flag, default: "false", "Whether folders inside folders are read too.", example: "true"),
      FieldSpec(
        "manifest", .path,
        "A list of files, perhaps with digests and sizes that they must have; they are read behind `files`.",
        example: "orders.sha256"),
      FieldSpec(
        "compression",
        .choice([
          "automatic", "none", "gzip", "zstd", "bzip2", "xz", "zip", "tar", "tar.gz", "tar.zst", "tar.bz2", "tar.xz",
        ]),
        default: "automatic",
        "How the files are packed: `automatic` looks at their first bytes, whatever their names are.",
        example: "gzip"),
      FieldSpec(
        "member", .texts, default: "the only file of an archive",
        "The files to read from archives, by name or pattern, in the archive's order.", example: "\"*.csv\""),
      FieldSpec(
        "max_expansion", .count(least: 1), default: "1100",
        "The most bytes that one byte of a packed file may become, once there are 64 MiB of them.", example: "5000"),
      FieldSpec(
        "format", .choice(["csv", "tsv", "ndjson", "json"]), default: "from the first file's name, then its content",
        "How records are written: `tsv` is `csv` with tabs, `ndjson` is one JSON object a line, `json` is one document"
          + " with an array of objects.", example: "csv"),
      FieldSpec(
        "records", .text, default: "the document itself is the array",
        "Where a JSON document has the array of records; without meaning for CSV.", example: "$.data.items"),
      FieldSpec(
        "encoding", .text, default: "automatic; utf-8 for JSON",
        "The encoding: `automatic` is UTF-16 or UTF-32 where a byte order mark says so, else UTF-8; `detect` is what the"
          + " first 64 KiB look like; any other is a name that `iconv -l` knows.", example: "iso-8859-1"),
      FieldSpec("delimiter", .character, default: "comma", "What separates fields.", example: "semicolon"),
      FieldSpec("quote", .character, default: "quote", "What encloses fields.", example: "apostrophe"),
      FieldSpec(
        "escape", .character, default: "none: a quote is written twice",
        "What makes the next character stand for itself.", example: "backslash"),
      FieldSpec(
        "header", .flag, default: "true", "Whether the first line names the columns; without it they are 1, 2, 3 ...",
        example: "false"),
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
        "trim", .flag, default: "false", "Whether spaces and tabs around fields without quotes are removed.",
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
        "long_records", .choice(["reject", "truncate"]), default: "reject",
        "What a record with too many fields means: it is rejected, or the surplus fields are dropped.",
        example: "truncate"),
      FieldSpec(
        "max_record", .bytes, default: "16MiB", "The longest record; a longer one ends the run.", example: "1MiB"),
      FieldSpec(
        "ignore", .texts, default: "none", "Columns that are meant not to be used, so that lint is silent about them.",
        example: "[internal_id]"),
    ])

  /// One file of a manifest.
  static let manifest = ComponentSpec(
    "manifest", "One file of a manifest that is a YAML or JSON list.", shorthand: "path",
    fields: [
      FieldSpec("path", .path, required: true, "The file, relative to the manifest.", example: "orders-1.csv"),
      FieldSpec(
        "sha256", .text, "The SHA-256 of the file's bytes in hexadecimal; another one ends the run.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
      FieldSpec("size", .text, "The file's size in bytes; another one ends the run.", example: "1048576"),
    ])
}
