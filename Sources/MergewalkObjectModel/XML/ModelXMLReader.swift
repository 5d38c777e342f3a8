import MergewalkDiagnostics
import MergewalkXML

/// Makes a draft of the element tree of a `contents` file.
///
/// What a file says wrongly becomes a finding of the draft, and reading goes on; XML attributes that are not known are
/// kept, unknown elements are reported and dropped. Source: `../shared/coredata-format.md`, part 1.2.
struct ModelXMLReader {
  var findings: FindingList

  /// Reads a model.
  ///
  /// - Throws: `notAModel` when the root element is another one, and what `XMLDocument` throws.
  static func read(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    let root = try XMLDocument.parse(bytes, path: path)
    guard root.name == "model" else {
      throw DiagnosticList(
        error: "notAModel", path: path, position: root.position,
        message: root.name == "database"
          ? "this is an XML store of Core Data, and no model" : "the root element is “\(root.name)”, not “model”",
        hint: root.name == "database"
          ? "name the model of the store" : "a model is the file “contents” of an .xcdatamodel folder")
    }
    var reader = ModelXMLReader(findings: FindingList(path: path))
    return reader.model(root)
  }

  private mutating func model(_ element: XMLElement) -> ModelDraft {
    var draft = ModelDraft()
    draft.path = findings.path
    var bag = XMLAttributeBag(element)
    draft.versionIdentifier = bag.take("userDefinedModelVersionIdentifier") ?? ""
    draft.xmlAttributes = bag.rest
    for child in element.children {
      switch child.name {
      case "entity": draft.entities.append(entity(child))
      case "fetchRequest": draft.fetchRequestTemplates.append(fetchRequest(child))
      case "configuration": draft.configurations.append(configuration(child))
      case "compositeAttribute", "composite": draft.composites.append(composite(child))
      case "elements":
        for box in child.children where box.name == "element" {
          draft.diagram.append(
            DiagramElement(
              name: box["name"] ?? "", x: box["positionX"] ?? "", y: box["positionY"] ?? "",
              width: box["width"] ?? "", height: box["height"] ?? ""))
        }
      default: unknown(child, in: "model")
      }
    }
    draft.readerFindings = findings.diagnostics
    return draft
  }

  // MARK: Entities

  private mutating func entity(_ element: XMLElement) -> EntityDraft {
    var bag = XMLAttributeBag(element)
    var entity = EntityDraft(name: name(&bag, element))
    entity.position = element.position
    entity.parentName = bag.take("parentEntity")
    entity.className = bag.take("representedClassName")
    entity.isAbstract = flag(&bag, "isAbstract", element) ?? false
    entity.isSyncable = flag(&bag, "syncable", element)
    entity.codeGenerationType = bag.take("codeGenerationType")
    entity.versionHashModifier = bag.take("versionHashModifier")
    entity.renamingIdentifier = bag.take("elementID")
    entity.unknownXMLAttributes = bag.rest
    for child in element.children {
      switch child.name {
      case "attribute": entity.attributes.append(attribute(child))
      case "relationship": entity.relationships.append(relationship(child))
      case "fetchedProperty": entity.fetchedProperties.append(fetchedProperty(child))
      case "fetchIndex": entity.fetchIndexes.append(fetchIndex(child))
      case "uniquenessConstraints":
        entity.uniquenessConstraints += nameLists(child, list: "uniquenessConstraint", item: "constraint")
      case "compoundIndexes": entity.compoundIndexes += nameLists(child, list: "compoundIndex", item: "index")
      case "userInfo": entity.userInfo = userInfo(child)
      default: unknown(child, in: "entity")
      }
    }
    return entity
  }

  private mutating func nameLists(_ element: XMLElement, list: String, item: String) -> [[String]] {
    children(list, of: element).map { child in children(item, of: child).map { $0["value"] ?? "" } }
  }

  mutating func userInfo(_ element: XMLElement) -> [String: String] {
    var pairs: [String: String] = [:]
    for child in children("entry", of: element) { pairs[child["key"] ?? ""] = child["value"] ?? "" }
    return pairs
  }

  // MARK: Values

  mutating func name(_ bag: inout XMLAttributeBag, _ element: XMLElement) -> String {
    if let name = bag.take("name") { return name }
    findings.error("missingName", element.position, "the \(element.name) has no name")
    return ""
  }

  mutating func flag(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Bool? {
    if let value = bag.takeFlag(name) { return value }
    if let text = bag.rest[name] {
      findings.warning("invalidValue", element.position, "“\(name)” is “\(text)”, which is neither YES nor NO")
    }
    return nil
  }

  mutating func count(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Int? {
    if let value = bag.takeCount(name) { return value }
    if let text = bag.take(name) {
      findings.warning(
        "invalidValue", element.position, "“\(name)” is “\(text)”, which is not a whole number; it is ignored")
    }
    return nil
  }

  mutating func interval(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Double? {
    guard let text = bag.rest[name] else { return nil }
    guard let value = Double(text), value.isFinite else {
      findings.warning(
        "invalidValue", element.position, "“\(name)” is “\(text)”, which is not a number of seconds; it is ignored")
      return nil
    }
    _ = bag.take(name)
    return value
  }

  /// The elements of one name within another one; others are left out with a warning.
  mutating func children(_ name: String, of element: XMLElement) -> [XMLElement] {
    for child in element.children where child.name != name { unknown(child, in: element.name) }
    return element.children.filter { $0.name == name }
  }

  mutating func unknown(_ element: XMLElement, in parent: String) {
    findings.warning(
      "unknownElement", element.position, "the element “\(element.name)” in “\(parent)” is unknown and is left out")
  }
}
