import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport

/// Fills a new store with objects, straight by SQL, so that nothing of what is tested is used.
struct RandomStore {
  let model: ManagedObjectModel
  /// Whether texts have NUL characters, which CSV cannot hold.
  var hasNUL = true
  /// Whether there are numbers between the primary keys that no object has.
  var hasGaps = true
  private var generator: SeededGenerator
  private let texts: [String]
  /// For each entity index its own objects.
  private var objects: [Int: [Int64]] = [:]

  init(_ model: ManagedObjectModel, seed: UInt64, texts: [String]) {
    self.model = model
    self.texts = texts
    generator = SeededGenerator(seed: seed ^ 0x5EED)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  private mutating func flag(_ share: Int = 2) -> Bool { number(1...share) == 1 }

  /// Makes the store.
  mutating func make(at path: String, objectsPerEntity: Int = 12) throws {
    let file = try StoreFile.create(path: path, model: model)
    let connection = file.connection
    for table in file.schema.tables { try insertRows(table, file.schema, connection, objectsPerEntity) }
    for entity in model.entities {
      for relationship in entity.relationships where relationship.declaringEntity == entity.index {
        try relate(relationship, entity, file.schema, connection)
      }
    }
    try file.finish()
  }

  // MARK: Rows

  private mutating func insertRows(
    _ table: EntityTable, _ schema: StoreSchema, _ connection: Connection, _ count: Int
  ) throws {
    let root = model.entities[table.rootEntity.index]
    let concrete = model.entities[root.index...root.lastDescendantIndex].filter { !$0.isAbstract }
    var key: Int64 = 0
    for place in 0..<concrete.count * count {
      // Every entity gets an object, so that mandatory references have something to refer to.
      let entity = place < concrete.count ? concrete[place] : concrete[number(0...concrete.count - 1)]
      key += hasGaps ? (flag(20) ? Int64(number(1...1 << 40)) : Int64(number(1...3))) : 1
      objects[entity.index, default: []].append(key)
      let attributes = entity.attributes.filter { table.columnName(slot: $0.slot) != nil }
      let names = ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.compactMap { table.columnName(slot: $0.slot) }
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      let insert = try connection.prepare(
        "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(marks))")
      insert.bind(1, key)
      insert.bind(2, Int64(schema.entityNumbers[entity.index]))
      insert.bind(3, Int64(number(1...9)))
      for (index, attribute) in attributes.enumerated() { bind(attribute, insert, Int32(index) + 4) }
      try insert.run()
    }
  }

  private mutating func bind(_ attribute: AttributeDescription, _ statement: Statement, _ index: Int32) {
    if attribute.isOptional, flag(5) { return statement.bindNull(index) }
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      let range = attribute.type.integerRange ?? 0...0
      let edges = [range.lowerBound, range.upperBound, 0, -1, 1]
      statement.bind(index, flag(3) ? edges[number(0...4)] : Int64.random(in: range, using: &generator))
    case .boolean: statement.bind(index, Int64(number(0...1)))
    case .double, .float: statement.bind(index, real(withInfinity: true))
    case .date:
      let near = Double(number(-2_000_000_000...2_000_000_000))
      switch number(0...5) {
      case 0: statement.bind(index, near)
      case 1: statement.bind(index, near + Double(number(0...999)) / 1000)
      case 2: statement.bind(index, near + Double.random(in: 0...1, using: &generator))
      case 3: statement.bind(index, Double.random(in: -2...2, using: &generator))
      case 4: statement.bind(index, Double.random(in: -7e10...3e11, using: &generator))
      default: statement.bind(index, real(withInfinity: false))
      }
    case .decimal:
      if flag() {
        statement.bind(index, flag(4) ? Int64.min : Int64.random(in: .min ... .max, using: &generator))
      } else {
        statement.bind(index, flag() ? Double(number(-999_999...999_999)) / 100 : real(withInfinity: false))
      }
    case .string: statement.bind(index, text: text())
    case .uri:
      let uris = [
        "https://example.com/a?b=c#d", "mailto:x@example.com", "file:///tmp/%20", "a/b", "urn:isbn:0451450523",
      ]
      statement.bind(index, text: uris[number(0...4)])
    case .uuid: statement.bind(index, copying: (0..<16).map { _ in UInt8(number(0...255)) })
    case .binary, .transformable, .undefined, .objectID, .composite:
      let bytes = (0..<(flag(4) ? 0 : number(0...40))).map { _ in UInt8(number(0...255)) }
      statement.bind(index, copying: attribute.allowsExternalBinaryDataStorage ? [1] + bytes : bytes)
    }
  }

  private mutating func real(withInfinity: Bool) -> Double {
    if withInfinity, flag(12) { return flag() ? .infinity : -.infinity }
    if flag() { return Double(number(-1000...1000)) / 8 }
    let edges = [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e16, 123456789012345680, -0.5, 0]
    if flag(3) { return edges[number(0...edges.count - 1)] }
    let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
    return value.isFinite ? value : 1.5
  }

  private mutating func text() -> String {
    switch number(0...4) {
    case 0: return ""
    case 1: return texts[number(0...texts.count - 1)]
    case 2:
      return ["null", "NULL", "\"", "a,b", "a\nb", "\r", " ", "\t", "[1]", "1", "true", "\u{FEFF}x"][number(0...11)]
    default:
      var result = ""
      for _ in 0..<number(0...12) {
        let scalar =
          flag()
          ? Unicode.Scalar(UInt32(number(hasNUL ? 0...0x7F : 1...0x7F)))
          : Unicode.Scalar(UInt32(number(0x80...0x1_FFFF)))
        if let scalar { result.unicodeScalars.append(scalar) }
      }
      return result
    }
  }

  // MARK: Relationships

  private func objects(of entity: EntityDescription) -> [Int64] {
    (entity.index...entity.lastDescendantIndex).flatMap { objects[$0] ?? [] }
  }

  private func entityNumber(of key: Int64, below entity: EntityDescription, _ schema: StoreSchema) -> Int {
    let index = (entity.index...entity.lastDescendantIndex).first { objects[$0]?.contains(key) ?? false }
    return schema.entityNumbers[index ?? entity.index]
  }

  private mutating func relate(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ schema: StoreSchema,
    _ connection: Connection
  ) throws {
    let destination = model.entities[relationship.destinationEntity]
    let owners = objects(of: entity)
    let targets = objects(of: destination)
    let table = schema.table(forRoot: entity.root)
    if !relationship.isToMany {
      if relationship.inverseSlot >= 0, !relationship.isInverseToMany {
        // The other end is set with this one, so each pair of ends is made once.
        guard (entity.index, relationship.slot) <= (relationship.inverseDeclaringEntity, relationship.inverseSlot)
        else {
          return
        }
        return try pair(relationship, entity, destination, schema, connection)
      }
      for owner in owners where !relationship.isOptional || !flag(4) {
        guard let target = targets.randomElement(using: &generator) else { continue }
        try set(relationship, of: owner, in: table, to: target, destination, schema, connection)
      }
    } else if relationship.inverseSlot < 0 {
      try own(relationship, entity, destination, schema, connection)
    } else if let join = schema.joinTables.first(where: {
      $0.master.entity == entity.index && $0.master.slot == relationship.slot
    }) {
      try link(join, owners, targets, connection)
    }
  }

  private mutating func set(
    _ relationship: RelationshipDescription, of owner: Int64, in table: EntityTable, to target: Int64,
    _ destination: EntityDescription, _ schema: StoreSchema, _ connection: Connection
  ) throws {
    guard let column = table.columnName(slot: relationship.slot) else { return }
    var values = ["\(column) = \(target)"]
    if let name = table.destinationEntityColumn(slot: relationship.slot) {
      values.append("\(name) = \(entityNumber(of: target, below: destination, schema))")
    }
    if let name = table.orderKeyColumn(slot: relationship.slot) { values.append("\(name) = \(position())") }
    try connection.execute("UPDATE \(table.name) SET \(values.joined(separator: ", ")) WHERE Z_PK = \(owner)")
  }

  private mutating func position() -> Int { flag() ? 2048 + 1024 * number(0...20) : number(-9...1_000_000) }

  private mutating func pair(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ destination: EntityDescription,
    _ schema: StoreSchema, _ connection: Connection
  ) throws {
    let inverse = model.entities[relationship.inverseDeclaringEntity].relationships.first {
      $0.slot == relationship.inverseSlot && $0.declaringEntity == relationship.inverseDeclaringEntity
    }
    guard let inverse else { return }
    let table = schema.table(forRoot: entity.root)
    let other = schema.table(forRoot: destination.root)
    var left = objects(of: entity).shuffled(using: &generator)
    var right = relationship.isOwnInverse ? [] : objects(of: destination).shuffled(using: &generator)
    while let owner = left.popLast() {
      if flag(4) { continue }
      // Some are related to themselves, where the two ends are one.
      guard let target = relationship.isOwnInverse ? (flag(4) ? owner : left.popLast()) : right.popLast() else {
        continue
      }
      try set(relationship, of: owner, in: table, to: target, destination, schema, connection)
      if target != owner || !relationship.isOwnInverse {
        try set(inverse, of: target, in: other, to: owner, entity, schema, connection)
      }
    }
  }

  private mutating func own(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ destination: EntityDescription,
    _ schema: StoreSchema, _ connection: Connection
  ) throws {
    let table = schema.table(forRoot: destination.root)
    func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
    let slot = relationship.slot
    guard let column = name(.reverse(ofSlot: slot, ownerEntity: entity.index)) else { return }
    for target in objects(of: destination) where !flag(3) {
      guard let owner = objects(of: entity).randomElement(using: &generator) else { continue }
      var values = ["\(column) = \(owner)"]
      if let name = name(.reverseEntity(ofSlot: slot, ownerEntity: entity.index)) {
        values.append("\(name) = \(entityNumber(of: owner, below: entity, schema))")
      }
      if let name = name(.reverseOrderKey(ofSlot: slot, ownerEntity: entity.index)) {
        values.append("\(name) = \(position())")
      }
      try connection.execute("UPDATE \(table.name) SET \(values.joined(separator: ", ")) WHERE Z_PK = \(target)")
    }
  }

  private mutating func link(
    _ join: JoinTable, _ owners: [Int64], _ targets: [Int64], _ connection: Connection
  ) throws {
    for owner in owners where !flag(3) {
      let chosen: [Int64]
      if targets.count > 200 {
        // To shuffle them for each owner takes the square of their number; one that is chosen twice is linked once.
        chosen = (0..<number(0...5)).map { _ in targets[number(0...targets.count - 1)] }
      } else {
        chosen = Array(targets.shuffled(using: &generator).prefix(number(0...5)))
      }
      let isUsual = flag()
      for (place, target) in chosen.enumerated() {
        var columns = [join.master.ownerColumn, join.master.targetColumn]
        var values = ["\(owner)", "\(target)"]
        if let name = join.master.orderColumn {
          columns.append(name)
          values.append("\(isUsual ? 2048 + 1024 * place : position())")
        }
        if !join.isReflexive, let name = join.inverse.orderColumn {
          columns.append(name)
          values.append("\(position())")
        }
        let list = columns.joined(separator: ", ")
        try connection.execute(
          "INSERT OR IGNORE INTO \(join.name) (\(list)) VALUES (\(values.joined(separator: ", ")))")
        // What is its own inverse is there both ways.
        if join.isReflexive, owner != target {
          values.swapAt(0, 1)
          try connection.execute(
            "INSERT OR IGNORE INTO \(join.name) (\(list)) VALUES (\(values.joined(separator: ", ")))")
        }
      }
    }
  }
}
