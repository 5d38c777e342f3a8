import MergewalkImporting
import MergewalkRecordFormats

extension FieldSpec {
  /// The options of JSON in all its forms.
  static let jsonSources: [FieldSpec] = [
    FieldSpec(
      "scalars", .choice(of: JSONScalars.self), default: "reject",
      "Records that are not JSON objects: they are rejected, or they have the one column `value`; then"
        + " a document that is not an array is one record, whatever it is.", example: "value"),
    FieldSpec(
      "duplicate_members", .choice(of: JSONDuplicates.self), default: "reject",
      "JSON objects that have a column's member twice: they are rejected, or the last one counts.",
      example: "last"),
  ]
}
