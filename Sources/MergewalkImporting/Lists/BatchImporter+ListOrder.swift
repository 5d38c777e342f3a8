import MergewalkObjectModel
import MergewalkObjectStore

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
  /// Whether both say something about the same objects.
  let clashes: Bool
  /// Whether the first one misses what the second one makes, and the reverse.
  let (firstLooks, secondLooks): (Bool, Bool)
  /// Whether the first one refuses, or leaves alone, what the second one has made before it.
  let firstRefuses: Bool

  /// - Parameter first: The node that a batch goes through first.
  init?(_ first: NodePlace, _ second: NodePlace) {
    guard first.trail != second.trail, first.state.plan.rootEntity == second.state.plan.rootEntity else { return nil }
    (self.first, self.second) = (first, second)
    clashes = NodeClash(first.state, second.state) != nil
    func looks(_ plan: ImportNode) -> Bool { plan.mode == .update || !plan.createsMissing }
    firstLooks = looks(first.state.plan)
    secondLooks = looks(second.state.plan)
    firstRefuses = first.state.plan.mode == .insert || first.state.plan.mode == .createMissing
    // Where neither makes anything, neither misses anything of the other.
    let mayMiss = firstLooks != secondLooks
    guard clashes || mayMiss || (firstRefuses && !secondLooks) else { return nil }
  }
}

/// A batch fills its lists when all its records have their objects, one list after the other, so what a list says would
/// count even if a later record says something else, and a record would not see what the list of an earlier one makes.
/// Where this gives another result than one record after the other, the records are imported alone.
extension BatchImporter {
  /// The nodes in the order in which a batch goes through them.
  private func places(_ trail: [Int] = []) -> [NodePlace] {
    let own = nodes.filter { $0.role != .given && !$0.isPostponed }.map { NodePlace(state: $0, trail: trail) }
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
    for meeting in listMeetings where isResolved(meeting.first) && isResolved(meeting.second) {
      if isOutOfOrder(meeting, view, batches) { throw retryAlone() }
    }
  }

  /// Whether the attempt looks for the objects of a node; what waits for the second pass fills its lists alone there.
  private func isResolved(_ place: NodePlace) -> Bool {
    !place.trail.isEmpty || (pass != .lists && isResolved(place.state))
  }

  /// Whether records whose elements are rejected may miss only what earlier records of the attempt make.
  var mayRejectTooSoon: Bool {
    elementRejects.contains { $0.code == .missingTarget } && listMeetings.contains { $0.firstLooks || $0.secondLooks }
  }

  private func isOutOfOrder(_ meeting: ListMeeting, _ view: BatchView, _ batches: [ListBatch]) -> Bool {
    let firstNew = attemptKeys[meeting.first.state.plan.rootEntity] ?? .max
    // The first and the last record that names an object, and the last one that misses its object.
    var named: [Int64: (first: Int, last: Int)] = [:]
    var lastMissing = -1
    forEachName(meeting.first, view, batches) { record, target in
      if target > 0 {
        named[target] = (named[target].map { min($0.first, record) } ?? record, max(named[target]?.last ?? -1, record))
      } else if meeting.firstLooks {
        lastMissing = max(lastMissing, record)
      }
    }
    var isFound = false
    forEachName(meeting.second, view, batches) { record, target in
      guard target > 0, !isFound else { return }
      let isMade = target >= firstNew
      if isMade, record < lastMissing { isFound = true }
      guard let known = named[target] else { return }
      if meeting.clashes, known.last > record { isFound = true }
      if isMade, known.first > record, meeting.secondLooks || meeting.firstRefuses { isFound = true }
    }
    return isFound
  }

  /// Calls `body` with each record of the attempt that names an object of a node, itself or by an element, and the object's
  /// primary key, or 0 where it is missing.
  private func forEachName(
    _ place: NodePlace, _ view: BatchView, _ batches: [ListBatch], _ body: (_ record: Int, _ target: Int64) -> Void
  ) {
    guard let list = place.trail.first else {
      let node = view.nodes[place.state.node]
      for record in view.records where node.keyStates[record] == ImportBatch.KeyState.usable {
        // Those names that are looked at at all, and not put off.
        guard firstOutcomes[record] == .pending, view.outcomes[record] != .deferred else { continue }
        body(record, max(node.targets[record], 0))
      }
      return
    }
    let batch = batches[list]
    for record in view.records where view.outcomes[record].takesLists && batch.hasList[record] {
      Self.forEachName(place, place.trail.dropFirst(), Array(batch.range(record)), batch) { body(record, $0) }
    }
  }

  private static func forEachName(
    _ place: NodePlace, _ trail: ArraySlice<Int>, _ elements: [Int], _ batch: ListBatch, _ body: (Int64) -> Void
  ) {
    guard let list = trail.first else {
      let node = batch.batch.nodes[place.state.node]
      for element in elements where node.keyStates[element] == ImportBatch.KeyState.usable {
        body(max(node.targets[element], 0))
      }
      return
    }
    let inner = batch.batch.lists[list]
    forEachName(place, trail.dropFirst(), elements.filter { inner.hasList[$0] }.flatMap(inner.range), inner, body)
  }
}
