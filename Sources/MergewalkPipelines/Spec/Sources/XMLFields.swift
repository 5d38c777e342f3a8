import MergewalkImporting

extension FieldSpec {
  /// The options of XML documents.
  static let xmlSources: [FieldSpec] = [
    FieldSpec(
      "namespaces", .pairs, default: "none: names are compared as they are written, with their prefixes",
      "The prefixes used in `records`, `each` and columns, each with the URI of its namespace; `\"\"`"
        + " is for elements without a prefix.", example: "{inv: urn:example:invoices}"),
    FieldSpec(
      "mixed", .choice(["reject", "text", "markup"]), default: "reject",
      "Elements that contain both text and elements: `reject` rejects the record, `text` takes all the"
        + " text inside, `markup` takes the content as XML.", example: "text"),
  ]
}
