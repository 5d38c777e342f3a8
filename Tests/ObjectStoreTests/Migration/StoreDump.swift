import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// Everything a store says, read row by row with plain SQL: entity, key, then property and value.
///
/// Attributes are as SQLite quotes them. References are `Entity/key`; those of to-many relationships are in their order,
/// or sorted when they have none.
struct StoreDump: Equatable, CustomStringConvertible {
  typealias Object = [String: String]
  var objects: [String: [Int64: Object]] = [:]

  init() {}

  init(_ path: String, _ model: ManagedObjectModel, configuration: String? = nil) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    let expected = try #require(StoreSchema(model: model, configuration: configuration))
    let schema = try expected.adapted(to: connection)
    var entities: [RootIndex: [Int64: EntityDescription]] = [:]
    for table in schema.tables {
      let numbers = Dictionary(
        uniqueKeysWithValues: model.entities.filter { schema.entityNumbers[$0.index] > 0 }.map {
          (schema.entityNumbers[$0.index], $0)
        })
      let select = try connection.prepare("SELECT Z_PK, Z_ENT FROM \(table.name)")
      while try select.step() {
        let entity: EntityDescription = try #require(numbers[Int(select.integer(1))])
        entities[table.rootEntity, default: [:]][select.integer(0)] = entity
      }
    }
    func reference(_ root: RootIndex, _ key: Int64) -> String { "\(entities[root]?[key]?.name ?? "?")/\(key)" }
    for (root, members) in entities {
      let table = schema.table(forRoot: root)
      for (key, entity) in members {
        var object: Object = [:]
        for attribute in entity.attributes {
          guard let column = table.columnName(slot: attribute.slot) else { continue }
          object[attribute.name] = try connection.text("SELECT quote(\(column)) FROM \(table.name) WHERE Z_PK = \(key)")
        }
        for relationship in entity.relationships where !relationship.isTransient {
          guard let query = Self.query(relationship, key, schema) else { continue }
          let target = model.entities[relationship.destinationEntity].root
          var keys: [Int64] = []
          let select = try connection.prepare(query)
          while try select.step() { keys.append(select.integer(0)) }
          object[relationship.name] = keys.map { reference(target, $0) }.joined(separator: " ")
        }
        objects[entity.name, default: [:]][key] = object
      }
    }
    try connection.close()
  }

  private static func query(_ relationship: RelationshipDescription, _ key: Int64, _ schema: StoreSchema) -> String? {
    let model = schema.model
    let owner = model.entities[relationship.declaringEntity]
    let target = model.entities[relationship.destinationEntity]
    guard schema.entityNumbers[target.index] > 0 else { return nil }
    let rows = schema.table(forRoot: target.root)
    if !relationship.isToMany {
      let table = schema.table(forRoot: owner.root)
      guard let column = table.columnName(slot: relationship.slot) else { return nil }
      return "SELECT \(column) FROM \(table.name) WHERE Z_PK = \(key) AND \(column) IS NOT NULL"
    }
    if let join = schema.joinTable(entity: owner.index, slot: relationship.slot),
      let side = join.side(entity: owner.index, slot: relationship.slot)
    {
      return "SELECT \(side.targetColumn) FROM \(join.name) WHERE \(side.ownerColumn) = \(key)"
        + " ORDER BY \(side.orderColumn ?? side.targetColumn)"
    }
    if relationship.inverseSlot >= 0 {
      guard let column = rows.columnName(slot: relationship.inverseSlot) else { return nil }
      return "SELECT Z_PK FROM \(rows.name) WHERE \(column) = \(key)"
        + " ORDER BY \(rows.orderKeyColumn(slot: relationship.inverseSlot) ?? "Z_PK")"
    }
    func name(_ role: ColumnDefinition.Role) -> String? { rows.columns.first { $0.role == role }?.name }
    guard let column = name(.reverse(ofSlot: relationship.slot, ownerEntity: owner.index)) else { return nil }
    return "SELECT Z_PK FROM \(rows.name) WHERE \(column) = \(key)"
      + " ORDER BY \(name(.reverseOrderKey(ofSlot: relationship.slot, ownerEntity: owner.index)) ?? "Z_PK")"
  }

  /// The values of one property, by key.
  func values(_ entity: String, _ property: String) -> [Int64: String] {
    (objects[entity] ?? [:]).compactMapValues { $0[property] }
  }

  var description: String {
    objects.keys.sorted().map { name in
      "\(name)\n"
        + (objects[name] ?? [:]).sorted { $0.key < $1.key }.map { key, object in
          "  \(key): " + object.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
        }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
