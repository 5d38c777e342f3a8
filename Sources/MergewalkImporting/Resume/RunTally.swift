import MergewalkObjectModel
import MergewalkRecordFormats

/// The counts of a run beside its records.
struct RunTally: Sendable, Equatable {
  /// The parts that are done: the same as ``ImportSummary/parts``.
  var parts: [ImportSummary.PartCounts] = []
  /// The counts of the objects of the finished parts, by entity.
  var entities: [String: ImportSummary.EntityCounts] = [:]
  /// The same for the part that is being imported, by node.
  var nodes: [ImportSummary.EntityCounts] = []
  /// The outcomes of the values and elements of the finished parts, by part.
  var fields: [[FieldTally]] = []
  var lists: [[ListTally]] = []
  /// The same for the part that is being imported, by plan and by list.
  var values: [ValueCounts] = []
  var links: [ListTally] = []
  /// The finished parts whose second pass is still to come, the last of ``parts``.
  var held: [HeldPart] = []
  /// The outcomes of the text of the inputs of the finished parts.
  var text = TextAccount()
  /// The same for the part that is being imported; who goes on reads it again.
  var partText = TextAccount()
  /// The loss, if any; then the run ends with an error.
  var loss: String?
  /// How objects were found, by entity.
  var findPlans: [String: String] = [:]
  var rejectCounts: [String: Int] = [:]
  var batches = 0
  var fetches = 0
  var statements = 0
  var bytesRead = 0
  /// The same of the parts that are done.
  var bytesDone = 0
  /// By the number of their part, where objects may go: records whose key cannot be read.
  var unreadable: [Int: Int] = [:]
  /// Objects that no record names and that may not be deleted.
  var denied = 0
  var seconds = 0.0
  /// The columns that the current part maps and has not found; `nil` before it begins.
  var unmatched: UnmatchedColumns.State?
  /// See ``UnmatchedColumns/undecided``, of the finished parts; a run that is resumed does without.
  var undecided: [String] = []
  /// The warnings so far, but for those that reading the rest of a part finds again.
  var warnings: [RunWarning] = []

  /// Adds warnings, unless they are there.
  mutating func warn(_ more: [RunWarning]) {
    for warning in more where !warnings.contains(warning) { warnings.append(warning) }
  }

  /// Notes which objects went because no record names them.
  mutating func note(_ removal: SyncRun.Result) {
    for (name, counts) in removal.counts {
      var objects = ImportSummary.EntityCounts()
      objects.deleted = counts.deleted
      objects.marked = counts.marked
      entities[name, default: ImportSummary.EntityCounts()].add(objects)
    }
    denied += removal.denied
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
    parts[part].counts = parts[part].counts + load.secondCounts
    for (state, before) in zip(load.importer.allNodes, load.firstPassTally.nodes) where state.role != .given {
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
    var counts = ImportSummary.PartCounts()
    counts.counts = parts.reduce(ledger.counts) { $0 - $1.counts }
    counts.name = part.name
    counts.entity = part.root.entityName
    counts.seconds = times.prepare + times.wait + times.find + times.write
    parts.append(counts)
    for state in importer.countedNodes {
      findPlans[state.entity.name] = findPlans[state.entity.name] ?? state.firstFinderName
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
