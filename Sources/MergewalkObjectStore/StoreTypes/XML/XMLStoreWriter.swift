import MergewalkBytes
import MergewalkObjectModel
import MergewalkPropertyLists

/// Writes an XML store.
///
/// Elements, names and types are those of Core Data's XML stores as they are seen in published files. What goes beyond
/// them: `version` of objects (`Z_OPT`), `encoding="base64"` on strings that XML 1.0 cannot hold, `sequence` (the
/// greatest key of each root entity), and IDs with a suffix (`z17.3`: key 17 below root entity 3), as keys count for
/// each root entity here and IDs must differ in a document.
struct XMLStoreWriter {
  private let contents: StoreContents
  private let names: XMLStoreNames
  private let file: AtomicFile
  private var properties: [XMLStoreNames.Properties?]

  /// The number that all XML stores name as the version of their format.
  static let formatVersion = "134481920"

  static func write(_ contents: StoreContents, to file: AtomicFile) throws(StoreError) {
    var writer = XMLStoreWriter(contents, file)
    try writer.writeInfo()
    try writer.writeObjects()
    try file.write("</database>\n")
  }

  private init(_ contents: StoreContents, _ file: AtomicFile) {
    self.contents = contents
    self.file = file
    names = XMLStoreNames(contents.model)
    properties = Array(repeating: nil, count: contents.model.entities.count)
  }

  private func writeInfo() throws(StoreError) {
    let maxima = contents.rootEntities.map { ($0, contents.maximum(of: $0)) }
    try file.write("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n")
    try file.write("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n\n<database>\n")
    try file.write("    <databaseInfo>\n        <version>\(Self.formatVersion)</version>\n")
    try file.write("        <UUID>\(contents.metadata.uuid)</UUID>\n")
    try file.write("        <nextObjectID>\(maxima.map(\.1).max() ?? 0)</nextObjectID>\n        <metadata>\n")
    try XMLPropertyList.write(.dictionary(contents.metadata.entries), indent: 12, to: file)
    try file.write("        </metadata>\n")
    for (root, maximum) in maxima {
      try file.write("        <sequence type=\"\(names.name(root))\" last=\"\(maximum)\"/>\n")
    }
    try file.write("    </databaseInfo>\n")
  }

  private mutating func writeObjects() throws(StoreError) {
    var writer = self
    try contents.forEachObject { object throws(StoreError) in try writer.write(object) }
    self = writer
  }

  private func identifier(_ reference: StoredReference) -> String {
    "z\(reference.primaryKey).\(contents.model.entities[reference.entity.rootIndex].number)"
  }

  private mutating func write(_ object: StoredObject) throws(StoreError) {
    let entity = object.entity
    let known = properties[entity.index] ?? XMLStoreNames.Properties(entity)
    properties[entity.index] = known
    try file.write(
      "    <object type=\"\(names.name(entity))\" id=\"\(identifier(object.reference))\" version=\"\(object.version)\">\n"
    )
    for (attribute, name) in zip(entity.attributes, known.attributeNames) {
      let value = object.value(of: attribute)
      if value != .null { try write(value, name, attribute.type) }
    }
    for (relationship, name) in zip(entity.relationships, known.relationshipNames) where !relationship.isTransient {
      try write(relationship, name, object)
    }
    try file.write("    </object>\n")
  }

  private func write(_ value: AttributeValue, _ name: String, _ type: AttributeType) throws(StoreError) {
    try file.write("        <attribute name=\"\(name)\" type=\"\(XMLStoreNames.name(type))\"")
    switch value {
    case .null: try file.write(">")
    case .boolean(let flag): try file.write(flag ? ">1" : ">0")
    case .integer(let number): try file.write(">\(number)")
    // The shortest text that is read as the same number.
    case .double(let number), .date(let number): try file.write(">\(number)")
    case .decimal(let number): try file.write(">\(number)")
    case .string(let text), .uri(let text): try file.write(text: text)
    case .binary(let bytes):
      try file.write(">")
      try file.write(Base64.text(bytes))
    case .uuid(let high, let low): try file.write(">\(UUIDText.text(high, low))")
    }
    try file.write("</attribute>\n")
  }

  private func write(
    _ relationship: RelationshipDescription, _ name: String, _ object: StoredObject
  ) throws(StoreError) {
    let references = try object.references(of: relationship)
    // Of a to-one relationship the object's own entity is named, as the ID does not say it.
    let destination =
      relationship.isToMany
      ? contents.model.entities[relationship.destinationEntity]
      : references.first?.entity ?? contents.model.entities[relationship.destinationEntity]
    let least = relationship.isOptional ? 0 : max(1, relationship.minCount)
    let type = relationship.isToMany ? "\(relationship.minCount)/\(relationship.maxCount)" : "\(least)/1"
    try file.write(
      "        <relationship name=\"\(name)\" type=\"\(type)\" destination=\"\(names.name(destination))\"")
    if !references.isEmpty {
      try file.write(" idrefs=\"")
      for (index, reference) in references.enumerated() {
        try file.write(index == 0 ? identifier(reference) : " " + identifier(reference))
      }
      try file.write("\"")
    }
    try file.write("></relationship>\n")
  }
}
