import MergewalkBytes
import MergewalkObjectModel
import MergewalkPropertyLists

/// The XML store: a file in the look of Core Data's XML stores, read and written as a whole.
final class XMLStore: AtomicStore {
  func save(_ contents: StoreContents, to path: String) throws(StoreError) {
    try AtomicFile.replace(path) { file throws(StoreError) in try XMLStoreWriter.write(contents, to: file) }
  }

  func load(from path: String, into filler: StoreFiller) throws(StoreError) {
    let handler = XMLStoreHandler(path, filler)
    try handler.read()
    guard handler.metadata != nil else { throw handler.damaged("there is no databaseInfo") }
  }

  func readMetadata(from path: String) throws(StoreError) -> StoreMetadata {
    let handler = XMLStoreHandler(path, nil)
    try handler.read()
    guard let metadata = handler.metadata else { throw handler.damaged("there is no databaseInfo") }
    return metadata
  }

  func writeMetadata(_ metadata: StoreMetadata, to path: String) throws(StoreError) {
    _ = try readMetadata(from: path)
    guard let size = FileSystem.size(path), let bytes = FileSystem.head(path, count: size),
      // No text can contain these, as `<` is spelt otherwise there.
      let start = bytes.firstRange(of: Array("<metadata>".utf8)),
      let end = bytes.firstRange(of: Array("</metadata>".utf8)), start.upperBound <= end.lowerBound
    else { throw StoreError(.damagedFile, path: path, message: "the file has no element “metadata”") }
    try AtomicFile.replace(path) { file throws(StoreError) in
      try file.write(bytes[..<start.upperBound])
      try file.write("\n")
      try XMLPropertyList.write(.dictionary(metadata.entries), indent: 12, to: file)
      try file.write("        ")
      try file.write(bytes[end.lowerBound...])
    }
  }
}

/// Understands the elements of an XML store one after the other.
///
/// Without a filler it stops behind the metadata.
final class XMLStoreHandler {
  let path: String
  private let filler: StoreFiller?
  private let names: XMLStoreNames?
  private var properties: [XMLStoreNames.Properties?]

  /// The metadata, when they were read.
  private(set) var metadata: StoreMetadata?
  private var uuid = ""
  private var nextObjectID: Int64?
  private var list = XMLPropertyListBuilder()
  private var sequences: [(root: EntityDescription, last: Int64)] = []

  /// The open elements.
  private var open: [String] = []
  /// The text of the innermost element that has one.
  private var content: [UInt8] = []
  private var isBase64 = false
  private var entity: EntityDescription?
  private var attribute: AttributeDescription?

  /// The longest text of one value, in bytes: what SQLite takes.
  private static let longestText = 1_000_000_000

  init(_ path: String, _ filler: StoreFiller?) {
    self.path = path
    self.filler = filler
    names = filler.map { XMLStoreNames($0.model) }
    properties = Array(repeating: nil, count: filler?.model.entities.count ?? 0)
  }

  func damaged(_ message: String) -> StoreError { StoreError(.damagedFile, path: path, message: message) }

  // MARK: - Events

  func start(_ name: String, _ attributes: [(name: String, value: String)]) throws(StoreError) {
    open.append(name)
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    content.removeAll(keepingCapacity: true)
    isBase64 = value("encoding") == "base64"
    switch open.count {
    case 1:
      guard name == "database" else { throw damaged("the outermost element is “\(name)”, but “database” was expected") }
    case 2 where name == "object":
      guard metadata != nil else { throw damaged("an object comes before databaseInfo") }
      try startObject(type: value("type"), id: value("id"), version: value("version"))
    case 3 where entity != nil && name == "attribute":
      attribute = nil
      if let entity, let key = value("name") {
        guard let found = known(entity).attribute(key) else {
          throw damaged("\(entity.name) has no attribute “\(key)”")
        }
        attribute = found
      }
    case 3 where entity != nil && name == "relationship":
      try setRelationship(name: value("name"), destination: value("destination"), idrefs: value("idrefs") ?? "")
    case 3 where name == "sequence":
      // Entities of another model are reported by the version hashes.
      if let type = value("type"), let last = value("last").flatMap({ Int64($0) }),
        let root = names?.entity(type), root.isRoot
      {
        sequences.append((root, last))
      }
    case 5... where open[2] == "metadata" && open[3] == "plist":
      try list.start(name, seconds: value("seconds"), isBase64: isBase64, path: path)
    default: break
    }
  }

  func text(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard content.count + bytes.count <= Self.longestText else { throw damaged("a value is longer than 1 GB") }
    content.append(contentsOf: bytes)
  }

  func end() throws(StoreError) -> Bool {
    guard let name = open.popLast() else { return true }
    switch (open.count, name) {
    case (1, "databaseInfo"):
      try finishInfo()
      if filler == nil { return false }
    case (1, "object"):
      if entity != nil { try filler?.end() }
      entity = nil
    case (2, "UUID"): uuid = String(decoding: content, as: UTF8.self)
    case (2, "nextObjectID"): nextObjectID = Int64(String(decoding: content, as: UTF8.self))
    case (2, "attribute"):
      if let attribute { try filler?.set(try value(of: attribute), for: attribute) }
      attribute = nil
    default:
      if open.count >= 4, open[2] == "metadata", open[3] == "plist" { try list.end(name, content, path: path) }
    }
    content.removeAll(keepingCapacity: true)
    return true
  }

  // MARK: - Parts

  private func finishInfo() throws(StoreError) {
    guard StoreUUID.isValid(uuid) else {
      throw StoreError(.damagedMetadata, path: path, message: "“\(uuid)” is not a UUID in upper case")
    }
    let found = StoreMetadata(uuid: uuid, entries: list.result?.entries ?? [])
    metadata = found
    guard let filler else { return }
    filler.metadata = found
    try filler.checkMetadata()
    if sequences.isEmpty, let nextObjectID {
      // Core Data has one sequence for all entities.
      for entity in filler.model.entities where entity.isRoot { filler.setMaximum(nextObjectID, of: entity) }
    }
    for (root, last) in sequences { filler.setMaximum(last, of: root) }
  }

  private func startObject(type: String?, id: String?, version: String?) throws(StoreError) {
    guard let filler, let names else { return }
    guard let type, let found = names.entity(type) else {
      throw damaged("an object is of the entity “\(type ?? "")”, which the model does not have")
    }
    guard let id, let key = primaryKey(id.utf8) else { throw damaged("“\(id ?? "")” is not an ID such as z17") }
    try filler.begin(found, primaryKey: key, version: version.flatMap { Int64($0) } ?? 1)
    entity = found
  }

  private func known(_ entity: EntityDescription) -> XMLStoreNames.Properties {
    if let known = properties[entity.index] { return known }
    let made = XMLStoreNames.Properties(entity)
    properties[entity.index] = made
    return made
  }

  /// The number in `z17` or `z17.3`.
  private func primaryKey(_ id: some Collection<UInt8>) -> Int64? {
    guard id.first == UInt8(ascii: "z") else { return nil }
    return Int64(String(decoding: id.dropFirst().prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
  }

  private func setRelationship(name: String?, destination: String?, idrefs: String) throws(StoreError) {
    guard let filler, let entity, let name else { return }
    guard let relationship = known(entity).relationship(name) else {
      throw damaged("\(entity.name) has no relationship “\(name)”")
    }
    let declared = filler.model.entities[relationship.destinationEntity]
    let target = destination.flatMap { names?.entity($0) } ?? declared
    guard target.root == declared.root else {
      throw damaged("\(entity.name).\(relationship.name) refers to \(declared.name), but here is “\(target.name)”")
    }
    var references: [StoredReference] = []
    for id in idrefs.utf8.split(separator: UInt8(ascii: " ")) {
      guard let key = primaryKey(id) else {
        throw damaged("“\(String(decoding: id, as: UTF8.self))” is not an ID such as z17")
      }
      references.append(StoredReference(target, key))
    }
    try filler.set(references, for: relationship)
  }

  /// The value in ``content``.
  private func value(of attribute: AttributeDescription) throws(StoreError) -> AttributeValue {
    func wrong() -> StoreError {
      damaged(
        "“\(String(decoding: content.prefix(80), as: UTF8.self))” is not a value of type \(XMLStoreNames.name(attribute.type)) "
          + "for \(entity?.name ?? "").\(attribute.name)")
    }
    var bytes = content
    if isBase64 || XMLStoreNames.name(attribute.type) == "binary" {
      guard let decoded = Base64.decode(content, .spaced) else { throw wrong() }
      bytes = decoded
    }
    if XMLStoreNames.name(attribute.type) == "binary" { return .binary(bytes) }
    let text = String(decoding: bytes, as: UTF8.self)
    switch attribute.type {
    case .string: return .string(text)
    case .uri: return .uri(text)
    case .double, .float, .date:
      guard let number = Double(text) else { throw wrong() }
      return attribute.type == .date ? .date(number) : .double(number)
    default:
      guard let value = AttributeValue(text: text, type: attribute.type) else { throw wrong() }
      return value
    }
  }
}
