import MergewalkObjectModel

/// Makes the steps of a migration that can be inferred.
///
/// First it is settled which pairs of objects must be carried from table to table (``LinkMove``), because tables that they
/// are read from must stay until then. Then every table either stays where it is, and is changed there, or is written
/// anew from the old one, which waits under another name.
struct MigrationPlanner {
  let mapping: InferredMapping
  let old: StoreSchema
  var new: StoreSchema
  /// Tables that are written anew in any case, in upper case.
  var rebuilt: Set<String>

  var steps: [MigrationPlan.Step] = []
  private(set) var sequences: [Int: Int] = [:]
  private(set) var numbers: [Int: Int?] = [:]
  private(set) var changedNumbers: Set<Int> = []
  private(set) var tombstones: [TombstoneMove] = []
  private(set) var strays: [(removal: MigrationRemoval, sql: String)] = []
  private(set) var goneLinks: Set<CloudTables.Relationship> = []

  /// The names of old tables while the migration runs.
  var presentNames: [String: String] = [:]
  var references: RowReferences { RowReferences(mapping: mapping, old: old, new: new) }

  /// An entity of the new model with the one whose rows become its own.
  struct Pair {
    let old: EntityDescription
    let new: EntityDescription
  }

  init(mapping: InferredMapping, old: StoreSchema, new: StoreSchema, crowded: Set<String>) {
    self.mapping = mapping
    self.old = old
    self.new = new
    rebuilt = crowded
  }

  mutating func plan() {
    for entity in mapping.source.entities where old.entityNumbers[entity.index] > 0 {
      let successor = mapping.destinationEntities[entity.index]
      numbers[old.entityNumbers[entity.index]] = .some(successor.map { new.entityNumbers[$0] })
      guard let successor else { continue }
      if let move = TombstoneMove(
        mapping, from: entity, to: mapping.destination.entities[successor], number: new.entityNumbers[successor])
      {
        tombstones.append(move)
      }
    }
    for match in mapping.entities where match.change == .transform {
      if let index = match.destination { changedNumbers.insert(new.entityNumbers[index]) }
    }
    findGoneLinks()
    keepJoinNames()
    let joins = new.joinTables.map { joinMove($0) }
    let references = referenceMoves()
    for move in joins where move.kept == nil { need(move.sources) }
    for move in references { need(move.sources) }

    let tables = new.tables.map { tableMove($0) }
    countStrays(tables)
    addChecks(tables, references)
    addRemovals(tables, joins)
    addNames(tables, joins)
    for move in tables { addTable(move) }
    for move in joins { addJoin(move) }
    for move in references { addReferences(move) }
    addOrders(tables, references)
    addCleanups(tables, joins, references)
    // What was put aside and not kept.
    addStep("drop old tables", presentNames.sorted { $0.value < $1.value }.map { .run("DROP TABLE \($0.value)") })
    addStep("create the indexes", new.indexes.map { .createIndex($0) })
    addStep("create the triggers", [.createTriggers])
    addStep("write entity numbers, metadata and the copy of the model", [.bookkeeping])
  }

  /// The entities whose rows are in a new table afterwards, and what they were.
  func pairs(_ table: EntityTable) -> [Pair] {
    mapping.destination.family(of: table.rootEntity).compactMap { entity in
      guard new.entityNumbers[entity.index] > 0, let was = mapping.sourceEntities[entity.index],
        old.entityNumbers[was] > 0
      else { return nil }
      return Pair(old: mapping.source.entities[was], new: entity)
    }
  }

  /// Counts what comes along only in tables that stay: rows that are of no entity.
  private mutating func countStrays(_ tables: [TableMove]) {
    for table in old.tables where !tables.contains(where: { $0.isKept && $0.origin?.name == table.name }) {
      let family = mapping.source.family(of: table.rootEntity).map { old.entityNumbers[$0.index] }.filter { $0 > 0 }
      strays.append(
        (
          MigrationRemoval(
            kind: .stray, name: mapping.source.entities[table.rootEntity.index].name, count: nil, isDerivedNow: false),
          "SELECT count(*) FROM \(table.name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(Self.list(family)))"
        ))
    }
  }

  /// Adds a step unless there is nothing to do.
  mutating func addStep(_ title: String, _ actions: [MigrationPlan.Action]) {
    if !actions.isEmpty { steps.append(MigrationPlan.Step(title: title, actions: actions)) }
  }

  /// The current name of a table of the old model.
  func present(_ name: String) -> String { presentNames[name.uppercased()] ?? name }

  mutating func goesOn(_ root: RootIndex, with oldRoot: RootIndex) {
    sequences[new.entityNumbers[root.index]] = old.entityNumbers[oldRoot.index]
  }

  /// Names the many-to-many relationships that no such relationship continues.
  private mutating func findGoneLinks() {
    for entity in mapping.source.entities {
      var kept: Set<String> = []
      if let index = mapping.destinationEntities[entity.index] {
        let successor = mapping.destination.entities[index]
        for link in successor.relationships where mapping.destination.place(of: link) == .join {
          if let source = mapping.sourceRelationship(of: link, in: successor) { kept.insert(source.name) }
        }
      }
      for link in entity.relationships where mapping.source.place(of: link) == .join && !kept.contains(link.name) {
        goneLinks.insert(CloudTables.Relationship(entity: entity.name, name: link.name))
      }
    }
  }

  /// Where both ends of a many-to-many relationship are in one entity, any of them may name the join table: the store's
  /// choice stays.
  private mutating func keepJoinNames() {
    for index in new.joinTables.indices {
      let join = new.joinTables[index]
      guard !join.isReflexive, join.master.entity == join.inverse.entity,
        let relationship = relationship(join.master), let source = mapping.sources(of: relationship).first,
        let was = old.joinTable(entity: source.declaringEntity, slot: source.slot),
        was.side(entity: source.declaringEntity, slot: source.slot) != was.master
      else { continue }
      let flipped = JoinTable(name: join.inverse.targetColumn, master: join.inverse, inverse: join.master)
      for i in new.indexes.indices where new.indexes[i].table == join.name {
        new.indexes[i].table = flipped.name
        new.indexes[i].columns = [flipped.master.targetColumn, flipped.master.ownerColumn]
        new.indexes[i].name = "\(flipped.name)_\(flipped.master.targetColumn)_INDEX"
      }
      new.joinTables[index] = flipped
    }
  }

  /// The relationship of the new model that a side of a join table is for.
  func relationship(_ side: JoinTable.Side) -> RelationshipDescription? {
    mapping.destination.entities[side.entity].relationships.first { $0.slot == side.slot }
  }

  /// Keeps the tables that pairs are read from.
  private mutating func need(_ sources: [LinkPairs]) {
    for source in sources { rebuilt.insert(source.table.uppercased()) }
  }
}
