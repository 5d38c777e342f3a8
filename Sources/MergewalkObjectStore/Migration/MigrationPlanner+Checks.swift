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
          message: "the attribute is required now, \(attribute.lackOfDefault), and objects have no value for it",
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
      let strays = strayNumbers(below: reference.declaredEntity, within: relationship.destinationEntity)
      if !strays.isEmpty {
        let others = references.oldTable(mapping.source.entities[reference.declaredEntity]).name
        actions.append(
          .check(
            "SELECT count(*) \(rows) AND \(reference.column) IN (SELECT Z_PK FROM \(others)"
              + " WHERE Z_ENT IN (\(Self.list(strays))))", finding))
      }
    }
    return actions
  }

  /// The old numbers of entities below one to which references may have led, and may not any more: they are gone, or are
  /// not below an entity of the new model.
  private func strayNumbers(below entity: Int, within new: Int) -> [Int] {
    let declared = mapping.destination.entities[new]
    return mapping.source.family(of: entity).filter { member in
      guard let next = mapping.destinationEntities[member.index] else { return true }
      return !mapping.destination.entities[next].isKind(of: declared)
    }.map { old.entityNumbers[$0.index] }.filter { $0 > 0 }
  }

  /// Takes out references to objects that are gone, or that the relationship does not lead to any more.
  mutating func addCleanups(_ tables: [TableMove], _ joins: [JoinMove], _ references: [ReferenceMove]) {
    for move in tables {
      for column in move.table.columns {
        guard let (destination, columns) = reference(column, move), new.entityNumbers[destination] > 0 else { continue }
        clear(columns, of: move.table, to: destination)
      }
    }
    for move in references
    where move.sources.contains(where: { !strayNumbers(below: $0.ownerEntity, within: move.owner).isEmpty }) {
      clear([move.column] + [move.entityColumn, move.orderColumn].compactMap { $0 }, of: move.table, to: move.owner)
    }
    for move in joins {
      guard let master = relationship(move.table.master) else { continue }
      let ends = [
        (master.declaringEntity, move.table.master.ownerColumn, move.sources.map(\.ownerEntity)),
        (master.destinationEntity, move.table.master.targetColumn, move.sources.map(\.targetEntity)),
      ]
      for (entity, column, sources) in ends
      where sources.contains(where: { !strayNumbers(below: $0, within: entity).isEmpty }) {
        let stray = new.refersToNothing("\(move.table.name).\(column)", mapping.destination.entities[entity])
        addStep(
          "delete pairs with objects that are gone from \(move.table.name)",
          [.run("DELETE FROM \(move.table.name) WHERE \(stray)")])
      }
    }
  }

  /// Clears the columns of a reference, of which the first has the key, where they lead to no object of an entity.
  private mutating func clear(_ columns: [String], of table: EntityTable, to entity: Int) {
    let stray = new.refersToNothing("\(table.name).\(columns[0])", mapping.destination.entities[entity])
    addStep(
      "clear references to objects that are gone in \(table.name).\(columns[0])",
      [.run("UPDATE \(table.name) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) WHERE \(stray)")])
  }

  /// The destination entity of a reference some of whose old objects are gone or not among its own any more, and the
  /// columns that belong to it.
  private func reference(_ column: ColumnDefinition, _ move: TableMove) -> (destination: Int, columns: [String])? {
    func name(_ role: ColumnDefinition.Role) -> String? { move.table.columns.first { $0.role == role }?.name }
    for pair in move.pairs {
      switch column.role {
      case .slot(let slot):
        guard let relationship = references.toOne(slot, pair.new),
          let reference = references.reference(of: relationship, in: pair.new, was: pair.old),
          !strayNumbers(below: reference.declaredEntity, within: relationship.destinationEntity).isEmpty
        else { continue }
        let others = [move.table.destinationEntityColumn(slot: slot), move.table.orderKeyColumn(slot: slot)]
        return (relationship.destinationEntity, [column.name] + others.compactMap { $0 })
      case .reverse(let slot, let owner):
        guard let relationship = references.toMany(slot, owner, to: pair.new),
          let reference = references.back(of: relationship, was: pair.old),
          !strayNumbers(below: reference.declaredEntity, within: owner).isEmpty
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
