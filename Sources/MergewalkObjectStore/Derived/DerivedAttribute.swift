package import MergewalkObjectModel

/// A derived attribute as SQL computes it.
///
/// The expression's path leads from the attribute's own rows, level 0, over relationships to the rows that it takes
/// values from. Aliases are `t0`, `t1` and so on; pairs of many-to-many relationships are `j1`, `j2`, by the level they
/// lead to.
struct DerivedAttribute {
  let entity: EntityDescription
  let name: String
  let slot: Int
  /// The column that the value is taken from, in the rows of the last level; `nil` for times and counts.
  private(set) var source: String?
  /// Whether that is the column of a derived attribute.
  private(set) var isSourceDerived = false
  /// The function of the expression; `nil` for the value of another attribute as it is.
  let function: String?
  let table: String
  let column: String
  /// The SQL expression of the value for the row `t0`; `nil` for the time of the save.
  let value: String?
  /// The levels; the first is the attribute's own.
  let levels: [Level]
  /// The entity numbers of the rows that have the attribute; `nil` when all rows of the table do.
  let numbers: [Int]?

  /// The rows at one step of the path.
  struct Level {
    /// The entity, with everything that inherits from it.
    let entity: EntityDescription
    let table: String
    /// The slots whose change changes the value.
    var slots: Set<Int> = []
    /// How the rows of the level before are reached: the join table and its condition, then the condition of the row.
    var link: Link?
  }

  /// The link between two levels.
  struct Link {
    /// The table of pairs, or `nil`.
    var joinTable: String?
    /// The same by its name, with the columns of the owners and of what they lead to.
    var pairs: (table: String, owner: String, target: String)?
    /// Without a table of pairs: the column with the other row's key, which the level before has when one row leads to one.
    var column = ""
    var isToOne = false
    /// The condition for a pair to belong to the row of this level.
    var joinToTarget = ""
    /// The condition for a pair to belong to the row of the level before.
    var joinToOwner = ""
    /// Without a table of pairs: the condition that connects both rows.
    var direct = ""
  }

  /// Compiles an attribute's expression; `nil` for expressions that only Core Data computes.
  init?(_ attribute: AttributeDescription, of entity: EntityDescription, _ schema: StoreSchema) {
    guard let expression = attribute.derivationExpression, let text = DerivationText(expression),
      !attribute.isTransient,
      schema.entityNumbers[entity.index] > 0,
      let column = schema.table(forRoot: entity.root).columnName(slot: attribute.slot)
    else { return nil }
    let type = attribute.type
    self.entity = entity
    self.column = column
    function = text.function
    name = attribute.name
    slot = attribute.slot
    table = schema.table(forRoot: entity.root).name
    numbers =
      entity.isRoot
      ? nil : schema.entityNumbers[entity.index...entity.lastDescendantIndex].filter { $0 > 0 }.sorted()
    var levels = [Level(entity: entity, table: table)]
    guard text.function != "now" else {
      value = nil
      self.levels = levels
      return
    }
    var names = text.path
    let last = text.function == "count" ? nil : names.popLast()
    var collections = 0
    for name in names {
      guard let owner = levels.last?.entity, let relationship = owner.relationship(named: name),
        let level = Self.level(relationship, number: levels.count, schema)
      else { return nil }
      levels[levels.count - 1].slots.insert(relationship.slot)
      levels.append(level)
      if relationship.isToMany { collections += 1 }
    }
    guard text.isAggregate == (collections > 0), let end = levels.last else { return nil }
    var source = ""
    var isDecimal = false
    if let last {
      guard let attribute = end.entity.attribute(named: last), !attribute.isTransient,
        let column = schema.table(forRoot: end.entity.root).columnName(slot: attribute.slot)
      else { return nil }
      source = "t\(levels.count - 1).\(column)"
      self.source = column
      isSourceDerived = attribute.isDerived
      levels[levels.count - 1].slots.insert(attribute.slot)
      isDecimal = attribute.type == .decimal
      if ["canonical", "uppercase", "lowercase"].contains(text.function), attribute.type != .string { return nil }
      if text.isForeign, !Self.holds(type, text.function, of: attribute.type) { return nil }
    }
    switch text.function {
    case "count": source = "count(*)"
    case "sum" where isDecimal:
      source = QueryFunctions.decimalNames(.sum).map { "\($0.number)(\(source))" } ?? source
    case "sum": source = "ifnull(sum(\(source)), 0)"
    case "min", "max": source = "\(text.function ?? "")(\(source))"
    case "avg", "average":
      let exact = isDecimal ? QueryFunctions.decimalNames(.average)?.number : nil
      source = "\(exact ?? "avg")(\(source))"
    case "canonical": source = "\(QueryFunctions.name(.canonical))(\(source))"
    case "uppercase": source = "\(QueryFunctions.name(.uppercase))(\(source))"
    case "lowercase": source = "\(QueryFunctions.name(.lowercase))(\(source))"
    default: break
    }
    self.levels = levels
    value = levels.count == 1 ? source : "(SELECT \(source) FROM \(Self.path(levels)))"
  }

  /// Whether an attribute of a type can have the least, the greatest or the mean of values of another type.
  private static func holds(_ type: AttributeType, _ function: String?, of source: AttributeType) -> Bool {
    let broken: [AttributeType] = [.double, .float, .decimal]
    guard source.isNumeric, type.isNumeric, (type == .date) == (source == .date) else { return false }
    if type == .date { return function == "min" || function == "max" }
    let isWhole = function == "min" || function == "max" ? !broken.contains(source) : false
    return isWhole || broken.contains(type)
  }

  /// The rows that a relationship leads to.
  private static func level(
    _ relationship: RelationshipDescription, number: Int, _ schema: StoreSchema
  ) -> Level? {
    let model = schema.model
    let destination = model.entities[relationship.destinationEntity]
    let owner = model.entities[relationship.declaringEntity]
    guard !relationship.isTransient, schema.entityNumbers[destination.index] > 0 else { return nil }
    let target = schema.table(forRoot: destination.root)
    let (own, other) = ("t\(number - 1)", "t\(number)")
    let inverse = model.inverse(of: relationship)
    var level = Level(entity: destination, table: target.name)
    if let inverse { level.slots.insert(inverse.slot) }
    var link = Link()
    if !relationship.isToMany {
      guard let column = schema.table(forRoot: owner.root).columnName(slot: relationship.slot) else { return nil }
      (link.column, link.isToOne) = (column, true)
      link.direct = "\(other).Z_PK = \(own).\(column)"
    } else if let join = schema.joinTable(entity: relationship.declaringEntity, slot: relationship.slot),
      let side = join.side(entity: relationship.declaringEntity, slot: relationship.slot)
    {
      link.joinTable = "\(join.name) AS j\(number)"
      link.pairs = (join.name, side.ownerColumn, side.targetColumn)
      link.joinToOwner = "j\(number).\(side.ownerColumn) = \(own).Z_PK"
      link.joinToTarget = "j\(number).\(side.targetColumn) = \(other).Z_PK"
    } else {
      let reverse = ColumnDefinition.Role.reverse(
        ofSlot: relationship.slot, ownerEntity: relationship.declaringEntity)
      let column =
        inverse.flatMap { $0.isToMany ? nil : target.columnName(slot: $0.slot) }
        ?? target.columns.first { $0.role == reverse }?.name
      guard let column else { return nil }
      link.column = column
      link.direct = "\(other).\(column) = \(own).Z_PK"
    }
    level.link = link
    return level
  }

  /// The tables behind level 0, joined, with the conditions.
  static func path(_ levels: [Level]) -> String {
    var tables: [String] = []
    var conditions: [String] = []
    for (number, level) in levels.enumerated().dropFirst() {
      guard let link = level.link else { continue }
      if let join = link.joinTable {
        tables.append(join)
        conditions += [link.joinToOwner, link.joinToTarget]
      } else {
        conditions.append(link.direct)
      }
      tables.append("\(level.table) AS t\(number)")
    }
    return "\(tables.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))"
  }

  /// The level at which the value is taken from another derived attribute; `nil` when it is not.
  func level(needing other: DerivedAttribute) -> Int? {
    guard let end = levels.last, isSourceDerived, end.slots.contains(other.slot), end.table == other.table,
      (end.entity.index...end.entity.lastDescendantIndex)
        .overlaps(other.entity.index...other.entity.lastDescendantIndex)
    else { return nil }
    return levels.count - 1
  }

  /// The condition for a row `t0` to have the attribute; `nil` when all have.
  private var rowCondition: String? {
    numbers.map { "t0.Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))" }
  }

  /// Writes the values of all rows, or of those in a list that is the first parameter; the time is the second one.
  func update(listed: Bool) -> String {
    var conditions = listed ? ["t0.Z_PK IN (SELECT value FROM \(ListSource.name)(?1))"] : []
    if let rowCondition { conditions.append(rowCondition) }
    let condition = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return "UPDATE \(table) AS t0 SET \(column) = \(value ?? "?2")\(condition)"
  }

  /// Finds the rows whose values are taken from rows at a level, listed in the first parameter.
  ///
  /// The tables come in the order of the way back, which indexes of relationships lead along.
  func owners(level number: Int) -> String {
    var sql = "SELECT DISTINCT t0.Z_PK FROM \(ListSource.name)(?1) AS l"
    sql += " CROSS JOIN \(levels[number].table) AS t\(number) ON t\(number).Z_PK = l.value"
    for i in (1...number).reversed() {
      guard let link = levels[i].link else { continue }
      let before = "\(levels[i - 1].table) AS t\(i - 1)"
      if let join = link.joinTable {
        sql += " CROSS JOIN \(join) ON \(link.joinToTarget) CROSS JOIN \(before) ON \(link.joinToOwner)"
      } else {
        sql += " CROSS JOIN \(before) ON \(link.direct)"
      }
    }
    return sql + (rowCondition.map { " WHERE \($0)" } ?? "")
  }
}

extension DerivedAttribute {
  /// Whether a trigger is one of this attribute's, of whatever wording.
  func owns(trigger name: String) -> Bool {
    name.hasPrefix("Z_DA_") && name.contains("_\(entity.name)_\(self.name)_")
  }
}

extension StoreSchema {
  /// The derived attributes that are computed here, each behind the one that it is taken from, else in the order of
  /// entities and attributes.
  var derivedAttributes: [DerivedAttribute] {
    model.entities.flatMap { derivedAttributes(of: $0) }.inOrderOfNeed { $0.level(needing: $1) != nil }
  }

  func derivedAttributes(of entity: EntityDescription) -> [DerivedAttribute] {
    entity.attributes.filter { $0.isDerived && $0.declaringEntity == entity.index }
      .compactMap { DerivedAttribute($0, of: entity, self) }
  }

  /// Whether an import gives a derived attribute a value.
  ///
  /// A store that is being built gets no times: the same input gives the same bytes.
  package func computesValue(
    of attribute: AttributeDescription, _ entity: EntityDescription, inNewStore isNew: Bool
  ) -> Bool {
    guard let derived = DerivedAttribute(attribute, of: entity, self) else { return false }
    return derived.value != nil || !isNew
  }
}

extension Array {
  /// The elements in their order, but for those that come behind what they need.
  ///
  /// A circle begins anywhere: no order would do.
  func inOrderOfNeed(_ needs: (Element, Element) -> Bool) -> [Element] {
    var (pending, result): ([Element], [Element]) = (self, [])
    while !pending.isEmpty {
      let next = pending.indices.first { index in
        !pending.indices.contains { $0 != index && needs(pending[index], pending[$0]) }
      }
      result.append(pending.remove(at: next ?? 0))
    }
    return result
  }
}
