import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

extension BatchImporter {
  /// Adds the rows of the records on the node's insert list and fills their columns, one after the other.
  func insert(
    _ state: NodeImporter, _ view: BatchView
  ) throws(ImportError) {
    let arena = view.arena
    let count = state.inserts.count
    guard count > 0 else { return }
    let first = context.insertRows(state.entity, count: count)
    let buffer = context.buffer(root: state.plan.rootEntity)
    // When most records insert, their bytes are taken over in one piece; else cell by cell.
    let takesAll = count * 4 >= view.count && view.records.count == view.count
    let shift =
      takesAll
      ? UInt64(buffer.arena.append(UnsafeRawBufferPointer(start: arena, count: view.byteCount)).offset) << 32 : 0
    try state.inserts.withUnsafeBufferPointer { records throws(ImportError) in
      let fields = state.plan.keyFields + state.plan.attributeFields
      let slots = state.plan.keySlots + state.plan.attributeSlots
      for (field, slot) in zip(fields, slots) {
        let cells = view.fields[field]
        let tags = buffer.tags[slot] + first
        let payloads = buffer.payloads[slot] + first
        for i in 0..<count {
          let record = Int(records[i])
          let tag = cells.tags[record]
          // The row already holds the model's default.
          if tag == CellTag.absent { continue }
          tags[i] = tag
          if tag == CellTag.text || tag == CellTag.blob {
            if takesAll {
              payloads[i] = cells.payloads[record] &+ shift
            } else {
              let range = ByteRange(payload: cells.payloads[record])
              payloads[i] =
                buffer.arena.append(UnsafeRawBufferPointer(start: arena + range.offset, count: range.length)).payload
            }
          } else {
            payloads[i] = cells.payloads[record]
          }
        }
      }
      for relationship in state.plan.relationships where !relationship.isLate && !relationship.needsInverse {
        let targets = view.nodes[relationship.target].targets
        let tags = buffer.tags[relationship.slot] + first
        let payloads = buffer.payloads[relationship.slot] + first
        let entities = buffer.destinationEntities[relationship.slot]
        for i in 0..<count {
          let record = Int(records[i])
          guard targets[record] > 0 else { continue }
          tags[i] = CellTag.integer
          payloads[i] = UInt64(bitPattern: targets[record])
          if let entities { entities[first + i] = destinationEntity(relationship, view, record) }
        }
      }
    }
    state.unrelated = (row: first, count: count)
    if state.applies.isEmpty { try relateInserts(before: .max, state, view) }
  }

  /// Sets the relationships of new rows that other objects take part in, of the records before a place in the batch: of
  /// two records that name one target the later one has it, whether it creates its object or not.
  private func relateInserts(before end: Int, _ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    let relationships = state.plan.relationships.filter { !$0.isLate && $0.needsInverse }
    guard !relationships.isEmpty else { return }
    while state.unrelated.count > 0 {
      let record = Int(state.inserts[state.inserts.count - state.unrelated.count])
      guard record < end else { return }
      for relationship in relationships {
        let target = max(view.nodes[relationship.target].targets[record], 0)
        try relate(state.unrelated.row, state, relationship, target, view, record)
      }
      state.unrelated.row += 1
      state.unrelated.count -= 1
    }
  }

  /// Compares the records on the node's apply list with their rows and sets what differs.
  func apply(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    guard !state.applies.isEmpty else { return }
    let buffer = context.buffer(root: state.plan.rootEntity)
    try fetchMissing(state, buffer)
    var collisions = ContiguousArray<Int32>()
    // A row that was found by a hash may have another key.
    let comparesKeys = state.finder.findsByHash
    var unique = startUniqueValues(state)
    for apply in state.applies {
      let record = Int(apply.record)
      try relateInserts(before: record, state, view)
      guard let row = buffer.row(primaryKey: apply.primaryKey) else {
        throw ImportError(
          code: .database,
          message: "\(state.entity.name) \(apply.primaryKey) existed when its key was read, and has been deleted since")
      }
      if comparesKeys, !hasKey(buffer, row, state, view, record) {
        collisions.append(apply.record)
        continue
      }
      let before = unique?.values(row, buffer) ?? []
      let isUpdated = try update(row, state, view, record: record)
      if isUpdated, unique?.note(row, before: before, buffer) ?? false { throw top.retryAlone() }
      // Whether a record has changed its own object is known when all of it is done.
      if isUpdated, state.role != .root { state.noteUpdate(apply.primaryKey, isUncounted: apply.counts) }
      settle(record, isUpdated ? .updated : .unchanged, state, view, counts: apply.counts)
    }
    try relateInserts(before: .max, state, view)
    try check(unique, state)
    guard !collisions.isEmpty else { return }
    // Two keys with one hash: the records are looked for by their bytes.
    state.inserts.removeAll(keepingCapacity: true)
    state.applies.removeAll(keepingCapacity: true)
    for record in collisions { view.nodes[state.node].targets[Int(record)] = 0 }
    let kept = state.finder
    state.finder = SeekFinder()
    defer { state.finder = kept }
    try seek(collisions, state, view)
    try insert(state, view)
    try apply(state, view)
  }

  /// Fetches the rows on the apply list that the context does not hold, in one statement.
  private func fetchMissing(_ state: NodeImporter, _ buffer: RowBuffer) throws(ImportError) {
    state.missingKeys.removeAll(keepingCapacity: true)
    for apply in state.applies where buffer.row(primaryKey: apply.primaryKey) == nil {
      state.missingKeys.append(apply.primaryKey)
    }
    guard !state.missingKeys.isEmpty else { return }
    state.missingKeys.withUnsafeMutableBufferPointer { $0.sort() }
    var kept = 1
    for i in 1..<max(state.missingKeys.count, 1) where state.missingKeys[i] != state.missingKeys[kept - 1] {
      state.missingKeys[kept] = state.missingKeys[i]
      kept += 1
    }
    state.missingKeys.removeLast(state.missingKeys.count - kept)
    do {
      let access = try store.access(root: state.plan.rootEntity)
      try state.missingKeys.withUnsafeBufferPointer { keys throws(StoreError) in
        try access.fetch(primaryKeys: keys, slots: state.plan.fetchedSlots, into: buffer)
      }
      fetches += 1
    } catch {
      throw ImportError(error)
    }
  }

  /// Sets the cells of a row from a record, and returns whether anything changed.
  private func update(
    _ row: Int, _ state: NodeImporter, _ view: BatchView, record: Int
  ) throws(ImportError) -> Bool {
    let buffer = context.buffer(root: state.plan.rootEntity)
    var isChanged = false
    for (field, slot) in zip(state.plan.attributeFields, state.plan.attributeSlots) {
      let tag = view.fields[field].tags[record]
      let payload = view.fields[field].payloads[record]
      if tag == CellTag.absent || tag == CellTag.blob && isInFile(row, slot, state, view, payload) { continue }
      if buffer.set(row: row, slot: slot, tag: tag, payload: payload, arena: view.arena) { isChanged = true }
    }
    for relationship in state.plan.relationships where !relationship.isLate {
      let target = view.nodes[relationship.target].targets[record]
      if target == NodeColumns.unspecified { continue }
      let isMoved =
        try relationship.needsInverse
        ? relate(row, state, relationship, target, view, record)
        : buffer.setReference(
          row: row, slot: relationship.slot, primaryKey: target,
          destinationEntity: destinationEntity(relationship, view, record))
      if isMoved { noteMove(relationship.description) }
      isChanged = isChanged || isMoved
    }
    for reference in state.plan.clearedReferences where try clear(reference, row, state) {
      noteMove(reference)
      isChanged = true
    }
    if let soft = state.plan.softDelete, soft.isMarked(buffer, row: row) {
      buffer.set(
        row: row, slot: soft.slot, tag: soft.cleared.tag, payload: soft.cleared.payload, arena: view.arena)
      isChanged = true
    }
    return isChanged
  }

  /// Notes that a reference has changed: what it referred to before may be let go by the list of an earlier record.
  func noteMove(_ reference: RelationshipDescription) {
    let top = top
    if top.rootsThatMayGo.isEmpty || top.hasMovedReferences { return }
    let root = store.model.entities[reference.destinationEntity].root
    if top.rootsThatMayGo.contains(root) { top.hasMovedReferences = true }
  }

  /// Whether a row has the value of a record's cell already, in a file beside the store.
  private func isInFile(_ row: Int, _ slot: Int, _ state: NodeImporter, _ view: BatchView, _ payload: UInt64) -> Bool {
    let buffer = context.buffer(root: state.plan.rootEntity)
    guard buffer.tags[slot][row] == CellTag.blob, store.externalSlots(root: state.plan.rootEntity).contains(slot) else {
      return false
    }
    let range = ByteRange(payload: payload)
    return ExternalData.isFile(
      of: buffer.arena.bytes(ByteRange(payload: buffer.payloads[slot][row])), store: store.path,
      with: UnsafeRawBufferPointer(start: view.arena + range.offset, count: range.length))
  }

  /// Clears a relationship that no record fills; returns whether it had a target.
  private func clear(_ reference: RelationshipDescription, _ row: Int, _ state: NodeImporter) throws(ImportError)
    -> Bool
  {
    do {
      return try context.setToOne(
        table: TableID(root: state.plan.rootEntity), row: row, relationship: reference, target: 0, targetEntity: -1)
    } catch {
      throw ImportError(error)
    }
  }

  /// Sets a relationship whose inverse has to be written too.
  @discardableResult
  func relate(
    _ row: Int, _ state: NodeImporter, _ relationship: ImportRelationship, _ target: Int64, _ view: BatchView,
    _ record: Int
  ) throws(ImportError) -> Bool {
    do {
      return try context.setToOne(
        table: TableID(root: state.plan.rootEntity), row: row, relationship: relationship.description, target: target,
        targetEntity: destinationEntity(relationship, view, record))
    } catch {
      throw ImportError(error)
    }
  }

  /// The entity of the object that a record's relationship refers to.
  func destinationEntity(_ relationship: ImportRelationship, _ view: BatchView, _ record: Int) -> Int32 {
    if let found = view.nodes[relationship.target].targetEntities, found[record] >= 0 { return found[record] }
    return Int32(nodes[relationship.target].entity.index)
  }

  /// Whether a row has a record's key, byte for byte.
  private func hasKey(
    _ buffer: RowBuffer, _ row: Int, _ state: NodeImporter, _ view: BatchView, _ record: Int
  ) -> Bool {
    zip(state.plan.keyFields, state.plan.keySlots).allSatisfy { field, slot in
      buffer.equals(
        row: row, slot: slot, tag: view.fields[field].tags[record], payload: view.fields[field].payloads[record],
        arena: view.arena)
    }
  }
}
