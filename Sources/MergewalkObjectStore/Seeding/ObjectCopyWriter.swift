import MergewalkSQLite

/// Writes the objects of an attached store, `seed`, into a store, by SQL alone.
///
/// For each table a temporary one says which primary key each prepared object has in the store: `o` the old one, `n` the
/// new one, `f` whether it was found there, `e` the old number of its entity. Temporary tables lie in files, so memory is
/// SQLite's page cache.
final class ObjectCopyWriter {
  let plan: ObjectCopyPlan
  let file: StoreFile
  let options: ObjectCopy.Options
  private let history: ObjectCopyHistory?
  var connection: Connection { file.connection }
  /// How many values an update has kept, by field: mandatory ones that the prepared objects lack.
  private(set) var keptValues: [(field: String, count: Int)] = []
  /// The greatest primary key of each table before the copy.
  private(set) var bases: [Int64] = []

  init(plan: ObjectCopyPlan, file: StoreFile, options: ObjectCopy.Options) throws(StoreError) {
    self.plan = plan
    self.file = file
    self.options = options
    history = try ObjectCopyHistory(file)
  }

  /// Copies everything within the transaction that is open.
  func run() throws(StoreError) -> [String: ObjectCopy.Counts] {
    for table in plan.tables { bases.append(try file.maximumPrimaryKey(forRoot: table.targetRoot)) }
    try mapEntities()
    for table in plan.tables { try map(table) }
    var counts = try count()
    for table in plan.tables { try measurePositions(table) }
    for table in plan.tables { try insert(table) }
    for table in plan.tables where hasFound(table, counts) { try adopt(table) }
    for join in plan.joins { try insert(join) }
    if options.updates { counts = try update(counts) }
    for pair in plan.pairs { try link(pair) }
    try file.writeMaxima(
      try plan.tables.map { table throws(StoreError) in
        (rootEntity: table.targetRoot, maximum: try file.maximumPrimaryKey(forRoot: table.targetRoot))
      })
    try history?.record(plan.tables) { table in
      "SELECT m.n, e.n FROM temp.\(map(table.number)) m JOIN temp.\(Self.entities) e ON e.o = m.e"
        + " WHERE NOT m.f ORDER BY m.n"
    }
    return counts
  }

  private func make(_ name: String, _ columns: String) throws(StoreError) {
    try connection.execute("CREATE TEMP TABLE \(name) (\(columns))")
  }

  // MARK: Who is who

  private static let entities = "mergewalk_seed_entities"

  func map(_ table: Int) -> String { "mergewalk_seed_map\(table)" }

  private func mapEntities() throws(StoreError) {
    try make(Self.entities, "o INTEGER PRIMARY KEY, n INTEGER NOT NULL")
    for table in plan.tables {
      for entity in table.entities {
        try connection.execute(
          "INSERT OR IGNORE INTO temp.\(Self.entities) VALUES (\(entity.sourceNumber), \(entity.targetNumber))")
      }
    }
  }

  /// Finds the existing objects, and gives new keys to the others in the order of their old ones.
  private func map(_ table: ObjectCopyPlan.Table) throws(StoreError) {
    let name = map(table.number)
    try make(name, "o INTEGER PRIMARY KEY, n INTEGER NOT NULL, f INTEGER NOT NULL, e INTEGER NOT NULL")
    for entity in table.entities where !entity.keys.isEmpty {
      let join = entity.keys.map { "t.\($0.target) = s.\($0.source)" }.joined(separator: " AND ")
      try connection.execute(
        """
        INSERT INTO temp.\(name) SELECT s.Z_PK, min(t.Z_PK), 1, s.Z_ENT FROM seed.\(table.source) s \
        JOIN main.\(table.target) t ON t.Z_ENT = \(entity.targetNumber) AND \(join) \
        WHERE s.Z_ENT = \(entity.sourceNumber) GROUP BY s.Z_PK
        """)
    }
    let numbers = table.entities.map { String($0.sourceNumber) }.joined(separator: ", ")
    try connection.execute(
      """
      INSERT INTO temp.\(name) SELECT Z_PK, \(bases[table.number]) + row_number() OVER (ORDER BY Z_PK), 0, Z_ENT \
      FROM seed.\(table.source) WHERE Z_ENT IN (\(numbers)) AND Z_PK NOT IN (SELECT o FROM temp.\(name))
      """)
    try connection.execute("CREATE INDEX temp.\(name)_n ON \(name) (n) WHERE f")
  }

  private func count() throws(StoreError) -> [String: ObjectCopy.Counts] {
    var result: [String: ObjectCopy.Counts] = [:]
    for table in plan.tables {
      for entity in table.entities {
        let select = try connection.prepare(
          "SELECT count(*), sum(f) FROM temp.\(map(table.number)) WHERE e = \(entity.sourceNumber)")
        guard try select.step() else { continue }
        var counts = ObjectCopy.Counts()
        counts.found = Int(select.integer(1))
        counts.inserted = Int(select.integer(0)) - counts.found
        result[entity.name] = counts
      }
    }
    return result
  }

  private func hasFound(_ table: ObjectCopyPlan.Table, _ counts: [String: ObjectCopy.Counts]) -> Bool {
    table.entities.contains { (counts[$0.name]?.found ?? 0) > 0 }
  }

  // MARK: Rows

  private func positions(_ table: Int, _ column: String) -> String { "mergewalk_seed_last\(table)_\(column)" }

  /// Notes where the lists of found objects end, so that new members come after those that are there.
  private func measurePositions(_ table: ObjectCopyPlan.Table) throws(StoreError) {
    for reference in table.references {
      guard let position = reference.position else { continue }
      let name = positions(table.number, position.target)
      try make(name, "owner INTEGER PRIMARY KEY, last INTEGER NOT NULL")
      try connection.execute(
        """
        INSERT INTO temp.\(name) SELECT \(reference.target), max(\(position.target)) FROM main.\(table.target) \
        WHERE \(reference.target) IN (SELECT n FROM temp.\(map(reference.table)) WHERE f) \
        AND \(position.target) IS NOT NULL GROUP BY 1
        """)
    }
  }

  /// The columns of a reference with their values, from the prepared row `s`.
  private func values(_ reference: ObjectCopyPlan.Reference, _ table: Int) -> [(name: String, value: String)] {
    let other = "temp.\(map(reference.table)) d"
    let isOther = "d.o = s.\(reference.source) AND d.e \(reference.entityTest)"
    let key = "(SELECT d.n FROM \(other) WHERE \(isOther))"
    var result = [(reference.target, key)]
    if let column = reference.entityColumn {
      // The object's own entity: the prepared store has no such column when nothing inherits there.
      result.append((column, "(SELECT e.n FROM \(other) JOIN temp.\(Self.entities) e ON e.o = d.e WHERE \(isOther))"))
    }
    if let position = reference.position {
      let last = "ifnull((SELECT last FROM temp.\(positions(table, position.target)) WHERE owner = \(key)), 0)"
      result.append((position.target, "CASE WHEN \(key) IS NOT NULL THEN s.\(position.source) + \(last) END"))
    }
    return result
  }

  /// Copies the rows that are new, in the order of their new keys.
  private func insert(_ table: ObjectCopyPlan.Table) throws(StoreError) {
    let entity = "(SELECT n FROM temp.\(Self.entities) WHERE o = s.Z_ENT)"
    var names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.target)
    var values = ["m.n", entity, "1"] + table.columns.map { "s.\($0.source)" }
    for reference in table.references {
      for (name, value) in self.values(reference, table.number) {
        names.append(name)
        values.append(value)
      }
    }
    let defaults = Dictionary(grouping: table.defaults, by: \.target).sorted { $0.key < $1.key }
    var bindings: [SQLBinding] = []
    for (target, list) in defaults {
      let cases = list.compactMap { entry -> String? in
        guard let binding = QueryBuilder.binding(entry.value)?.0 else { return nil }
        bindings.append(binding)
        let numbers = entry.entityNumbers.map(String.init).joined(separator: ", ")
        return "WHEN s.Z_ENT IN (\(numbers)) THEN ?\(bindings.count)"
      }
      guard !cases.isEmpty else { continue }
      names.append(target)
      values.append("CASE \(cases.joined(separator: " ")) END")
    }
    let insert = try connection.prepare(
      """
      INSERT INTO main.\(table.target) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) \
      FROM temp.\(map(table.number)) m JOIN seed.\(table.source) s ON s.Z_PK = m.o WHERE NOT m.f ORDER BY m.n
      """)
    for (index, binding) in bindings.enumerated() { binding.bind(to: insert, Int32(index + 1)) }
    try insert.run()
    let written = connection.changes
    let wanted = try connection.integer("SELECT count(*) FROM temp.\(map(table.number)) WHERE NOT f") ?? 0
    guard written == wanted else { throw .leftOut(table.target, connection) }
  }

  /// Lets found objects that refer to nothing refer to the new object that the prepared one refers to.
  private func adopt(_ table: ObjectCopyPlan.Table) throws(StoreError) {
    for reference in table.references where !reference.isPair {
      let sets = values(reference, table.number).map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
      try change(
        table, sets, from: "temp.\(map(table.number)) m JOIN seed.\(table.source) s ON s.Z_PK = m.o",
        where: """
          m.f AND m.n = t.Z_PK AND t.\(reference.target) IS NULL \
          AND EXISTS (SELECT 1 FROM temp.\(map(reference.table)) d WHERE d.o = s.\(reference.source) AND NOT d.f)
          """,
        slots: ObjectCopyHistory.slots(reference.slot))
    }
  }

  /// Changes found rows of a table, `t`, and their versions.
  ///
  /// - Parameters:
  ///   - from: What the rows are joined to.
  ///   - slots: The slots of what changes, as history wants them.
  /// - Returns: How many rows changed.
  @discardableResult
  func change(
    _ table: ObjectCopyPlan.Table, _ sets: String, from: String, where condition: String, slots: String
  ) throws(StoreError) -> Int {
    let rows = "FROM main.\(table.target) AS t, \(from) WHERE \(condition)"
    try history?.note(table.targetRoot, key: "t.Z_PK", slots: slots, rows)
    return try change(
      table, counting: "SELECT count(DISTINCT t.Z_PK) \(rows)",
      "UPDATE main.\(table.target) AS t SET \(sets), Z_OPT = ifnull(t.Z_OPT, 0) + 1 FROM \(from) WHERE \(condition)")
  }

  /// Runs an UPDATE, and refuses one of which a trigger of others leaves rows out.
  ///
  /// - Parameter count: How many rows it is to change.
  @discardableResult
  func change(
    _ table: ObjectCopyPlan.Table, counting count: String, _ update: String
  ) throws(StoreError) -> Int {
    let isGuarded = file.guardedTables.contains(table.target.uppercased())
    let wanted = isGuarded ? try connection.integer(count) : nil
    try connection.execute(update)
    let written = connection.changes
    if let wanted, wanted != written { throw .leftOut(table.target, connection) }
    return written
  }

  /// Copies the pairs of a many-to-many relationship in which at least one object is new, or all of them in an update.
  private func insert(_ join: ObjectCopyPlan.Join) throws(StoreError) {
    var names = [join.owner.target, join.member.target]
    var values = ["a.n", "b.n"]
    for (order, end, alias) in [(join.order, join.owner, "a"), (join.inverseOrder, join.member, "b")] {
      guard let order else { continue }
      let last = "mergewalk_seed_join\(join.number)_\(alias)"
      try make(last, "owner INTEGER PRIMARY KEY, last INTEGER NOT NULL")
      try connection.execute(
        """
        INSERT INTO temp.\(last) SELECT \(end.target), max(\(order.target)) FROM main.\(join.target) \
        WHERE \(end.target) IN (SELECT n FROM temp.\(map(end.table)) WHERE f) AND \(order.target) IS NOT NULL GROUP BY 1
        """)
      names.append(order.target)
      values.append("j.\(order.source) + ifnull((SELECT last FROM temp.\(last) WHERE owner = \(alias).n), 0)")
    }
    let pairs = """
      FROM seed.\(join.source) j \
      JOIN temp.\(map(join.owner.table)) a ON a.o = j.\(join.owner.source) AND a.e \(join.owner.entityTest) \
      JOIN temp.\(map(join.member.table)) b ON b.o = j.\(join.member.source) AND b.e \(join.member.entityTest) \
      WHERE \(options.updates ? "true" : "NOT (a.f AND b.f)")
      """
    let missing =
      "\(pairs) AND NOT EXISTS (SELECT 1 FROM main.\(join.target) t"
      + " WHERE t.\(join.owner.target) = a.n AND t.\(join.member.target) = b.n)"
    for (end, slot, alias) in [(join.owner, join.slot, "a"), (join.member, join.inverseSlot, "b")] {
      try history?.note(
        plan.tables[end.table].targetRoot, key: "\(alias).n", slots: ObjectCopyHistory.slots(slot),
        "\(missing) AND \(alias).f")
    }
    try connection.execute(
      "INSERT OR IGNORE INTO main.\(join.target) (\(names.joined(separator: ", ")))"
        + " SELECT \(values.joined(separator: ", ")) \(pairs) ORDER BY 1, 2")
    guard file.guardedTables.contains(join.target.uppercased()) else { return }
    let left = try connection.integer("SELECT count(*) \(missing)")
    guard left ?? 0 == 0 else { throw .leftOut(join.target, connection) }
  }

  /// Lets found objects take over attributes; rows that have them already are not written.
  private func update(_ counts: [String: ObjectCopy.Counts]) throws(StoreError) -> [String: ObjectCopy.Counts] {
    var result = counts
    for table in plan.tables {
      guard !table.columns.isEmpty else { continue }
      // An object must not lose what it may not be without, where the prepared store breaks its own rules.
      let values = table.columns.map { column in
        (
          name: column.target,
          value: column.isMandatory ? "ifnull(s.\(column.source), t.\(column.target))" : "s.\(column.source)"
        )
      }
      let sets = values.map { "\($0) = \($1)" }.joined(separator: ", ")
      let changes = values.map { "t.\($0) IS NOT \($1)" }
      let slots = zip(changes, table.columns).map { "iif(\($0), '\($1.slot),', '')" }.joined(separator: " || ")
      for entity in table.entities where !entity.keys.isEmpty {
        let prepared = "temp.\(map(table.number)) m JOIN seed.\(table.source) s ON s.Z_PK = m.o"
        let isFound = "m.f AND m.n = t.Z_PK AND s.Z_ENT = \(entity.sourceNumber)"
        try countKept(table, entity, "\(prepared) JOIN main.\(table.target) t WHERE \(isFound)")
        result[entity.name]?.updated = try change(
          table, sets, from: prepared, where: "\(isFound) AND (\(changes.joined(separator: " OR ")))", slots: slots)
      }
    }
    return result
  }

  /// Counts the mandatory values of an entity's found objects that the prepared ones lack.
  ///
  /// - Parameter rows: The rows of found objects, `t`, with the prepared ones, `s`.
  private func countKept(
    _ table: ObjectCopyPlan.Table, _ entity: ObjectCopyPlan.Entity, _ rows: String
  ) throws(StoreError) {
    let columns = table.columns.filter(\.isMandatory)
    guard !columns.isEmpty else { return }
    let counts = columns.map { "count(CASE WHEN s.\($0.source) IS NULL THEN t.\($0.target) END)" }
    let select = try connection.prepare("SELECT \(counts.joined(separator: ", ")) FROM \(rows)")
    guard try select.step() else { return }
    for (index, column) in columns.enumerated() {
      let count = Int(select.integer(Int32(index)))
      if count > 0 { keptValues.append((field: "\(entity.name).\(column.name)", count: count)) }
    }
  }
}
