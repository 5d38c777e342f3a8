import MergewalkImporting

extension FieldSpec {
  /// The options of all formats that are text.
  static let textSources: [FieldSpec] = [
    FieldSpec(
      "encoding", .text, default: "automatic",
      "The encoding: `automatic` is UTF-16 or UTF-32 where a byte order mark says so, else UTF-8; `detect` is what the"
        + " first 64 KiB look like; any other is a name that `iconv -l` knows.", example: "iso-8859-1"),
    FieldSpec(
      "max_record", .bytes, default: "16MiB", "The longest record; a longer one ends the run.", example: "1MiB"),
  ]
}
