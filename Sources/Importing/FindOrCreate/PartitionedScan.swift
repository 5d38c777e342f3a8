import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

/// Records that change nothing, by their number in the run's order of good records, from 0.
final class UnchangedRecords {
  private var words: ContiguousArray<UInt64> = []
  private(set) var count = 0

  /// Whether the record changes nothing.
  @inline(__always)
  func contains(_ record: Int) -> Bool {
    let word = record >> 6
    return word < words.count && words[word] >> (UInt64(record) & 63) & 1 == 1
  }

  /// Adds a record.
  func insert(_ record: Int) {
    while record >> 6 >= words.count { words.append(0) }
    words[record >> 6] |= 1 << (UInt64(record) & 63)
    count += 1
  }

  /// Takes a record out.
  func remove(_ record: Int) {
    guard contains(record) else { return }
    words[record >> 6] &= ~(1 << (UInt64(record) & 63))
    count -= 1
  }
}

/// Finds the records that change nothing when the table is too large for a ``ScanTable``: a hash join in pieces.
///
/// One sequential scan of the table and one extra reading of the input put hashes into files by ranges of the key's
/// hash; each range fits the memory budget and is joined on its own. The result is one bit a record. The run proper
/// then seeks only the records that are new or changed, so a nightly file that changes 5 % seeks 5 %.
///
/// Costs (`docs/decisions/0002-find-plans.md`): 16 bytes a row and 24 bytes a record in temporary files, and the input
/// read twice; so inputs must be files.
struct PartitionedScan {
  let plan: ImportPlan
  let store: SQLiteStore
  let entity: EntityDescription
  /// The tables of the nodes that the root refers to; look-ups only.
  let tables: [KeyTable?]
  let seed: UInt64
  let folder: String
  /// How many bytes a piece may take.
  let memory: Int

  /// Reads table and input and returns the records that change nothing.
  func run(rows: Int, reading: InputReading) throws(ImportError) -> UnchangedRecords {
    var bits: UInt64 = 1
    while ScanTable.bytes(rows: rows >> Int(bits)) > memory * 3 / 4, bits < 10 { bits += 1 }
    var stored: [SpillWriter] = []
    var incoming: [SpillWriter] = []
    for _ in 0..<(1 << bits) {
      stored.append(SpillWriter(try TemporaryFile(folder: folder)))
      incoming.append(SpillWriter(try TemporaryFile(folder: folder)))
    }
    try spillStore(stored, shift: 64 - bits)
    try spillInput(incoming, shift: 64 - bits, reading)
    let unchanged = UnchangedRecords()
    for (left, right) in zip(stored, incoming) { try join(left, right, unchanged) }
    return unchanged
  }

  private func spillStore(_ files: [SpillWriter], shift: UInt64) throws(ImportError) {
    let part = plan.nodes[plan.root]
    var failed: ImportError?
    do {
      let access = try store.access(root: part.rootEntity)
      try access.scanHashes(
        entity: entity, keySlots: part.keySlots, contentSlots: part.contentSlots, seed: seed
      ) { (_, keyHash, contentHash) in
        if failed != nil { return }
        do throws(ImportError) {
          try files[Int(keyHash >> shift)].append(keyHash, contentHash)
        } catch {
          failed = error
        }
      }
    } catch {
      throw ImportError(error)
    }
    if let failed { throw failed }
  }

  private func spillInput(
    _ files: [SpillWriter], shift: UInt64, _ reading: InputReading
  ) throws(ImportError) {
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    let thread = reading.start(channel)
    defer {
      channel.cancel()
      thread.join()
    }
    var keyBytes = KeyBytes()
    defer { keyBytes.deallocate() }
    var first: UInt64 = 0
    while var batch = try channel.receive() {
      var outcomes = ContiguousArray(
        repeating: RecordLedger.Outcome.pending, count: batch.records.recordCount)
      for record in outcomes.indices where batch.hasFailed[record] { outcomes[record] = .rejected }
      try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
        lookUpTargets(view, &keyBytes)
        let root = view.nodes[plan.root]
        for record in 0..<view.count where view.isWanted(record, root) && root.contents[record] != 0 {
          let hash = root.keyHashes[record]
          try files[Int(hash >> shift)].append(hash, root.contents[record], first + UInt64(record))
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
      guard let table = tables[index] else { continue }
      let keys = part.keyFields.map { view.fields[$0] }
      for record in 0..<view.count where view.isWanted(record, node) {
        let key = keyBytes.key(keys, row: record, arena: view.arena)
        let entry = table.find(hash: node.keyHashes[record], key: key)
        node.targets[record] = entry < 0 ? -1 : table.primaryKey(entry)
      }
    }
  }

  private func join(
    _ stored: SpillWriter, _ incoming: SpillWriter, _ unchanged: UnchangedRecords
  ) throws(ImportError) {
    let table = ScanTable(rows: stored.count / 2)
    try stored.replay { words in
      for i in stride(from: 0, to: words.count, by: 2) {
        // Two rows with one hash: neither can be told from hashes alone.
        let place = table.find(words[i])
        if place >= 0 { table.setContent(place, 0) } else { table.insert(words[i], content: words[i + 1], primaryKey: 0) }
      }
    }
    try incoming.replay { words in
      for i in stride(from: 0, to: words.count, by: 3) {
        let place = table.find(words[i])
        guard place >= 0 else { continue }
        // The number of the first record with the key, plus one; a key that comes twice is sought each time, because
        // what the first one does decides what the second one changes.
        let earlier = table.primaryKey(place)
        let record = Int(words[i + 2])
        if earlier == 0 {
          if table.content(place) == words[i + 1], record < Int(UInt32.max) - 1 {
            unchanged.insert(record)
            table.setPrimaryKey(place, Int64(record + 1))
          } else {
            table.setPrimaryKey(place, Int64(UInt32.max))
          }
        } else if earlier != Int64(UInt32.max) {
          unchanged.remove(Int(earlier) - 1)
          table.setPrimaryKey(place, Int64(UInt32.max))
        }
      }
    }
  }
}

/// Appends words to a temporary file through a buffer, and reads them again in blocks.
final class SpillWriter {
  private let file: TemporaryFile
  private var buffer = ContiguousArray<UInt64>()
  /// The number of words written.
  private(set) var count = 0

  /// A multiple of two and of three, so that blocks never cut an entry.
  private static let block = 6 * 1024

  init(_ file: TemporaryFile) {
    self.file = file
    buffer.reserveCapacity(Self.block + 3)
  }

  func append(_ first: UInt64, _ second: UInt64) throws(ImportError) {
    buffer.append(first)
    buffer.append(second)
    if buffer.count >= Self.block { try flush() }
  }

  func append(_ first: UInt64, _ second: UInt64, _ third: UInt64) throws(ImportError) {
    buffer.append(first)
    buffer.append(second)
    buffer.append(third)
    if buffer.count >= Self.block { try flush() }
  }

  /// Hands out all words in their order, in blocks.
  func replay(_ body: (ContiguousArray<UInt64>) -> Void) throws(ImportError) {
    try flush()
    try file.rewind()
    var left = count
    var words = ContiguousArray<UInt64>()
    while left > 0 {
      words.removeAll(keepingCapacity: true)
      try file.read(into: &words, count: min(left, Self.block))
      body(words)
      left -= words.count
    }
  }

  private func flush() throws(ImportError) {
    try file.write(buffer, count: buffer.count)
    count += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}
