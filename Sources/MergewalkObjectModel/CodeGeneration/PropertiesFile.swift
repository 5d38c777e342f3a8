import MergewalkClassText
import MergewalkDiagnostics

/// The text of `Employee+CoreDataProperties.swift`.
struct PropertiesFile {
  let model: ManagedObjectModel
  let plan: ClassPlan
  let entity: EntityDescription
  /// The class as it stands in code.
  let type: String
  private let className: String
  var findings: FindingList
  var types: SwiftTypes
  /// Modules that are needed inside bodies only.
  var privateModules: Set<String> = []
  var body = ""
  /// The attributes that have an accessor: its name and the attribute's.
  private var slots: [(name: String, key: String)] = []
  /// The names of all properties that objects of the entity, its ancestors or what inherits from it have.
  private let propertyNames: Set<String>
  /// The typed keys of the file: their declarations.
  private var keys: [(comment: String, declaration: String)] = []

  init(model: ManagedObjectModel, plan: ClassPlan, entity: EntityDescription, className: String, findings: FindingList)
  {
    var names: Set<String> = []
    for member in model.family(of: entity.root) {
      names.formUnion(member.attributes.map(\.name))
      names.formUnion(member.relationships.map(\.name))
      names.formUnion(member.declaration.fetchedProperties.map(\.name))
    }
    propertyNames = names
    self.model = model
    self.plan = plan
    self.entity = entity
    self.className = className
    self.findings = findings
    type = SwiftNames.escaped(className)
    types = SwiftTypes(classNames: Set(plan.owners.keys))
    types.beginFile()
  }

  mutating func write() -> String {
    let own = entity.declaration
    line("extension \(type) {")
    line()
    writeFetchRequest()
    for attribute in own.attributes.sorted(by: { CodePointOrder.precedes($0.name, $1.name) }) { write(attribute) }
    let relationships = own.relationships.sorted { CodePointOrder.precedes($0.name, $1.name) }
    for relationship in relationships { write(relationship) }
    for property in own.fetchedProperties.sorted(by: { CodePointOrder.precedes($0.name, $1.name) }) { write(property) }
    line("}")
    writeKeys()
    writeSlots()
    for relationship in relationships where relationship.isToMany { writeAccessors(relationship) }
    writeTemplates()
    return heading + body
  }

  private var heading: String {
    let origin =
      entity.name == className ? "the entity “\(entity.name)”" : "the entity “\(entity.name)” of class \(className)"
    var text = """
      //
      //  \(className)+CoreDataProperties.swift
      //
      //  Made of \(origin) by `mergewalk model codegen`, which writes it anew. Do not edit.
      //
      // Names are those of the model.
      // swift-format-ignore-file


      """
    for module in types.modules.union(privateModules).sorted() {
      text += (types.modules.contains(module) ? "public import " : "import ") + module + "\n"
    }
    return text + "\n"
  }

  // MARK: Lines

  mutating func line(_ text: String = "") {
    body += text
    body += "\n"
  }

  /// Writes a documentation comment.
  mutating func comment(_ text: String) { line("  /// " + text) }

  // MARK: The class's own request

  private mutating func writeFetchRequest() {
    let request = types.type("TypedFetchRequest", in: "MergewalkObjectContext")
    comment("A request for all objects of “\(entity.name)”.")
    // The parameter tells the compiler which class is asked, of those that have such a function.
    line("  public class func fetchRequest(_ type: \(type).Type = \(type).self) -> \(request)<\(type)> {")
    line("    \(request)(\(SwiftNames.literal(entity.name)))")
    line("  }")
    line()
  }

  // MARK: Keys and slots

  /// The name of the type with the places of properties: a name that no class of the model has.
  private var slotsName: String {
    var name = className + "Slots"
    while types.classNames.contains(name) { name += "_" }
    return name
  }

  /// Writes what typed queries call the properties.
  private mutating func writeKeys() {
    guard !keys.isEmpty else { return }
    line()
    line("// MARK: Keys for typed queries")
    line("extension \(types.type("ObjectKeys", in: "MergewalkObjectContext")) where Object: \(type) {")
    for (index, key) in keys.enumerated() {
      if index > 0 { line() }
      comment(key.comment)
      line("  public var \(key.declaration)")
    }
    line("}")
  }

  /// Writes where accessors find properties: looked up once, not at each use.
  private mutating func writeSlots() {
    guard !slots.isEmpty else { return }
    let slot = types.type("PropertySlot", in: "MergewalkObjectContext")
    line()
    line("/// Where the accessors find their properties.")
    line("private enum \(slotsName) {")
    for (name, key) in slots { line("  static let \(name) = \(slot)(\(key))") }
    line("}")
  }

  // MARK: Properties

  /// The name under which code has a property, without backticks: another one when the base class has taken it.
  func codeName(_ name: String) -> String {
    guard BaseClassNames.members.contains(name) else { return name }
    var free = name + "_"
    while propertyNames.contains(free) { free += "_" }
    return free
  }

  /// The name under which code has a property; one that differs is said.
  private mutating func name(_ name: String, _ position: SourcePosition) -> String {
    let codeName = codeName(name)
    if codeName != name {
      findings.warning(
        "renamedProperty", position,
        "“\(name)” is a member of ManagedObject, so the property of “\(entity.name)” is “\(codeName)” in code",
        hint: "choose another name")
    }
    return SwiftNames.escaped(codeName)
  }

  private mutating func write(_ attribute: AttributeDescription) {
    guard entity.compositeAttributes.contains(where: { $0.name == attribute.name }) else {
      write(attribute, as: name(attribute.name, attribute.position))
      return
    }
    // Each element has an accessor of its own: addressCity for address.city.
    for element in entity.attributes where element.compositeKey == attribute.name {
      let parts = element.name.split(separator: ".")
      var name = parts.dropFirst().reduce(String(parts[0])) { $0 + ClassNames.capitalised(String($1)) }
      while entity.attribute(named: name) != nil || entity.relationship(named: name) != nil { name += "_" }
      write(element, as: self.name(name, attribute.position))
    }
  }

  private mutating func write(_ attribute: AttributeDescription, as name: String) {
    // Typed access has no such types; the class's own code has them by key.
    if [.undefined, .objectID, .composite].contains(attribute.type) { return }
    let key = SwiftNames.literal(attribute.name)
    let value = types.value(attribute) + (SwiftTypes.isPlain(attribute) ? "" : "?")
    let text = Self.description(attribute)
    comment(text)
    slots.append((name, key))
    if attribute.isDerived {
      line("  public var \(name): \(value) { self.get(\(slotsName).\(name)) }")
    } else {
      line("  public var \(name): \(value) {")
      line("    get { get(\(slotsName).\(name)) }")
      line("    set { set(\(slotsName).\(name), newValue) }")
      line("  }")
    }
    line()
    // A store cannot look for what it does not have, or for what only a transformer can read.
    if attribute.isTransient || attribute.type == .transformable { return }
    let type = types.type("AttributeKey", in: "MergewalkObjectContext")
    // The key's type says that values of Swift's own types are values of attributes, which is known there.
    _ = types.type("ManagedValue", in: "MergewalkObjectModel")
    keys.append((text, "\(name): \(type)<\(value)> { \(type)(\(key)) }"))
  }

  private mutating func write(_ relationship: RelationshipDescription) {
    let key = SwiftNames.literal(relationship.name)
    let name = self.name(relationship.name, relationship.position)
    let destination = destinationClass(relationship)
    let kind = types.type(relationship.isToMany ? "ToManyKey" : "ToOneKey", in: "MergewalkObjectContext")
    if !relationship.isTransient {
      keys.append((Self.description(relationship), "\(name): \(kind)<\(destination)> { \(kind)(\(key)) }"))
    }
    comment(Self.description(relationship))
    slots.append((name, key))
    if relationship.isToMany {
      let related = types.type("RelatedObjects", in: "MergewalkObjectContext")
      line("  public var \(name): \(related)<\(destination)> { self.relatedObjects(\(slotsName).\(name)) }")
    } else {
      line("  public var \(name): \(destination)? {")
      line("    get { related(\(slotsName).\(name)) }")
      line("    set { setRelated(\(slotsName).\(name), newValue) }")
      line("  }")
    }
    line()
  }

  private mutating func write(_ property: FetchedPropertyDescription) {
    let name = self.name(property.name, property.position)
    let entity = model.entity(named: property.fetchRequest.entityName)
    let result = entity.map { objectClass($0.index) } ?? types.type("ManagedObject", in: "MergewalkObjectContext")
    comment("The objects of the fetched property “\(property.name)”: fetched once, until the object is refreshed.")
    line("  public var \(name): [\(result)] { self.fetchedRelated(\(SwiftNames.literal(property.name))) }")
    line()
  }

  // MARK: Classes

  /// The class of an entity's objects.
  mutating func objectClass(_ index: Int) -> String {
    var current: Int? = index
    while let entity = current {
      if let name = plan.classNames[entity] { return SwiftNames.escaped(name) }
      current = model.entities[entity].superentityIndex
    }
    return types.type("ManagedObject", in: "MergewalkObjectContext")
  }

  mutating func destinationClass(_ relationship: RelationshipDescription) -> String {
    model.entity(named: relationship.destinationEntityName).map { objectClass($0.index) }
      ?? types.type("ManagedObject", in: "MergewalkObjectContext")
  }

  // MARK: Comments

  private static func description(_ attribute: AttributeDescription) -> String {
    var parts = [attribute.type == .undefined ? "Transient" : attribute.type.xmlName]
    if attribute.isOptional { parts.append("optional") }
    if attribute.isTransient, attribute.type != .undefined { parts.append("transient") }
    if let expression = attribute.derivationExpression {
      parts.append("derived from \(SwiftNames.comment(expression)), so read-only")
    }
    if let text = attribute.shownDefault { parts.append("default \(SwiftNames.comment(text))") }
    if let least = attribute.validation.shownMinimum { parts.append("at least \(SwiftNames.comment(least))") }
    if let most = attribute.validation.shownMaximum { parts.append("at most \(SwiftNames.comment(most))") }
    return parts.joined(separator: ", ") + "."
  }

  private static func description(_ relationship: RelationshipDescription) -> String {
    var text = "To \(relationship.isToMany ? "many" : "one") \(relationship.destinationEntityName)"
    if relationship.isOrdered, relationship.isToMany { text += ", ordered" }
    if let inverse = relationship.inverseName { text += "; the way back is “\(inverse)”" }
    return text + "."
  }
}
