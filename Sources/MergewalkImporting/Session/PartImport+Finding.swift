import MergewalkObjectStore
import MergewalkRecordFormats

extension PartImport {
  /// Chooses how the objects of each node are found, and makes what finds them.
  static func makeImporter(
    _ definition: ImportDefinition, _ part: ImportPart, _ plan: ImportPlan, _ file: StoreFile, _ store: PersistentStore,
    _ watch: SyncWatch?, _ transforms: TransformRunner?, _ place: RunPosition
  ) throws(ImportError) -> (BatchImporter, StrategyChoice) {
    let seed = place.seed
    do {
      let partitioned = PartitionedChoice()
      var choice = StrategyChoice(
        plan: plan, store: store, model: definition.model, seed: seed,
        inputBytes: ImportSession.estimatedBytes(part.sources), keyMemory: definition.keyMemory,
        override: part.findPlan, partitioned: partitioned,
        hasFixedInputs: !part.format.isCustom && !plan.transforms.isOrdered)
      choice.resumesFilter = place.isFiltering
      let nodes = try choice.nodes()
      let importer = BatchImporter(
        plan: plan, context: ImportSession.context(definition, store, place), store: store, nodes: nodes,
        seed: seed)
      try importer.addLists(choice)
      for state in nodes
      where state.finder.meetsAllKeys && (state.plan.duplicates != .last || state.finder is KeyFilter) {
        state.seenKeys = SeenKeys()
      }
      importer.watch = watch
      watch?.noteUnreadable(place.tally.unreadable[place.part] ?? 0)
      importer.since = try SinceProgress(definition, part, plan, file)
      watch?.prepare(nodes[plan.root])
      if file.isNew { try importer.buildEarlyIndexes(file, cacheKiB: definition.cacheMemory / 1024) }
      if partitioned.rows > 0 { try scanInPieces(definition, part, importer, rows: partitioned.rows, transforms) }
      return (importer, choice)
    } catch {
      throw ImportError(wrapping: error)
    }
  }

  /// Finds out which records change nothing, when every target's key is in memory.
  private static func scanInPieces(
    _ definition: ImportDefinition, _ part: ImportPart, _ importer: BatchImporter, rows: Int,
    _ transforms: TransformRunner?
  ) throws(ImportError) {
    let plan = importer.plan
    let root = importer.nodes[plan.root]
    let tables = importer.nodes.map { $0.finder as? KeyTable }
    guard importer.nodes.allSatisfy({ $0.role == .root || tables[$0.node] != nil }) else { return }
    let scan = PartitionedScan(
      plan: plan, store: importer.store, entity: root.entity, tables: tables, seed: importer.seed,
      folder: FileSystem.folder(of: definition.storePath),
      memory: max(definition.keyMemory - tables.reduce(0) { $0 + ($1?.bytesInUse ?? 0) }, 8 << 20),
      watch: importer.watch)
    let verdicts = try scan.run(
      rows: rows, records: ImportSession.estimatedBytes(part.sources) / Self.leastRecordBytes,
      reading: InputReading(
        sources: part.sources, format: part.format, limit: BatchLimit(records: 4096, bytes: 1 << 20),
        preparer: BatchPreparer(plan: plan, seed: importer.seed, since: importer.since?.filter, transforms: transforms))
    )
    root.start(VerdictFinder(verdicts))
  }

  /// Records are hardly shorter than this.
  private static let leastRecordBytes = 32
}
