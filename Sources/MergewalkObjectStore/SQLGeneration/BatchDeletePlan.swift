package import MergewalkObjectModel

/// The statements that delete objects and everything that their delete rules reach, and leave nothing that refers to
/// them: text that depends on schema and entity only, never on values.
///
/// The primary keys of what goes are in a temporary table first; all further statements are set operations with it.
package struct BatchDeletePlan {
  /// Something that keeps objects from being deleted.
  package struct Check {
    package enum Kind {
      /// An object that goes has others by a relationship with the rule "deny".
      case denied
      /// An object that stays would lose a reference that it must have.
      case missing
      /// An object that stays would have too few objects in a to-many relationship.
      case tooFew
    }

    package var kind: Kind
    package var property: String
    /// The root entity of the objects that the query selects.
    package var root: RootIndex
    /// Selects primary keys and numbers (`Z_ENT`) of the objects.
    var query: String
  }

  /// A statement on the table of a root entity.
  package struct TableStatement {
    package var root: RootIndex
    package var sql: String
    /// The same statement; it returns primary key and number (`Z_ENT`) of each row.
    package var returningIDs: String { sql + " RETURNING Z_PK, Z_ENT" }
  }

  /// Objects that lose references.
  package struct ObservedRows {
    /// Selects primary key, number (`Z_ENT`) and, for each of ``slots``, whether the reference there goes.
    package var sql: String
    package var slots: [Int]
  }

  /// The temporary table: `r` is the index of a root entity, `k` a primary key.
  static let doomed = "temp.mergewalk_doomed"

  /// Makes the temporary table.
  static let create =
    "CREATE TEMP TABLE IF NOT EXISTS mergewalk_doomed (r INTEGER, k INTEGER, PRIMARY KEY (r, k)) WITHOUT ROWID"
  /// Empties the temporary table.
  package static let clear = "DELETE FROM temp.mergewalk_doomed"

  /// The checks before anything is written; the numbers in ``checkStatements`` are indexes of this list.
  package private(set) var checks: [Check] = []
  /// Clears references to what goes.
  package private(set) var nullifications: [TableStatement] = []
  /// Deletes pairs of many-to-many relationships.
  package private(set) var unlinks: [String] = []
  /// Deletes the objects.
  package private(set) var deletions: [TableStatement] = []
  /// Counts, by table, references to what goes: when a deletion is done, there are none.
  private(set) var leftovers: [(table: String, sql: String)] = []
  /// Selects the objects whose references ``nullifications`` clear.
  package private(set) var observedNullifications: [ObservedRows] = []
  /// Selects the objects that ``deletions`` delete.
  package var observedDeletions: [String] {
    deletions.map { "SELECT Z_PK, Z_ENT FROM \(schema.table(forRoot: $0.root).name) WHERE Z_PK IN (\(gone($0.root)))" }
  }

  let schema: StoreSchema
  let entity: EntityDescription
  private var model: ManagedObjectModel { schema.model }
  /// The entities that may lose objects.
  private var reached = Set<Int>()
  /// The relationships that take objects along.
  private(set) var cascades: [BatchLink] = []

  /// Plans the deletion of objects of an entity and everything below it.
  ///
  /// - Complexity: O(relationships of the model).
  package init(schema: StoreSchema, entity: EntityDescription) {
    self.schema = schema
    self.entity = entity
    reach(entity)
    cascades = links().filter { $0.relationship.deleteRule == .cascade && isHeld($0) }
    planChecks()
    planNullifications()
    for join in schema.joinTables {
      let conditions = [(join.master, join.inverse), (join.inverse, join.master)].compactMap { side, _ in
        isReached(model.entities[side.entity])
          ? "\(side.ownerColumn) IN (\(gone(model.entities[side.entity].root)))" : nil
      }
      var columns = conditions
      if join.isReflexive, !conditions.isEmpty {
        let root = model.entities[join.master.entity].root
        columns = join.keyColumns.map { "\($0) IN (\(gone(root)))" }
      }
      guard !columns.isEmpty else { continue }
      let pairs = "FROM \(join.name) WHERE \(columns.joined(separator: " OR "))"
      unlinks.append("DELETE \(pairs)")
      leftovers.append((join.name, "SELECT count(*) \(pairs)"))
    }
    for root in Set(reached.map { model.entities[$0].root }).sorted() {
      let table = schema.table(forRoot: root).name
      deletions.append(
        TableStatement(
          root: root, sql: "DELETE FROM \(table) WHERE Z_PK IN (\(gone(root)))"))
    }
  }

  /// Puts what is selected, and what delete rules take along, into the temporary table: one statement.
  ///
  /// - Parameter query: Selects the primary keys in its first column.
  package func selection(_ query: String, columnCount: Int) -> String {
    let names = (0..<columnCount).map { "v\($0)" }.joined(separator: ", ")
    let start = "SELECT \(entity.root), v0 FROM s"
    if cascades.isEmpty { return "WITH s(\(names)) AS (\(query)) INSERT INTO \(Self.doomed) \(start)" }
    let steps = cascades.map { link in
      "SELECT \(link.otherRoot), \(link.otherKey) FROM d CROSS JOIN \(link.joined) WHERE d.r = \(link.ownRoot)"
        + (link.isOwnColumn ? " AND \(link.otherKey) IS NOT NULL" : "")
    }
    let terms = ([start] + steps).joined(separator: " UNION ")
    return "WITH RECURSIVE s(\(names)) AS (\(query)), d(r, k) AS (\(terms)) "
      + "INSERT INTO \(Self.doomed) SELECT r, k FROM d"
  }

  /// Statements that select the index of a check, a primary key and a number (`Z_ENT`) for whatever is in the way.
  ///
  /// SQLite takes 500 parts in one statement; nearly always one is enough.
  package func checkStatements(limit: Int) -> [String] {
    let parts = checks.enumerated().map { "SELECT * FROM (SELECT \($0), \($1.query))" }
    return stride(from: 0, to: parts.count, by: 100).map { start in
      parts[start..<min(start + 100, parts.count)].joined(separator: " UNION ALL ") + " LIMIT \(limit)"
    }
  }

  // MARK: What is reached

  private mutating func reach(_ entity: EntityDescription) {
    for index in entity.index...entity.lastDescendantIndex where reached.insert(index).inserted {
      for relationship in model.entities[index].relationships
      where relationship.deleteRule == .cascade && !relationship.isTransient {
        let destination = model.entities[relationship.destinationEntity]
        if schema.contains(destination) { reach(destination) }
      }
    }
  }

  private func isReached(_ entity: EntityDescription) -> Bool {
    (entity.index...entity.lastDescendantIndex).contains { reached.contains($0) }
  }

  /// Whether objects that go may have the relationship.
  private func isHeld(_ link: BatchLink) -> Bool {
    isReached(model.entities[link.relationship.declaringEntity])
  }

  /// All relationships that the store keeps, each from its own side.
  private func links() -> [BatchLink] {
    model.entities.filter { schema.entityNumbers[$0.index] > 0 }.flatMap { entity in
      entity.relationships.filter { $0.declaringEntity == entity.index }.compactMap { BatchLink($0, schema: schema) }
    }
  }

  /// Whether no object that stays can refer to one that goes by a to-one relationship: all of them go too, or their
  /// presence has failed the request.
  private func isSettled(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isTransient else { return false }
    // A one-to-one relationship is stored at both ends, and a damaged store may know only one of them.
    return inverse.deleteRule == .deny || inverse.deleteRule == .cascade && inverse.isToMany
  }

  private func gone(_ root: RootIndex) -> String { "SELECT k FROM \(Self.doomed) WHERE r = \(root)" }

  private func stays(_ root: RootIndex, _ key: String) -> String {
    "NOT EXISTS (SELECT 1 FROM \(Self.doomed) WHERE r = \(root) AND k = \(key))"
  }

  // MARK: Checks

  private mutating func planChecks() {
    for link in links() {
      let relationship = link.relationship
      let own = schema.table(forRoot: link.ownRoot).name
      let other = schema.table(forRoot: link.otherRoot).name
      if relationship.deleteRule == .deny, isHeld(link) {
        checks.append(
          Check(
            kind: .denied, property: relationship.name, root: link.ownRoot,
            query: "o.Z_PK, o.Z_ENT FROM \(Self.doomed) AS d CROSS JOIN \(own) AS o ON o.Z_PK = d.k "
              + "WHERE d.r = \(link.ownRoot) AND EXISTS (SELECT 1 FROM \(link.table) AS l CROSS JOIN \(other) AS t "
              + "ON t.Z_PK = \(link.otherKey) WHERE \(link.ownKey) = d.k AND \(stays(link.otherRoot, "t.Z_PK")))"))
      }
      // What stays and has objects that go.
      guard isReached(model.entities[relationship.destinationEntity]) else { continue }
      if link.isOwnColumn {
        guard !relationship.isOptional, !isSettled(relationship) else { continue }
        checks.append(
          Check(
            kind: .missing, property: relationship.name, root: link.ownRoot,
            query: "o.Z_PK, o.Z_ENT FROM \(own) AS o WHERE o.\(link.column) IN (\(gone(link.otherRoot))) "
              + "AND \(stays(link.ownRoot, "o.Z_PK"))"))
        continue
      }
      let least = max(relationship.minCount, relationship.isOptional ? 0 : 1)
      guard least > 0 else { continue }
      let range = relationship.isOptional ? "BETWEEN 1 AND \(least - 1)" : "< \(least)"
      checks.append(
        Check(
          kind: .tooFew, property: relationship.name, root: link.ownRoot,
          query: "o.Z_PK, o.Z_ENT FROM \(own) AS o WHERE o.Z_PK IN (SELECT \(link.ownKey) FROM \(link.table) AS l "
            + "WHERE \(link.otherKey) IN (\(gone(link.otherRoot)))) AND \(stays(link.ownRoot, "o.Z_PK")) "
            + "AND (SELECT count(*) FROM \(link.table) AS l WHERE \(link.ownKey) = o.Z_PK "
            + "AND \(stays(link.otherRoot, link.otherKey))) \(range)"))
    }
  }

  // MARK: References

  private mutating func planNullifications() {
    for table in schema.tables {
      var assignments: [String] = []
      var conditions: [String] = []
      var versioned: [String] = []
      var slots: [Int] = []
      /// Columns that go with the one that refers to an object.
      func clear(_ column: String, _ root: RootIndex, _ followers: [String?]) {
        let condition = "\(column) IN (\(gone(root)))"
        conditions.append(condition)
        for name in [column] + followers.compactMap({ $0 }) {
          assignments.append("\(name) = CASE WHEN \(condition) THEN NULL ELSE \(name) END")
        }
      }
      let root = model.entities[table.rootEntity.index]
      for entity in model.family(of: table.rootEntity) {
        for relationship in entity.relationships
        where !relationship.isToMany && relationship.declaringEntity == entity.index {
          let destination = model.entities[relationship.destinationEntity]
          guard let column = table.columnName(slot: relationship.slot), isReached(destination), !isSettled(relationship)
          else { continue }
          clear(
            column, destination.root,
            [
              table.destinationEntityColumn(slot: relationship.slot), table.orderKeyColumn(slot: relationship.slot),
            ])
          versioned.append(conditions[conditions.count - 1])
          slots.append(relationship.slot)
        }
      }
      for column in table.columns {
        guard case .reverse(let slot, let owner) = column.role, isReached(model.entities[owner]) else { continue }
        func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
        clear(
          column.name, model.entities[owner].root,
          [
            name(.reverseOrderKey(ofSlot: slot, ownerEntity: owner)),
            name(.reverseEntity(ofSlot: slot, ownerEntity: owner)),
          ])
      }
      guard !conditions.isEmpty else { continue }
      // As in a save, a row's version moves when its own values change, not when an owner without an inverse lets go.
      if versioned.count == conditions.count {
        assignments.append("Z_OPT = ifnull(Z_OPT, 0) + 1")
      } else if !versioned.isEmpty {
        assignments.append("Z_OPT = ifnull(Z_OPT, 0) + ifnull(\(versioned.joined(separator: " OR ")), 0)")
      }
      let staying = isReached(root) ? " AND Z_PK NOT IN (\(gone(root.root)))" : ""
      if !versioned.isEmpty {
        let flags = versioned.map { ", ifnull(\($0), 0)" }.joined()
        observedNullifications.append(
          ObservedRows(
            sql:
              "SELECT Z_PK, Z_ENT\(flags) FROM \(table.name) WHERE (\(versioned.joined(separator: " OR ")))\(staying)",
            slots: slots))
      }
      let condition = "WHERE (\(conditions.joined(separator: " OR ")))\(staying)"
      nullifications.append(
        TableStatement(
          root: root.root, sql: "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) \(condition)"))
      leftovers.append((table.name, "SELECT count(*) FROM \(table.name) \(condition)"))
    }
  }
}

/// One relationship as SQL sees it: rows of a table with the keys of both ends.
struct BatchLink {
  let relationship: RelationshipDescription
  let ownRoot: RootIndex
  let otherRoot: RootIndex
  /// The table that holds the pairs; its alias is `l`.
  let table: String
  /// The columns of `l` with the keys of the object that has the relationship and of the one it refers to.
  let ownKey: String
  let otherKey: String
  /// The column that refers to the other object, for a to-one relationship.
  let column: String
  let isOwnColumn: Bool

  /// The pairs of the objects whose keys are `d.k`.
  var joined: String { "\(table) AS l ON \(ownKey) = d.k" }

  /// Resolves a relationship; `nil` when the store keeps nothing of it.
  init?(_ relationship: RelationshipDescription, schema: StoreSchema) {
    let model = schema.model
    self.relationship = relationship
    let own = model.entities[relationship.declaringEntity]
    let destination = model.entities[relationship.destinationEntity]
    guard !relationship.isTransient, schema.entityNumbers[destination.index] > 0 else { return nil }
    ownRoot = own.root
    otherRoot = destination.root
    isOwnColumn = !relationship.isToMany
    let name: String?
    if !relationship.isToMany {
      table = schema.table(forRoot: ownRoot).name
      name = schema.table(forRoot: ownRoot).columnName(slot: relationship.slot)
      ownKey = "l.Z_PK"
      otherKey = "l.\(name ?? "")"
    } else if let side = schema.joinTable(entity: own.index, slot: relationship.slot)?
      .side(entity: own.index, slot: relationship.slot)
    {
      table = schema.joinTable(entity: own.index, slot: relationship.slot)?.name ?? ""
      name = side.targetColumn
      ownKey = "l.\(side.ownerColumn)"
      otherKey = "l.\(side.targetColumn)"
    } else {
      let other = schema.table(forRoot: otherRoot)
      table = other.name
      let reverse = other.columns.first {
        $0.role == .reverse(ofSlot: relationship.slot, ownerEntity: own.index)
      }
      name = relationship.inverseSlot >= 0 ? other.columnName(slot: relationship.inverseSlot) : reverse?.name
      ownKey = "l.\(name ?? "")"
      otherKey = "l.Z_PK"
    }
    guard let name else { return nil }
    column = name
  }
}
