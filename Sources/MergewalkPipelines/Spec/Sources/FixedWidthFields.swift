import MergewalkImporting

extension FieldSpec {
  /// The options of fixed-width text.
  static let fixedWidthSources: [FieldSpec] = [
    FieldSpec(
      "widths", .pairs,
      "The columns of fixed-width text: their widths in characters, in order (`id: 5`), or the"
        + " positions of their first and last characters (`id: 1-5`).", example: "{id: 5, name: 20}")
  ]
}
