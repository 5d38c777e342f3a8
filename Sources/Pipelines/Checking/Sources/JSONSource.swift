import RecordFormats

extension SourceBuilder {
  /// How a JSON document is read.
  func json(_ source: ComponentValue) -> JSONOptions {
    var options = JSONOptions()
    options.records = source.text("records")?.value
    options.each = source.text("each")?.value
    options.scalars = source.choice("scalars", as: JSONScalars.self) ?? .reject
    options.duplicates = source.choice("duplicate_members", as: JSONDuplicates.self) ?? .reject
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let encoding = encoding(source) { options.encoding = encoding }
    return options
  }

  /// How NDJSON is read.
  func ndjson(_ source: ComponentValue) -> NDJSONOptions {
    var options = NDJSONOptions()
    options.each = source.text("each")?.value
    options.scalars = source.choice("scalars", as: JSONScalars.self) ?? .reject
    options.duplicates = source.choice("duplicate_members", as: JSONDuplicates.self) ?? .reject
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let encoding = encoding(source) { options.encoding = encoding }
    return options
  }

  /// How a sequence of JSON values is read.
  func jsonSequence(_ source: ComponentValue) -> JSONSequenceOptions {
    var options = JSONSequenceOptions()
    options.each = source.text("each")?.value
    options.scalars = source.choice("scalars", as: JSONScalars.self) ?? .reject
    options.duplicates = source.choice("duplicate_members", as: JSONDuplicates.self) ?? .reject
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let encoding = encoding(source) { options.encoding = encoding }
    return options
  }
}
