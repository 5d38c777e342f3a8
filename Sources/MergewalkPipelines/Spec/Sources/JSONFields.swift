import MergewalkImporting
import MergewalkRecordFormats

extension FieldSpec {
  /// The options of JSON in all its forms.
  static let jsonSources: [FieldSpec] = [
    FieldSpec(
      "scalars", .choice(of: JSONScalars.self), default: "reject",
      "What a record of JSON is that is no object: it is rejected, or it is a record with the one column `value`; then"
        + " a document that is no array is one record, whatever it is.", example: "value"),
    FieldSpec(
      "duplicate_members", .choice(of: JSONDuplicates.self), default: "reject",
      "What a JSON object is that has a column's member twice: it is rejected, or the last one counts.",
      example: "last"),
  ]
}
