import MergewalkImporting
import MergewalkRecordFormats

extension FieldSpec {
  /// The options of a source that say which files are read and how they are packed.
  static let sourceFiles: [FieldSpec] = [
    FieldSpec(
      "files", .texts, default: "needed, unless there is a `manifest`",
      "Paths, globs and folders, in the order in which they are read; the files of a glob or a folder"
        + " are read by name. `-` is standard input. A file that is found twice is read once.",
      example: "[orders-*.csv, late.csv]"),
    FieldSpec(
      "pattern", .text, default: "\"*\"", "Which files of a folder are read.", example: "\"*.csv.gz\""),
    FieldSpec(
      "recursive", .flag, default: "false", "Whether subfolders are read too.", example: "true"),
    FieldSpec(
      "empty_files", .choice(["refuse", "skip"]), default: "refuse",
      "Files, and members of archives, with nothing in them beside others: they end the run where the format expects"
        + " something, such as a header, or are skipped with a warning.", example: "skip"),
    FieldSpec(
      "manifest", .path,
      "A list of files, optionally with their digests and sizes; they are read after `files`.",
      example: "orders.sha256"),
    FieldSpec(
      "compression",
      .choice([
        "automatic", "none", "gzip", "zstd", "bzip2", "xz", "zip", "tar", "tar.gz", "tar.zst", "tar.bz2", "tar.xz",
      ]),
      default: "automatic",
      "How the files are compressed or archived; `automatic` looks at their first bytes, not at their"
        + " names.",
      example: "gzip"),
    FieldSpec(
      "member", .texts, default: "the only file of an archive",
      "The files to read from archives, by name or pattern, in the archive's order.", example: "\"*.csv\""),
    FieldSpec(
      "max_expansion", .count(least: 1), default: "1100",
      "How many times its size a compressed file may expand to; checked beyond 64 MiB.", example: "5000"),
    FieldSpec(
      "format", .choice(of: SourceFormat.self),
      default: "from the first file's name, then its content",
      "The format of the records: `tsv` is `csv` with tabs, `ndjson` has one JSON object per line,"
        + " `json` is one document with an array of objects, `json-seq` is a sequence of JSON values,"
        + " `fixed-width` has columns at fixed positions, `plist` is a property list in any form, `sqlite`"
        + " reads a table or a query, `core-data` reads the objects of an entity.", example: "csv"),
  ]
}
