/// The name of an element or an attribute as it is looked for.
struct XMLName: Hashable {
  /// The name behind the prefix.
  var local: [UInt8]
  /// The prefix as it is written, or where namespaces were given the namespace's URI; nil for none.
  var space: [UInt8]?
}

/// Makes names of what paths say, with the namespaces that the options give.
struct XMLNamespaces {
  private let uris: [String: String]

  init(_ uris: [String: String]) { self.uris = uris }

  /// Whether names are compared by the URI of their namespace instead of the prefix.
  var comparesURIs: Bool { !uris.isEmpty }

  /// The name that a path has; nil when it has no local part or its prefix stands for no namespace.
  func name(_ text: [UInt8], isAttribute: Bool) -> XMLName? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      if text.isEmpty { return nil }
      // The default namespace is not that of attributes.
      let uri = isAttribute ? nil : uris[""].map { Array($0.utf8) }
      return XMLName(local: text, space: uri)
    }
    let local = Array(text[(colon + 1)...])
    let prefix = Array(text[..<colon])
    if local.isEmpty || prefix.isEmpty { return nil }
    if !comparesURIs { return XMLName(local: local, space: prefix) }
    guard let uri = uri(of: String(decoding: prefix, as: UTF8.self)) else { return nil }
    return XMLName(local: local, space: Array(uri.utf8))
  }

  /// The prefix, with its colon, under which paths can name something in a namespace; nil when there is none.
  func prefix(of uri: String?, isAttribute: Bool) -> String? {
    guard let uri else { return uris[""] == nil || isAttribute ? "" : nil }
    if uri == Self.xml { return "xml:" }
    if !isAttribute, uris[""] == uri { return "" }
    return uris.filter { $0.value == uri && !$0.key.isEmpty }.keys.min().map { $0 + ":" }
  }

  private func uri(of prefix: String) -> String? { uris[prefix] ?? (prefix == "xml" ? Self.xml : nil) }

  /// The namespace of `xml:lang` and its like.
  private static let xml = "http://www.w3.org/XML/1998/namespace"
  /// The namespace of `xsi:nil`.
  static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"
}
