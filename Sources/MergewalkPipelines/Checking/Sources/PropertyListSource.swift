import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How a property list is read.
  func propertyList(_ source: ComponentValue) -> PropertyListOptions {
    var options = PropertyListOptions()
    options.records = source.text("records")?.value
    options.recordsMayBeMissing = source.flag("records_optional") ?? false
    options.each = source.text("each")?.value
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if source.has("encoding") { options.encoding = encoding(source) }
    return options
  }
}
