import MergewalkRecordFormats

/// The values of a batch, or of an import so far: how many records have them, and how many were replaced in each field of a
/// plan.
struct ValueCounts: Sendable, Equatable {
  /// Records that were read, and are not refused by the reader.
  var records = 0
  /// Records that the reader refused.
  var refused = 0
  /// Those of ``records`` that were skipped.
  var skipped = 0
  /// Those of ``records`` that were rejected.
  var rejected = 0
  /// For each field how many values of the others were replaced, by ``FieldTally/Replacement/index``.
  var replaced: [Replacements] = []
  /// The loss of values on the way, if any.
  var loss: String?

  typealias Replacements = SIMD8<Int64>

  /// Adds other counts of the same fields.
  static func += (left: inout ValueCounts, right: ValueCounts) {
    left.records += right.records
    left.refused += right.refused
    left.skipped += right.skipped
    left.rejected += right.rejected
    left.makeRoom(right.replaced.count)
    for index in right.replaced.indices { left.replaced[index] &+= right.replaced[index] }
    left.loss = left.loss ?? right.loss
  }

  subscript(field: Int) -> Replacements {
    get { field < replaced.count ? replaced[field] : .zero }
    set {
      makeRoom(field + 1)
      replaced[field] = newValue
    }
  }

  private mutating func makeRoom(_ count: Int) {
    if replaced.count < count { replaced += Array(repeating: .zero, count: count - replaced.count) }
  }

  /// The counts as numbers of which most are small; see ``init(numbers:)``.
  var numbers: [Int] {
    var numbers = [records, refused, skipped, rejected]
    for (field, counts) in replaced.enumerated() where counts != .zero {
      numbers.append(field)
      for index in counts.indices { numbers.append(Int(counts[index])) }
    }
    return numbers
  }

  init() {}

  /// Reads what ``numbers`` wrote; `nil` when it is something else.
  init?(numbers: [Int]) {
    guard numbers.count >= 4, (numbers.count - 4).isMultiple(of: 9) else { return nil }
    (records, refused, skipped, rejected) = (numbers[0], numbers[1], numbers[2], numbers[3])
    for start in stride(from: 4, to: numbers.count, by: 9) {
      guard (0..<1 << 20).contains(numbers[start]) else { return nil }
      for index in 0..<8 { self[numbers[start]][index] = Int64(numbers[start + 1 + index]) }
    }
  }
}

// MARK: - Settling

extension ValueCounts {
  /// Leaves the values of a record that was rejected or skipped out of those that were replaced.
  mutating func settle(_ record: Int, of batch: ImportBatch, _ plan: ImportPlan, isRejected: Bool) {
    if isRejected { rejected += 1 } else { skipped += 1 }
    for field in replaced.indices where replaced[field] != .zero {
      if let reason = plan.replacement(record, field: field, of: batch) { replaced[field][reason.index] -= 1 }
    }
  }

  /// The outcomes of the values of a plan's fields.
  func tallies(of plan: ImportPlan, part: String) -> [FieldTally] {
    plan.fields.indices.filter { $0 != plan.sinceField }.map { field in
      var tally = FieldTally()
      tally.part = part
      tally.entity = plan.fieldNames[field].entity
      tally.attribute = plan.fieldNames[field].attribute
      tally.column = plan.fieldNames[field].column
      tally.read = records - skipped
      tally.rejected = rejected
      for reason in FieldTally.Replacement.allCases where self[field][reason.index] != 0 {
        tally.replaced[reason] = Int(self[field][reason.index])
      }
      tally.stored = tally.read - tally.rejected - Int(self[field].wrappedSum())
      return tally
    }
  }

  /// The loss of values of records, if any.
  ///
  /// - Parameter counts: what became of the records.
  func loss(of plan: ImportPlan, _ counts: RecordCounts) -> String? {
    if records + refused != counts.read || skipped != counts.skipped || rejected + refused != counts.rejected {
      return "of \(counts.read) records \(records) had values and \(refused) were refused; \(skipped) of"
        + " \(counts.skipped) that were skipped and \(rejected + refused) of \(counts.rejected) that were rejected are known"
    }
    return loss
      ?? tallies(of: plan, part: "").first { !$0.isBalanced }.map {
        "the values of “\($0.entity).\($0.attribute)” do not add up: \($0)"
      }
  }
}

extension ImportPlan {
  /// Why the value of a record was replaced; `nil` when it was not.
  func replacement(_ record: Int, field: Int, of batch: ImportBatch) -> FieldTally.Replacement? {
    guard batch.records.columnCount == 0, !batch.replacements.isEmpty else {
      if let reason = ownReplacement(record, field: field, of: batch) { return reason }
      return lacksObject(record, field: field, of: batch) ? .missing : nil
    }
    return FieldTally.Replacement(kept: batch.replacements[field][record])
  }

  /// The fields of targets with the numbers of values for targets that records do not name.
  ///
  /// - Complexity: O(records), at the speed of memory, and O(fields) for each record without a target.
  func namelessValues(of batch: ImportBatch) -> [(field: Int, count: Int64)] {
    var lost: [(field: Int, count: Int64)] = []
    for node in nodes.indices where node != root {
      let states = batch.nodes[node].keyStates
      guard states.contains(where: { !ImportBatch.KeyState.isName($0) }) else { continue }
      let records = states.indices.filter { !ImportBatch.KeyState.isName(states[$0]) }
      lost += lostValues(records, node: node, of: batch)
    }
    return lost
  }

  /// The fields of targets with the numbers of values for targets that are not there.
  ///
  /// - Complexity: O(records), and O(fields) for each record without a target.
  func missingValues(of batch: ImportBatch) -> [(field: Int, count: Int64)] {
    var lost: [(field: Int, count: Int64)] = []
    for node in nodes.indices where node != root {
      guard let relationship = leading[node], relationship.missing == .null, !relationship.isLate else { continue }
      let (states, targets) = (batch.nodes[node].keyStates, batch.nodes[node].targets)
      let records = states.indices.filter { relationship.leadsNowhere(states[$0], targets[$0]) }
      lost += lostValues(records, node: node, of: batch)
    }
    return lost
  }

  private func lostValues(_ records: [Int], node: Int, of batch: ImportBatch) -> [(field: Int, count: Int64)] {
    var lost: [(field: Int, count: Int64)] = []
    for field in nodes[node].fields {
      let count = records.count {
        lacksObject($0, field: field, of: batch) && ownReplacement($0, field: field, of: batch) == nil
      }
      if count > 0 { lost.append((field: field, count: Int64(count))) }
    }
    return lost
  }

  /// Why the policies and the transforms of a field replaced the value of a record that came with its fields.
  private func ownReplacement(_ record: Int, field: Int, of batch: ImportBatch) -> FieldTally.Replacement? {
    let column = fieldColumns[field]
    return fields[field].replacement(record, column: column, of: batch.records)
      ?? batch.transformed.replaced[column].flatMap { FieldTally.Replacement(kept: $0[record]) }
  }

  /// Whether a record has a value for the object at the other end of a relationship and does not name that object, or one
  /// that is not there.
  ///
  /// Where there is no object, null and empty text are no loss. Records before the cursor name nothing at all. The key of an
  /// object that is not there is counted as the reference that it is; see ``BatchImporter/fieldTallies(part:)``.
  private func lacksObject(_ record: Int, field: Int, of batch: ImportBatch) -> Bool {
    let node = targetNodes[field]
    guard node >= 0, batch.isBeforeCursor.isEmpty || !batch.isBeforeCursor[record] else { return false }
    let state = batch.nodes[node].keyStates[record]
    if ImportBatch.KeyState.isName(state) {
      guard batch.countsMissing, let relationship = leading[node],
        relationship.leadsNowhere(state, batch.nodes[node].targets[record]),
        !nodes[node].keyFields.contains(field)
      else { return false }
    }
    let column = batch.columns[field]
    return !column.isUnusable(record, isEmpty: false) && !column.isUnusable(record, isEmpty: true)
  }
}
