import MergewalkImporting

extension FieldSpec {
  /// The options of fixed-width text.
  static let fixedWidthSources: [FieldSpec] = [
    FieldSpec(
      "widths", .pairs,
      "The columns of fixed-width text: their widths in characters, one behind the other (`id: 5`), or the places of"
        + " their first and last character (`id: 1-5`).", example: "{id: 5, name: 20}")
  ]
}
