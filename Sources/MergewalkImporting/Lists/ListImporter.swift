import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Fills one to-many relationship: the elements of a batch's lists are found or created as records of their own are, by a
/// ``BatchImporter`` for the list's plan, and then related to their owners.
final class ListImporter {
  let list: ImportList
  /// The list's number in the plan of the owners.
  let number: Int
  /// Finds and creates what the elements name.
  let importer: BatchImporter
  /// Root entities that other nodes of the run's plan fill too: what these did has to be in the store before seeks.
  let sharedRoots: [RootIndex]
  /// Whether something else of the run fills the relationship too, so that an object may have members as soon as it is
  /// there.
  let isFilledElsewhere: Bool
  /// The outcomes of the elements.
  var tally = ListTally()
  /// Notes the owners that elements are added to, and the list's number there; `nil` where changes are not compared.
  var links: (of: RepeatedUpdates, node: Int)?
  var ownerName: String { importer.owner.map { $0.nodes[$0.plan.root].entity.name } ?? "" }
  /// Whether the elements of the current batch were imported before, so that what was chained to their hashes is stale.
  var isRepeated = false
  private var outcomes = ContiguousArray<RecordLedger.Outcome>()
  /// The owners' members in the store, with ``ImportList/ownerNode``.
  var members = StoredMembers()
  /// Whether the indexes are there by which members are found.
  private var hasIndexes = false

  init(
    _ list: ImportList, number: Int, importer: BatchImporter, sharedRoots: [RootIndex], isFilledElsewhere: Bool
  ) {
    self.list = list
    self.number = number
    self.importer = importer
    self.sharedRoots = sharedRoots
    self.isFilledElsewhere = isFilledElsewhere
  }

  /// Whether the lists have to be imported in the order of their records.
  private lazy var keepsOrder = !list.isOrderFree

  var target: NodeImporter { importer.nodes[list.plan.root] }
  var top: BatchImporter { importer.top }
  /// Whether its members, or what their own lists name, go when no record names them.
  private(set) lazy var isWatched =
    top.watch.map { watch in
      watch.marksByRoot[target.plan.rootEntity] != nil || SyncWatch.lists(list.plan.lists, name: watch.marksByRoot)
    } ?? false

  /// Imports the lists of the records of a view; the records' own objects are there.
  ///
  /// - Parameter batch: The elements.
  /// - Returns: Rejects of elements, by the elements' numbers.
  func run(
    _ batch: inout ListBatch, _ view: BatchView, owners: BatchImporter
  ) throws(ImportError) -> [RecordReject] {
    let own = view.nodes[owners.plan.root].targets
    var waiting = view.records.filter { batch.hasList[$0] && own[$0] > 0 && owners.fillsLists($0, view) }
    outcomes.fill(.rejected, count: batch.batch.records.recordCount)
    importer.rejects.removeAll(keepingCapacity: true)
    reset(&batch, batch.range(view.records))
    // From here on, however the attempt ends.
    isRepeated = true
    var isFirst = true
    let rejected = owners.elementRejects.count
    // What a record does whose element is rejected is rolled back, so nothing is judged by it.
    while !waiting.isEmpty, importer.rejects.isEmpty, owners.elementRejects.count == rejected {
      // Of several records with one object the later ones see what the earlier ones left.
      var seen = Set<Int64>(minimumCapacity: waiting.count)
      var later: [Int] = []
      var round: [Int] = []
      for (place, record) in waiting.enumerated() {
        if seen.insert(own[record]).inserted {
          round.append(record)
        } else if keepsOrder {
          // What later records say of objects that several lists name counts, so none of them may come first.
          later = Array(waiting[place...])
          break
        } else {
          later.append(record)
        }
      }
      if isFirst, !sharedRoots.isEmpty {
        try importer.writeChanges()
        for root in sharedRoots { importer.context.buffer(root: root).removeAll() }
      } else if !isFirst {
        // Of several records each is to see the store that the one before it leaves.
        if top.attempted > 1, importer.holdsOrphans { throw top.retryAlone() }
        try importer.writeChanges()
        for state in importer.nodes { importer.context.buffer(root: state.plan.rootEntity).removeAll() }
      }
      try importRound(round, &batch, view, owners)
      // Settled ones are not looked at in the next round, where its owners are not those whose members are known.
      for record in round { for element in batch.range(record) { outcomes[element] = .rejected } }
      waiting = later
      isFirst = false
    }
    return importer.rejects
  }

  /// Makes ready what an earlier attempt may have left.
  private func reset(_ batch: inout ListBatch, _ elements: Range<Int>) {
    guard isRepeated else { return }
    for node in batch.batch.nodes.indices {
      for element in elements {
        let isAbsent = batch.batch.nodes[node].keyStates[element] == ImportBatch.KeyState.absent
        batch.batch.nodes[node].targets[element] = isAbsent ? NodeColumns.unspecified : 0
        batch.batch.nodes[node].contentHashes[element] = 0
        if batch.batch.nodes[node].keyStates[element] == ImportBatch.KeyState.missing {
          batch.batch.nodes[node].keyStates[element] = ImportBatch.KeyState.usable
        }
        if !batch.batch.nodes[node].targetEntities.isEmpty { batch.batch.nodes[node].targetEntities[element] = -1 }
      }
    }
  }

  private func importRound(
    _ records: [Int], _ batch: inout ListBatch, _ view: BatchView, _ owners: BatchImporter
  ) throws(ImportError) {
    let own = view.nodes[owners.plan.root].targets
    if keepsInverseOrder || records.contains(where: { mayHaveMembers($0, view) }) { try buildIndexes() }
    for record in records { for element in batch.range(record) { outcomes[element] = .pending } }
    if let node = list.ownerNode {
      let entities = view.nodes[owners.plan.root].targetEntities
      let entity = Int32(owners.nodes[owners.plan.root].entity.index)
      for record in records {
        for element in batch.range(record) {
          batch.batch.nodes[node].targets[element] = own[record]
          if !batch.batch.nodes[node].targetEntities.isEmpty {
            let found = entities?[record] ?? -1
            batch.batch.nodes[node].targetEntities[element] = found >= 0 ? found : entity
          }
        }
      }
      try readMembers(records, view, owners)
    }
    var outcomes = self.outcomes
    self.outcomes = []
    defer { self.outcomes = outcomes }
    importer.listBatches = batch.batch.lists
    batch.batch.lists = []
    defer {
      batch.batch.lists = importer.listBatches
      importer.listBatches = []
    }
    let starts = batch.starts
    var changed: [Bool] = []
    var wasLent = false
    // What they say is stored nowhere.
    var nameless: [Int] = []
    let range = Int(starts[records[0]])..<Int(starts[records[records.count - 1] + 1])
    try BatchView.lend(&batch.batch, &outcomes) { whole throws(ImportError) in
      wasLent = true
      var part = whole
      part.records = range
      try importer.resolveAll(part)
      changed = try relate(records, starts, part, view, owners)
      importer.top.watch?.noteElements(part, list)
      importer.countReferences(part)
      importer.settleInnerElements(part)
      let targets = part.nodes[list.plan.root].targets
      for element in range where part.outcomes[element] != .rejected && targets[element] <= 0 {
        nameless.append(element)
      }
    }
    for element in nameless { importer.settleValues(of: element, batch.batch, isRejected: false) }
    if !wasLent { changed = try relate(records, starts, nil, view, owners) }
    importer.takeListRejects(importer.elementRejects)
    let root = owners.nodes[owners.plan.root]
    for (record, isChanged) in zip(records, changed) where isChanged && view.outcomes[record] == .unchanged {
      view.outcomes[record] = .updated
      // Elements that refer to one object count it once, and what the list of one of them changes counts beside.
      if root.role == .root {
        root.counts.unchanged -= 1
      } else {
        root.noteUpdate(own[record], isUncounted: false)
      }
      root.counts.updated += 1
    }
  }

  /// Whether the store may know members of a record's object before the list is looked at.
  func mayHaveMembers(_ record: Int, _ view: BatchView) -> Bool {
    isFilledElsewhere || view.outcomes[record] != .inserted
  }

  // MARK: Indexes

  /// Forgets which indexes are there, as they may have been rolled back.
  func forgetIndexes() { hasIndexes = false }

  /// Whether the members keep an order of their owners, so that each new pair has to be put behind the last one.
  private var keepsInverseOrder: Bool {
    list.ownerNode == nil && list.description.isInverseOrdered(in: importer.store.model)
  }

  /// Builds in a new store the index by which the members of objects are found.
  ///
  /// An object that is new has none, so this waits until one comes again: an index that is built at the end, from
  /// sorted rows, costs a tenth of one that is kept up.
  private func buildIndexes() throws(ImportError) {
    guard !hasIndexes else { return }
    hasIndexes = true
    let schema = importer.store.schema
    do {
      if list.ownerNode != nil {
        let table = schema.table(forRoot: target.plan.rootEntity)
        let column = table.columnName(slot: list.inverseSlot)
        try importer.store.file.buildIndexes { $0.table == table.name && $0.columns.first == column }
        return
      }
      let (entity, slot) = (list.description.declaringEntity, list.description.slot)
      guard let table = schema.joinTables.first(where: { $0.side(entity: entity, slot: slot) != nil }) else { return }
      // Its primary key finds the members of the side that gives the table its name.
      let isMaster = table.master.entity == entity && table.master.slot == slot
      if !isMaster || keepsInverseOrder { try importer.store.file.buildIndexes { $0.table == table.name } }
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
  }

  // MARK: Relating

  /// Relates the owners to what their elements name; whether each list changed anything.
  private func relate(
    _ records: [Int], _ starts: ContiguousArray<Int32>, _ elements: BatchView?, _ view: BatchView,
    _ owners: BatchImporter
  ) throws(ImportError) -> [Bool] {
    var targets = ContiguousArray<Int64>()
    var lists: [LinkList] = []
    let own = view.nodes[owners.plan.root].targets
    let entities = view.nodes[owners.plan.root].targetEntities
    for record in records {
      let first = targets.count
      if let elements {
        let found = elements.nodes[list.plan.root].targets
        for element in Int(starts[record])..<Int(starts[record + 1]) where elements.outcomes[element] != .rejected {
          targets.append(max(found[element], 0))
        }
      }
      let entity = entities.map { $0[record] } ?? -1
      lists.append(
        LinkList(
          owner: own[record],
          ownerEntity: entity >= 0 ? entity : Int32(owners.nodes[owners.plan.root].entity.index),
          isNew: !mayHaveMembers(record, view), targets: first..<targets.count))
    }
    let named = targets.count(where: { $0 > 0 })
    tally.skipped += (elements == nil ? 0 : records.reduce(0) { $0 + Int(starts[$1 + 1] - starts[$1]) }) - named
    do {
      guard list.ownerNode == nil else {
        return try relateMembers(lists, targets, owners) { index, key in
          owners.orphans.append(
            Orphan(key: key, owner: lists[index].owner, list: self, trail: [(number, records[index])]))
        }
      }
      var added: [Int] = []
      defer { count(named: named, added: added.reduce(0, +)) }
      let changed = try owners.context.setLinks(
        list.description, table: TableID(root: owners.nodes[owners.plan.root].plan.rootEntity), lists: lists,
        targets: targets,
        replaces: list.options.links == .replace, added: &added)
      for (list, count) in zip(lists, added) { noteLinks(list, count) }
      return changed
    } catch {
      throw ImportError(wrapping: error)
    }
  }

  /// Notes how many elements were added to an object that was there before.
  func noteLinks(_ list: LinkList, _ count: Int) {
    guard let links, !list.isNew, count > 0 else { return }
    links.of.note(list.owner, node: links.node, isUncounted: false, times: count)
  }

  /// Counts elements that name objects.
  func count(named: Int, added: Int) {
    tally.linked += added
    tally.alreadyLinked += named - added
  }
}

extension RecordLedger.Outcome {
  /// Whether a record with this outcome has an object whose relationships it fills.
  var takesLists: Bool {
    switch self {
    case .inserted, .updated, .unchanged: true
    case .pending, .skipped, .rejected, .deferred: false
    }
  }
}
