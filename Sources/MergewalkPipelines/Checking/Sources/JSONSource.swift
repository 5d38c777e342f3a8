import MergewalkImporting
import MergewalkRecordFormats

/// The options that all readers of JSON share.
private protocol JSONRecordOptions {
  var each: String? { get set }
  var scalars: JSONScalars { get set }
  var duplicates: JSONDuplicates { get set }
  var maxRecordBytes: Int { get set }
  var encoding: TextEncoding { get set }
}

extension JSONOptions: JSONRecordOptions {}
extension NDJSONOptions: JSONRecordOptions {}
extension JSONSequenceOptions: JSONRecordOptions {}

extension SourceBuilder {
  /// How a JSON document is read.
  func json(_ source: ComponentValue) -> JSONOptions {
    var options = JSONOptions()
    options.records = source.text("records")?.value
    options.recordsMayBeMissing = source.flag("records_optional") ?? false
    fill(&options, source)
    return options
  }

  /// How NDJSON is read.
  func ndjson(_ source: ComponentValue) -> NDJSONOptions {
    var options = NDJSONOptions()
    fill(&options, source)
    return options
  }

  /// How a sequence of JSON values is read.
  func jsonSequence(_ source: ComponentValue) -> JSONSequenceOptions {
    var options = JSONSequenceOptions()
    fill(&options, source)
    return options
  }

  private func fill(_ options: inout some JSONRecordOptions, _ source: ComponentValue) {
    options.each = source.text("each")?.value
    options.scalars = source.choice(orDefault: "scalars", as: JSONScalars.self)
    options.duplicates = source.choice(orDefault: "duplicate_members", as: JSONDuplicates.self)
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let encoding = encoding(source) { options.encoding = encoding }
  }
}
