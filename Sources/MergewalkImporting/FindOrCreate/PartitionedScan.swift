import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkThreads

/// Decides the outcome of records when the table is too large for a ``ScanTable``: a hash join in pieces.
///
/// One sequential scan of the table and one extra reading of the input put hashes into files by the low bits of the
/// key's hash (``ScanTable`` uses the high ones); each file fits the memory budget and is joined separately. The result
/// is two bits per record and the primary keys of those that probably changed. The run proper then touches only the
/// rows of new and changed records, so a nightly file that changes 5 % touches 5 %.
///
/// Costs (`docs/decisions/0002-find-plans.md`): 24 bytes per row and 24 bytes per record in temporary files, and the
/// input read twice; so inputs must be files.
struct PartitionedScan {
  let plan: ImportPlan
  let store: PersistentStore
  let entity: EntityDescription
  /// The tables of the nodes that the root refers to; look-ups only.
  let tables: [KeyTable?]
  let seed: UInt64
  let folder: String
  /// How many bytes a piece may take.
  let memory: Int
  /// Notes the objects that records name, if they matter.
  var watch: SyncWatch?

  /// Reads table and input and returns what is known of the records.
  ///
  /// - Parameter records: How many records there are at most, by all that is known.
  func run(rows: Int, records: Int, reading: InputReading) throws(ImportError) -> RecordVerdicts {
    var bits = 1
    // A piece has room for its rows and as many new records, and takes a third of the memory, as what comes afterwards
    // needs memory of its own.
    while ScanTable.bytes(rows: (rows + records) >> bits) > memory / 3, bits < 8 { bits += 1 }
    let stored = try SpilledHashes(bits: bits, folder: folder)
    let incoming = try SpilledHashes(bits: bits, folder: folder)
    try spillStore(stored)
    try spillInput(incoming, reading)
    let verdicts = RecordVerdicts(memory: memory / 4)
    for piece in 0..<incoming.pieces { try join(piece, stored, incoming, verdicts) }
    verdicts.finish(records: (0..<incoming.pieces).reduce(0) { $0 + incoming.count($1) })
    return verdicts
  }

  private func spillStore(_ hashes: SpilledHashes) throws(ImportError) {
    let part = plan.nodes[plan.root]
    var failed: ImportError?
    do {
      let access = try store.access(root: part.rootEntity)
      try access.scanHashes(
        entity: entity, keySlots: part.keySlots, contentSlots: part.contentSlots, seed: seed
      ) { (primaryKey, keyHash, contentHash) in
        if failed != nil { return }
        do throws(ImportError) {
          try hashes.append(
            SpilledHashes.Entry(key: keyHash, content: contentHash, number: UInt64(bitPattern: primaryKey)))
        } catch {
          failed = error
        }
      }
    } catch {
      throw ImportError(error)
    }
    if let failed { throw failed }
  }

  private func spillInput(_ hashes: SpilledHashes, _ reading: InputReading) throws(ImportError) {
    let (channel, thread) = reading.begin(plan)
    defer {
      channel.cancel()
      thread?.join()
    }
    var keyBytes = KeyBytes()
    defer { keyBytes.deallocate() }
    var first: UInt64 = 0
    while var batch = try reading.receive(from: channel) {
      var outcomes = ContiguousArray(
        repeating: RecordLedger.Outcome.pending, count: batch.records.recordCount)
      for record in outcomes.indices where batch.hasFailed[record] { outcomes[record] = .rejected }
      try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
        lookUpTargets(view, &keyBytes)
        let root = view.nodes[plan.root]
        for record in 0..<view.count where view.isWanted(record, root) {
          try hashes.append(
            SpilledHashes.Entry(
              key: root.keyHashes[record], content: root.contents[record], number: first + UInt64(record)))
        }
      }
      first += UInt64(batch.records.recordCount)
      channel.recycle(batch)
    }
  }

  /// Chains the targets to the content hashes as the run will, and drops records that name unknown targets.
  private func lookUpTargets(_ view: BatchView, _ keyBytes: inout KeyBytes) {
    for (index, part) in plan.nodes.enumerated() {
      let node = view.nodes[index]
      for relationship in part.relationships {
        if relationship.isTakenByOthers { for i in 0..<view.count { node.contents[i] = 0 } }
        let targets = view.nodes[relationship.target].targets
        for i in 0..<view.count where node.contents[i] != 0 {
          if targets[i] < 0 {
            node.contents[i] = 0
          } else {
            node.contents[i] =
              targets[i] == 0
              ? ContentHash.null(seed: node.contents[i])
              : ContentHash.primaryKey(targets[i], seed: node.contents[i])
          }
        }
      }
      for _ in part.clearedReferences {
        for i in 0..<view.count where node.contents[i] != 0 {
          node.contents[i] = ContentHash.null(seed: node.contents[i])
        }
      }
      guard let table = tables[index] else { continue }
      let keys = part.keyFields.map { view.fields[$0] }
      for record in 0..<view.count where view.isWanted(record, node) {
        var entry = -1
        if node.contents[record] != 0 {
          entry = table.findUnchanged(hash: node.keyHashes[record], content: node.contents[record])
        }
        if entry < 0 {
          let key = keyBytes.key(keys, row: record, arena: view.arena)
          entry = table.find(hash: node.keyHashes[record], key: key)
        }
        node.targets[record] = entry < 0 ? -1 : table.primaryKey(entry)
      }
    }
  }

  private func join(
    _ piece: Int, _ stored: SpilledHashes, _ incoming: SpilledHashes, _ verdicts: RecordVerdicts
  ) throws(ImportError) {
    let table = ScanTable(rows: stored.count(piece) + incoming.count(piece))
    try stored.replay(piece) { entries in
      for entry in entries {
        let place = table.find(entry.key)
        if place >= 0 {
          // Two rows with one hash: neither can be told from hashes alone.
          table.setPrimaryKey(place, Self.untold)
        } else {
          table.insert(entry.key, content: entry.content, primaryKey: Int64(bitPattern: entry.number))
        }
      }
    }
    // For each place, the first record with its key plus one, or `repeated`.
    var first = ContiguousArray<UInt32>(repeating: 0, count: table.placeCount)
    try incoming.replay(piece) { entries in
      for entry in entries {
        let record = Int(entry.number)
        let mark = UInt32(clamping: record + 1)
        let place = table.find(entry.key)
        if place < 0 {
          table.insert(entry.key, content: 0, primaryKey: 0)
          first[table.find(entry.key)] = mark
          verdicts.noteNew(record)
          continue
        }
        if first[place] != 0 {
          // A key that comes again: what the first record does decides what the second one changes.
          if first[place] != Self.repeated { verdicts.forget(Int(first[place]) - 1) }
          first[place] = Self.repeated
          continue
        }
        first[place] = mark
        let primaryKey = table.primaryKey(place)
        guard primaryKey != Self.untold, mark != Self.repeated else { continue }
        if entry.content != 0, table.content(place) == entry.content, watch?.isGone(primaryKey) != true {
          verdicts.noteUnchanged(record)
          watch?.mark(primaryKey, node: plan.root)
        } else {
          verdicts.noteChanged(record, primaryKey: primaryKey)
        }
      }
    }
  }

  /// In place of a primary key: two rows have the hash.
  private static let untold: Int64 = 0
  /// In place of a record: several have the key.
  private static let repeated = UInt32.max
}
