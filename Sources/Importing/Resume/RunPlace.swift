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
  /// See ``RunCheckpoint/firstKeys``.
  var firstKeys: [Int: Int64]

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
    firstKeys = checkpoint.firstKeys
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
    values = importer.allValues
    links = importer.allLists.map(\.tally)
    batches += importer.batches
    fetches += importer.allFetches
  }

  /// Adds what the second pass of a part that is done has changed.
  mutating func addSecondPass(_ load: PartImport, part: Int) {
    parts[part].add(load.secondCounts)
    for (state, before) in zip(load.importer.allNodes, load.firstPassTally.nodes) where !state.part.isGiven {
      entities[state.entity.name, default: ImportSummary.EntityCounts()].add(state.counts, since: before)
    }
    // What waited for the second pass has filled its lists and its last references now.
    fields[part] = load.importer.fieldTallies(part: parts[part].name)
    lists[part] = load.importer.listTallies(part: parts[part].name)
    loss = loss ?? load.importer.loss(parts[part])
    batches += load.importer.batches - load.firstPassTally.batches
    fetches += load.importer.allFetches - load.firstPassTally.fetches
  }

  /// Moves the counts of the part that is being imported to those of the parts that are done.
  ///
  /// - Parameter isHeld: whether a second pass is to come, so that not everything has settled.
  mutating func end(
    _ part: ImportPart, ledger: RecordLedger, _ importer: BatchImporter, times: PartTimes, isHeld: Bool
  ) {
    func before(_ count: KeyPath<ImportSummary.PartCounts, Int>) -> Int { parts.reduce(0) { $0 + $1[keyPath: count] } }
    var counts = ImportSummary.PartCounts(
      read: ledger.read - before(\.read), inserted: ledger.inserted - before(\.inserted),
      updated: ledger.updated - before(\.updated), unchanged: ledger.unchanged - before(\.unchanged),
      skipped: ledger.skipped - before(\.skipped), rejected: ledger.rejected - before(\.rejected))
    counts.name = part.name
    counts.entity = part.root.entityName
    counts.seconds = times.prepare + times.wait + times.find + times.write
    parts.append(counts)
    for state in importer.countedNodes {
      findPlans[state.entity.name] = findPlans[state.entity.name] ?? state.firstStrategyName
      entities[state.entity.name, default: ImportSummary.EntityCounts()].add(state.counts)
    }
    fields.append(importer.fieldTallies(part: part.name))
    lists.append(importer.listTallies(part: part.name))
    if !isHeld { loss = loss ?? importer.loss(counts) }
    text += partText
    partText = TextAccount()
    values = []
    links = []
    nodes = []
    bytesDone = bytesRead
  }
}
