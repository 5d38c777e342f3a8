import ObjectModel
import RecordFormats

/// Where in a run a part is imported, and what came before.
struct RunPlace {
  /// The number of the part, from 0.
  var part: Int
  /// Where to go on in its inputs.
  var start: ReadingPosition
  /// What hashes start from.
  var seed: UInt64
  /// What became of the records so far.
  var ledger: RecordLedger
  /// What was counted beside.
  var tally: RunTally
  /// See ``RunCheckpoint/lateRejects``.
  var lateRejects: [Int]
  /// See ``RunCheckpoint/later``.
  var later: Int?
  /// See ``RunCheckpoint/rejectHeader``.
  var rejectHeader: RejectOutput.FilePlace?

  /// The place of a checkpoint.
  init(_ checkpoint: RunCheckpoint) {
    part = checkpoint.part
    start = checkpoint.position
    seed = checkpoint.seed
    ledger = checkpoint.ledger
    tally = checkpoint.tally
    lateRejects = checkpoint.lateRejects
    later = checkpoint.later
    rejectHeader = checkpoint.rejectHeader
  }

  /// The place behind a part that has run: the next part's beginning, or where it stopped.
  func after(_ load: PartImport) -> RunPlace {
    var next = self
    next.ledger = load.ledger
    next.tally = load.finalTally
    next.part += 1
    next.start = ReadingPosition()
    next.lateRejects = []
    next.later = nil
    next.rejectHeader = nil
    return next
  }
}

extension RunTally {
  /// Takes the counts of the part that is being imported.
  mutating func count(_ importer: BatchImporter) {
    nodes = importer.allNodes.map(\.counts)
    batches += importer.batches
    fetches += importer.allFetches
  }

  /// Adds what the second pass of a part that is done has changed.
  mutating func addSecondPass(_ load: PartImport, part: Int) {
    parts[part].add(load.secondCounts)
    for (state, before) in zip(load.importer.allNodes, load.firstPassTally.nodes) where state.role != .given {
      entities[state.entity.name, default: ImportSummary.EntityCounts()].inserted +=
        state.counts.inserted - before.inserted
      entities[state.entity.name, default: ImportSummary.EntityCounts()].updated +=
        state.counts.updated - before.updated
      entities[state.entity.name, default: ImportSummary.EntityCounts()].unchanged +=
        state.counts.unchanged - before.unchanged
      entities[state.entity.name, default: ImportSummary.EntityCounts()].deleted +=
        state.counts.deleted - before.deleted
    }
    batches += load.importer.batches - load.firstPassTally.batches
    fetches += load.importer.allFetches - load.firstPassTally.fetches
  }

  /// Moves the counts of the part that is being imported to those of the parts that are done.
  mutating func end(_ part: ImportPart, ledger: RecordLedger, _ states: [NodeState], times: PartTimes) {
    func before(_ count: KeyPath<ImportSummary.PartCounts, Int>) -> Int { parts.reduce(0) { $0 + $1[keyPath: count] } }
    var counts = ImportSummary.PartCounts(
      read: ledger.read - before(\.read), inserted: ledger.inserted - before(\.inserted),
      updated: ledger.updated - before(\.updated), unchanged: ledger.unchanged - before(\.unchanged),
      skipped: ledger.skipped - before(\.skipped), rejected: ledger.rejected - before(\.rejected))
    counts.name = part.name
    counts.entity = part.root.entityName
    counts.seconds = times.prepare + times.wait + times.find + times.write
    parts.append(counts)
    for state in states {
      findPlans[state.entity.name] = findPlans[state.entity.name] ?? state.firstFinderName
      var objects = entities[state.entity.name] ?? ImportSummary.EntityCounts()
      objects.inserted += state.counts.inserted
      objects.updated += state.counts.updated
      objects.unchanged += state.counts.unchanged
      objects.deleted += state.counts.deleted
      entities[state.entity.name] = objects
    }
    nodes = []
    bytesDone = bytesRead
  }
}
