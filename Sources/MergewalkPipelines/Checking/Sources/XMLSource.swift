import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How an XML document is read.
  func xml(_ source: ComponentValue) -> XMLOptions {
    var options = XMLOptions()
    options.records = source.text("records")?.value
    options.recordsMayBeMissing = source.flag("records_optional") ?? false
    options.each = source.text("each")?.value
    options.mixed = source.choice(orDefault: "mixed", as: XMLOptions.MixedContent.self)
    for (prefix, uri) in source.pairs("namespaces") ?? [] { options.namespaces[prefix.value] = uri.value }
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if source.has("encoding") { options.encoding = encoding(source) }
    let prefixes = options.namespaces.isEmpty ? "" : ", with the prefixes of “namespaces”"
    if let records = source.text("records"), !options.hasRecordsPath {
      findings.add(
        .invalidOption, at: records.position, "“\(records.value)” is not a path of elements from the document's root",
        hint: "for example /orders/order, /*/order or //order\(prefixes)")
    }
    if let each = source.text("each"), !options.hasEachPath {
      findings.add(
        .invalidOption, at: each.position, "“\(each.value)” is not a path of elements inside a record",
        hint: "for example lines.line\(prefixes)")
    }
    return options
  }
}
