import MergewalkImporting

extension FieldSpec {
  /// The options of all formats that are text.
  static let textSources: [FieldSpec] = [
    FieldSpec(
      "encoding", .text, default: "automatic",
      "The encoding: `automatic` is UTF-16 or UTF-32 if there is a byte order mark, else UTF-8;"
        + " `detect` decides by the first 64 KiB; any other value is a name that `iconv -l` lists.",
      example: "iso-8859-1"),
    FieldSpec(
      "max_record", .bytes, default: "16MiB",
      "The maximum size of a record. A longer one is rejected; in `csv` and `tsv` it ends the run, because its end is"
        + " not certain.",
      example: "1MiB"),
  ]
}
