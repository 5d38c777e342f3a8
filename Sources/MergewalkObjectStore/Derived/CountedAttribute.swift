import MergewalkObjectModel

/// An attribute that Core Data keeps by triggers: how many objects at the end of a relationship a condition holds for.
///
/// The condition is in the attribute's user info, `(faces.hidden == NO) && (faces.kind != 0)`. The wording is that of the ten
/// attributes of two libraries of Photos, with their 70 triggers.
struct CountedAttribute {
  /// The key of an attribute's user info that has the condition.
  static let conditionKey = "NSTriggerKey"

  /// The table and the column of the attribute.
  let table: String
  let column: String
  /// The table of the objects that count.
  private let source: String
  /// The column that connects both: of ``source``, or of ``table`` when the relationship is to one object.
  private let link: String
  private let isToMany: Bool
  /// The columns that the condition names, once each, and its demands on them.
  private let columns: [String]
  private let tests: [(column: String, test: String)]

  /// Understands an attribute's condition; `nil` when it has none, or one whose wording in triggers is not known.
  init?(_ attribute: AttributeDescription, of entity: EntityDescription, _ schema: StoreSchema) {
    guard let text = attribute.userInfo[Self.conditionKey], let predicate = try? ObjectPredicate(format: text),
      let parts = Self.parts(predicate), let name = parts.first?.relationship,
      parts.allSatisfy({ $0.relationship == name }), let relationship = entity.relationship(named: name),
      !relationship.isTransient, entity.isRoot, schema.contains(entity)
    else { return nil }
    let destination = schema.model.entities[relationship.destinationEntity]
    guard destination.isRoot, schema.contains(destination) else { return nil }
    let (own, other) = (schema.table(forRoot: entity.root), schema.table(forRoot: destination.root))
    let connection =
      relationship.isToMany
      ? schema.model.inverse(of: relationship).flatMap { $0.isToMany ? nil : other.columnName(slot: $0.slot) }
      : own.columnName(slot: relationship.slot)
    guard let column = own.columnName(slot: attribute.slot), let connection else { return nil }
    var tests: [(column: String, test: String)] = []
    for part in parts {
      guard let tested = destination.attribute(named: part.attribute).flatMap({ other.columnName(slot: $0.slot) })
      else { return nil }
      tests.append((tested, part.test))
    }
    (table, self.column, source, link) = (own.name, column, other.name, connection)
    isToMany = relationship.isToMany
    self.tests = tests
    columns = tests.map(\.column).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The parts of a predicate over attributes of one relationship; `nil` for anything but numbers and comparisons
  /// joined by AND.
  private static func parts(
    _ predicate: ObjectPredicate
  ) -> [(relationship: String, attribute: String, test: String)]? {
    switch predicate {
    case .and(let inner):
      let lists = inner.compactMap { parts($0) }
      return lists.count == inner.count ? lists.flatMap { $0 } : nil
    case .comparison(let comparison):
      guard comparison.modifier == .direct, comparison.options.isEmpty,
        [.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo]
          .contains(comparison.comparison),
        case .path(.evaluatedObject, let path) = comparison.left, path.components.count == 2,
        case .property(let relationship) = path.components[0], case .property(let attribute) = path.components[1],
        case .constant(.attribute(let value)) = comparison.right
      else { return nil }
      let number: String
      switch value {
      case .boolean(let flag): number = flag ? "1" : "0"
      case .integer(let integer): number = "\(integer)"
      case .double(let double) where double.isFinite: number = "\(double)"
      default: return nil
      }
      return [(relationship, attribute, "\(comparison.comparison.rawValue) \(number)")]
    default: return nil
    }
  }

  private func condition(_ prefix: String = "") -> String {
    tests.map { "\(prefix)\($0.column) \($0.test)" }.joined(separator: " AND ")
  }

  /// The rows that count for the row `owner` of the attribute's table.
  private func count(_ owner: String, _ isBracketed: Bool = true) -> String {
    let connection = isToMany ? "\(link) = \(owner)Z_PK" : "Z_PK = \(owner)\(link)"
    return "(SELECT COUNT(Z_PK) FROM \(source) WHERE \(isBracketed ? "(\(connection))" : connection)"
      + " AND (\(condition())))"
  }

  /// Sets the values of all rows.
  var fillStatement: String { "UPDATE \(table) AS t0 SET \(column) = \(count("t0."))" }

  /// Whether the condition names an attribute that is counted itself.
  func needs(_ other: CountedAttribute) -> Bool {
    source == other.table && columns.contains(other.column)
  }

  var triggers: [TriggerDefinition] {
    let (more, fewer) = ("IFNULL(\(column),0) + 1", "MAX(0,IFNULL(\(column),0) - 1)")
    let names = "ZT_\(table)_\(column)_\(source)"
    func make(
      _ name: String, _ event: String, on changed: String, _ clause: String, _ value: String, _ written: String,
      _ told: String
    ) -> TriggerDefinition {
      TriggerDefinition(
        name: "\(names)_\(name)", table: changed, event: "AFTER \(event)", clause: clause,
        body:
          "UPDATE \(table) SET \(column) = \(value) WHERE \(written); SELECT NSCoreDataTriggerUpdateAffectedObjectValue("
          + "'\(table)', Z_ENT, Z_PK, '\(column)', \(column)) FROM \(table) WHERE \(told);")
    }
    // Which rows a row of the source counts for, as each statement says it.
    func owner(_ row: String) -> String { isToMany ? "\(row).\(link) = Z_PK" : "\(row).Z_PK = \(link)" }
    func told(_ row: String) -> String { isToMany ? "Z_PK = \(row).\(link)" : "\(link) = \(row).Z_PK" }
    let changed = columns.map { "NEW.\($0) != OLD.\($0)" }.joined(separator: " OR ")
    func stayed(_ one: String, _ other: String) -> String {
      isToMany ? " AND (\(one).\(link) == \(other).\(link))" : ""
    }
    let update = "UPDATE OF \(columns.joined(separator: ", "))"
    let (new, old) = (condition("NEW."), condition("OLD."))
    var list = [
      make("INSERT_INCREMENT", "INSERT", on: source, "FOR EACH ROW WHEN \(new)", more, owner("NEW"), told("NEW")),
      make(
        "UPDATE_INCREMENT", update, on: source, "FOR EACH ROW WHEN (\(new)) AND (\(changed))\(stayed("NEW", "OLD"))",
        more, owner("NEW"), told("NEW")),
      make(
        "UPDATE_DECREMENT", update, on: source, "FOR EACH ROW WHEN (\(old)) AND (\(changed))\(stayed("OLD", "NEW"))",
        fewer, owner("OLD"), told("NEW")),
      make("DELETE_DECREMENT", "DELETE", on: source, "FOR EACH ROW WHEN \(old)", fewer, owner("OLD"), told("OLD")),
      make(
        "\(table)_INSERT_INCREMENT", "INSERT", on: table, "FOR EACH ROW", count("NEW."), "Z_PK = NEW.Z_PK",
        "Z_PK = NEW.Z_PK"),
    ]
    let moved = "UPDATE OF \(link)"
    let isAnother = "(NEW.\(link) != OLD.\(link))"
    func appears(_ one: String, _ other: String) -> String {
      "((\(one).\(link) IS NOT NULL AND \(other).\(link) IS NULL) OR \(isAnother))"
    }
    if isToMany {
      list += [
        make(
          "\(link)_UPDATE_INCREMENT", moved, on: source, "WHEN (\(new)) AND \(appears("NEW", "OLD"))", more,
          "Z_PK = NEW.\(link)", "Z_PK = NEW.\(link)"),
        make(
          "\(link)_UPDATE_DECREMENT", moved, on: source, "WHEN (\(old)) AND \(appears("OLD", "NEW"))", fewer,
          "Z_PK = OLD.\(link)", "Z_PK = OLD.\(link)"),
      ]
    } else {
      list += [
        make(
          "\(link)_UPDATE_TO_NULL", moved, on: table, "WHEN (NEW.\(link) IS NULL AND OLD.\(link) IS NOT NULL)", "0",
          "Z_PK = NEW.Z_PK", "Z_PK = NEW.Z_PK"),
        make(
          "\(link)_UPDATE_INCREMENT", moved, on: table, "WHEN \(appears("NEW", "OLD"))", count("NEW.", false),
          "Z_PK = NEW.Z_PK", "Z_PK = NEW.Z_PK"),
      ]
    }
    return list
  }
}

extension StoreSchema {
  /// The attributes that triggers count; what a count depends on comes first.
  ///
  /// Triggers of a circle of counts would not end with one value either.
  var countedAttributes: [CountedAttribute] {
    model.entities.flatMap { countedAttributes(of: $0) }.inOrderOfNeed { $0.needs($1) }
  }

  func countedAttributes(of entity: EntityDescription) -> [CountedAttribute] {
    entity.attributes.filter { $0.declaringEntity == entity.index }
      .sorted { CodePointOrder.precedes($0.name, $1.name) }.compactMap { CountedAttribute($0, of: entity, self) }
  }
}

extension StoreFile {
  /// Counts for all rows of a new store, whose rows came without triggers.
  func fillCounts() throws(StoreError) {
    for count in schema.countedAttributes { try connection.execute(count.fillStatement) }
  }
}
