import MergewalkObjectStore
import MergewalkRecordFormats

/// The order of what records say of one object: some of it is written in the first pass, some in the second one, and of
/// each attribute the value of the last record in the input counts.
///
/// Only attributes are noted that records say of targets whose relationships wait for the second pass, and of these what
/// records say of their own objects when an earlier one has named them as targets.
///
/// - Complexity: 16 bytes for each attribute that is said of each such target, at the load of a dictionary.
struct SpokenOrder {
  /// A node of whose objects records say something that others may say otherwise.
  private struct Speaker {
    var node: Int
    /// When the values are written in a second pass; `nil` for those of the records' own objects.
    var stage: ImportRelationship.Stage?
    /// Tells keys of other attributes, or in other hierarchies, from these.
    var salt: UInt64
    /// Fields and the slots that they fill.
    var values: [(field: Int, slot: Int)]
  }

  /// A value that is not written, because that of a later record is.
  struct Overwritten {
    var node: Int
    var field: Int
    var record: Int
    var tag: UInt8
  }

  /// In the order in which a record's own values take effect: its own object first.
  private let speakers: [Speaker]
  /// The files of the input, in the order in which they are read.
  private var files: [RejectOutput.FilePlace: UInt64] = [:]
  /// By attribute and object, the place in the input of the last record whose value is written; 0 when none is yet.
  private var last: [UInt64: UInt64] = [:]
  /// The places of records that the second pass has rejected: what they have said counts no more.
  var gone: Set<UInt64> = []

  /// - Returns: `nil` when records say nothing of targets that wait for the second pass.
  init?(_ plan: ImportPlan) {
    func speaker(_ node: Int, _ stage: ImportRelationship.Stage?) -> Speaker {
      let part = plan.nodes[node]
      let kind = plan.nodes.firstIndex { $0.rootEntity == part.rootEntity && $0.keySlots == part.keySlots } ?? node
      let values = zip(part.attributeFields, part.attributeSlots).map { (field: $0, slot: $1) }
      return Speaker(node: node, stage: stage, salt: 0x9E37_79B9_7F4A_7C15 &+ UInt64(kind), values: values)
    }
    // What is only to be created is not filled when it is there.
    let targets = plan.postponed.map { speaker($0.target, $0.tellingStage) }.filter {
      !$0.values.isEmpty && plan.nodes[$0.node].mode != .createMissing
    }
    guard !targets.isEmpty else { return nil }
    var own = speaker(plan.root, nil)
    let slots = Set(targets.flatMap { $0.values.map(\.slot) })
    own.values.removeAll { !slots.contains($0.slot) }
    speakers = [own] + targets
  }

  /// Notes what the records of a batch have said, when it is written or waits.
  ///
  /// - Returns: the records, ascending, that were turned away and whose own values would have counted so far.
  @discardableResult
  mutating func note(
    _ batch: ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>, in pass: Pass
  ) -> [Int] {
    let file = RejectOutput.FilePlace(source: batch.records.source, member: batch.records.member)
    // The numbers of records that are replayed go on from one file to the next, and back.
    if files[file] == nil { files[file] = batch.records.isReplayed ? 0 : UInt64(files.count) }
    // Taken out, so that going through the values holds no access to it.
    var last = self.last
    self.last = [:]
    defer { self.last = last }
    let gone = self.gone
    var turnedAway: [Int] = []
    forEachValue(batch, in: pass) { speaker, _, record, attribute, place in
      let known = last[attribute].map { gone.contains($0) ? 0 : $0 }
      if Self.isWritten(speaker.stage, in: pass), outcomes[record].isGood {
        // Before any record has named an own object as a target, each that does comes later.
        if speaker.stage != nil || known != nil { last[attribute] = max(known ?? 0, place) }
      } else if speaker.stage != nil {
        if known == nil { last[attribute] = 0 }
      } else if known != nil, outcomes[record] != .deferred, turnedAway.last != record {
        turnedAway.append(record)
      }
    }
    return turnedAway
  }

  /// Makes the values of a batch absent that later records have overwritten.
  func hideOverwritten(_ batch: inout ImportBatch, in pass: Pass) -> [Overwritten] {
    var found: [Overwritten] = []
    // What one record that waits says of its own object, by attribute: here its targets come first, but one that names
    // itself says more of itself behind that.
    var own: [UInt64: Overwritten] = [:]
    forEachValue(batch, in: pass) { speaker, value, record, attribute, place in
      let tag = batch.columns[value.field].tags[record]
      let said = Overwritten(node: speaker.node, field: value.field, record: record, tag: tag)
      if let later = last[attribute], later > place, !gone.contains(later) { return found.append(said) }
      guard pass == .waiting else { return }
      if speaker.stage == nil {
        if own.first?.value.record != record { own = [:] }
        own[attribute] = said
      } else if let first = own[attribute], first.record == record {
        found.append(first)
      }
    }
    for value in found {
      batch.columns[value.field].tags[value.record] = CellTag.absent
      // The record says something else now, so that one which says the same as it did is not taken for its repetition.
      guard batch.nodes[value.node].contentHashes.indices.contains(value.record) else { continue }
      batch.nodes[value.node].contentHashes[value.record] = 0
    }
    if pass == .waiting {
      // What was noted of the objects' contents need not hold any more: other records have said something else of them.
      for speaker in speakers {
        for record in batch.nodes[speaker.node].contentHashes.indices {
          batch.nodes[speaker.node].contentHashes[record] = 0
        }
      }
    }
    return found
  }

  /// Notes that the second pass has rejected a record: what it said is not written.
  mutating func takeBack(_ record: Int, of batch: ImportBatch) {
    gone.insert(start(of: batch) + UInt64(batch.records.records[record].index))
  }

  /// Whether what is said in a pass is written in it.
  private static func isWritten(_ stage: ImportRelationship.Stage?, in pass: Pass) -> Bool {
    switch pass {
    case .references, .waiting: true
    default: stage == nil
    }
  }

  /// The place in the input of the first record of a batch's file.
  private func start(of batch: ImportBatch) -> UInt64 {
    let file = RejectOutput.FilePlace(source: batch.records.source, member: batch.records.member)
    return ((files[file] ?? 0) << 40) + 1
  }

  /// Calls `body` with each value of a batch that is looked at in a pass, the hash of its attribute and object, and its
  /// place in the input.
  private func forEachValue(
    _ batch: ImportBatch, in pass: Pass,
    _ body: (
      _ speaker: Speaker, _ value: (field: Int, slot: Int), _ record: Int, _ attribute: UInt64, _ place: UInt64
    ) -> Void
  ) {
    let start = start(of: batch)
    for record in 0..<batch.records.recordCount {
      let place = start + UInt64(batch.records.records[record].index)
      for speaker in speakers {
        // References come back with the fields of their targets only.
        if case .references(let stage) = pass, speaker.stage != stage { continue }
        let node = batch.nodes[speaker.node]
        guard node.keyStates[record] == ImportBatch.KeyState.usable else { continue }
        for value in speaker.values where batch.columns[value.field].tags[record] != CellTag.absent {
          body(speaker, value, record, CellHash.mix(node.keyHashes[record] ^ UInt64(value.slot), speaker.salt), place)
        }
      }
    }
  }
}

extension RecordLedger.Outcome {
  /// Whether what a record says of its objects is written; of what an earlier process has imported it is not known
  /// otherwise.
  fileprivate var isGood: Bool {
    switch self {
    case .pending, .inserted, .updated, .unchanged: true
    case .skipped, .rejected, .deferred: false
    }
  }
}
