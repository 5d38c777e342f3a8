import RecordFormats

extension SourceBuilder {
  /// How an XML document is read.
  func xml(_ source: ComponentValue) -> XMLOptions {
    var options = XMLOptions()
    options.records = source.text("records")?.value
    options.each = source.text("each")?.value
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if source.has("encoding") { options.encoding = encoding(source) }
    return options
  }
}
