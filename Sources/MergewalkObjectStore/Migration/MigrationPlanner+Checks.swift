import MergewalkObjectModel

extension MigrationPlanner {
  /// Checks that no object is left without what it needs; they read the old tables before anything changes.
  mutating func addChecks(_ tables: [TableMove], _ moves: [ReferenceMove]) {
    var actions: [MigrationPlan.Action] = []
    for move in tables {
      guard let origin = move.origin else { continue }
      for pair in move.pairs {
        let rows = "FROM \(origin.name) WHERE Z_ENT = \(old.entityNumbers[pair.old.index])"
        if pair.new.isAbstract, !pair.old.isAbstract {
          actions.append(
            .check(
              "SELECT count(*) \(rows)",
              MigrationFinding(
                .abstractObjects, entity: pair.new.name, message: "the entity is abstract now and has objects",
                hint: "delete them first, or use a mapping model")))
        }
        actions += attributeChecks(pair, origin, rows) + referenceChecks(pair, rows)
      }
      actions += uniquenessChecks(move, origin)
    }
    for move in moves {
      for source in move.sources {
        actions.append(
          .check(
            "SELECT count(*) FROM (SELECT 1 FROM \(source.table) WHERE \(source.owner) IS NOT NULL AND"
              + " \(source.target) IS NOT NULL GROUP BY \(source.target) HAVING count(*) > 1)",
            MigrationFinding(
              .severalOwners, entity: move.entity, property: move.property,
              message: "several objects refer to one, which has room for one of them in \(move.column)",
              hint: "keep one reference to each object, or use a mapping model")))
      }
    }
    addStep("check that no object loses what it needs", actions)
  }

  private func attributeChecks(_ pair: Pair, _ origin: EntityTable, _ rows: String) -> [MigrationPlan.Action] {
    pair.new.attributes.compactMap { attribute in
      guard !attribute.isOptional, !attribute.isTransient, !attribute.isDerived, !attribute.hasStorableDefault,
        let source = mapping.sourceAttribute(of: attribute, in: pair.new), source.isOptional,
        let column = origin.columnName(slot: source.slot)
      else { return nil }
      return .check(
        "SELECT count(*) \(rows) AND \(column) IS NULL",
        MigrationFinding(
          .missingValues, entity: pair.new.name, property: attribute.name,
          message: "the attribute is required now, has no default, and objects have no value for it",
          hint: "give it a default, or give these objects values first"))
    }
  }

  private func referenceChecks(_ pair: Pair, _ rows: String) -> [MigrationPlan.Action] {
    var actions: [MigrationPlan.Action] = []
    for relationship in pair.new.relationships where !relationship.isToMany && !relationship.isTransient {
      guard !relationship.isOptional,
        let reference = references.reference(of: relationship, in: pair.new, was: pair.old)
      else { continue }
      let finding = MigrationFinding(
        .missingReferences, entity: pair.new.name, property: relationship.name,
        message: "the relationship is required, and objects would refer to nothing",
        hint: "make it optional, or let these objects refer to something first")
      let source = mapping.sourceRelationship(of: relationship, in: pair.new)
      if source?.isOptional ?? true {
        actions.append(.check("SELECT count(*) \(rows) AND \(reference.column) IS NULL", finding))
      }
      let gone = goneNumbers(below: reference.declaredEntity)
      if !gone.isEmpty {
        let others = references.oldTable(mapping.source.entities[reference.declaredEntity]).name
        actions.append(
          .check(
            "SELECT count(*) \(rows) AND \(reference.column) IN (SELECT Z_PK FROM \(others)"
              + " WHERE Z_ENT IN (\(Self.list(gone))))", finding))
      }
    }
    return actions
  }

  /// The old numbers of entities below one that are gone.
  private func goneNumbers(below entity: Int) -> [Int] {
    mapping.source.family(of: entity).filter { mapping.destinationEntities[$0.index] == nil }
      .map { old.entityNumbers[$0.index] }.filter { $0 > 0 }
  }

  /// Takes out references to objects that are gone.
  mutating func addCleanups(_ tables: [TableMove], _ joins: [JoinMove]) {
    for move in tables {
      for column in move.table.columns {
        guard let (destination, columns) = reference(column, move), new.entityNumbers[destination] > 0 else { continue }
        let others = new.table(forRoot: mapping.destination.entities[destination].root).name
        addStep(
          "clear references to objects that are gone in \(move.table.name).\(column.name)",
          [
            .run(
              "UPDATE \(move.table.name) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) WHERE"
                + " \(column.name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(others) o"
                + " WHERE o.Z_PK = \(move.table.name).\(column.name))")
          ])
      }
    }
    for move in joins {
      guard let master = relationship(move.table.master) else { continue }
      let ends = [
        (master.declaringEntity, move.table.master.ownerColumn, move.sources.map(\.ownerEntity)),
        (master.destinationEntity, move.table.master.targetColumn, move.sources.map(\.targetEntity)),
      ]
      for (entity, column, sources) in ends where sources.contains(where: { !goneNumbers(below: $0).isEmpty }) {
        let others = new.table(forRoot: mapping.destination.entities[entity].root).name
        addStep(
          "delete pairs with objects that are gone from \(move.table.name)",
          [
            .run(
              "DELETE FROM \(move.table.name) WHERE NOT EXISTS (SELECT 1 FROM \(others) o"
                + " WHERE o.Z_PK = \(move.table.name).\(column))")
          ])
      }
    }
  }

  /// The destination entity of a reference whose old objects are partly gone, and the columns that belong to it.
  private func reference(_ column: ColumnDefinition, _ move: TableMove) -> (destination: Int, columns: [String])? {
    func name(_ role: ColumnDefinition.Role) -> String? { move.table.columns.first { $0.role == role }?.name }
    for pair in move.pairs {
      switch column.role {
      case .slot(let slot):
        guard let relationship = references.toOne(slot, pair.new),
          let reference = references.reference(of: relationship, in: pair.new, was: pair.old),
          !goneNumbers(below: reference.declaredEntity).isEmpty
        else { continue }
        let others = [move.table.destinationEntityColumn(slot: slot), move.table.orderKeyColumn(slot: slot)]
        return (relationship.destinationEntity, [column.name] + others.compactMap { $0 })
      case .reverse(let slot, let owner):
        guard let relationship = references.toMany(slot, owner, to: pair.new),
          let reference = references.back(of: relationship, was: pair.old),
          !goneNumbers(below: reference.declaredEntity).isEmpty
        else { continue }
        let others = [
          name(.reverseEntity(ofSlot: slot, ownerEntity: owner)),
          name(.reverseOrderKey(ofSlot: slot, ownerEntity: owner)),
        ]
        return (owner, [column.name] + others.compactMap { $0 })
      default: return nil
      }
    }
    return nil
  }
}
