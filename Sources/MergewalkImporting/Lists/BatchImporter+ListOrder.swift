import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// A node of the records, or of a list of theirs, by its place in the plan.
struct NodePlace {
  let state: NodeImporter
  /// The numbers of the lists on the way to the node; none for those of the records.
  let trail: [Int]
}

/// Two nodes that fill one hierarchy, one of them in a list that the other one is not in.
struct ListMeeting {
  /// The node that a batch goes through first.
  let first: NodePlace
  let second: NodePlace
  /// What both say of the same objects.
  let clash: NodeClash?
  /// Whether the first one misses what the second one makes, and the reverse.
  let (firstLooks, secondLooks): (Bool, Bool)
  /// Whether the first one refuses, or leaves alone, what the second one has made before it.
  let firstRefuses: Bool
  /// Whether both find by the same attributes; if not, only one record after the other can tell whether they meet.
  let hasSameKey: Bool

  /// - Parameter first: The node that a batch goes through first.
  init?(_ first: NodePlace, _ second: NodePlace) {
    let (one, other) = (first.state, second.state)
    guard first.trail != second.trail, one.plan.rootEntity == other.plan.rootEntity else { return nil }
    (self.first, self.second) = (first, second)
    clash = NodeClash(one, other)
    hasSameKey = one.plan.keySlots == other.plan.keySlots
    // Whether one may find what the other one makes: an object of its entities, by attributes that the other one fills.
    func finds(_ finder: NodeImporter, _ maker: NodeImporter) -> Bool {
      let isMaker = maker.plan.mode != .update && maker.plan.createsMissing
      let filled = Set(maker.plan.keySlots + maker.plan.attributeSlots)
      return isMaker && finder.takes(Int32(maker.entity.index)) && !filled.isDisjoint(with: finder.plan.keySlots)
    }
    func looks(_ plan: ImportNode) -> Bool { plan.mode == .update || !plan.createsMissing }
    firstLooks = looks(one.plan) && finds(one, other)
    secondLooks = looks(other.plan) && finds(other, one)
    firstRefuses = (one.plan.mode == .insert || one.plan.mode == .createMissing) && finds(one, other)
    guard clash != nil || firstLooks || secondLooks || firstRefuses else { return nil }
  }
}

/// An object that a record names, itself or by an element.
private struct ObjectName {
  let record: Int
  /// The object's primary key, or 0 where it is missing.
  let target: Int64
  /// The hash of the key.
  let key: UInt64
  /// The hash of what is said of the object.
  let content: UInt64
}

/// A batch fills its lists when all its records have their objects, one list after the other, so what a list says would
/// count even if a later record says something else, and a record would not see what the list of an earlier one makes.
/// Where this gives another result than one record after the other, the records are imported alone.
extension BatchImporter {
  /// The nodes in the order in which a batch goes through them.
  private func places(_ trail: [Int] = []) -> [NodePlace] {
    let own = nodes.filter { $0.role != .given }.map { NodePlace(state: $0, trail: trail) }
    return own + lists.enumerated().flatMap { index, list in list.importer.places(trail + [index]) }
  }

  func findListMeetings() -> [ListMeeting] {
    guard !lists.isEmpty else { return [] }
    let places = places()
    var found: [ListMeeting] = []
    for (index, first) in places.enumerated() {
      found += places[(index + 1)...].compactMap { ListMeeting(first, $0) }
    }
    return found
  }

  /// Has the attempt's records imported alone where their order matters; their lists are filled.
  func checkListOrder(_ view: BatchView, _ batches: [ListBatch]) throws(ImportError) {
    guard attempted > 1 else { return }
    for meeting in currentMeetings where isOutOfOrder(meeting, view, batches) { throw retryAlone() }
  }

  /// Those of nodes of which the attempt looks for the objects; what waits for the second pass fills its lists alone there.
  private var currentMeetings: [ListMeeting] {
    listMeetings.filter { meeting in
      [meeting.first, meeting.second].allSatisfy { !$0.trail.isEmpty || isResolved($0.state) }
    }
  }

  /// Whether one of the attempt's rejected records may miss only what an earlier record makes.
  func rejectsTooSoon(_ view: BatchView) -> Bool {
    let missing = elementRejects.lazy.filter { $0.code == .missingTarget }.map { Int($0.record) }
    guard attempted > 1, let last = missing.max() else { return false }
    if mayBeReplaced(before: last, view) { return true }
    return currentMeetings.contains { meeting in
      meeting.firstLooks && misses(meeting.first, meeting.second, meeting, view, listBatches) { _ in true }
        || meeting.secondLooks && misses(meeting.second, meeting.first, meeting, view, listBatches) { _ in true }
    }
  }

  /// Whether a record was turned away for an earlier one that is rejected now: it takes its place, and may make what
  /// another one behind it misses.
  private func mayBeReplaced(before last: Int, _ view: BatchView) -> Bool {
    let others = (view.records.lowerBound..<last).filter {
      firstOutcomes[$0] == .pending && !view.outcomes[$0].takesLists
    }
    guard !others.isEmpty, !nodes[plan.root].plan.keyFields.isEmpty else { return false }
    let keys = view.nodes[plan.root].keyHashes
    let rejected = Dictionary(elementRejects.map { (keys[Int($0.record)], Int($0.record)) }, uniquingKeysWith: min)
    return others.contains { other in rejected[keys[other]].map { $0 < other } ?? false }
  }

  /// Whether a record misses an object that an earlier one names, and makes, in another node.
  private func misses(
    _ looker: NodePlace, _ maker: NodePlace, _ meeting: ListMeeting, _ view: BatchView, _ batches: [ListBatch],
    _ isMade: (Int64) -> Bool
  ) -> Bool {
    // By the hash of the key, the last record that misses it.
    var missing: [UInt64: Int] = [:]
    forEachName(looker, view, batches) { name in
      guard name.target == 0 else { return }
      missing[meeting.hasSameKey ? name.key : 0] = max(missing[meeting.hasSameKey ? name.key : 0] ?? -1, name.record)
    }
    guard !missing.isEmpty else { return false }
    var isFound = false
    forEachName(maker, view, batches) { name in
      guard let last = missing[meeting.hasSameKey ? name.key : 0], name.record < last else { return }
      if isMade(name.target) { isFound = true }
    }
    return isFound
  }

  private func isOutOfOrder(_ meeting: ListMeeting, _ view: BatchView, _ batches: [ListBatch]) -> Bool {
    let firstNew = attemptKeys[meeting.first.state.plan.rootEntity] ?? .max
    if meeting.firstLooks, misses(meeting.first, meeting.second, meeting, view, batches, { $0 >= firstNew }) {
      return true
    }
    guard meeting.clash != nil || meeting.secondLooks || meeting.firstRefuses else { return false }
    // Records that come back have no other cells than those of their own object.
    let comparesContents = !pass.isReplay && meeting.clash?.makes == false
    let fields = comparesContents ? meeting.clash?.fields ?? [] : []
    let targets = comparesContents ? meeting.clash?.targets ?? [] : []
    // The first and the last record that names an object, and what the last one says.
    var named: [Int64: (first: Int, last: Int, content: UInt64)] = [:]
    forEachName(meeting.first, view, batches, says: (fields.map(\.0), targets.map(\.0))) { name in
      guard name.target > 0 else { return }
      let known = named[name.target] ?? (name.record, -1, 0)
      named[name.target] = (
        min(known.first, name.record), max(known.last, name.record),
        name.record >= known.last ? name.content : known.content
      )
    }
    guard !named.isEmpty else { return false }
    var said: [Int64: (last: Int, content: UInt64)] = [:]
    var isFound = false
    forEachName(meeting.second, view, batches, says: (fields.map(\.1), targets.map(\.1))) { name in
      guard name.target > 0, let known = named[name.target] else { return }
      if name.record >= said[name.target]?.last ?? -1 { said[name.target] = (name.record, name.content) }
      guard known.first > name.record, name.target >= firstNew else { return }
      if meeting.secondLooks || meeting.firstRefuses { isFound = true }
    }
    if isFound || meeting.clash == nil { return isFound }
    return said.contains { target, said in
      guard let known = named[target], known.last > said.last else { return false }
      return !comparesContents || known.content != said.content
    }
  }

  /// Calls `body` with each object that records of the attempt name in a node, in the order of the records.
  ///
  /// - Parameter says: The fields, and the nodes of the targets, that are what is said of the object.
  private func forEachName(
    _ place: NodePlace, _ view: BatchView, _ batches: [ListBatch], says: (fields: [Int], targets: [Int]) = ([], []),
    _ body: (ObjectName) -> Void
  ) {
    guard let list = place.trail.first else {
      let node = view.nodes[place.state.node]
      for record in view.records where ImportBatch.KeyState.isName(node.keyStates[record]) {
        // Those names that are looked at at all; an object of its own may be put off.
        guard firstOutcomes[record] == .pending, place.state.role != .root || view.outcomes[record] != .deferred
        else { continue }
        let content = says.fields.isEmpty && says.targets.isEmpty ? 0 : hash(record, says.fields, says.targets, view)
        body(
          ObjectName(
            record: record, target: max(node.targets[record], 0), key: node.keyHashes[record], content: content))
      }
      return
    }
    let batch = batches[list]
    for record in view.records where view.outcomes[record].takesLists && batch.hasList[record] {
      forEachName(place, place.trail.dropFirst(), record, Array(batch.range(record)), batch, says: says, body)
    }
  }

  private func forEachName(
    _ place: NodePlace, _ trail: ArraySlice<Int>, _ record: Int, _ elements: [Int], _ batch: ListBatch,
    says: (fields: [Int], targets: [Int]), _ body: (ObjectName) -> Void
  ) {
    if let list = trail.first {
      let inner = batch.batch.lists[list]
      let elements = elements.filter { inner.hasList[$0] }.flatMap(inner.range)
      return forEachName(place, trail.dropFirst(), record, elements, inner, says: says, body)
    }
    let node = batch.batch.nodes[place.state.node]
    batch.batch.records.bytes.withUnsafeBytes { bytes in
      guard let arena = bytes.baseAddress else { return }
      for element in elements where ImportBatch.KeyState.isName(node.keyStates[element]) {
        var content = seed
        for field in says.fields {
          let column = batch.batch.columns[field]
          content = CellHash.cell(column.tags[element], column.payloads[element], arena, seed: content)
        }
        for target in says.targets {
          let key = UInt64(bitPattern: batch.batch.nodes[target].targets[element])
          content = CellHash.cell(CellTag.integer, key, arena, seed: content)
        }
        body(
          ObjectName(
            record: record, target: max(node.targets[element], 0), key: node.keyHashes[element], content: content))
      }
    }
  }
}
