import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// RL16 as a state machine: random models, random operations, a plain graph as oracle.
@Suite("Random relationships")
struct RandomGraphTests {
  private func run(
    _ name: String, seed: UInt64, depth: Int = 0, kind: StoreKind = .sqlite, steps: Int = 300, undoes: Bool = false
  ) throws {
    var random = SeededGenerator(seed: seed)
    let world = GraphModel.random(&random)
    let pair = try GraphPair(
      "\(name), seed \(seed)", world, seed: random.next(), depth: depth, kind: kind, undoes: undoes)
    for step in 0..<steps {
      if undoes, step % 4 == 0 { try pair.undoableStep() }
      try pair.step()
      if step % 20 == 19 { try pair.compare("step \(step)") }
    }
    try pair.finish()
  }

  @Test(
    "RL16: after random changes of random models every reference resolves and every inverse agrees",
    arguments: Soak.seeds(1..<UInt64(Soak.isOn ? 10_001 : 25)))
  func rl16(seed: UInt64) throws { try run("one context", seed: seed) }

  @Test("RL16: the same in children and grandchildren of the context that saves", arguments: Soak.seeds(8, from: 500))
  func rl16Children(seed: UInt64) throws { try run("child", seed: seed, depth: seed % 3 == 0 ? 2 : 1) }

  @Test(
    "RL16: seeds that have found something: what a child refers to when it deletes",
    arguments: [4_200_549, 4_200_609, 4_200_622] as [UInt64])
  func rl16Deny(seed: UInt64) throws { try rl16Children(seed: seed) }

  @Test(
    "RL16: the same in stores of every type", arguments: StoreKind.allCases.filter { $0 != .sqlite },
    Soak.seeds(2, from: 900))
  func rl16Stores(kind: StoreKind, seed: UInt64) throws { try run("\(kind)", seed: seed, kind: kind, steps: 150) }

  @Test("RL16: seeds that have found something: a member that changes while its owner is not in the tables")
  func rl16StoresFound() throws { try rl16Stores(kind: .incremental, seed: 4_200_997) }

  @Test(
    "RL16: seeds that have found something: what a deletion that is made again refers to, a place behind what is back",
    arguments: [4_201_311, 4_201_816] as [UInt64])
  func rl16Redo(seed: UInt64) throws { try rl16Undo(seed: seed) }

  @Test("RL16: the same with steps that are undone and redone", arguments: Soak.seeds(12, from: 1300))
  func rl16Undo(seed: UInt64) throws {
    try run("undo", seed: seed, depth: seed % 4 == 0 ? 1 : 0, steps: 200, undoes: true)
  }
}
