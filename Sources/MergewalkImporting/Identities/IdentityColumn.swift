package import MergewalkRecordFormats

/// How files of whole objects call their fields.
package enum IdentityColumn {
  /// The column of a field: its name, in XML with hyphens for the colons, which would be prefixes of namespaces there.
  ///
  /// No property has a hyphen in its name.
  package static func name(ofField name: String, isXML: Bool) -> String {
    isXML ? String(name.map { $0 == ":" ? "-" : $0 }) : name
  }

  /// The column of a field in files of a format, as its reader takes it.
  ///
  /// Exports write the element of a composite attribute under its whole name, so the dot in it leads nowhere.
  package static func name(ofField name: String, in format: RecordFormat) -> String {
    if case .xml = format { return format.column(ofMember: Self.name(ofField: name, isXML: true)) }
    return format.column(ofMember: name)
  }
}
