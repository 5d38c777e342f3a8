import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport

/// Fills stores with random objects, by SQL alone.
struct RandomRows {
  private var generator: SeededGenerator
  private let schema: StoreSchema
  private let connection: Connection
  private var keys: [Int: [Int64]] = [:]
  private var model: ManagedObjectModel { schema.model }

  /// Makes a store with some objects of every entity.
  static func make(
    _ path: String, _ model: ManagedObjectModel, seed: UInt64, count: Int = 7, configuration: String? = nil
  ) throws {
    let file = try StoreFile.create(path: path, model: model, configuration: configuration)
    var rows = RandomRows(file, seed: seed)
    try rows.fill(count)
    try file.finish()
  }

  private init(_ file: StoreFile, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    schema = file.schema
    connection = file.connection
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func fill(_ count: Int) throws {
    for table in schema.tables {
      var key: Int64 = 0
      let members = model.family(of: table.rootEntity)
        .filter { !$0.isAbstract && schema.entityNumbers[$0.index] > 0 }
      for place in 0..<members.count * count {
        let entity = members[members.startIndex + place % members.count]
        key += Int64(number(1...3))
        keys[entity.index, default: []].append(key)
        try connection.execute(
          "INSERT INTO \(table.name) (Z_PK, Z_ENT, Z_OPT) VALUES (\(key), \(schema.entityNumbers[entity.index]), 1)")
        for attribute in entity.attributes {
          guard let column = table.columnName(slot: attribute.slot) else { continue }
          let isUnique = entity.uniquenessConstraints.contains { $0.contains(attribute.name) }
          let isNull = attribute.isOptional && number(0...3) == 0
          let value =
            isUnique ? unique(attribute, key) : literal(attribute)
          try connection.execute(
            "UPDATE \(table.name) SET \(column) = \(isNull ? "NULL" : value) WHERE Z_PK = \(key)")
        }
      }
    }
    for entity in model.entities where schema.entityNumbers[entity.index] > 0 {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity.index && !relationship.isTransient {
        try relate(relationship)
      }
    }
  }

  /// A value that no other row has.
  private func unique(_ attribute: AttributeDescription, _ key: Int64) -> String {
    switch attribute.type {
    case .string: return "'unique \(key)'"
    case .uuid:
      let digits = String(key, radix: 16)
      return "x'" + String(repeating: "0", count: 32 - digits.count) + digits + "'"
    default: return "\(key)"
    }
  }

  private mutating func literal(_ attribute: AttributeDescription) -> String {
    switch attribute.type {
    case .boolean: return "\(number(0...1))"
    case .integer16, .integer32, .integer64: return "\(number(-3000...3000))"
    case .double, .float, .decimal: return "\(Double(number(-100...100)) / 4)"
    case .date: return "\(number(0...700_000_000)).5"
    case .string: return ["''", "'O''Neil'", "'ünïcode'", "'x\(number(0...99999))'"][number(0...3)]
    case .uri: return "'https://example.com/\(number(0...99))'"
    case .uuid: return "x'" + (0..<16).map { _ in ["00", "7F", "FF", "A5"][number(0...3)] }.joined() + "'"
    default: return "x'\(attribute.allowsExternalBinaryDataStorage ? "01" : "")00FF\(number(10...99))'"
    }
  }

  private func members(_ entity: Int) -> [Int64] {
    (entity...model.entities[entity].lastDescendantIndex).flatMap { keys[$0] ?? [] }
  }

  private func number(of key: Int64, below entity: Int) -> Int {
    let found = (entity...model.entities[entity].lastDescendantIndex).first { keys[$0]?.contains(key) ?? false }
    return found.map { schema.entityNumbers[$0] } ?? 0
  }

  private mutating func relate(_ relationship: RelationshipDescription) throws {
    let owners = members(relationship.declaringEntity)
    let targets = members(relationship.destinationEntity)
    guard !owners.isEmpty, !targets.isEmpty else { return }
    let owner = model.entities[relationship.declaringEntity]
    let target = model.entities[relationship.destinationEntity]
    if !relationship.isToMany {
      let inverse = relationship.inverseSlot >= 0 && !relationship.isInverseToMany
      // One-to-one: the end that comes first writes both.
      if inverse, (target.index, relationship.inverseSlot) < (owner.index, relationship.slot) { return }
      var free = targets.shuffled(using: &generator)
      var linked = Set<Int64>()
      for (position, key) in owners.enumerated() where !relationship.isOptional || number(0...4) > 0 {
        if !inverse {
          try write(relationship, key, targets[number(0...targets.count - 1)], 2048 + 512 * Int64(position))
        } else if relationship.isOwnInverse {
          guard !linked.contains(key), let other = free.popLast(), !linked.contains(other) else { continue }
          linked.formUnion([key, other])
          try write(relationship, key, other, 0)
          if other != key { try write(relationship, other, key, 0) }
        } else if let other = free.popLast() {
          try write(relationship, key, other, 0)
          let back = target.relationships.first { $0.slot == relationship.inverseSlot }
          if let back { try write(back, other, key, 0) }
        }
      }
    } else if let join = schema.joinTable(entity: owner.index, slot: relationship.slot) {
      guard join.master == join.side(entity: owner.index, slot: relationship.slot) else { return }
      for _ in 0..<owners.count * 2 {
        let (one, two) = (owners[number(0...owners.count - 1)], targets[number(0...targets.count - 1)])
        for (first, second) in join.isReflexive ? [(one, two), (two, one)] : [(one, two)] {
          let columns = join.keyColumns + join.orderColumns
          let orders = join.orderColumns.map { _ in ", \(number(1...1_000_000))" }.joined()
          try connection.execute(
            "INSERT OR IGNORE INTO \(join.name) (\(columns.joined(separator: ", "))) VALUES (\(first), \(second)\(orders))"
          )
        }
      }
    } else if relationship.inverseSlot < 0 {
      let table = schema.table(forRoot: target.root)
      func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
      for (position, key) in targets.enumerated() where number(0...3) > 0 {
        let chosen = owners[number(0...owners.count - 1)]
        let slot = relationship.slot
        let values: [(String?, Int64)] = [
          (name(.reverse(ofSlot: slot, ownerEntity: owner.index)), chosen),
          (name(.reverseEntity(ofSlot: slot, ownerEntity: owner.index)), Int64(number(of: chosen, below: owner.index))),
          (name(.reverseOrderKey(ofSlot: slot, ownerEntity: owner.index)), Int64(5000 - position)),
        ]
        for case (let column?, let value) in values {
          try connection.execute("UPDATE \(table.name) SET \(column) = \(value) WHERE Z_PK = \(key)")
        }
      }
    }
  }

  /// Writes a reference into the owner's row.
  private func write(_ relationship: RelationshipDescription, _ key: Int64, _ other: Int64, _ order: Int64) throws {
    let table = schema.table(forRoot: model.entities[relationship.declaringEntity].root)
    let values: [(String?, Int64)] = [
      (table.columnName(slot: relationship.slot), other),
      (
        table.destinationEntityColumn(slot: relationship.slot),
        Int64(number(of: other, below: relationship.destinationEntity))
      ), (table.orderKeyColumn(slot: relationship.slot), order),
    ]
    for case (let column?, let value) in values {
      try connection.execute("UPDATE \(table.name) SET \(column) = \(value) WHERE Z_PK = \(key)")
    }
  }
}
