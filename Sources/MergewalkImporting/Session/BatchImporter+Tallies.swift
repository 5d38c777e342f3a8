import MergewalkObjectModel

/// Counts of values, references and elements, beside the outcomes of records and objects.
///
/// Values read are counted when a batch arrives for the first time, outcomes when its records are settled, so that
/// ``fieldTallies(part:)`` and ``listTallies(part:)`` can be compared at the end.
extension BatchImporter {
  /// The lists of the plan and those within them.
  var allLists: [ListImporter] { lists.flatMap { [$0] + $0.importer.allLists } }

  /// The values of the plan's fields, then those of its lists' fields.
  var allValues: [ValueCounts] { [values] + lists.flatMap { $0.importer.allValues } }

  /// Continues with the counts of an earlier process.
  func takeCounts(_ tally: RunTally) {
    for (state, counts) in zip(allNodes, tally.nodes) { state.counts = counts }
    for (list, counts) in zip(allLists, tally.links) { list.tally = counts }
    takeValues(tally.values)
  }

  /// Goes back to the counts of before an attempt.
  func takeValues(_ counts: [ValueCounts]) {
    var left = counts[...]
    takeValues(from: &left)
  }

  private func takeValues(from counts: inout ArraySlice<ValueCounts>) {
    if let first = counts.popFirst() { values = first }
    for list in lists { list.importer.takeValues(from: &counts) }
  }

  // MARK: Reading

  /// Counts what reading and conversion say of a batch that comes for the first time.
  ///
  /// - Throws: `countsDiffer` when values were lost.
  func count(_ batch: ImportBatch) throws(ImportError) {
    values += batch.values
    if let loss = batch.values.loss { throw ImportError(code: .countsDiffer, message: loss) }
    for (list, elements) in zip(lists, batch.lists) {
      list.tally.read += elements.elementCount
      try list.importer.count(elements.batch)
    }
  }

  // MARK: Settling

  /// Counts the values for targets that are not there, of records that come for the first time.
  ///
  /// It is done when all attempts are over, as one may make the target of the next.
  func countMissing(_ batch: inout ImportBatch) {
    guard batch.replacements.isEmpty else { return }
    batch.countsMissing = true
    for (field, count) in plan.missingValues(of: batch) {
      values[field][FieldTally.Replacement.missing.index] += count
      // By these it is known which values are kept of records that wait.
      batch.values[field][FieldTally.Replacement.missing.index] += count
    }
  }

  /// Leaves the values of records that were rejected or skipped out of those that were replaced.
  func settleValues(_ batch: ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>) {
    for record in outcomes.indices where outcomes[record] == .rejected || outcomes[record] == .skipped {
      settleValues(of: record, batch, isRejected: outcomes[record] == .rejected)
    }
  }

  /// Leaves the values of one record out of those that were replaced.
  func settleValues(of record: Int, _ batch: ImportBatch, isRejected: Bool) {
    values.settle(record, of: batch, plan, isRejected: isRejected)
  }

  /// Counts what became of the elements of records, as far as linking them has not done so.
  func settleElements(_ batches: [ListBatch], _ outcomes: ContiguousArray<RecordLedger.Outcome>) {
    for (list, batch) in zip(lists, batches) {
      for record in outcomes.indices where record < batch.hasList.count {
        switch outcomes[record] {
        case .rejected: list.settle(batch, record, isRejected: true)
        case .skipped: list.settle(batch, record, isRejected: false)
        case .inserted, .updated, .unchanged: list.tally.skipped += batch.droppedCount(record)
        case .pending, .deferred: break
        }
      }
    }
  }

  /// Counts what became of the elements that elements have themselves, as far as linking them has not done so.
  func settleInnerElements(_ view: BatchView) {
    for (list, batch) in zip(lists, listBatches) {
      let own = view.nodes[plan.root].targets
      for record in view.records where view.outcomes[record] != .rejected {
        if batch.hasList[record], own[record] > 0, view.outcomes[record].takesLists {
          list.tally.skipped += batch.droppedCount(record)
        } else {
          list.settle(batch, record, isRejected: false)
        }
      }
    }
  }

  /// Counts the references of a batch's records that led to an object or, by policy, to nothing.
  ///
  /// Those that wait for a second pass are counted when they are set, the others when their record comes first.
  func countReferences(_ view: BatchView) {
    for state in nodes {
      for relationship in state.plan.relationships where relationship.missing == .null {
        guard relationship.isPostponed || !pass.isReplay else { continue }
        let target = nodes[relationship.target]
        let node = view.nodes[relationship.target]
        for record in view.records {
          switch view.outcomes[record] {
          case .inserted, .updated, .unchanged: break
          case .deferred: if relationship.isPostponed { continue }
          // The elements of a list that name nothing are not settled.
          case .pending where state.role == .root: continue
          case .pending: break
          case .skipped, .rejected: continue
          }
          if relationship.isPostponed, pass.postpones, waits(record, view) { continue }
          countReference(record, node, target)
        }
      }
    }
  }

  /// Counts the references that a stage of the second pass has set.
  func countReferences(of stage: ImportRelationship.Stage, _ view: BatchView) {
    for relationship in plan.postponed where relationship.stage == stage && relationship.missing == .null {
      let node = view.nodes[relationship.target]
      for record in view.records where view.outcomes[record] == .inserted {
        countReference(record, node, nodes[relationship.target])
      }
    }
  }

  private func countReference(_ record: Int, _ node: BatchView.NodeView, _ target: NodeImporter) {
    target.counts.count(ReferenceCount(state: node.keyStates[record], target: node.targets[record]), 1)
  }

  /// Undoes the counting of references of records that have waited and turn out to be skipped or rejected.
  func uncountReferences(_ batch: ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>) {
    for state in nodes {
      for relationship in state.plan.relationships where relationship.missing == .null && !relationship.isPostponed {
        let counted = batch.nodes[relationship.target].counted
        for record in counted.indices where outcomes[record] == .skipped || outcomes[record] == .rejected {
          nodes[relationship.target].counts.count(ReferenceCount(rawValue: counted[record]) ?? .nothing, -1)
        }
      }
    }
  }

  /// Whether the references of a record that the first pass has imported wait for the second.
  func waits(_ record: Int, _ view: BatchView) -> Bool {
    plan.postponed.contains {
      let node = view.nodes[$0.target]
      return node.keyStates[record] == ImportBatch.KeyState.usable && node.targets[record] == 0
    }
  }

  // MARK: The end

  /// The outcomes of the values of all fields.
  func fieldTallies(part: String) -> [FieldTally] {
    var tallies = values.tallies(of: plan, part: part)
    for state in nodes {
      for relationship in state.plan.relationships where relationship.missing == .null {
        let target = nodes[relationship.target]
        var tally = FieldTally()
        tally.part = part
        tally.entity = state.entity.name
        tally.attribute = relationship.name
        tally.column = target.plan.keyFields.map { plan.fieldNames[$0].column }.joined(separator: ", ")
        tally.stored = target.counts.found
        tally.read = target.counts.found + target.counts.missing
        if target.counts.missing > 0 { tally.replaced[.missing] = target.counts.missing }
        tallies.append(tally)
      }
    }
    return tallies + lists.flatMap { $0.importer.fieldTallies(part: part) }
  }

  /// The outcomes of the elements of all lists.
  func listTallies(part: String) -> [ListTally] {
    allLists.map { list in
      var tally = list.tally
      tally.part = part
      tally.entity = list.ownerName
      tally.relationship = list.list.description.name
      tally.column = list.list.columnName
      return tally
    }
  }

  /// The loss of a part's values and elements, if any.
  ///
  /// - Parameter counts: what became of the part's records.
  func loss(_ counts: ImportSummary.PartCounts) -> String? {
    if let loss = values.loss(of: plan, counts.counts) { return loss }
    if let tally = fieldTallies(part: counts.name).first(where: { !$0.isBalanced }) {
      return "the values of “\(tally.entity).\(tally.attribute)” do not add up: \(tally)"
    }
    if let tally = listTallies(part: counts.name).first(where: { !$0.isBalanced }) {
      return "the elements of “\(tally.entity).\(tally.relationship)” do not add up: \(tally)"
    }
    return nil
  }
}

extension ListImporter {
  /// Counts the elements of a record that was rejected or skipped, with all that they have themselves.
  func settle(_ batch: ListBatch, _ record: Int, isRejected: Bool) {
    let count = batch.elementCount(record)
    if isRejected { tally.rejected += count } else { tally.skipped += count }
    for element in batch.range(record) {
      importer.settleValues(of: element, batch.batch, isRejected: isRejected)
      for (list, inner) in zip(importer.lists, batch.batch.lists) {
        list.settle(inner, element, isRejected: isRejected)
      }
    }
  }
}

extension ImportSummary.EntityCounts {
  fileprivate mutating func count(_ reference: ReferenceCount, _ step: Int) {
    switch reference {
    case .found: found += step
    case .missing: missing += step
    case .nothing: break
    }
  }
}
