import MergewalkObjectContext
import MergewalkObjectStore

/// Values of uniqueness constraints that records of an attempt release.
///
/// A batch is written as a whole, so a value that one record releases would also be free for an earlier record that
/// takes it; it is not free if records take effect one after the other. Such records are imported alone.
struct UniqueValues {
  /// The slots of each constraint that changes can touch.
  private let constraints: [[Int]]
  private let seed: UInt64
  private var released: Set<UInt64> = []
  /// The rows whose values have changed.
  private var changed: Set<Int> = []

  init(_ constraints: [[Int]], seed: UInt64) {
    self.constraints = constraints
    self.seed = seed
  }

  /// The values of a row, by hash, 0 where one of them is null.
  func values(_ row: Int, _ buffer: RowBuffer) -> [UInt64] {
    constraints.enumerated().map { number, slots in
      if slots.contains(where: { buffer.tags[$0][row] == CellTag.null }) { return 0 }
      return slots.reduce(seed &+ UInt64(number)) { hash, slot in
        CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
      }
    }
  }

  /// Notes what a change has made of a row; whether the row had its value of before from the same attempt.
  mutating func note(_ row: Int, before: [UInt64], _ buffer: RowBuffer) -> Bool {
    let after = values(row, buffer)
    guard before != after else { return false }
    let isFirst = changed.insert(row).inserted && buffer.states[row] != RowState.inserted
    let left = zip(before, after).filter { $0 != $1 && $0 != 0 }.map(\.0)
    released.formUnion(left)
    return !left.isEmpty && !isFirst
  }

  /// Whether something was let go of.
  var hasReleased: Bool { !released.isEmpty }

  /// Whether a row that was made or changed has a value that another one has let go of.
  func isTaken(in buffer: RowBuffer) -> Bool {
    guard hasReleased else { return false }
    return (0..<buffer.count).contains { row in
      (buffer.states[row] == RowState.inserted || buffer.states[row] == RowState.updated)
        && values(row, buffer).contains(where: released.contains)
    }
  }
}

extension BatchImporter {
  /// Keeps watch over values that must be unique beside the key, while records change objects together.
  func startUniqueValues(_ state: NodeImporter) -> UniqueValues? {
    guard top.attempted > 1 else { return nil }
    let constraints = state.looseConstraints ?? looseConstraints(state)
    state.looseConstraints = constraints
    return constraints.isEmpty ? nil : UniqueValues(constraints, seed: seed)
  }

  /// Has the attempt's records imported alone where one of them may take what another one releases.
  func check(_ values: UniqueValues?, _ state: NodeImporter) throws(ImportError) {
    guard let values, values.hasReleased else { return }
    let root = state.plan.rootEntity
    // What other nodes of the hierarchy take is not in the buffer any more, or not yet.
    let isShared = top.countedNodes.count { $0.plan.rootEntity == root && !$0.isPostponed } > 1
    if isShared || values.isTaken(in: context.buffer(root: root)) { throw top.retryAlone() }
  }

  /// The slots of the uniqueness constraints that a change of an existing object can touch.
  private func looseConstraints(_ state: NodeImporter) -> [[Int]] {
    let table = store.schema.table(forRoot: state.plan.rootEntity)
    let slots = Set(state.plan.attributeSlots)
    return store.schema.indexes.filter { $0.isUnique && $0.table == table.name }.map { index in
      (state.plan.keySlots + state.plan.attributeSlots).filter { slot in
        table.columnName(slot: slot).map(index.columns.contains) ?? false
      }
    }.filter { !slots.isDisjoint(with: $0) }
  }
}
