import MergewalkBytes

/// How a record is read that stands alone, taken out of its file: the raw text of a rejects file.
struct LoneRecordFormat {
  private let format: RecordFormat
  let columns: ColumnRequest
  private let wrap: Wrap

  private enum Wrap {
    case nothing
    /// A record separator before it, so that what is damaged is a reject.
    case jsonSequence
    case yaml
    case xml(XMLWrapper)
    case propertyList(PropertyListOptions)
  }

  /// Whether the record can be read only when the names of its file's columns are known.
  static func needsHeader(_ format: RecordFormat) -> Bool {
    guard case .csv(let options) = format else { return false }
    if case .names = options.header { return false }
    return true
  }

  /// The names of all columns that a record has; nil where each record says its own.
  static func names(of format: RecordFormat, header: [String]) -> [String]? {
    switch format {
    case .csv(let options): if case .names(let names) = options.header { names } else { header }
    case .fixedWidth(let options): options.columns.map(\.name)
    default: nil
    }
  }

  /// The format of records that were read in another.
  ///
  /// - Parameters:
  ///   - source: the format of the file.
  ///   - header: the names of the file's columns, where ``needsHeader(_:)`` says so.
  init(of source: RecordFormat, columns names: [String], header: [String]) {
    var request = names
    switch source {
    case .csv(var options):
      if Self.needsHeader(source) { options.header = .names(header) }
      options.headerRows = 1
      options.table = nil
      options.skippedLines = 0
      // Whoever replays a record says that it is one.
      if options.caution?.doubtsComments == true { options.comment = nil }
      options.caution = options.caution.flatMap { $0.doubtsEscapes ? $0.onlyEscapes : nil }
      options.encoding = .utf8
      format = .csv(options)
      wrap = .nothing
    case .fixedWidth(var options):
      options.skippedLines = 0
      options.encoding = .utf8
      format = .fixedWidth(options)
      wrap = .nothing
    case .ndjson(let options):
      format = Self.sequence(
        each: options.each, most: options.maxRecordBytes, scalars: options.scalars, duplicates: options.duplicates)
      wrap = .jsonSequence
    case .json(let options):
      format = Self.sequence(
        each: options.each, most: options.maxRecordBytes, scalars: options.scalars, duplicates: options.duplicates)
      wrap = .jsonSequence
    case .jsonSequence(let options):
      format = Self.sequence(
        each: options.each, most: options.maxRecordBytes, scalars: options.scalars, duplicates: options.duplicates)
      wrap = .jsonSequence
    case .propertyList(let options):
      format = Self.sequence(each: options.each, most: options.maxRecordBytes, scalars: .reject, duplicates: .reject)
      var options = options
      options.records = nil
      options.encoding = .utf8
      wrap = .propertyList(options)
    case .custom:
      // The names of a table's columns may hold dots, which are no ways into objects there.
      request = names.map { JSONPaths.path(toMember: $0) }
      format = Self.sequence(each: nil, most: 1 << 29, scalars: .reject, duplicates: .reject)
      wrap = .jsonSequence
    case .yaml(var options):
      options.records = nil
      options.encoding = .utf8
      format = .yaml(options)
      wrap = .yaml
    case .xml(var options):
      options.encoding = .utf8
      format = .xml(options)
      wrap = .xml(XMLWrapper(options, columns: names))
    }
    columns = .named(request)
  }

  private static func sequence(
    each: String?, most: Int, scalars: JSONScalars, duplicates: JSONDuplicates
  ) -> RecordFormat {
    var options = JSONSequenceOptions()
    options.each = each
    options.maxRecordBytes = most
    options.scalars = scalars
    options.duplicates = duplicates
    return .jsonSequence(options)
  }

  /// The text that has the record alone, and the format that reads it.
  ///
  /// - Parameters:
  ///   - indent: the spaces that stood before its first line.
  ///   - namespaces: the declarations of namespaces that were in force around it.
  func reading(
    _ raw: [UInt8], indent: Int, namespaces: String = ""
  ) -> (text: [UInt8], format: RecordFormat) {
    switch wrap {
    case .nothing: (raw, format)
    case .jsonSequence: ([0x1E] + raw + [10], format)
    case .yaml: ([UInt8](repeating: 32, count: indent) + raw + [10], format)
    case .xml(let wrapper): (wrapper.wrap(raw, XMLScope(namespaces).items), format)
    case .propertyList(let options):
      switch PropertyListForm(record: raw) {
      case .binary: ([0x1E] + raw + [10], format)
      case .xml: (Array("<plist>".utf8) + raw + Array("</plist>".utf8), .propertyList(options))
      case .text: (raw, .propertyList(options))
      }
    }
  }
}

/// Puts the elements around an XML record that the path of the records asks for, with the namespaces that its text uses
/// and does not declare.
struct XMLWrapper {
  private let steps: [XMLName?]
  private let namespaces: XMLNamespaces
  private let uris: [String: String]
  /// The names of elements and attributes that are requested, without prefixes.
  private var wanted: Set<String> = []

  init(_ options: XMLOptions, columns: [String] = []) {
    namespaces = XMLNamespaces(options.namespaces)
    uris = options.namespaces
    var path = XMLRecordsPath()
    if let text = options.records, let records = XMLRecordsPath(text, namespaces) { path = records }
    // At any depth: below some root.
    steps = path.isAnywhere ? [nil] + path.steps : path.steps
    for path in columns + [options.each ?? "", options.records ?? ""] {
      for step in path.split(whereSeparator: { ".@/".contains($0) }) {
        wanted.insert(String(step.split(separator: ":").last ?? step))
      }
    }
  }

  /// How deep the record's element is in the document.
  var depth: Int { steps.count }

  /// The document with the record.
  ///
  /// - Parameter known: what was declared around the record in its own document.
  func wrap(_ raw: [UInt8], _ known: [XMLScope.Item] = []) -> [UInt8] {
    var head = ""
    var tail = ""
    let around = steps.dropLast()
    for (index, step) in around.enumerated() {
      var name = "r"
      var declarations = ""
      var declared: String?
      if let step {
        let local = String(decoding: step.local, as: UTF8.self)
        if let space = step.space {
          let text = String(decoding: space, as: UTF8.self)
          let prefix = namespaces.comparesURIs ? "wrap\(index)" : text
          let uri = namespaces.comparesURIs ? text : "urn:prefix:\(text)"
          name = "\(prefix):\(local)"
          declared = prefix
          declarations = " xmlns:\(prefix)=\"\(uri.xml(.quote))\""
        } else {
          name = local
        }
      }
      if index == around.count - 1 { declarations += self.declarations(raw, known, except: declared) }
      head += "<\(name)\(declarations)>"
      tail = "</\(name)>" + tail
    }
    return Array(head.utf8) + raw + Array(tail.utf8)
  }

  /// The namespaces that a record's text needs from outside, but for one that is declared already.
  private func declarations(_ raw: [UInt8], _ known: [XMLScope.Item], except declared: String?) -> String {
    var items: [XMLScope.Item] = []
    // The lines of rejects may have been edited: one for each prefix.
    for item in known where item.prefix != declared && !items.contains(where: { $0.prefix == item.prefix }) {
      items.append(item)
    }
    let prefixes = Set(items.map(\.prefix))
    var result = items.isEmpty ? "" : " " + XMLScope.text(items)
    let rest = raw.drop { $0 <= 32 }
    let name = rest.dropFirst().prefix { $0 > 32 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    // Where the document's own default namespace is not known, that of the records' path is what they were found by.
    let hasDefault = prefixes.contains("") || name.contains(UInt8(ascii: ":"))
    if namespaces.comparesURIs, !hasDefault, let space = steps.last??.space {
      result += " xmlns=\"\(String(decoding: space, as: UTF8.self).xml(.quote))\""
    }
    for (prefix, locals) in Self.prefixes(raw) where prefix != declared && !prefixes.contains(prefix) {
      var uri = uris[prefix] ?? (prefix == "xsi" ? XMLNamespaces.schemaInstance : nil)
      if uri == nil {
        // It could be a column's namespace by the document's name for it: what is not declared is refused.
        if namespaces.comparesURIs, !locals.isDisjoint(with: wanted) { continue }
        uri = "urn:prefix:\(prefix)"
      }
      if let uri { result += " xmlns:\(prefix)=\"\(uri.xml(.quote))\"" }
    }
    return result
  }

  /// The text before colons in the names of elements and attributes, and the names behind them; too many do no harm.
  private static func prefixes(_ raw: [UInt8]) -> [(prefix: String, locals: Set<String>)] {
    var found: [(prefix: String, locals: Set<String>)] = []
    var start = 0
    for (index, byte) in raw.enumerated() {
      if isNameByte(byte) { continue }
      defer { start = index + 1 }
      guard byte == UInt8(ascii: ":"), index > start, start > 0, !isInnerMark(raw[start]), found.count < 1_000 else {
        continue
      }
      let before = raw[start - 1]
      guard before == UInt8(ascii: "<") || before == UInt8(ascii: "/") || before <= 32 else { continue }
      let prefix = String(decoding: raw[start..<index], as: UTF8.self)
      if prefix.lowercased().hasPrefix("xml") { continue }
      let local = String(decoding: raw[(index + 1)...].prefix(while: isNameByte), as: UTF8.self)
      if let known = found.firstIndex(where: { $0.prefix == prefix }) {
        found[known].locals.insert(local)
      } else {
        found.append((prefix, [local]))
      }
    }
    return found
  }

  /// Whether a byte may stand in a name, but not at its start.
  private static func isInnerMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte.isDigit
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_") || isInnerMark(byte) || byte >= 0x80
  }
}
