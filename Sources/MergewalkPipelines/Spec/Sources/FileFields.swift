import MergewalkImporting
import MergewalkRecordFormats

extension FieldSpec {
  /// The options of a source that say which files are read and how they are packed.
  static let sourceFiles: [FieldSpec] = [
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
      "empty_files", .choice(["refuse", "skip"]), default: "refuse",
      "Files with nothing in them beside others: they end the run where the format expects something, such as a header,"
        + " or are skipped with a warning.", example: "skip"),
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
      "format", .choice(of: SourceFormat.self),
      default: "from the first file's name, then its content",
      "How records are written: `tsv` is `csv` with tabs, `ndjson` is one JSON object a line, `json` is one document"
        + " with an array of objects, `json-seq` is JSON values one behind the other, `fixed-width` has columns at"
        + " fixed places, `plist` is a property list of any form, `sqlite` is a table or a query, `core-data` is the"
        + " objects of an entity.", example: "csv"),
  ]
}
