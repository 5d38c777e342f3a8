import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite

extension ObjectGraph {
  /// Reads the objects of a store by plain SQL.
  init(path: String, model: ManagedObjectModel) throws {
    self.init()
    let connection = try Connection(path: path, mode: .readOnly)
    defer { try? connection.close() }
    let schema = StoreSchema(model: model)
    var numbers: [Place: Int] = [:]
    /// References by the numbers of their owners, resolved when all objects are known.
    var references: [(number: Int, name: String, target: Place)] = []
    var ordered: [Place: [String: [(order: Int64, number: Int)]]] = [:]
    for root in model.entities where root.isRoot {
      let table = schema.table(forRoot: root.root)
      let select = try connection.prepare("SELECT * FROM \(table.name)")
      var columns: [String: Int32] = [:]
      for column in 0..<select.columnCount { columns[select.columnName(column)] = column }
      while try select.step() {
        let entity = model.entities[Int(select.integer(columns["Z_ENT"] ?? 0)) - 1]
        var object = Object(entity: entity.name)
        for attribute in entity.attributes {
          guard let column = table.columnName(slot: attribute.slot).flatMap({ columns[$0] }) else { continue }
          var value = Self.value(select, column, attribute.type)
          if attribute.allowsExternalBinaryDataStorage, case .bytes(let cell) = value {
            value = .bytes(ExternalData.value(cell, store: path))
          }
          object.attributes[attribute.name] = value
        }
        let number = add(object)
        numbers[Place(root: root.index, key: select.integer(columns["Z_PK"] ?? 0))] = number
        for relationship in entity.relationships where !relationship.isToMany {
          guard let column = table.columnName(slot: relationship.slot).flatMap({ columns[$0] }), !select.isNull(column)
          else { continue }
          let destination = model.entities[relationship.destinationEntity].rootIndex
          let target = Place(root: destination, key: select.integer(column))
          references.append((number, relationship.name, target))
          guard let order = table.orderKeyColumn(slot: relationship.slot).flatMap({ columns[$0] }),
            let inverse = relationship.inverseName
          else { continue }
          ordered[target, default: [:]][inverse, default: []].append((select.integer(order), number))
        }
      }
    }
    for reference in references {
      objects[reference.number]?.toOne[reference.name] = numbers[reference.target] ?? -1
    }
    for (owner, lists) in ordered {
      guard let number = numbers[owner] else { continue }
      for (name, members) in lists {
        objects[number]?.toMany[name] = members.sorted { ($0.order, $0.number) < ($1.order, $1.number) }.map(\.number)
      }
    }
    try readPairs(connection, schema, numbers)
  }

  /// An object's place in a store.
  private struct Place: Hashable {
    var root: Int
    var key: Int64
  }

  /// Reads the many-to-many relationships, both ways.
  private mutating func readPairs(
    _ connection: Connection, _ schema: StoreSchema, _ numbers: [Place: Int]
  ) throws {
    for table in schema.joinTables {
      for side in table.isReflexive ? [table.master] : [table.master, table.inverse] {
        let entity = schema.model.entities[side.entity]
        guard let relationship = entity.relationships.first(where: { $0.slot == side.slot }) else { continue }
        let order = side.orderColumn.map { " ORDER BY \($0)" } ?? ""
        let select = try connection.prepare(
          "SELECT \(side.ownerColumn), \(side.targetColumn) FROM \(table.name)\(order)")
        while try select.step() {
          let owner = numbers[Place(root: entity.rootIndex, key: select.integer(0))] ?? -1
          let destination = schema.model.entities[relationship.destinationEntity].rootIndex
          let target = numbers[Place(root: destination, key: select.integer(1))] ?? -1
          objects[owner]?.toMany[relationship.name, default: []].append(target)
        }
      }
    }
  }

  private static func value(_ select: Statement, _ column: Int32, _ type: AttributeType) -> ReferenceValue {
    if select.isNull(column) { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return .integer(select.integer(column))
    case .boolean: return .boolean(select.integer(column) != 0)
    case .double, .float: return .real(select.double(column))
    case .date: return .date(select.double(column))
    case .decimal:
      // Whole numbers are kept as such; others as the nearest of those with 15 digits.
      let number = select.double(column)
      let isWhole = select.type(column) == 1
      return ReferenceValue.decimal(of: isWhole ? "\(select.integer(column))" : "\(number)")?.value ?? .null
    case .uuid:
      return .uuid(
        select.bytes(column).map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined())
    case .string, .uri: return .text(Array(select.bytes(column)))
    default: return .bytes(Array(select.bytes(column)))
    }
  }
}
