import MergewalkObjectStore

extension ImportSummary {
  /// Notes what was counted beside records.
  mutating func note(_ tally: RunTally) {
    parts = tally.parts
    findPlans = tally.findPlans
    entities = tally.entities
    batches = tally.batches
    fetches = tally.fetches
    statements = tally.statements
    bytesRead = tally.bytesRead
    fields = tally.fields.flatMap { $0 }
    lists = tally.lists.flatMap { $0 }
    text = tally.text
    deleted = tally.entities.values.reduce(0) { $0 + $1.deleted }
    marked = tally.entities.values.reduce(0) { $0 + $1.marked }
    denied = tally.denied
    for warning in tally.warnings { warn(warning) }
    undecided = tally.undecided
  }

  /// Finishes a store's file or takes the whole run back, and notes how the run ended.
  ///
  /// - Parameter isBreached: Whether there are more rejects than allowed.
  mutating func end(
    _ file: StoreFile, isBreached: Bool, isDryRun: Bool, rejected: Int
  ) throws(ImportError) {
    do {
      if isBreached || isDryRun {
        statements = file.statementsExecuted
        try file.rollBackRun()
        status = isBreached ? .limitBreached : .dryRun
      } else {
        try file.finish()
        statements = file.statementsExecuted
        status = rejected > 0 ? .completedWithRejects : .completed
      }
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
  }
}
