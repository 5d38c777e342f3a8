import MergewalkXML

/// The columns that the first records have: their attributes, their elements and those elements' attributes.
struct XMLMembers {
  private(set) var paths: [String] = []
  private var known: Set<String> = []
  private let namespaces: XMLNamespaces
  private let names: XMLKnownNames

  /// The most columns that are found.
  private static let most = 10_000

  init(_ namespaces: XMLNamespaces, _ names: XMLKnownNames) {
    self.namespaces = namespaces
    self.names = names
  }

  mutating func add(record tag: XMLTag, comparesURIs: Bool) { addAttributes(tag, "", comparesURIs) }

  mutating func add(child tag: XMLTag, comparesURIs: Bool) {
    guard var name = name(tag.local, tag.prefix, tag.uri, false, comparesURIs) else { return }
    if tag.local == names.value, tag.prefix == nil, let value = tag.value(names.name, nil) {
      let text = String(decoding: value, as: UTF8.self)
      if !text.isEmpty, !OutputBytes.isXMLName(text) {
        add(JSONPaths.path(toMember: text))
        return
      }
    }
    name = JSONPaths.path(toMember: name)
    add(name)
    addAttributes(tag, name + ".", comparesURIs)
  }

  mutating func addText() { add("#text") }

  private mutating func addAttributes(_ tag: XMLTag, _ start: String, _ comparesURIs: Bool) {
    for i in 0..<tag.count {
      guard let attribute = tag.attribute(i) else { continue }
      let (local, prefix, uri) = (attribute.local, attribute.prefix, attribute.uri)
      if uri == names.schemaInstance { continue }
      guard let name = name(local, prefix, uri, true, comparesURIs) else { continue }
      add(start + "@" + JSONPaths.path(toMember: name))
    }
  }

  private mutating func add(_ path: String) {
    if known.count < Self.most, known.insert(path).inserted { paths.append(path) }
  }

  /// The name under which a path finds it; nil when its namespace has no prefix among the options.
  private func name(
    _ local: UnsafePointer<UInt8>?, _ prefix: UnsafePointer<UInt8>?, _ uri: UnsafePointer<UInt8>?,
    _ isAttribute: Bool, _ comparesURIs: Bool
  ) -> String? {
    guard let local else { return nil }
    let text = Self.string(local)
    if !comparesURIs { return prefix.map { Self.string($0) + ":" + text } ?? text }
    return namespaces.prefix(of: uri.map(Self.string), isAttribute: isAttribute).map { $0 + text }
  }

  private static func string(_ text: UnsafePointer<UInt8>) -> String {
    String(cString: text)
  }
}
