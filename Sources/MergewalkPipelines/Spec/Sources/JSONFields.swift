import MergewalkImporting
import MergewalkRecordFormats

extension FieldSpec {
  /// The options of JSON in all its forms.
  static let jsonSources: [FieldSpec] = [
    FieldSpec(
      "scalars", .choice(of: JSONScalars.self), default: "reject",
      "Whether records that are not JSON objects are rejected, or have a single column called `value`."
        + " With `value`, a document that is not an array is one record.", example: "value"),
    FieldSpec(
      "duplicate_members", .choice(of: JSONDuplicates.self), default: "reject",
      "Whether JSON objects in which a column's member occurs twice are rejected, or the last one"
        + " counts.",
      example: "last"),
  ]
}
