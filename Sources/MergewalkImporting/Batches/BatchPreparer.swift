import MergewalkObjectStore
import MergewalkRecordFormats

/// Turns records into cells, keys and hashes: everything that needs no store, done on the core that has time for it.
struct BatchPreparer: Sendable {
  let plan: ImportPlan
  /// The seed of this run's hashes.
  let seed: UInt64
  /// Which records are skipped, when the import is incremental.
  var since: SinceFilter?
  /// The transforms of columns before conversion; nil for none.
  var transforms: TransformRunner?
  /// Of which nodes the contents of records are compared by their hashes; empty for all.
  ///
  /// Those of others are unknown, which is always right.
  var comparesContents: [Bool] = []

  /// Fills everything in `batch` that follows from its records.
  ///
  /// - Complexity: O(records × fields); no allocation once the batch's arrays have grown.
  func prepare(_ batch: inout ImportBatch) {
    batch.isPrepared = true
    let count = batch.records.recordCount
    batch.failures.removeAll(keepingCapacity: true)
    batch.refusals.removeAll(keepingCapacity: true)
    batch.refusals.append(contentsOf: batch.transformed.refusals)
    batch.countsMissing = false
    batch.values = ValueCounts()
    batch.values.records = count
    batch.values.refused = batch.records.errors.count
    for field in plan.fields.indices {
      var replaced = ValueCounts.Replacements.zero
      plan.fields[field].convert(
        &batch.records, column: plan.fieldColumns[field], into: &batch.columns[field], failures: &batch.failures,
        replaced: &replaced)
      let loss = plan.fields[field].settle(&replaced, batch.columns[field])
      if let made = batch.transformed.replaced[plan.fieldColumns[field]] {
        plan.fields[field].count(made, column: plan.fieldColumns[field], of: batch.records, into: &replaced)
      }
      batch.values.loss = batch.values.loss ?? loss
      batch.values.replaced.append(replaced)
    }
    for node in plan.nodes.indices {
      hash(&batch, node: node, count: count)
      validate(&batch, node: node)
    }
    skipOld(&batch, count: count)
    for (field, count) in plan.namelessValues(of: batch) {
      batch.values[field][FieldTally.Replacement.missing.index] += count
    }
    batch.hasFailed.fill(false, count: count)
    if !batch.transformed.isEmpty { settleTransformed(&batch) }
    for failure in batch.failures { batch.hasFailed[Int(failure.record)] = true }
    for node in plan.nodes.indices { refuse(&batch, node: node, count: count) }
    if !plan.lists.isEmpty { prepareLists(&batch) }
  }

  /// Computes the hashes of one node's keys and contents again, of records that come back without them.
  func hashAgain(_ batch: inout ImportBatch, node: Int) { hash(&batch, node: node, count: batch.records.recordCount) }

  /// Transforms the records and fills what follows from them.
  ///
  /// - Throws: ``ImportError`` when an external process fails or the source is not as agreed.
  func transform(_ batch: inout ImportBatch) throws(ImportError) {
    if let transforms { try transforms.run(&batch) }
    prepare(&batch)
  }

  /// The columns to request from the current source.
  var columnNames: [String] { transforms?.columnNames ?? plan.columnNames }

  /// Whether batches must come one after the other on one thread.
  var isOrdered: Bool { transforms?.plan.isOrdered ?? false }

  /// Drops the outcomes of conversion for records that are skipped, and for values that a transform could not make.
  private func settleTransformed(_ batch: inout ImportBatch) {
    let transformed = batch.transformed
    batch.failures.removeAll { failure in
      transformed.isSkipped(Int(failure.record))
        || transformed.failedCells.contains(TransformedRecords.cell(Int(failure.record), Int(failure.column)))
    }
    // What is wrong with a record that is skipped does not matter.
    batch.refusals.removeAll { transformed.isSkipped(Int($0.record)) }
    for refusal in batch.refusals { batch.hasFailed[Int(refusal.record)] = true }
    for record in transformed.skipped.indices where transformed.skipped[record] { batch.hasFailed[record] = true }
  }

  /// Takes records before the cursor out: they name no object and nothing is wrong with them.
  private func skipOld(_ batch: inout ImportBatch, count: Int) {
    guard let since, since.threshold != nil else { return }
    batch.isBeforeCursor.fill(false, count: count)
    let column = batch.columns[since.field]
    var found = false
    batch.records.bytes.withUnsafeBytes { bytes in
      guard let arena = bytes.baseAddress else { return }
      for i in 0..<count where since.isBeforeCursor(column.tags[i], column.payloads[i], arena) {
        batch.isBeforeCursor[i] = true
        found = true
        for node in plan.nodes.indices {
          batch.nodes[node].keyStates[i] = ImportBatch.KeyState.absent
          batch.nodes[node].targets[i] = NodeColumns.unspecified
        }
      }
    }
    guard found else { return }
    batch.failures.removeAll { batch.isBeforeCursor[Int($0.record)] }
    batch.refusals.removeAll { batch.isBeforeCursor[Int($0.record)] }
  }

  /// Computes the hashes of keys and contents, a column at a time.
  private func hash(_ batch: inout ImportBatch, node: Int, count: Int) {
    let part = plan.nodes[node]
    batch.nodes[node].keyStates.fill(ImportBatch.KeyState.usable, count: count)
    batch.nodes[node].contentHashes.fill(ContentHash.start(seed), count: count)
    batch.nodes[node].targets.fill(0, count: count)
    batch.nodes[node].targetEntities.fill(-1, count: part.hasSubentities ? count : 0)
    let columns = batch.columns
    batch.records.bytes.withUnsafeBytes { bytes in
      // An empty batch has no bytes, and no cell that refers to them either.
      guard let arena = bytes.baseAddress else { return }
      for field in part.keyFields {
        chain(columns[field], arena, &batch.nodes[node].contentHashes)
        markUnusableKeys(columns[field], &batch.nodes[node].keyStates)
      }
      for i in 0..<count where batch.nodes[node].keyStates[i] == ImportBatch.KeyState.absent {
        batch.nodes[node].targets[i] = NodeColumns.unspecified
      }
      batch.nodes[node].keyHashes.removeAll(keepingCapacity: true)
      batch.nodes[node].keyHashes.append(contentsOf: batch.nodes[node].contentHashes)
      guard comparesContents.isEmpty || comparesContents[node] else {
        return batch.nodes[node].contentHashes.fill(0, count: count)
      }
      for field in part.attributeFields { chain(columns[field], arena, &batch.nodes[node].contentHashes) }
      for field in part.attributeFields { forgetAbsent(columns[field], &batch.nodes[node].contentHashes) }
    }
  }

  /// Checks the node's cells against the model, where the record names an object.
  private func validate(_ batch: inout ImportBatch, node: Int) {
    let part = plan.nodes[node]
    for field in part.fields {
      plan.fields[field].validate(
        batch.records, column: plan.fieldColumns[field], cells: &batch.columns[field],
        exempt: batch.nodes[node].keyStates, failures: &batch.failures)
    }
  }

  private func chain(_ column: CellColumn, _ arena: UnsafeRawPointer, _ hashes: inout ContiguousArray<UInt64>) {
    column.tags.withUnsafeBufferPointer { tags in
      column.payloads.withUnsafeBufferPointer { payloads in
        hashes.withUnsafeMutableBufferPointer { hashes in
          for i in hashes.indices { hashes[i] = CellHash.cell(tags[i], payloads[i], arena, seed: hashes[i]) }
        }
      }
    }
  }

  private func markUnusableKeys(_ column: CellColumn, _ states: inout ContiguousArray<UInt8>) {
    for i in states.indices {
      switch column.tags[i] {
      case CellTag.null, CellTag.failed: states[i] = ImportBatch.KeyState.null
      case CellTag.absent:
        if states[i] == ImportBatch.KeyState.usable { states[i] = ImportBatch.KeyState.absent }
      case CellTag.text, CellTag.blob:
        if ByteRange(payload: column.payloads[i]).length == 0 { states[i] = ImportBatch.KeyState.empty }
      default: break
      }
    }
  }

  /// A row with an absent cell keeps what is there, so its content cannot be told from the record.
  private func forgetAbsent(_ column: CellColumn, _ hashes: inout ContiguousArray<UInt64>) {
    for i in hashes.indices where column.tags[i] == CellTag.absent { hashes[i] = 0 }
  }

  /// Refuses records whose key, or whose mandatory relationship's key, names nothing, before they touch anything.
  private func refuse(_ batch: inout ImportBatch, node: Int, count: Int) {
    let part = plan.nodes[node]
    func isBeforeCursor(_ record: Int) -> Bool { !batch.isBeforeCursor.isEmpty && batch.isBeforeCursor[record] }
    if node == plan.root, !part.keyFields.isEmpty {
      for i in 0..<count where batch.nodes[node].keyStates[i] != ImportBatch.KeyState.usable && !batch.hasFailed[i] {
        if isBeforeCursor(i) { continue }
        batch.hasFailed[i] = true
        let isEmpty = batch.nodes[node].keyStates[i] == ImportBatch.KeyState.empty
        // The part of the key that names nothing: of several the first one.
        let field = part.keyFields.first { batch.columns[$0].isUnusable(i, isEmpty: isEmpty) } ?? part.keyFields[0]
        batch.refusals.append(
          RecordReject(record: Int32(i), field: Int32(field), code: isEmpty ? .emptyKey : .nullKey))
      }
    }
    for relationship in part.relationships where !relationship.isOptional {
      let target = plan.nodes[relationship.target]
      // Where nothing is created, a record that does not speak of the target leaves it as it is.
      let mayBeAbsent = part.mode == .update || !part.createsMissing
      for i in 0..<count where batch.nodes[relationship.target].keyStates[i] != ImportBatch.KeyState.usable {
        if isBeforeCursor(i) { continue }
        if mayBeAbsent, batch.nodes[relationship.target].keyStates[i] == ImportBatch.KeyState.absent { continue }
        // The owner itself is not touched when the record does not name it.
        if batch.hasFailed[i] || (node != plan.root && batch.nodes[node].keyStates[i] != ImportBatch.KeyState.usable) {
          continue
        }
        batch.hasFailed[i] = true
        batch.refusals.append(
          RecordReject(record: Int32(i), field: Int32(target.keyFields[0]), code: .missingTarget))
      }
    }
  }
}

extension CellColumn {
  /// Whether a record's cell is empty, or no value at all.
  func isUnusable(_ record: Int, isEmpty: Bool) -> Bool {
    switch tags[record] {
    case CellTag.null, CellTag.failed, CellTag.absent: !isEmpty
    case CellTag.text, CellTag.blob: isEmpty && ByteRange(payload: payloads[record]).length == 0
    default: false
    }
  }
}
