import MergewalkImporting

extension FieldSpec {
  /// The options of XML documents.
  static let xmlSources: [FieldSpec] = [
    FieldSpec(
      "namespaces", .pairs, default: "none: names are compared as they are written, with their prefixes",
      "Prefixes that `records`, `each` and columns have, each with the URI of the namespace it stands for; the name"
        + " `\"\"` stands for elements without a prefix.", example: "{inv: urn:example:invoices}"),
    FieldSpec(
      "mixed", .choice(["reject", "text", "markup"]), default: "reject",
      "Elements with text beside their elements: the record is rejected, or the column is all the text"
        + " inside it, or its content as XML.", example: "text"),
  ]
}
