import MergewalkObjectStore

/// Objects are looked for among the members of their owners only.
///
/// Their keys are taken from rows when these are read, as look-ups of other nodes may empty the rows' buffer.
final class MemberFinder: Finder {
  /// The owners' members by owner and key.
  private var table = KeyTable()

  var name: String { "members" }
  var meetsAllKeys: Bool { false }
  var looksForKeys: Bool { false }

  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    guard let owner = ownerNode(state, importer) else { return }
    let node = view.nodes[state.node]
    importer.startKeys(state)
    // Members that this makes are found by later elements only, until they are read from the store.
    table.mark()
    defer { table.undo() }
    withKeys(state, owner, view) { keys in
      var keyBytes = importer.keyBytes
      defer { importer.keyBytes = keyBytes }
      for record in view.records where view.isWanted(record, node) {
        let hash = Self.hash(record, keys, node, view)
        let key = keyBytes.key(keys, row: record, arena: view.arena)
        let entry = table.find(hash: hash, key: key)
        if entry >= 0 {
          node.targets[record] = table.primaryKey(entry)
          guard importer.mayUpdate(record, state, view) else { continue }
          state.apply(record, table.primaryKey(entry))
        } else if importer.mayInsert(record, state, view) {
          importer.create(record, state, view)
          table.insert(hash: hash, key: key, primaryKey: node.targets[record], content: 0)
        }
      }
    }
  }

  /// Looks among the members that were read last; the owners are known.
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) {
    guard let owner = ownerNode(state, importer) else { return }
    withKeys(state, owner, view) { keys in
      var keyBytes = importer.keyBytes
      defer { importer.keyBytes = keyBytes }
      for record in records.lazy.map(Int.init) {
        let hash = Self.hash(record, keys, view.nodes[state.node], view)
        let entry = table.find(hash: hash, key: keyBytes.key(keys, row: record, arena: view.arena))
        if entry >= 0 { body(record, table.primaryKey(entry)) }
      }
    }
  }

  /// Forgets the members.
  func removeAll() { if table.count > 0 { table = KeyTable() } }

  /// Takes the keys of members from their rows; those without a key are not found.
  func read(_ rows: [Int], _ buffer: RowBuffer, _ state: NodeImporter, _ importer: BatchImporter) {
    guard let owner = ownerNode(state, importer) else { return }
    table = KeyTable(expecting: rows.count)
    var keyBytes = importer.keyBytes
    defer { importer.keyBytes = keyBytes }
    let slots = [owner.slot] + state.plan.keySlots
    let stored = slots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
    for row in rows {
      if state.plan.keySlots.contains(where: { buffer.tags[$0][row] == CellTag.null }) { continue }
      var hash = ContentHash.start(importer.seed)
      for slot in state.plan.keySlots {
        hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
      }
      hash = CellHash.cell(CellTag.integer, buffer.payloads[owner.slot][row], buffer.arena.base, seed: hash)
      let key = keyBytes.key(stored, row: row, arena: buffer.arena.base)
      if table.find(hash: hash, key: key) < 0 {
        table.insert(hash: hash, key: key, primaryKey: buffer.primaryKeys[row], content: 0)
      }
    }
  }

  private func ownerNode(_ state: NodeImporter, _ importer: BatchImporter) -> ImportRelationship? {
    state.plan.relationships.first { importer.nodes[$0.target].role == .given }
  }

  /// Lends the columns that name a member: its owner's primary key, and its own key.
  private func withKeys(
    _ state: NodeImporter, _ owner: ImportRelationship, _ view: BatchView, _ body: ([CellColumnView]) -> Void
  ) {
    let tags = ContiguousArray(repeating: CellTag.integer, count: view.count)
    tags.withUnsafeBufferPointer { tags in
      guard let tags = tags.baseAddress else { return }
      view.nodes[owner.target].targets.withMemoryRebound(to: UInt64.self, capacity: view.count) { payloads in
        body([CellColumnView(tags: tags, payloads: payloads)] + state.plan.keyFields.map { view.fields[$0] })
      }
    }
  }

  private static func hash(
    _ record: Int, _ keys: [CellColumnView], _ node: BatchView.NodeView, _ view: BatchView
  ) -> UInt64 {
    CellHash.cell(CellTag.integer, keys[0].payloads[record], view.arena, seed: node.keyHashes[record])
  }
}
