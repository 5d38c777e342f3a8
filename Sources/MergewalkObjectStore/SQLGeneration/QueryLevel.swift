import MergewalkObjectModel

/// The FROM and WHERE of one SELECT while it is built: the statement itself, or a subquery of it.
final class QueryLevel {
  /// The tables, without FROM.
  private(set) var sources = SQLText()
  /// The conditions on the rows apart from the predicate: the links to the rows outside.
  var conditions: [SQLText] = []
  /// The place of each row in its collection, when that is ordered.
  var order: SQLText?
  private(set) var sourceCount = 0
  /// How many to-many relationships lead to the rows.
  var toManySteps = 0

  /// Adds a table; the first one, or one that is joined.
  func add(_ source: SQLText) {
    if sourceCount > 0 { sources.sql += " " }
    sources.append(source)
    sourceCount += 1
  }
}

/// A row of an entity's table, or at least its primary key: `SELF`, the end of a to-one relationship, an element of a
/// to-many one.
///
/// Its table is joined when a column is needed, once, however many paths lead there; its key alone needs no join.
final class QueryRow {
  let entity: EntityDescription
  let table: EntityTable
  let level: QueryLevel
  /// The primary key, null when there is no row.
  let key: SQLText
  let isNullable: Bool
  private let names: QueryNames
  /// The number of the row's own entity, when it is known without a join.
  private let knownEntityNumber: SQLText?
  private var alias: String?
  private let isElement: Bool
  private var toOne: [Int: QueryRow] = [:]

  /// A row of a table that is in the level already.
  init(entity: EntityDescription, alias: String, level: QueryLevel, names: QueryNames) {
    self.entity = entity
    self.level = level
    self.names = names
    self.alias = alias
    table = names.schema.table(forRoot: entity.root)
    key = SQLText(name: "\(alias).Z_PK")
    isNullable = false
    isElement = true
    knownEntityNumber = SQLText(name: "\(alias).Z_ENT")
  }

  /// A row that a key refers to.
  ///
  /// - Parameter isElement: Whether the key is that of an element of a join table, whose rows are never missing.
  init(
    entity: EntityDescription, key: SQLText, entityNumber: SQLText?, isElement: Bool, level: QueryLevel,
    names: QueryNames
  ) {
    self.entity = entity
    self.key = key
    self.level = level
    self.names = names
    self.isElement = isElement
    isNullable = !isElement
    knownEntityNumber = entityNumber
    table = names.schema.table(forRoot: entity.root)
  }

  /// The alias of the row's table, which is joined at the first use.
  func tableAlias() -> String {
    if let alias { return alias }
    let alias = names.next()
    self.alias = alias
    let kind: SQLText = isElement ? "JOIN" : "LEFT JOIN"
    level.add("\(kind) \(name: table.name) AS \(name: alias) ON \(name: alias).Z_PK = \(key)")
    return alias
  }

  func column(_ name: String) -> SQLText { SQLText(name: "\(tableAlias()).\(name)") }

  /// The number of the row's own entity; `nil` when nothing inherits from its entity, so that it is known.
  func entityNumber() -> SQLText? {
    entity.hasSubentities ? knownEntityNumber ?? column("Z_ENT") : nil
  }

  /// The row that a to-one relationship refers to.
  func destination(_ relationship: RelationshipDescription) -> QueryRow? {
    if let known = toOne[relationship.slot] { return known }
    let schema = names.schema
    guard schema.contains(schema.model.entities[relationship.destinationEntity]),
      let name = table.columnName(slot: relationship.slot)
    else { return nil }
    let key = column(name)
    let entityNumber = table.destinationEntityColumn(slot: relationship.slot).map { column($0) }
    let row = QueryRow(
      entity: names.schema.model.entities[relationship.destinationEntity], key: key, entityNumber: entityNumber,
      isElement: false, level: level, names: names)
    toOne[relationship.slot] = row
    return row
  }

  /// The row as a value: its primary key.
  var value: SQLValue {
    SQLValue(
      text: key, family: .object(root: entity.root), type: .objectID, kind: .integer, isNullable: isNullable,
      isColumn: true, name: "the \(entity.name)", row: self)
  }
}

/// The rows or values that a path over a to-many relationship leads to.
struct QueryCollection {
  enum Element {
    case row(QueryRow)
    case value(SQLValue)
  }

  /// Where the elements come from.
  let level: QueryLevel
  /// The element, as the level's conditions and columns see it.
  var element: Element
  /// Whether equal elements count once.
  var isDistinct = false
  /// The path in messages.
  var name: String

  var value: SQLValue {
    switch element {
    case .row(let row): row.value
    case .value(let value): value
    }
  }
}

/// The aliases of a statement, and the schema that its names come from.
final class QueryNames {
  let schema: StoreSchema
  private var count = 0
  private var toManySteps = 0

  /// The most to-many relationships that a statement follows: SQLite's time grows with the square of their number.
  static let toManyStepLimit = 200
  /// The most of them in one path, whose rows multiply at every step.
  static let pathStepLimit = 6

  init(_ schema: StoreSchema) { self.schema = schema }

  /// Takes note that a to-many relationship is followed.
  func countToManyStep(in level: QueryLevel, _ path: String) throws(PredicateError) {
    toManySteps += 1
    level.toManySteps += 1
    guard level.toManySteps <= QueryNames.pathStepLimit else {
      throw PredicateError(
        .tooLarge, "\(path) goes over more than \(QueryNames.pathStepLimit) to-many relationships",
        hint: "begin the fetch at an entity that is nearer")
    }
    guard toManySteps <= QueryNames.toManyStepLimit else {
      throw PredicateError(
        .tooLarge, "the request follows more than \(QueryNames.toManyStepLimit) to-many relationships",
        hint: "put alternatives into one ANY with IN, or into one SUBQUERY")
    }
  }

  /// A new alias, `t0` first.
  func next() -> String {
    defer { count += 1 }
    return "t\(count)"
  }
}
