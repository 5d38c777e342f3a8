import MergewalkSystem
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

extension ImportSession {
  /// Describes what a run would do, without changing anything.
  ///
  /// - Throws: ``ImportError`` when the store cannot be read or belongs to another version of the model.
  public func explain() throws(ImportError) -> ImportExplanation {
    let planner = ExplanationBuilder(definition: definition, plans: plans, groups: groups)
    guard access(definition.storePath, F_OK) == 0 else {
      let store: PersistentStore
      do {
        store = try PersistentStore.inMemory(model: definition.model)
      } catch {
        throw ImportError(code: .database, message: error.description)
      }
      var explanation = try planner.explanation(store, exists: false)
      do throws(StoreError) { explanation.store.hasUnfinishedRun = try UnfinishedStore(definition).isThere() } catch {
        throw ImportError(code: .cannotOpenStore, message: error.words)
      }
      return explanation
    }
    let result: Result<ImportExplanation, ImportError>
    let hasUnfinishedRun: Bool
    do throws(StoreError) {
      result = try PersistentStore.withReadableStore(definition.storePath, model: definition.model) {
        store -> Result<ImportExplanation, ImportError> in
        do throws(ImportError) {
          return .success(try planner.explanation(store, exists: true))
        } catch {
          return .failure(error)
        }
      }
      hasUnfinishedRun = try StoreFile.hasResumablePlan(path: definition.storePath, run: definition.journalName)
    } catch {
      throw ImportError(opening: error, of: definition)
    }
    var explanation = try result.get()
    if hasUnfinishedRun { explanation.store.hasUnfinishedRun = true }
    return explanation
  }
}

/// Collects what a run would do.
private struct ExplanationBuilder {
  let definition: ImportDefinition
  let plans: [ImportPlan]
  /// The parts that run together.
  let groups: [Range<Int>]

  func explanation(_ store: PersistentStore, exists: Bool) throws(ImportError) -> ImportExplanation {
    var result = ImportExplanation()
    result.pipeline = definition.name
    result.store.path = definition.storePath
    result.store.exists = exists
    if exists {
      result.store.bytes = FileSystem.size(definition.storePath) ?? 0
      result.store.logBytes = FileSystem.size(definition.storePath + "-wal") ?? 0
      result.store.hasUnfinishedRun = store.file.metadata.mergewalk.runs.names.contains(definition.name)
      result.store.tracksHistory = !store.observers.filter { $0 is HistoryRecorder }.isEmpty
    }
    if !exists { result.load = LoadWay(new: definition, plans: plans, schema: store.schema) }
    result.batchRecords = definition.batchLimit.records
    result.batchBytes = definition.batchLimit.bytes
    result.memory = [
      ImportExplanation.Bound(name: "batches", bytes: 3 * definition.batchLimit.bytes),
      ImportExplanation.Bound(name: "keys", bytes: definition.keyMemory),
      ImportExplanation.Bound(name: "page_cache", bytes: definition.cacheMemory),
    ]
    if definition.parts.contains(where: { $0.root.mode.removesOthers }), exists {
      let keys = SyncRun.roots(definition, plans, store).map { Int(store.maximum(root: $0)) / 8 }
      let bytes = keys.reduce(keys.max() ?? 0, +)
      result.memory.append(ImportExplanation.Bound(name: "marks", bytes: bytes))
    }
    result.rejectsPath = definition.rejectsPath
    result.warnings = definition.warnings
    result.rejectLimit = definition.rejects.limit
    result.rejectRatio = definition.rejects.ratio
    var searches: [[KeySearch]] = []
    for (number, (part, plan)) in zip(definition.parts, plans).enumerated() {
      do {
        let decisions = try self.decisions(part, plan, store, exists: exists)
        let isHeld = groups.contains { $0.contains(number) && $0.count > 1 }
        searches.append(isHeld ? [] : decisions.map(\.search))
        result.parts.append(try self.part(part, plan, decisions, store, exists: exists))
      } catch {
        throw ImportError(wrapping: error)
      }
      let warnings = StoreWarnings(plan: plan, model: definition.model).warnings(store.file)
      result.warnings += warnings.filter { !result.warnings.contains($0) }
    }
    if exists { result.load = LoadWay(existing: definition, plans: plans, searches: searches) }
    return result
  }

  /// How the objects of each node would be found.
  private func decisions(
    _ part: ImportPart, _ plan: ImportPlan, _ store: PersistentStore, exists: Bool
  ) throws -> [FindDecision] {
    let choice = StrategyChoice(
      plan: plan, store: store, model: definition.model, seed: 0,
      inputBytes: ImportSession.estimatedBytes(part.sources), keyMemory: definition.keyMemory,
      override: part.findPlan, hasFixedInputs: !part.format.isCustom, isPlannedStore: !exists)
    return try plan.nodes.indices.map { try choice.decide($0) }
  }

  private func part(
    _ part: ImportPart, _ plan: ImportPlan, _ decisions: [FindDecision], _ store: PersistentStore, exists: Bool
  ) throws -> ImportExplanation.Part {
    let paths = paths(plan)
    let nodes = try plan.nodes.indices.map { try node($0, plan, decisions[$0], store, path: paths[$0]) }
    return ImportExplanation.Part(
      name: part.name, entity: part.root.entityName, mode: part.root.mode, duplicates: part.root.duplicates,
      format: part.format.shortName,
      sources: part.sources.map { ImportExplanation.Source(path: $0.path, bytes: $0.fileSize) },
      columns: plan.columnNames, derived: part.columns.map(\.name), filter: part.filter?.text,
      process: part.process?.command, nodes: nodes, cursor: try cursor(part, store, exists: exists),
      removal: try removal(part, plan, store, exists: exists))
  }

  /// The way from the records' own entity to each node.
  private func paths(_ plan: ImportPlan) -> [String] {
    var paths = plan.nodes.map { _ in "" }
    func walk(_ node: Int, _ path: String) {
      paths[node] = path
      for relationship in plan.nodes[node].relationships {
        walk(relationship.target, path.isEmpty ? relationship.name : path + "." + relationship.name)
      }
    }
    walk(plan.root, "")
    return paths
  }

  private func node(
    _ index: Int, _ plan: ImportPlan, _ decision: FindDecision, _ store: PersistentStore, path: String
  ) throws -> ImportExplanation.Node {
    let part = plan.nodes[index]
    let entity = definition.model.entities[part.entity]
    return ImportExplanation.Node(
      entity: entity.name, path: path, mode: part.mode, findBy: part.keyFields.map { plan.fieldNames[$0].attribute },
      fills: part.attributeFields.map { plan.fieldNames[$0].attribute } + part.relationships.map(\.name),
      strategy: decision.name, reason: decision.sentence, rows: decision.rows, expected: decision.expected,
      hasIndex: decision.hasIndex, statements: try statements(part, entity, decision, store))
  }

  private func statements(
    _ part: ImportNode, _ entity: EntityDescription, _ decision: FindDecision, _ store: PersistentStore
  ) throws -> [ImportExplanation.Statement] {
    let access = try store.access(root: part.rootEntity)
    let buffer = RowBuffer(model: definition.model, root: definition.model.entities[part.rootEntity.index])
    var result: [ImportExplanation.Statement] = []
    func add(_ when: String, _ sql: String) throws {
      result.append(
        ImportExplanation.Statement(
          when: when, sql: sql, plan: store.type == .sqlite ? try store.queryPlan(sql) : []))
    }
    let slots = part.keySlots + part.contentSlots
    if decision.rows ?? 0 > 0, decision.plan == .table || decision.plan == .scan || decision.isPartitioned {
      try add("once", access.scanSQL(entity: entity, slots: slots))
    }
    if decision.plan == .seek || decision.plan == .filter || decision.plan == .deduplicate {
      try add(
        decision.plan == .filter
          ? "records put off" : decision.isPartitioned ? "records without verdict" : "each batch",
        try access.fetchSQL(keySlots: part.keySlots, entity: entity, slots: part.fetchedSlots))
    }
    if part.mode.updates, decision.plan != .none,
      decision.plan != .seek && decision.plan != .deduplicate || decision.isPartitioned
    {
      try add("objects that may have changed", access.fetchSQL(slots: part.fetchedSlots))
    }
    if part.mode != .update { try add("new objects", access.insertSQL(buffer)) }
    if part.mode.updates, !part.contentSlots.isEmpty {
      var mask = [UInt64](repeating: 0, count: buffer.dirtyWords)
      for slot in part.contentSlots { mask[slot >> 6] |= 1 << (UInt64(slot) & 63) }
      try add("changed objects, those columns that change", access.updateSQL(buffer, slots: mask))
    }
    return result
  }

  private func cursor(
    _ part: ImportPart, _ store: PersistentStore, exists: Bool
  ) throws(ImportError) -> ImportExplanation.Cursor? {
    guard let policy = part.since else { return nil }
    let stored = exists ? try policy.stored(definition, part, store.file.metadata) : nil
    return ImportExplanation.Cursor(
      column: policy.column, kind: policy.kind, stored: stored, start: policy.threshold(stored: stored),
      ties: policy.ties)
  }

  private func removal(
    _ part: ImportPart, _ plan: ImportPlan, _ store: PersistentStore, exists: Bool
  ) throws -> ImportExplanation.Removal? {
    guard part.root.mode.removesOthers else { return nil }
    let policy = part.root.sync
    let node = plan.nodes[plan.root]
    let entity = definition.model.entities[node.entity]
    var request = FetchRequest(entity.name, where: node.scope)
    request.includesSubentities = false
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.identifier)
    let compiled = try compiler.compile(request, selecting: .primaryKeys(withSortKeys: false), isOrderedByKey: true)
    let counted = try compiler.compile(request, selecting: .count)
    return ImportExplanation.Removal(
      deletion: policy.deletion,
      query: ImportExplanation.Statement(
        when: "at the end", sql: compiled.sql, plan: exists ? try store.explain(compiled) : []),
      inScope: exists ? try store.count(counted) : nil, limit: policy.limit, ratio: policy.ratio,
      softDelete: policy.softDelete)
  }
}

extension RecordFormat {
  /// The format's name in pipelines.
  fileprivate var shortName: String {
    switch self {
    case .csv(let options): options.delimiter == "\t" ? "tsv" : "csv"
    case .ndjson: "ndjson"
    case .json: "json"
    case .jsonSequence: "json-seq"
    case .fixedWidth: "fixed-width"
    case .xml: "xml"
    case .yaml: "yaml"
    case .propertyList: "plist"
    case .custom(let format):
      String(format.identity.prefix { $0 != " " })
    }
  }
}
