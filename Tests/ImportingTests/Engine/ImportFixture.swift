import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import Testing

/// A value of a cell or of a column, compared byte for byte: Swift's strings take composed and decomposed accents for
/// one, the store does not.
enum Value: Hashable, Comparable, CustomStringConvertible {
  case null
  case integer(Int64)
  case text([UInt8])

  static func text(_ string: String) -> Value { .text(Array(string.utf8)) }

  static func < (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): false
    case (.null, _): true
    case (_, .null): false
    case (.integer(let a), .integer(let b)): a < b
    case (.integer, _): true
    case (_, .integer): false
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    }
  }

  var description: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .text(let bytes): "“" + String(decoding: bytes, as: UTF8.self).unicodeScalars.map(Self.shown).joined() + "”"
    }
  }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    scalar.value >= 0x20 && scalar.value < 0x7F ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
  }
}

/// An optional relationship of a model that tests make.
func relationship(_ name: String, _ other: String, _ inverse: String, many: Bool = false) -> RelationshipDescription {
  var relationship = RelationshipDescription(name: name, destinationEntityName: other)
  relationship.isOptional = true
  relationship.inverseName = inverse
  relationship.inverseEntityName = other
  relationship.isToMany = many
  if many { relationship.maxCount = 0 }
  return relationship
}

/// The model of the import tests: Item > Person > Team, Item > Part > Team, all to-one with to-many inverses.
struct ShopModel {
  /// Whether the keys are uniqueness constraints, so that finding can use an index.
  var isUnique = true
  /// What identifies an item.
  var itemKey = ["sku"]
  /// Whether items must have a person.
  var needsOwner = false
  /// Further uniqueness constraints of items.
  var itemConstraints: [[String]] = []

  func build() throws -> ManagedObjectModel {
    func attribute(_ name: String, _ type: AttributeType, _ value: AttributeValue? = nil) -> AttributeDescription {
      var attribute = AttributeDescription(name: name, type: type)
      attribute.isOptional = true
      attribute.defaultValue = value
      return attribute
    }
    var item = EntityDraft(name: "Item")
    item.attributes = [
      attribute("sku", .string), attribute("number", .integer64), attribute("label", .string, .string("unnamed")),
      attribute("amount", .integer64, .integer(7)), attribute("serial", .string),
    ]
    item.relationships = [relationship("owner", "Person", "items"), relationship("part", "Part", "items")]
    if needsOwner { item.relationships[0].isOptional = false }
    var person = EntityDraft(name: "Person")
    person.attributes = [attribute("email", .string), attribute("age", .integer64), attribute("badge", .string)]
    person.relationships = [
      relationship("team", "Team", "members"), relationship("items", "Item", "owner", many: true),
    ]
    var part = EntityDraft(name: "Part")
    part.attributes = [attribute("code", .integer64), attribute("title", .string)]
    part.relationships = [
      relationship("maker", "Company", "parts"), relationship("items", "Item", "part", many: true),
    ]
    var team = EntityDraft(name: "Team")
    team.attributes = [attribute("name", .string), attribute("motto", .string)]
    team.relationships = [relationship("members", "Person", "team", many: true)]
    var company = EntityDraft(name: "Company")
    company.attributes = [attribute("name", .string), attribute("country", .string)]
    company.relationships = [relationship("parts", "Part", "maker", many: true)]
    if isUnique {
      item.uniquenessConstraints = [itemKey]
      person.uniquenessConstraints = [["email"]]
      part.uniquenessConstraints = [["code"]]
      team.uniquenessConstraints = [["name"]]
      company.uniquenessConstraints = [["name", "country"]]
    }
    item.uniquenessConstraints += itemConstraints
    var draft = ModelDraft()
    draft.entities = [item, person, part, team, company]
    return try ManagedObjectModel(draft)
  }
}

/// An import of columns with the names of the attributes; the targets' columns have a prefix.
enum ShopImport {
  static func field(_ name: String, _ column: String? = nil) -> FieldImport {
    FieldImport(attributeName: name, column: column ?? name)
  }

  static func item(key: [String] = ["sku"]) -> EntityImport {
    var team = EntityImport(entityName: "Team", findBy: [field("name", "team_name")])
    team.attributes = [field("motto", "team_motto")]
    var person = EntityImport(entityName: "Person", findBy: [field("email")])
    person.attributes = [field("age")]
    person.relationships = [RelationshipImport(name: "team", target: team)]
    let company = EntityImport(
      entityName: "Company", findBy: [field("name", "maker_name"), field("country", "maker_country")])
    var part = EntityImport(entityName: "Part", findBy: [field("code")])
    part.attributes = [field("title")]
    part.relationships = [RelationshipImport(name: "maker", target: company)]
    let rest = ["sku", "number", "label", "amount"].filter { !key.contains($0) }
    var item = EntityImport(entityName: "Item", findBy: key.map { field($0) })
    item.attributes = rest.map { field($0) }
    item.relationships = [
      RelationshipImport(name: "owner", target: person), RelationshipImport(name: "part", target: part),
    ]
    return item
  }
}

/// The rows of a store, without primary keys: what a relationship refers to is named by its key.
struct StoreDump: Equatable {
  /// For each entity its objects, sorted.
  var entities: [String: [String]] = [:]
  /// `Z_OPT` by the object's own text.
  var versions: [String: Int64] = [:]
  /// Every row of every table as it is, with its primary key.
  var raw: [String] = []

  static func == (left: StoreDump, right: StoreDump) -> Bool { left.entities == right.entities }

  /// Reads a store and holds it against the rules of its layout.
  ///
  /// - Parameter keys: The attributes that identify an object, by entity.
  init(path: String, model: ManagedObjectModel, keys: [String: [String]]) throws {
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.isSound, "\(report.findings)")
    let connection = try Connection(path: path, mode: .immutable)
    defer { try? connection.close() }
    let schema = StoreSchema(model: model)
    var names: [String: [Int64: String]] = [:]
    for entity in model.entities where entity.isRoot {
      names[entity.name] = try Self.names(entity, keys[entity.name] ?? [], schema, connection)
    }
    for entity in model.entities where entity.isRoot {
      let table = schema.table(forRoot: entity.root)
      let attributes = entity.attributes.sorted { $0.name < $1.name }
      let relationships = entity.relationships.filter { !$0.isToMany }.sorted { $0.name < $1.name }
      let columns = (attributes.map(\.slot) + relationships.map(\.slot)).map { table.columnName(slot: $0) ?? "" }
      let select = try connection.prepare(
        "SELECT \((["Z_PK", "Z_OPT"] + columns).joined(separator: ", ")) FROM \(table.name) ORDER BY Z_PK")
      var lines: [String] = []
      while try select.step() {
        var parts: [String] = []
        for (i, attribute) in attributes.enumerated() {
          parts.append("\(attribute.name)=\(Self.value(select, Int32(i + 2), attribute.type))")
        }
        for (i, relationship) in relationships.enumerated() {
          let column = Int32(i + 2 + attributes.count)
          let target = model.entities[relationship.destinationEntity].name
          let name = select.isNull(column) ? "null" : names[target]?[select.integer(column)] ?? "DANGLING"
          parts.append("\(relationship.name)→\(name)")
        }
        let line = parts.joined(separator: " ")
        lines.append(line)
        versions["\(entity.name) \(line)"] = select.integer(1)
        raw.append("\(entity.name) \(select.integer(0)) v\(select.integer(1)) \(line)")
      }
      entities[entity.name] = lines.sorted()
    }
  }

  private static func names(
    _ entity: EntityDescription, _ keys: [String], _ schema: StoreSchema, _ connection: Connection
  ) throws -> [Int64: String] {
    guard !keys.isEmpty else { return [:] }
    let table = schema.table(forRoot: entity.root)
    let attributes = keys.compactMap { entity.attribute(named: $0) }
    let columns = attributes.map { table.columnName(slot: $0.slot) ?? "" }
    let select = try connection.prepare("SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(table.name)")
    var result: [Int64: String] = [:]
    while try select.step() {
      result[select.integer(0)] =
        "(" + attributes.enumerated().map { value(select, Int32($0 + 1), $1.type).description }.joined(separator: ",")
        + ")"
    }
    return result
  }

  private static func value(_ select: Statement, _ column: Int32, _ type: AttributeType) -> Value {
    if select.isNull(column) { return .null }
    return type == .string ? .text(select.text(column)) : .integer(select.integer(column))
  }
}

extension Tag {
  /// Tests that run many imports.
  @Tag static var oracle: Self
}
