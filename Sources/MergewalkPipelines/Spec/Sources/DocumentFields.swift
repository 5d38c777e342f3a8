import MergewalkImporting

extension FieldSpec {
  /// The options of formats with records inside records.
  static let documentSources: [FieldSpec] = [
    FieldSpec(
      "records", .text, default: "the document itself holds them",
      "Where a document has its records: a path to an array, or to the elements of an XML document.",
      example: "$.data.items"),
    FieldSpec(
      "records_optional", .flag, default: "false",
      "Whether a document may have nothing at `records`, and has no records then; else that ends the run.",
      example: "true"),
    FieldSpec(
      "each", .text, default: "none: each record is one record",
      "The part of a record of which each element becomes a record of its own, with the columns of the whole beside"
        + " its own.", example: "lines"),
  ]
}
