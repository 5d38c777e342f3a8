package import MergewalkObjectModel
import MergewalkSQLite

/// Finds, after whole objects were loaded, those that cannot stay: what they refer to is not there, the other end of a
/// one-to-one relationship does not refer back, or they break a uniqueness constraint; and takes them out again,
/// with everything that then refers to them.
///
/// Memory is flat: what is found is kept in a temporary table. Without findings it costs one seek for each reference and
/// a sort for each uniqueness constraint.
package final class ReferenceCheck {
  /// Why an object cannot stay.
  package enum Reason: Sendable {
    /// Its relationship refers to an object that does not exist.
    case missingTarget(RelationshipDescription)
    /// The object that its one-to-one relationship refers to does not refer back.
    case inverse(RelationshipDescription)
    /// Another object has the same values.
    case unique(IndexDefinition)
  }

  /// An object that was taken out.
  package struct Finding: Sendable {
    package let reason: Reason
    /// The identity of the object that it refers to; 0 for uniqueness constraints.
    package let other: Int64
  }

  /// The objects of an entity that kept nothing, or less, of a relationship, because what it refers to is not there or
  /// does not refer back.
  package struct Forgotten: Sendable {
    /// The relationship whose field refers to them.
    package let relationship: RelationshipDescription
    /// The number of the objects' entity.
    package let entity: Int
    package let count: Int
  }

  /// The references that were set to nil, once the check has run.
  package private(set) var forgotten: [Forgotten] = []

  private let schema: StoreSchema
  private let connection: Connection
  /// The numbers of the entities whose references to what is not there become nothing.
  private let forgiving: Set<Int>
  private var references: [Reference] = []
  private var reasons: [Reason] = []

  /// A column that refers to objects.
  private struct Reference {
    var relationship: RelationshipDescription
    var table: String
    /// The column with the identity of the other object.
    var column: String
    /// The columns that are null with it.
    var companions: [String]
    /// The root of the objects that have the reference, and the column of `table` with their identities.
    var root: RootIndex
    var owner: String
    /// The root of the objects that it refers to.
    var otherRoot: RootIndex
    /// The condition on the other object, `d`.
    var condition: String
    /// The column of the one-to-one inverse in the other object's table.
    var inverseColumn: String?
    /// Whether it is a row of a join table.
    var isJoin: Bool
  }

  /// Prepares a check.
  ///
  /// - Parameter forgiving: The indexes of the entities whose optional references to what is not there, or does not refer
  ///   back, become nothing.
  package init(store: PersistentStore, forgiving: Set<Int>) {
    schema = store.schema
    connection = store.connection
    self.forgiving = Set(forgiving.map { store.schema.entityNumbers[$0] })
    for table in schema.tables { addReferences(of: table) }
    for join in schema.joinTables { addReferences(of: join) }
  }

  // MARK: References

  private func addReferences(of table: EntityTable) {
    let root = schema.model.entities[table.rootEntity.index]
    var seen = Set<Int>()
    for entity in schema.model.family(of: root.index) {
      for relationship in entity.relationships
      where !relationship.isToMany && relationship.declaringEntity == entity.index
        && seen.insert(relationship.slot).inserted
      {
        guard let column = table.columnName(slot: relationship.slot) else { continue }
        let other = schema.model.entities[relationship.destinationEntity]
        guard schema.entityNumbers[other.index] > 0 else { continue }
        var inverse: String?
        if relationship.inverseSlot >= 0, !relationship.isInverseToMany {
          inverse = schema.table(forRoot: other.root).columnName(slot: relationship.inverseSlot)
        }
        references.append(
          Reference(
            relationship: relationship, table: table.name, column: column,
            companions: [
              table.destinationEntityColumn(slot: relationship.slot), table.orderKeyColumn(slot: relationship.slot),
            ].compactMap { $0 },
            root: root.root, owner: "Z_PK", otherRoot: other.root, condition: condition(other),
            inverseColumn: inverse, isJoin: false))
      }
    }
    for column in table.columns {
      guard case .reverse(let slot, let owner) = column.role,
        let relationship = schema.model.entities[owner].relationships.first(where: {
          $0.slot == slot && $0.declaringEntity == owner
        })
      else { continue }
      let roles: [ColumnDefinition.Role] = [
        .reverseEntity(ofSlot: slot, ownerEntity: owner), .reverseOrderKey(ofSlot: slot, ownerEntity: owner),
      ]
      let other = schema.model.entities[owner]
      references.append(
        Reference(
          relationship: relationship, table: table.name, column: column.name,
          companions: table.columns.filter { roles.contains($0.role) }.map(\.name), root: root.root, owner: "Z_PK",
          otherRoot: other.root, condition: condition(other), inverseColumn: nil, isJoin: false))
    }
  }

  private func addReferences(of join: JoinTable) {
    let master = schema.model.entities[join.master.entity]
    guard
      let relationship = master.relationships.first(where: {
        $0.slot == join.master.slot && $0.declaringEntity == master.index
      })
    else { return }
    let other = schema.model.entities[relationship.destinationEntity]
    references.append(
      Reference(
        relationship: relationship, table: join.name, column: join.master.targetColumn, companions: [],
        root: master.root, owner: join.master.ownerColumn, otherRoot: other.root, condition: condition(other),
        inverseColumn: nil, isJoin: true))
  }

  /// That `d` is an object of the entity or of one below it.
  private func condition(_ entity: EntityDescription) -> String {
    entity.isRoot ? "" : " AND d.Z_ENT \(schema.entityTest(entity))"
  }

  private func tableName(root: RootIndex) -> String { schema.table(forRoot: root).name }

  // MARK: The check

  /// Fills in the entity numbers of references to objects that came later than those that refer to them.
  package func completeEntities() throws(StoreError) {
    for table in schema.tables {
      for column in table.columns {
        guard let (name, other) = schema.entityColumn(of: column.role, in: table) else { continue }
        try connection.execute(
          "UPDATE \(table.name) AS s SET \(name) = (SELECT d.Z_ENT FROM \(other.name) AS d"
            + " WHERE d.Z_PK = s.\(column.name)) WHERE s.\(column.name) IS NOT NULL AND s.\(name) IS NULL")
      }
    }
  }

  /// Finds what cannot stay and takes it out.
  ///
  /// - Parameter prepare: Is called before objects are taken out; builds the indexes that make it fast.
  /// - Returns: How many objects were taken out.
  package func run(prepare: () throws(StoreError) -> Void) throws(StoreError) -> Int {
    try connection.execute(
      "CREATE TEMP TABLE mergewalk_gone (root INTEGER, key INTEGER, reason INTEGER, other INTEGER, wave INTEGER,"
        + " PRIMARY KEY (root, key)) WITHOUT ROWID")
    for reference in references { try findMissing(reference) }
    for index in schema.indexes where index.isUnique { try findEqual(index) }
    let found = try connection.integer("SELECT count(*) FROM temp.mergewalk_gone") ?? 0
    if found > 0 {
      try prepare()
      try spread()
      for table in schema.tables {
        try connection.execute(
          "DELETE FROM \(table.name) WHERE Z_PK IN"
            + " (SELECT key FROM temp.mergewalk_gone WHERE root = \(table.rootEntity))")
      }
    }
    if found > 0 || !forgiving.isEmpty { try forget() }
    return Int(try connection.integer("SELECT count(*) FROM temp.mergewalk_gone") ?? 0)
  }

  /// Calls `body` with every object of a root entity that was taken out, in the order of their identities.
  package func forEach(root: RootIndex, _ body: (_ identity: Int64, _ finding: Finding) -> Void) throws(StoreError) {
    let select = try connection.prepare(
      "SELECT key, reason, other FROM temp.mergewalk_gone WHERE root = \(root) ORDER BY key")
    while try select.step() {
      body(
        select.integer(0),
        Finding(reason: reasons[Int(truncatingIfNeeded: select.integer(1))], other: select.integer(2)))
    }
  }

  /// The number of a reason, by which the temporary table knows it.
  private func number(_ reason: Reason) -> Int {
    reasons.append(reason)
    return reasons.count - 1
  }

  /// The condition that an object `o` may not lose a reference.
  private func strict(_ reference: Reference) -> String {
    guard !forgiving.isEmpty, reference.relationship.isOptional || reference.isJoin || reference.relationship.isToMany
    else { return "" }
    return " AND o.Z_ENT NOT IN (\(forgiving.sorted().map(String.init).joined(separator: ", ")))"
  }

  /// The rows that have a reference as `s`, their objects as `o`.
  private func owners(_ reference: Reference) -> String {
    guard reference.isJoin else { return "\(reference.table) AS o" }
    return "\(reference.table) AS s CROSS JOIN \(tableName(root: reference.root)) AS o ON o.Z_PK = s.\(reference.owner)"
  }

  private func alias(_ reference: Reference) -> String { reference.isJoin ? "s" : "o" }

  private func findMissing(_ reference: Reference) throws(StoreError) {
    let alias = alias(reference)
    let other = tableName(root: reference.otherRoot)
    let missing = number(.missingTarget(reference.relationship))
    try connection.execute(
      "INSERT OR IGNORE INTO temp.mergewalk_gone SELECT \(reference.root), o.Z_PK, \(missing),"
        + " \(alias).\(reference.column), 0 FROM \(owners(reference))"
        + " WHERE \(alias).\(reference.column) IS NOT NULL\(strict(reference)) AND NOT EXISTS"
        + " (SELECT 1 FROM \(other) AS d WHERE d.Z_PK = \(alias).\(reference.column)\(reference.condition))")
    guard let inverse = reference.inverseColumn else { return }
    let reason = number(.inverse(reference.relationship))
    try connection.execute(
      "INSERT OR IGNORE INTO temp.mergewalk_gone SELECT \(reference.root), o.Z_PK, \(reason), o.\(reference.column), 0"
        + " FROM \(reference.table) AS o CROSS JOIN \(other) AS d ON d.Z_PK = o.\(reference.column)\(reference.condition)"
        + " WHERE d.\(inverse) IS NOT o.Z_PK\(strict(reference))")
  }

  private func findEqual(_ index: IndexDefinition) throws(StoreError) {
    guard let table = schema.tables.first(where: { $0.name == index.table }) else { return }
    let columns = index.columns.joined(separator: ", ")
    let present = index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let reason = number(.unique(index))
    try connection.execute(
      "INSERT OR IGNORE INTO temp.mergewalk_gone SELECT \(table.rootEntity), Z_PK, \(reason), 0, 0 FROM"
        + " (SELECT Z_PK, row_number() OVER (PARTITION BY \(columns) ORDER BY Z_PK) AS place FROM \(table.name)"
        + " WHERE \(present)) WHERE place > 1")
  }

  /// Adds what refers to what was found, wave by wave.
  ///
  /// - Complexity: A seek for each object found and reference; as many waves as the longest chain of references.
  private func spread() throws(StoreError) {
    try connection.execute("CREATE INDEX temp.mergewalk_wave ON mergewalk_gone (wave, root)")
    var statements: [Statement] = []
    for reference in references {
      let alias = alias(reference)
      let reason = number(.missingTarget(reference.relationship))
      let join =
        reference.isJoin
        ? "\(reference.table) AS s ON s.\(reference.column) = g.key CROSS JOIN"
          + " \(tableName(root: reference.root)) AS o ON o.Z_PK = s.\(reference.owner)"
        : "\(reference.table) AS o ON o.\(reference.column) = g.key"
      statements.append(
        try connection.prepare(
          "INSERT OR IGNORE INTO temp.mergewalk_gone SELECT \(reference.root), o.Z_PK, \(reason),"
            + " \(alias).\(reference.column), ?1 + 1 FROM temp.mergewalk_gone AS g CROSS JOIN \(join)"
            + " WHERE g.wave = ?1 AND g.root = \(reference.otherRoot)\(strict(reference))"))
    }
    var wave: Int64 = 0
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for statement in statements {
        statement.bind(1, wave)
        try statement.run()
        if connection.changes > 0 { isGrowing = true }
      }
      wave += 1
    }
  }

  /// Sets references to what is not there, or does not refer back, to nothing; only those are left that may be.
  private func forget() throws(StoreError) {
    for reference in references {
      let other = tableName(root: reference.otherRoot)
      // Every column is qualified: the other object may be of the same table.
      let back = reference.inverseColumn.map { " AND d.\($0) IS s.\(reference.owner)" } ?? ""
      let missing =
        "NOT EXISTS (SELECT 1 FROM \(other) AS d WHERE d.Z_PK = s.\(reference.column)\(reference.condition)\(back))"
      let owner = tableName(root: reference.root)
      try count(
        reference,
        reference.isJoin
          ? "SELECT o.Z_ENT, count(DISTINCT s.\(reference.owner)) FROM \(reference.table) AS s CROSS JOIN \(owner) AS o"
            + " ON o.Z_PK = s.\(reference.owner) WHERE \(missing) GROUP BY o.Z_ENT"
          : "SELECT s.Z_ENT, count(*) FROM \(reference.table) AS s WHERE s.\(reference.column) IS NOT NULL AND \(missing)"
            + " GROUP BY s.Z_ENT")
      if reference.isJoin {
        try connection.execute(
          "DELETE FROM \(reference.table) AS s WHERE \(missing)"
            + " OR NOT EXISTS (SELECT 1 FROM \(owner) AS o WHERE o.Z_PK = s.\(reference.owner))")
      } else {
        let nulls = ([reference.column] + reference.companions).map { "\($0) = NULL" }.joined(separator: ", ")
        try connection.execute(
          "UPDATE \(reference.table) AS s SET \(nulls) WHERE s.\(reference.column) IS NOT NULL AND \(missing)")
      }
    }
  }

  private func count(_ reference: Reference, _ sql: String) throws(StoreError) {
    let select = try connection.prepare(sql)
    while try select.step() {
      forgotten.append(
        Forgotten(
          relationship: reference.relationship, entity: Int(truncatingIfNeeded: select.integer(0)),
          count: Int(truncatingIfNeeded: select.integer(1))))
    }
  }
}
