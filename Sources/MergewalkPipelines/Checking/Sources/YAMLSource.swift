import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How a YAML stream is read.
  func yaml(_ source: ComponentValue) -> YAMLOptions {
    var options = YAMLOptions()
    options.records = source.text("records")?.value
    options.recordsMayBeMissing = source.flag("records_optional") ?? false
    options.each = source.text("each")?.value
    options.takesScalars = source.choice("scalars", as: JSONScalars.self) == .value
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let encoding = encoding(source) { options.encoding = encoding }
    return options
  }
}
