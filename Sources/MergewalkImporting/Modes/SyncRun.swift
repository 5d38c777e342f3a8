import MergewalkDiagnostics
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The work of the modes `sync` and `replace` beyond finding or creating: removing objects that no record of the run
/// names.
///
/// Every part notes the objects that its records name (``SyncWatch``): one bit for each primary key of the tables that
/// objects may go from, with those that delete rules reach. Checkpoints keep them. When all parts are done, the objects
/// of each such part that were not named are counted, checked against the limits, and deleted or marked, the last part's
/// first, so that objects go before those they refer to. What would take along a named one stays.
///
/// A store under construction has no objects but those that this run names, so nothing is done for it.
final class SyncRun {
  private let definition: ImportDefinition
  private let plans: [ImportPlan]
  private let store: PersistentStore
  /// The first primary key of each hierarchy that the run can have given out, by root entity.
  ///
  /// Whatever the run made was made for a record.
  private let firstKeys: [RootIndex: Int64]
  /// The objects that records name, by root entity.
  private var marks: [RootIndex: NamedObjects] = [:]
  /// How many records of each part were good, and of how many the key cannot be read.
  private var records: [Int: (good: Int, unreadable: Int)] = [:]
  /// Why nothing was deleted.
  private(set) var warnings: [RunWarning] = []

  /// How the deletions ended.
  struct Result {
    /// Counts by entity name.
    var counts: [String: (deleted: Int, marked: Int)] = [:]
    /// Objects that may not be deleted.
    var denied = 0
    /// Why the run has to be rolled back, or `nil`.
    var breach: LimitBreach?
  }

  /// `nil` when no part of the definition lets objects go or takes those back that are gone, or the store has none.
  ///
  /// - Parameters:
  ///   - firstKeys: the first primary key of each hierarchy that the run can have given out, by root entity.
  ///   - isKept: whether checkpoints keep which objects records name.
  init?(
    _ definition: ImportDefinition, plans: [ImportPlan], store: PersistentStore, firstKeys: [RootIndex: Int64],
    isKept: Bool
  ) {
    guard !store.file.isNew,
      definition.parts.contains(where: { $0.root.mode.removesOthers || $0.root.sync.softDelete != nil })
    else { return nil }
    self.definition = definition
    self.plans = plans
    self.store = store
    self.firstKeys = firstKeys
    for root in Self.roots(definition, plans, store) { marks[root] = NamedObjects(isKept: isKept) }
  }

  /// Takes over which objects the records of an earlier process have named: reading them again does not tell, as what
  /// they found may have changed or gone since.
  func takeMarks(_ file: StoreFile) throws(ImportError) {
    for (root, marks) in marks {
      do { try marks.take(file, as: .named(root: root)) } catch { throw ImportError(error) }
    }
  }

  /// The hierarchies that objects may go from, with those that delete rules reach.
  static func roots(
    _ definition: ImportDefinition, _ plans: [ImportPlan], _ store: PersistentStore
  ) -> Set<RootIndex> {
    var roots: Set<RootIndex> = []
    for (part, plan) in zip(definition.parts, plans) where part.root.mode.removesOthers {
      let node = plan.nodes[plan.root]
      roots.insert(node.rootEntity)
      guard part.root.sync.deletion == .remove else { continue }
      let entity = definition.model.entities[node.entity]
      roots.formUnion(BatchDeletePlan(schema: store.schema, entity: entity).deletions.map(\.root))
    }
    return roots
  }

  /// Whether a record of the run names an object, or the run has made it.
  private func isNamed(_ root: RootIndex, _ key: Int64) -> Bool {
    key >= firstKeys[root] ?? .max || marks[root]?.contains(key) ?? false
  }

  /// The watch that notes the objects named by the records of a part.
  func watch(part number: Int) throws(ImportError) -> SyncWatch {
    let plan = plans[number]
    let node = plan.nodes[plan.root]
    var gone: ObjectMarks?
    if let soft = node.softDelete {
      let found = ObjectMarks()
      try SyncQuery(store, definition.model.entities[node.entity]).forEach(soft.isGone) { found.mark($0) }
      gone = found
    }
    return SyncWatch(plan: plan, marks: marks, gone: gone)
  }

  /// Notes how many records of a part were good, and of how many the key cannot be read.
  func finish(part number: Int, goodRecords good: Int, unreadable: Int) { records[number] = (good, unreadable) }

  /// Lets objects go that no record names.
  ///
  /// - Parameters:
  ///   - context: the context that writes.
  ///   - rejects: takes the objects that may not be deleted.
  ///   - sample: takes the first changes.
  func removeOthers(
    _ context: ManagedObjectContext, rejects: RejectOutput, sample: ChangeSample?
  ) throws(ImportError) -> Result {
    var result = Result()
    for number in definition.parts.indices.reversed() where definition.parts[number].root.mode.removesOthers {
      guard mayRemove(number) else { continue }
      let plan = plans[number]
      let node = plan.nodes[plan.root]
      let policy = definition.parts[number].root.sync
      let entity = definition.model.entities[node.entity]
      let (others, total) = try others(node, policy, entity)
      result.breach = Self.breach(policy, others: others.count, total: total, entity)
      guard result.breach == nil else { return result }
      guard others.count > 0 else { continue }
      let removal = ObjectRemoval(
        store: store, context: context, entity: entity, chunk: min(definition.batchLimit.records, 20_000),
        sample: sample, isNamed: isNamed)
      if policy.deletion == .mark, let soft = node.softDelete {
        let (marked, denied) = try removal.mark(others, soft, rejects: rejects)
        result.counts[entity.name, default: (0, 0)].marked += marked
        result.denied += denied
      } else {
        var gone = 0
        let denied = try removal.delete(others, rejects: rejects) { [model = definition.model] entity, count in
          result.counts[model.entities[entity].name, default: (0, 0)].deleted += count
          gone += count
        }
        result.denied += denied
        // How many go along is known only now.
        result.breach = Self.breach(policy, others: others.count - denied, gone: gone, total: total, entity)
        guard result.breach == nil else { return result }
      }
    }
    return result
  }

  /// Whether what the input says allows to let objects go at all.
  private func mayRemove(_ number: Int) -> Bool {
    let part = definition.parts[number]
    let name = part.name.isEmpty ? part.root.entityName : part.name
    let act = part.root.sync.deletion == .mark ? "marked" : "deleted"
    let (good, unreadable) = records[number] ?? (0, 0)
    if good == 0, !part.root.sync.allowsEmpty {
      warnings.append(
        RunWarning(
          .nothingDeleted,
          "\(name): nothing was \(act), because the input has no good record (“allow_empty” is not set)"))
      return false
    }
    if unreadable > 0, part.root.sync.unreadable == .keep {
      warnings.append(
        RunWarning(
          .nothingDeleted,
          "\(name): nothing was \(act), because the key of \(PrintableText.count(unreadable, "record")) cannot"
            + " be read, and could mean any object (“unreadable: delete” deletes objects nevertheless)"))
      return false
    }
    return true
  }

  /// The objects that no record names, and how many there are in scope.
  private func others(
    _ node: ImportNode, _ policy: SyncPolicy, _ entity: EntityDescription
  ) throws(ImportError) -> (others: ObjectMarks, total: Int) {
    let named = marks[node.rootEntity]
    let firstKey = firstKeys[node.rootEntity] ?? .max
    let others = ObjectMarks()
    var total = 0
    var conditions = node.scope.map { [$0] } ?? []
    // Those that are marked already are no news.
    if policy.deletion == .mark, let soft = node.softDelete { conditions.append(.not(soft.isGone)) }
    let predicate: ObjectPredicate? = conditions.isEmpty ? nil : .and(conditions)
    try SyncQuery(store, entity).forEach(predicate) { key in
      total += 1
      if key < firstKey, named?.contains(key) != true { others.mark(key) }
    }
    return (others, total)
  }

  /// Why so many objects may not go, or `nil`.
  ///
  /// - Parameter gone: How many go with those that delete rules take along, once that is known.
  private static func breach(
    _ policy: SyncPolicy, others: Int, gone: Int = 0, total: Int, _ entity: EntityDescription
  ) -> LimitBreach? {
    let act = policy.deletion == .mark ? "marked" : "deleted"
    if let limit = policy.limit, max(others, gone) > limit {
      let along = gone > others ? ", and \(gone) with all that delete rules take along" : ""
      return LimitBreach(
        limit: "sync.limit", subject: entity.name, count: max(others, gone),
        message: "\(others) of \(total) objects of \(entity.name) would be \(act)\(along); the limit is \(limit)")
    }
    if let ratio = policy.ratio, Double(others) > ratio * Double(total) {
      return LimitBreach(
        limit: "sync.ratio", subject: entity.name, count: others,
        message: "\(others) of \(total) objects of \(entity.name) would be \(act); the limit is "
          + "\(Double(Int(ratio * 100_000)) / 1000) %")
    }
    return nil
  }
}

/// Primary keys of the objects of one entity alone that satisfy a predicate, in ascending order.
struct SyncQuery {
  private let store: PersistentStore
  private let entity: EntityDescription

  init(_ store: PersistentStore, _ entity: EntityDescription) {
    self.store = store
    self.entity = entity
  }

  /// Calls `body` with each key, in one statement.
  func forEach(_ predicate: ObjectPredicate?, _ body: (Int64) -> Void) throws(ImportError) {
    var request = FetchRequest(entity.name, where: predicate)
    request.includesSubentities = false
    do {
      let compiler = FetchCompiler(schema: store.schema, storeUUID: store.identifier)
      let cursor = try store.cursor(
        try compiler.compile(request, selecting: .primaryKeys(withSortKeys: false), isOrderedByKey: true))
      while try cursor.step() { body(cursor.integer(0)) }
    } catch let error as PredicateError {
      throw ImportError(code: .database, message: "the scope of \(entity.name) cannot be carried out: \(error)")
    } catch {
      throw ImportError(code: .database, message: "\(error)")
    }
  }
}
