import MergewalkObjectModel
import MergewalkObjectStore

/// Objects of one hierarchy that records of an import change, and that may end as they began.
///
/// A file that says different things about one object changes it and changes it back in each run, whether the object is
/// a record's own, a target or an element. Such changes count as none. Lists that add members to objects, and whose objects
/// end as they began, are noted in the same way, in place of nodes.
final class RepeatedUpdates {
  /// A change of an object by a record, in one of the nodes that fill the hierarchy.
  private struct Change: Hashable {
    var key: Int64
    var node: Int
  }

  /// The most objects with further changes that are compared again, so that memory stays bounded; those of any others
  /// count.
  static let most = 1 << 18

  /// The numbers of the nodes among all of the plan.
  private let numbers: [Int]
  /// For each node, the objects that it was the first to change.
  private let firsts: [ObjectMarks]
  /// For each node, the objects that would have counted as unchanged if it had not changed them.
  private let uncounted: [ObjectMarks]
  /// How often objects were changed after the first time.
  private var again: [Change: Int] = [:]
  /// What was noted since ``mark()``.
  private var added: [(change: Change, isUncounted: Bool, times: Int)] = []
  /// The objects to keep with the next checkpoint, by node and ``uncounted``; `nil` where checkpoints keep none.
  private var fresh: [[Int64]]?

  /// - Parameters:
  ///   - numbers: The numbers of the nodes among all of the plan.
  ///   - isKept: Whether checkpoints keep what is noted.
  init(nodes numbers: [Int], isKept: Bool) {
    self.numbers = numbers
    firsts = numbers.map { _ in ObjectMarks() }
    uncounted = numbers.map { _ in ObjectMarks() }
    fresh = isKept ? Array(repeating: [], count: numbers.count * 2) : nil
  }

  // MARK: Noting

  /// Notes that a record has changed an object; see ``NodeImporter/noteUpdate(_:isUncounted:)``.
  func note(_ key: Int64, node: Int, isUncounted: Bool, times: Int = 1) {
    added.append((Change(key: key, node: node), isUncounted, times))
  }

  /// Remembers what is known for ``undo()``.
  func mark() {
    guard !added.isEmpty else { return }
    for (change, isUncounted, times) in added {
      count(change, isUncounted: isUncounted, times)
      fresh?[change.node * 2 + (isUncounted ? 1 : 0)].append(contentsOf: repeatElement(change.key, count: times))
    }
    added.removeAll(keepingCapacity: true)
  }

  /// Forgets what was noted since ``mark()``.
  func undo() { added.removeAll(keepingCapacity: true) }

  private func count(_ change: Change, isUncounted: Bool, _ times: Int = 1) {
    if isUncounted { uncounted[change.node].mark(change.key) }
    var times = times
    if !firsts.contains(where: { $0.contains(change.key) }) {
      firsts[change.node].mark(change.key)
      times -= 1
    }
    if times > 0, again[change] != nil || again.count < Self.most { again[change, default: 0] += times }
  }

  // MARK: Checkpoints

  private func kind(_ index: Int, _ part: Int) -> StoreFile.KeptKeys {
    .updates(part: part, node: numbers[index / 2], isUncounted: index % 2 == 1)
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keep(_ file: StoreFile, part: Int) throws(StoreError) {
    mark()
    guard let lists = fresh else { return }
    for (index, keys) in lists.enumerated() { try file.keep(keys, as: kind(index, part)) }
    fresh = lists.map { _ in [] }
  }

  /// Takes over what an earlier process has kept.
  func take(_ file: StoreFile, part: Int) throws(StoreError) {
    for index in 0..<numbers.count * 2 {
      try file.forEachKept(kind(index, part)) {
        count(Change(key: $0, node: index / 2), isUncounted: index % 2 == 1)
      }
    }
  }

  // MARK: The end

  /// Hands out, some at a time, the objects that may be what they were before the run.
  ///
  /// - Parameter isAny: Whether these are all that were changed, and not only those that several records have changed.
  func forEachCandidate(isAny: Bool, _ body: ([Int64]) throws(StoreError) -> Void) throws(StoreError) {
    mark()
    if isAny {
      for marks in firsts {
        try marks.forEach(chunk: 1 << 16) { (keys) throws(StoreError) in try body(Array(keys)) }
      }
    } else if !again.isEmpty {
      try body(Set(again.keys.map(\.key)).sorted())
    }
  }

  /// How often records have changed an object in a node.
  func changes(of key: Int64, node: Int) -> Int {
    (firsts[node].contains(key) ? 1 : 0) + again[Change(key: key, node: node), default: 0]
  }

  /// Whether an object would have counted as unchanged if a record had not changed it in a node.
  func isUncounted(_ key: Int64, node: Int) -> Bool { uncounted[node].contains(key) }
}

extension BatchImporter {
  /// Begins to note which objects records change.
  ///
  /// - Parameters:
  ///   - part: The number of the part; what an earlier process has kept of it is taken over.
  ///   - isKept: Whether checkpoints keep what is noted.
  func noteRepeatedUpdates(_ file: StoreFile, part: Int, isKept: Bool) throws(ImportError) {
    let states = allNodes
    var numbers: [RootIndex: [Int]] = [:]
    for (number, state) in states.enumerated()
    where state.role != .given && state.plan.mode.updates && !state.plan.keyFields.isEmpty {
      numbers[state.plan.rootEntity, default: []].append(number)
    }
    for (root, numbers) in numbers {
      let updates = RepeatedUpdates(nodes: numbers, isKept: isKept)
      do { try updates.take(file, part: part) } catch { throw ImportError(error) }
      for (node, number) in numbers.enumerated() { states[number].updates = (updates, node) }
      self.updates[root] = updates
    }
    let lists = allLists
    for root in updates.keys {
      let numbers = lists.indices.filter { self.root(of: lists[$0]) == root }
      guard !numbers.isEmpty else { continue }
      let links = RepeatedUpdates(nodes: numbers.map { states.count + $0 }, isKept: isKept)
      do { try links.take(file, part: part) } catch { throw ImportError(error) }
      for (node, number) in numbers.enumerated() { lists[number].links = (links, node) }
      self.links[root] = links
    }
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keepUpdates(_ file: StoreFile, part: Int) throws(StoreError) {
    for noted in [updates, links] {
      for (_, noted) in noted.sorted(by: { $0.key < $1.key }) { try noted.keep(file, part: part) }
    }
  }

  /// Counts changes as none whose objects are what they were before the run, with the lists that records fill.
  ///
  /// - Complexity: O(objects that several records have changed), a few statements each; where something else may change
  ///   an object back, O(objects that records have changed).
  func takeBackUpdates(_ file: StoreFile) throws(ImportError) {
    // Of an object that one record has changed, only what takes members or partners away can undo that.
    let isAny =
      allLists.contains { $0.list.ownerNode != nil && !$0.list.isScoped }
      || allNodes.contains { $0.plan.relationships.contains(where: \.isTakenByOthers) }
    for (root, updates) in updates.sorted(by: { $0.key < $1.key }) {
      let lists = allLists.filter { self.root(of: $0) == root }.map(\.list.description)
      do throws(StoreError) {
        try updates.forEachCandidate(isAny: isAny) { (keys) throws(StoreError) in
          let same = try file.takeBackChanges(root: root, primaryKeys: keys, lists: lists)
          takeBack(same, updates, root)
        }
      } catch { throw ImportError(error) }
    }
    try sample?.forgetChangedBack(file)
  }

  /// The hierarchy of the objects whose members a list gives.
  private func root(of list: ListImporter) -> RootIndex {
    store.model.entities[list.list.description.declaringEntity].root
  }

  private func takeBack(_ same: [Int64], _ updates: RepeatedUpdates, _ root: RootIndex) {
    for state in allNodes {
      guard let noted = state.updates, noted.of === updates else { continue }
      for key in same {
        let changes = updates.changes(of: key, node: noted.node)
        state.counts.updated -= changes
        if state.role == .root {
          state.counts.unchanged += changes
          ledger.takeBackUpdates(changes)
        } else if updates.isUncounted(key, node: noted.node) {
          state.counts.unchanged += 1
        }
      }
    }
    for list in allLists {
      guard let links = links[root], let noted = list.links, noted.of === links else { continue }
      links.mark()
      for key in same {
        let count = links.changes(of: key, node: noted.node)
        list.tally.linked -= count
        list.tally.alreadyLinked += count
      }
    }
  }
}
