import MergewalkImporting

extension FieldSpec {
  /// The options of formats with records inside records.
  static let documentSources: [FieldSpec] = [
    FieldSpec(
      "records", .text, default: "the document itself holds them",
      "Where a document holds its records: a path to an array, or to the elements of an XML document.",
      example: "$.data.items"),
    FieldSpec(
      "records_optional", .flag, default: "false",
      "Whether a document may have nothing at `records`, and then counts as empty; otherwise the run"
        + " fails.",
      example: "true"),
    FieldSpec(
      "each", .text, default: "none: each record is one record",
      "A list inside the record. Each of its elements becomes a record of its own, with the columns of"
        + " the whole record as well as its own.", example: "lines"),
  ]
}
