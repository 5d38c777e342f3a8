import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats

extension BatchImporter {
  /// The importer of the run's own records.
  var top: BatchImporter { owner?.top ?? self }
  /// The nodes, and those of the lists.
  var allNodes: [NodeState] { lists.isEmpty ? nodes : nodes + lists.flatMap { $0.importer.allNodes } }
  /// The nodes whose objects are found or created.
  var countedNodes: [NodeState] { allNodes.filter { !$0.part.isGiven } }
  /// Fetches executed to find existing objects, those of lists included.
  var allFetches: Int { fetches + lists.reduce(0) { $0 + $1.importer.allFetches } }

  /// Prepares the lists of the plan.
  ///
  /// - Parameter choice: How the plan's own nodes were prepared.
  func addLists(_ choice: StrategyChoice) throws(StoreError) {
    let uses = choice.hierarchyUses ?? plan.hierarchyUses(store.model)
    for list in plan.lists {
      var inner = StrategyChoice(
        plan: list.plan, store: store, model: choice.model, seed: seed, inputBytes: choice.inputBytes,
        keyMemory: choice.keyMemory, override: .automatic, hasFixedInputs: choice.hasFixedInputs)
      inner.isList = true
      inner.hierarchyUses = uses
      let states = try inner.nodes()
      let target = states[list.plan.root]
      target.isElement = true
      target.rejectsMissing = list.missing == .reject
      if list.isScoped {
        target.isScoped = true
        target.strategy = .none
        target.firstStrategyName = "members"
      }
      let importer = BatchImporter(plan: list.plan, context: context, store: store, nodes: states, seed: seed)
      importer.owner = self
      try importer.addLists(inner)
      let roots = Set(list.plan.nodes.filter { !$0.isGiven }.map(\.rootEntity))
      lists.append(
        ListImporter(
          list, number: lists.count, importer: importer,
          sharedRoots: roots.filter { uses[$0, default: 0] > 1 }.sorted()))
    }
  }

  /// Takes over the elements of a batch.
  func startLists(_ batch: inout ImportBatch) {
    guard !lists.isEmpty else { return }
    swap(&listBatches, &batch.lists)
    forgetAttempts()
    elementRejects.removeAll(keepingCapacity: true)
  }

  private func forgetAttempts() {
    for list in lists {
      list.isRepeated = false
      list.importer.forgetAttempts()
    }
  }

  /// Gives the elements back.
  func endLists(_ batch: inout ImportBatch) {
    guard !lists.isEmpty else { return }
    swap(&listBatches, &batch.lists)
  }

  /// Fills the to-many relationships of the objects that the records of a view stand for.
  func resolveLists(_ view: BatchView) throws(ImportError) {
    var batches: [ListBatch] = []
    swap(&batches, &listBatches)
    defer { swap(&batches, &listBatches) }
    for (index, list) in lists.enumerated() {
      let rejects = try list.run(&batches[index], view, owners: self)
      for reject in rejects { elementRejects.append(ownReject(reject, list.list, index, batches[index])) }
    }
  }

  /// The reject of the record that a rejected element belongs to.
  private func ownReject(
    _ reject: RecordReject, _ list: ImportList, _ index: Int, _ batch: ListBatch
  ) -> RecordReject {
    let element = Int(reject.record)
    let record = batch.owner(element)
    let number = element - Int(batch.starts[record])
    let offset = batch.elements.range(element).lowerBound
    if let inner = reject.element {
      return ListRejects.reject(
        record, reject.code, list, index, element: number, names: nil, inner: inner.path, message: inner.message,
        offset: offset)
    }
    let field = reject.field.map(Int.init)
    return ListRejects.reject(
      record, reject.code, list, index, element: number, names: field.map { list.plan.fieldNames[$0] }, inner: "",
      message: field.map { ListRejects.message(reject.code, element, $0, list.plan, batch.batch.records) }
        ?? reject.detail, offset: offset)
  }

  /// Adds rejects that lists within this importer's lists have found.
  func takeListRejects(_ found: [RecordReject]) {
    rejects += found
    elementRejects.removeAll(keepingCapacity: true)
  }

  /// Rejects the records that turned out to be no good after parts of them had been written, which was taken back.
  func rejectLate(_ view: BatchView) {
    for late in elementRejects where view.outcomes[Int(late.record)] != .rejected {
      view.outcomes[Int(late.record)] = .rejected
      rejects.append(late)
    }
    elementRejects.removeAll(keepingCapacity: true)
  }

  // MARK: Members

  /// Makes a row that was changed otherwise than by a record of its own look as if its content were unknown.
  func forgetContent(_ row: Int, _ buffer: RowBuffer, _ state: NodeState) {
    let slots = state.part.keySlots
    var hash = ContentHash.start(seed)
    for slot in slots {
      hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
    }
    switch state.strategy {
    case .table(let table):
      let columns = slots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
      let entry = table.find(hash: hash, key: keyBytes.key(columns, row: row, arena: buffer.arena.base))
      if entry >= 0 { table.setContent(entry, 0) }
    case .scan(let table):
      let place = table.find(hash)
      if place >= 0 { table.setContent(place, 0) }
    case .none, .filter, .seek, .deduplicate: break
    }
  }

  /// Looks for the objects of elements among the members of their owners, whose rows the context holds.
  func findAmongMembers(_ state: NodeState, _ view: BatchView) {
    let node = view.nodes[state.node]
    guard let owner = state.part.relationships.first(where: { nodes[$0.target].part.isGiven }) else { return }
    let buffer = context.buffer(table: state.part.rootEntity)
    let table = KeyTable(expecting: state.scopedRows.count)
    var keyBytes = self.keyBytes
    defer { self.keyBytes = keyBytes }
    let slots = [owner.slot] + state.part.keySlots
    let stored = slots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
    for row in state.scopedRows.map(Int.init) {
      if state.part.keySlots.contains(where: { buffer.tags[$0][row] == CellTag.null }) { continue }
      var hash = ContentHash.start(seed)
      for slot in state.part.keySlots {
        hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
      }
      hash = CellHash.cell(CellTag.integer, buffer.payloads[owner.slot][row], buffer.arena.base, seed: hash)
      let key = keyBytes.key(stored, row: row, arena: buffer.arena.base)
      if table.find(hash: hash, key: key) < 0 {
        table.insert(hash: hash, key: key, primaryKey: buffer.primaryKeys[row], content: 0)
      }
    }
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    let owners = view.nodes[owner.target].targets
    let tags = ContiguousArray(repeating: CellTag.integer, count: view.count)
    tags.withUnsafeBufferPointer { tags in
      guard let tags = tags.baseAddress else { return }
      owners.withMemoryRebound(to: UInt64.self, capacity: view.count) { payloads in
        let keys = [CellColumnView(tags: tags, payloads: payloads)] + state.part.keyFields.map { view.fields[$0] }
        for record in view.records where view.isWanted(record, node) {
          let hash = CellHash.cell(CellTag.integer, payloads[record], view.arena, seed: node.keyHashes[record])
          let key = keyBytes.key(keys, row: record, arena: view.arena)
          let entry = table.find(hash: hash, key: key)
          if entry >= 0 {
            node.targets[record] = table.primaryKey(entry)
            guard mayUpdate(record, state, view) else { continue }
            state.apply(record, table.primaryKey(entry))
          } else if mayInsert(record, state, view) {
            create(record, state, view)
            table.insert(hash: hash, key: key, primaryKey: node.targets[record], content: 0)
          }
        }
      }
    }
  }
}
