import MergewalkObjectModel

extension MigrationPlanner {
  /// Removes triggers and indexes that do not fit any more, and rows of entities that are gone.
  mutating func addRemovals(_ tables: [TableMove], _ joins: [JoinMove]) {
    let touched = touchedTables(tables, joins)
    var actions: [MigrationPlan.Action] = touched.isEmpty ? [] : [.dropTriggers(tables: touched)]
    for move in tables {
      guard move.isKept, let origin = move.origin else { continue }
      actions.append(.dropIndexes(table: origin.name, keeping: keptIndexes(move, origin)))
    }
    for move in joins {
      guard let kept = move.kept else { continue }
      let isSame = kept.name == move.table.name && kept.keyColumns == move.table.keyColumns
      let names = new.indexes.filter { isSame && $0.table == move.table.name }.map { $0.name.uppercased() }
      actions.append(.dropIndexes(table: kept.name, keeping: Set(names)))
    }
    addStep("remove indexes and triggers that no longer fit", actions)
    for move in tables {
      guard move.isKept, let origin = move.origin else { continue }
      let gone = mapping.source.family(of: origin.rootEntity).filter {
        mapping.destinationEntities[$0.index] == nil && old.entityNumbers[$0.index] > 0
      }
      guard !gone.isEmpty else { continue }
      let numbers = gone.map { old.entityNumbers[$0.index] }
      addStep(
        "delete the objects of \(gone.map(\.name).joined(separator: ", "))",
        [.run("DELETE FROM \(origin.name) WHERE Z_ENT IN (\(Self.list(numbers)))")])
    }
  }

  /// The old tables whose names, columns or rows change, or that go away.
  private func touchedTables(_ tables: [TableMove], _ joins: [JoinMove]) -> [String] {
    var untouched = Set<String>()
    for move in tables {
      guard move.isKept, let origin = move.origin, origin.name == move.table.name,
        move.table.columns.map(\.name) == move.bases.map({ $0 ?? "" }),
        !move.table.columns.contains(where: { updates($0, move) })
      else { continue }
      untouched.insert(origin.name)
    }
    for move in joins {
      if let kept = move.kept, kept.name == move.table.name, kept.keyColumns == move.table.keyColumns {
        untouched.insert(kept.name)
      }
    }
    return (old.tables.map(\.name) + old.joinTables.map(\.name)).filter { !untouched.contains($0) }
  }

  /// The indexes of a kept table that are right afterwards as they are.
  private func keptIndexes(_ move: TableMove, _ origin: EntityTable) -> Set<String> {
    guard origin.name == move.table.name else { return [] }
    var names: [String: String] = [:]
    var updated = Set<String>()
    for (column, base) in zip(move.table.columns, move.bases) {
      guard let base else { continue }
      names[base] = column.name
      if updates(column, move) { updated.insert(column.name) }
    }
    let kept = old.indexes.filter { index in
      guard index.table == origin.name, index.condition == nil else { return false }
      var renamed = index
      renamed.columns = index.columns.map { names[$0] ?? $0 }
      return new.indexes.contains {
        $0.name == renamed.name && $0.sql == renamed.sql && updated.isDisjoint(with: $0.columns)
      }
    }
    return Set(kept.map { $0.name.uppercased() })
  }

  /// Gives tables and columns that stay their new names, and moves the others out of the way.
  mutating func addNames(_ tables: [TableMove], _ joins: [JoinMove]) {
    var kept: [String: (final: String, columns: [(old: String, new: String)], added: [ColumnDefinition])] = [:]
    for move in tables {
      guard move.isKept, let origin = move.origin else { continue }
      let renamed = zip(move.table.columns, move.bases).compactMap { column, base in
        base.flatMap { $0 == column.name ? nil : (old: $0, new: column.name) }
      }
      kept[origin.name] = (
        move.table.name, renamed, zip(move.table.columns, move.bases).filter { $1 == nil }.map(\.0)
      )
    }
    for move in joins {
      guard let was = move.kept else { continue }
      let pairs = zip(was.keyColumns + was.orderColumns, move.table.keyColumns + move.table.orderColumns)
      kept[was.name] = (move.table.name, pairs.filter { $0 != $1 }.map { (old: $0, new: $1) }, [])
    }

    // Any new name may be an old one of another table: so all go away first.
    var away: [MigrationPlan.Action] = []
    var back: [MigrationPlan.Action] = []
    for (index, name) in (old.tables.map(\.name) + old.joinTables.map(\.name)).enumerated() {
      if let entry = kept[name], entry.final == name { continue }
      let aside = "MERGEWALK_OLD_\(index)"
      if let entry = kept[name] {
        away.append(.run("ALTER TABLE \(name) RENAME TO \(aside)"))
        back.append(.run("ALTER TABLE \(aside) RENAME TO \(entry.final)"))
      } else {
        away.append(.putAside(table: name, name: aside))
        presentNames[name.uppercased()] = aside
      }
    }
    addStep("put old tables aside", away)
    addStep("name tables as the new model does", back)
    for name in kept.keys.sorted() {
      guard let entry = kept[name] else { continue }
      var actions: [MigrationPlan.Action] = []
      var second: [MigrationPlan.Action] = []
      // A name that another column is to have must be free before any column gets it.
      let wanted = Set(entry.columns.map(\.new))
      for (index, column) in entry.columns.enumerated() {
        var name = column.old
        if wanted.contains(name) {
          name = "MERGEWALK_C\(index)"
          actions.append(.run("ALTER TABLE \(entry.final) RENAME COLUMN \(column.old) TO \(name)"))
        }
        second.append(.run("ALTER TABLE \(entry.final) RENAME COLUMN \(name) TO \(column.new)"))
      }
      addStep(
        "rename columns of \(entry.final): \(entry.columns.map { "\($0.old) to \($0.new)" }.joined(separator: ", "))",
        actions + second)
      addStep(
        "add columns to \(entry.final): \(entry.added.map(\.name).joined(separator: ", "))",
        entry.added.map { .run("ALTER TABLE \(entry.final) ADD COLUMN \($0.name) \($0.declaredType)") })
    }
  }
}
