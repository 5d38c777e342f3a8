import ObjectModel
import ObjectStore
import SQLite

extension ImportSummary {
  /// Notes what one part did to records and objects.
  mutating func note(_ part: ImportPart, _ counts: PartCounts, _ nodes: [NodeState], times: PartTimes) {
    var counts = counts
    counts.name = part.name
    counts.entity = part.root.entityName
    counts.seconds = times.prepare + times.wait + times.find + times.write
    parts.append(counts)
    for state in nodes {
      findPlans[state.entity.name] = findPlans[state.entity.name] ?? state.firstStrategyName
      var objects = entities[state.entity.name] ?? EntityCounts()
      objects.inserted += state.counts.inserted
      objects.updated += state.counts.updated
      objects.unchanged += state.counts.unchanged
      entities[state.entity.name] = objects
    }
  }

  /// Notes what became of all records.
  mutating func note(_ ledger: RecordLedger) {
    read = ledger.read
    inserted = ledger.inserted
    updated = ledger.updated
    unchanged = ledger.unchanged
    skipped = ledger.skipped
    rejected = ledger.rejected
  }

  /// Finishes a store's file or takes the whole run back, and notes how the run ended.
  ///
  /// - Parameter isBreached: Whether there are more rejects than allowed.
  mutating func end(
    _ file: StoreFile, isBreached: Bool, isDryRun: Bool, rejected: Int
  ) throws(ImportError) {
    do {
      if isBreached || isDryRun {
        statements = file.connection.statementsExecuted
        try file.rollBackRun()
        status = isBreached ? .limitBreached : .dryRun
      } else {
        try file.finish()
        statements = file.connection.statementsExecuted
        status = rejected > 0 ? .completedWithRejects : .completed
      }
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
  }
}
