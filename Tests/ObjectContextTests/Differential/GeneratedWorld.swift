import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// An object in memory: values by key, and an ID.
final class MemoryObject: KeyedValues {
  let id: ManagedObjectID
  var attributes: [String: AttributeValue] = [:]
  var toOne: [String: MemoryObject] = [:]
  var toMany: [String: [MemoryObject]] = [:]

  init(id: ManagedObjectID) { self.id = id }

  var evaluatedObjectID: ManagedObjectID? { id }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    if let value = attributes[key] { return .attribute(value) }
    if let objects = toMany[key] { return .collection(objects.map { .object($0) }) }
    if let object = toOne[key] { return .object(object) }
    guard id.entity.relationship(named: key) != nil || id.entity.attribute(named: key) != nil else {
      throw PredicateError(.unknownKey, "\(id.entity.name) has no property \(key)")
    }
    return .null
  }
}

/// Generated objects, in memory and in a store, with the same IDs.
final class GeneratedWorld {
  let folder = TemporaryFolder()
  let model: ManagedObjectModel
  let store: PersistentStore
  let compiler: FetchCompiler
  private(set) var objects: [String: [MemoryObject]] = [:]
  private let coordinator: PersistentStoreCoordinator

  /// Texts that differ in case, accents, composition, length, digits, and by nothing one sees.
  static let texts = [
    "", "a", "A", "á", "a\u{301}", "Á", "ä", "b", "ab", "aB", "abc", "ABC", "ab*", "a?c", "ß", "SS", "ss", "é",
    "e\u{301}", "E",
    "file2", "file10", "FILE2", " ", "a b", "\u{FB01}", "fi", "İ", "i", "ı", "日本", "𝒳", "z", "Z", "\\", "a\\b", "%",
    "_", "'", "\"",
    "12", "0x1F", "3.5", "a\u{0}b", "2020-01-01", "\u{10FFFF}", "\u{D7FF}", "Ω", "ω", "ς", "σ",
  ]
  static let integers: [Int64] = [0, 1, -1, 2, 3, 5, -7, 10, 63, 64, 100, -100, 32767, -32768]
  static let wide: [Int64] = [.max, .min, .max - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, 1 << 40]
  static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.5, -2.5, 2.5, 3, 0.1, 1e10, -1e-10, 9_007_199_254_740_992, 9.3e18, 1e300, .infinity, -.infinity,
    .nan, 7,
  ]

  static func model() throws -> ManagedObjectModel {
    typealias M = Models
    var name = M.attribute("name", .string)
    name.isIndexed = true
    var score = M.attribute("score", .double)
    score.isIndexed = true
    var rank = M.attribute("rank", .integer64)
    rank.isIndexed = true
    return try M.model(
      M.entity(
        "Party",
        attributes: [
          name, M.attribute("nick", .string), M.attribute("age", .integer16), rank, score, M.attribute("ratio", .float),
          M.attribute("price", .decimal), M.attribute("born", .date), M.attribute("met", .date),
          M.attribute("active", .boolean), M.attribute("token", .uuid), M.attribute("bytes", .binary),
          M.attribute("link", .uri),
        ],
        relationships: [
          M.toOne("boss", "Party", inverse: "staff"), M.toMany("staff", "Party", inverse: "boss"),
          M.toMany("items", "Item", inverse: "owner", ordered: true), M.toMany("groups", "Group", inverse: "members"),
          M.toMany("friends", "Party", inverse: "friends"), M.toMany("marks", "Mark"),
        ]),
      M.entity("Customer", parent: "Party"), M.entity("Company", parent: "Party"),
      M.entity(
        "Item",
        attributes: [
          M.attribute("label", .string), M.attribute("quantity", .integer32), M.attribute("weight", .double),
          M.attribute("made", .date),
        ], relationships: [M.toOne("owner", "Party", inverse: "items")]),
      M.entity(
        "Group", attributes: [M.attribute("title", .string), M.attribute("level", .integer64)],
        relationships: [M.toMany("members", "Party", inverse: "groups")]),
      M.entity("Mark", attributes: [M.attribute("text", .string), M.attribute("weight", .double)]))
  }

  init(_ random: inout SeededGenerator) throws {
    model = try GeneratedWorld.model()
    coordinator = PersistentStoreCoordinator(model: model)
    store = try coordinator.addSQLiteStore(at: folder.file("world.sqlite"))
    compiler = FetchCompiler(schema: store.schema, storeUUID: store.file.metadata.uuid)
    for (name, count) in [("Party", 30), ("Item", 50), ("Group", 6), ("Mark", 10)] {
      var made: [MemoryObject] = []
      for i in 0..<count {
        let own = name == "Party" ? ["Party", "Customer", "Company"].randomElement(using: &random) ?? name : name
        let entity = try #require(model.entity(named: own))
        let object = MemoryObject(
          id: ManagedObjectID(storeUUID: compiler.storeUUID, entity: entity, primaryKey: Int64(i + 1)))
        for attribute in entity.attributes {
          object.attributes[attribute.name] = GeneratedWorld.value(attribute.type, &random)
        }
        made.append(object)
      }
      objects[name] = made
    }
    link(&random)
    try write()
  }

  func all(_ entity: String) -> [MemoryObject] {
    (objects[entity] ?? (objects["Party"] ?? []).filter { $0.id.entity.name == entity })
  }

  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> AttributeValue {
    if Int.random(in: 0..<5, using: &random) == 0 { return .null }
    switch type {
    case .integer16, .integer32: return .integer(integers.randomElement(using: &random) ?? 0)
    case .integer64:
      return .integer((Bool.random(using: &random) ? integers : wide).randomElement(using: &random) ?? 0)
    case .boolean: return .boolean(Bool.random(using: &random))
    case .double: return .double(doubles.randomElement(using: &random) ?? 0)
    case .float: return .double(Double(Float(doubles.randomElement(using: &random) ?? 0)))
    case .decimal:
      let texts = ["0", "1", "2.5", "-3", "0.1", "100000000000", "9223372036854775807", "1e20", "-2.5", "7"]
      return DecimalNumber(texts.randomElement(using: &random) ?? "0").map { .decimal($0) } ?? .null
    case .date: return .date([0, 1, -1, 86400, 0.5, 700_000_000, -1e9].randomElement(using: &random) ?? 0)
    case .uuid: return .uuid([0, 1, .max].randomElement(using: &random) ?? 0, UInt64.random(in: 0..<3, using: &random))
    case .binary: return .binary([[], [0], [1, 2], [255]].randomElement(using: &random) ?? [])
    case .uri: return .uri(["http://a", "http://b", "a"].randomElement(using: &random) ?? "a")
    default: return .string(texts.randomElement(using: &random) ?? "")
    }
  }

  private func link(_ random: inout SeededGenerator) {
    let parties = all("Party")
    for party in parties {
      for name in ["staff", "items", "groups", "friends", "marks"] { party.toMany[name] = [] }
    }
    for group in all("Group") { group.toMany["members"] = [] }
    for (i, party) in parties.enumerated() {
      if i > 0, Int.random(in: 0..<3, using: &random) > 0, let boss = parties[..<i].randomElement(using: &random) {
        party.toOne["boss"] = boss
        boss.toMany["staff"]?.append(party)
      }
      for group in all("Group") where Int.random(in: 0..<4, using: &random) == 0 {
        party.toMany["groups"]?.append(group)
        group.toMany["members"]?.append(party)
      }
      for other in parties[i...] where Int.random(in: 0..<15, using: &random) == 0 {
        party.toMany["friends"]?.append(other)
        if other !== party { other.toMany["friends"]?.append(party) }
      }
    }
    // The last third owns nothing.
    for item in all("Item") where Int.random(in: 0..<8, using: &random) > 0 {
      guard let owner = parties.prefix(20).randomElement(using: &random) else { continue }
      item.toOne["owner"] = owner
      owner.toMany["items"]?.append(item)
    }
    for mark in all("Mark") { parties.randomElement(using: &random)?.toMany["marks"]?.append(mark) }
  }

  // MARK: Writing

  private func write() throws {
    for entity in ["Party", "Item", "Group", "Mark"] {
      let root = try #require(model.entity(named: entity))
      let table = store.schema.table(forRoot: root.root)
      for object in all(entity) {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values: [AttributeValue] = [
          .integer(object.id.primaryKey), .integer(Int64(object.id.entity.number)), .integer(1),
        ]
        for attribute in object.id.entity.attributes {
          columns.append(try #require(table.columnName(slot: attribute.slot)))
          values.append(object.attributes[attribute.name] ?? .null)
        }
        for relationship in object.id.entity.relationships where !relationship.isToMany {
          guard let target = object.toOne[relationship.name] else { continue }
          columns.append(try #require(table.columnName(slot: relationship.slot)))
          values.append(.integer(target.id.primaryKey))
          if let column = table.destinationEntityColumn(slot: relationship.slot) {
            columns.append(column)
            values.append(.integer(Int64(target.id.entity.number)))
          }
          if let column = table.orderKeyColumn(slot: relationship.slot) {
            let place = target.toMany["items"]?.firstIndex { $0 === object } ?? 0
            columns.append(column)
            values.append(.integer(Int64(2048 + 1024 * place)))
          }
        }
        try insert(table.name, columns, values)
      }
    }
    for party in all("Party") {
      for group in party.toMany["groups"] ?? [] { try insertPair("Party", "groups", party, group) }
      for friend in party.toMany["friends"] ?? [] { try insertPair("Party", "friends", party, friend) }
      for mark in party.toMany["marks"] ?? [] {
        let number = try #require(model.entity(named: "Party")).number
        try store.connection.execute(
          "UPDATE ZMARK SET Z\(number)MARKS = \(party.id.primaryKey) WHERE Z_PK = \(mark.id.primaryKey)")
      }
    }
  }

  private func insertPair(_ entity: String, _ name: String, _ owner: MemoryObject, _ target: MemoryObject) throws {
    let entity = try #require(model.entity(named: entity))
    let slot = try #require(entity.relationship(named: name)).slot
    let join = try #require(store.schema.joinTable(entity: entity.index, slot: slot))
    let side = try #require(join.side(entity: entity.index, slot: slot))
    try insert(
      join.name, [side.ownerColumn, side.targetColumn],
      [.integer(owner.id.primaryKey), .integer(target.id.primaryKey)])
  }

  private func insert(_ table: String, _ columns: [String], _ values: [AttributeValue]) throws {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try store.connection.prepare(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))")
    for (i, value) in values.enumerated() {
      let index = Int32(i + 1)
      switch value {
      case .null: statement.bindNull(index)
      case .boolean(let value): statement.bind(index, value ? Int64(1) : 0)
      case .integer(let value): statement.bind(index, value)
      case .double(let value), .date(let value): statement.bind(index, value)
      case .decimal(let value):
        if case .integer(let whole) = value.number {
          statement.bind(index, whole)
        } else {
          statement.bind(index, value.number.asDouble)
        }
      case .string(let text), .uri(let text): statement.bind(index, text: text)
      case .binary(let bytes): statement.bind(index, copying: bytes)
      case .uuid(let first, let last):
        statement.bind(
          index,
          copying: [first, last].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
          })
      }
    }
    try statement.run()
  }
}
