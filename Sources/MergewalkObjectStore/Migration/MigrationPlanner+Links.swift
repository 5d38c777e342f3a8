import MergewalkObjectModel

/// Where the rows of a join table come from.
struct JoinMove {
  var table: JoinTable
  /// The old table when it stays and only names change.
  var kept: JoinTable?
  /// The pairs to write, seen from the master side, when the table is written anew.
  var sources: [LinkPairs]
}

/// References that are not in the rows that are to have them: they are written when all rows are there.
struct ReferenceMove {
  /// The table that gets them.
  var table: EntityTable
  var column: String
  var entityColumn: String?
  var orderColumn: String?
  /// The index of the entity of the objects that are referred to.
  var owner: Int
  /// Their table.
  var owners: EntityTable
  /// The pairs: the owner is the object that is to be referred to.
  var sources: [LinkPairs]
  /// The entity and the property that get them, for findings.
  var entity: String
  var property: String
}

extension MigrationPlanner {
  /// All pairs that a relationship of the new model takes over, seen from its side.
  private func allPairs(_ relationship: RelationshipDescription) -> [LinkPairs] {
    let direct = mapping.sources(of: relationship).compactMap { LinkPairs($0, old) }
    if !direct.isEmpty { return direct }
    guard let inverse = mapping.destination.inverse(of: relationship) else { return [] }
    return mapping.sources(of: inverse).compactMap { LinkPairs($0, old)?.swapped }
  }

  func joinMove(_ join: JoinTable) -> JoinMove {
    guard let relationship = relationship(join.master) else { return JoinMove(table: join, kept: nil, sources: []) }
    var move = JoinMove(table: join, kept: nil, sources: allPairs(relationship))
    let sources = mapping.sources(of: relationship)
    guard sources.count == 1, mapping.source.place(of: sources[0]) == .join,
      let was = old.joinTable(entity: sources[0].declaringEntity, slot: sources[0].slot),
      was.isReflexive == join.isReflexive,
      was.side(entity: sources[0].declaringEntity, slot: sources[0].slot) == was.master,
      (was.master.orderColumn == nil) == (join.master.orderColumn == nil),
      (was.inverse.orderColumn == nil) == (join.inverse.orderColumn == nil),
      !rebuilt.contains(was.name.uppercased())
    else { return move }
    move.kept = was
    return move
  }

  /// The references whose old place is another row than the new one.
  func referenceMoves() -> [ReferenceMove] {
    var moves: [ReferenceMove] = []
    for table in new.tables {
      let pairs = pairs(table)
      for column in table.columns {
        switch column.role {
        case .slot(let slot):
          guard
            let entity = mapping.destination.family(of: table.rootEntity).first(where: {
              references.toOne(slot, $0) != nil
            }),
            let relationship = references.toOne(slot, entity),
            let inverse = mapping.destination.inverse(of: relationship),
            !pairs.contains(where: { references.reference(of: relationship, in: $0.new, was: $0.old) != nil })
          else { continue }
          let sources = mapping.sources(of: inverse).filter { mapping.source.place(of: $0) == .column }
          add(
            &moves, table, column, sources, owner: relationship.destinationEntity,
            entityColumn: table.destinationEntityColumn(slot: slot), orderColumn: table.orderKeyColumn(slot: slot),
            entity: entity.name, property: relationship.name)
        case .reverse(let slot, let owner):
          let declaring = mapping.destination.entities[owner]
          guard let relationship = declaring.relationships.first(where: { $0.slot == slot }),
            !pairs.contains(where: { references.back(of: relationship, was: $0.old) != nil })
          else { continue }
          func name(_ role: ColumnDefinition.Role) -> String? { table.columns.first { $0.role == role }?.name }
          add(
            &moves, table, column, mapping.sources(of: relationship), owner: owner,
            entityColumn: name(.reverseEntity(ofSlot: slot, ownerEntity: owner)),
            orderColumn: name(.reverseOrderKey(ofSlot: slot, ownerEntity: owner)), entity: declaring.name,
            property: relationship.name)
        default: continue
        }
      }
    }
    return moves
  }

  private func add(
    _ moves: inout [ReferenceMove], _ table: EntityTable, _ column: ColumnDefinition,
    _ sources: [RelationshipDescription], owner: Int, entityColumn: String?, orderColumn: String?, entity: String,
    property: String
  ) {
    let found = sources.compactMap { LinkPairs($0, old) }
    guard !found.isEmpty, new.entityNumbers[owner] > 0 else { return }
    moves.append(
      ReferenceMove(
        table: table, column: column.name, entityColumn: entityColumn, orderColumn: orderColumn,
        owner: owner, owners: new.table(forRoot: mapping.destination.entities[owner].root), sources: found,
        entity: entity, property: property))
  }

  // MARK: - Steps

  mutating func addJoin(_ move: JoinMove) {
    guard move.kept == nil else { return }
    var actions: [MigrationPlan.Action] = [.run(move.table.createStatement)]
    for source in move.sources {
      // Positions of objects that had none: the order of their keys.
      func position(_ column: String?, _ partition: String, _ by: String) -> String {
        column ?? "1024 + 1024 * row_number() OVER (PARTITION BY \(partition) ORDER BY \(by))"
      }
      var columns = [(move.table.master.ownerColumn, source.owner), (move.table.master.targetColumn, source.target)]
      if let order = move.table.master.orderColumn {
        columns.append((order, position(source.order, source.owner, source.target)))
      }
      if !move.table.isReflexive, let order = move.table.inverse.orderColumn {
        columns.append((order, position(source.inverseOrder, source.target, source.owner)))
      }
      actions.append(
        .run(
          "INSERT OR IGNORE INTO \(move.table.name) (\(columns.map(\.0).joined(separator: ", ")))"
            + " SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(present(source.table))"
            + " WHERE \(source.owner) IS NOT NULL AND \(source.target) IS NOT NULL"))
    }
    let origin = Set(move.sources.map(\.table)).sorted().joined(separator: ", ")
    addStep(
      "create the join table \(move.table.name)" + (origin.isEmpty ? "" : " with the pairs in \(origin)"), actions)
  }

  mutating func addReferences(_ move: ReferenceMove) {
    var actions: [MigrationPlan.Action] = []
    for source in move.sources {
      var changes = ["\(move.column) = p.owner"]
      if let column = move.entityColumn {
        changes.append("\(column) = (SELECT o.Z_ENT FROM \(move.owners.name) o WHERE o.Z_PK = p.owner)")
      }
      if let column = move.orderColumn, source.order != nil { changes.append("\(column) = p.position") }
      actions.append(
        .run(
          "UPDATE \(move.table.name) SET \(changes.joined(separator: ", ")) FROM (SELECT \(source.owner) AS owner,"
            + " \(source.target) AS target, \(source.order ?? "NULL") AS position FROM \(present(source.table))"
            + " WHERE \(source.owner) IS NOT NULL AND \(source.target) IS NOT NULL) p"
            + " WHERE \(move.table.name).Z_PK = p.target"))
    }
    addStep("write the references in \(move.table.name).\(move.column)", actions)
  }

  /// Gives positions to objects in relationships that are ordered now.
  mutating func addOrders(_ tables: [TableMove], _ moves: [ReferenceMove]) {
    for move in tables {
      for column in move.table.columns {
        let target: String?
        switch column.role {
        case .orderKey(let slot): target = move.table.columnName(slot: slot)
        case .reverseOrderKey(let slot, let owner):
          target = move.table.columns.first { $0.role == .reverse(ofSlot: slot, ownerEntity: owner) }?.name
        default: target = nil
        }
        guard let target else { continue }
        let isMoved = moves.contains {
          $0.table.name == move.table.name && $0.column == target && $0.sources.contains { $0.order == nil }
        }
        let isUnordered = zip(move.pairs, move.rules(column, references)).contains { pair, rule in
          guard rule == .null else { return false }
          return references.rule(
            move.table.columns.first { $0.name == target } ?? column, entity: pair.new, was: pair.old) != .null
        }
        guard isMoved || isUnordered else { continue }
        addStep(
          "number the objects by \(move.table.name).\(target)",
          [
            .run(
              "UPDATE \(move.table.name) SET \(column.name) = n.position FROM (SELECT Z_PK AS object, 1024 + 1024 *"
                + " row_number() OVER (PARTITION BY \(target) ORDER BY \(column.name), Z_PK) AS position"
                + " FROM \(move.table.name) WHERE \(target) IS NOT NULL) n WHERE \(move.table.name).Z_PK = n.object")
          ])
      }
    }
  }
}
