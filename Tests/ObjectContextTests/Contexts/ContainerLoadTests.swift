import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization
import MergewalkTestSupport
import Testing

/// Readers and a writer for as long as it takes: short in `make test`, minutes in `make soak`.
@Suite("Containers under load")
struct ContainerLoadTests {
  private static let accounts = 100
  private static let total = Int64(accounts) * 1000

  private static func model() throws -> ManagedObjectModel {
    try Models.model(
      Models.entity("Account", attributes: [Models.attribute("balance", .integer64)]),
      Models.entity("Ledger", attributes: [Models.attribute("moves", .integer64)]))
  }

  @Test("8 readers beside a writer never see a sum that is wrong or a state older than the last write they know of")
  func eightReaders() async throws {
    let folder = TemporaryFolder()
    let container = try await PersistentContainer.open(try Self.model(), at: folder.file("bank.sqlite"), readers: 8)
    try await container.write { context in
      _ = try context.insert("Ledger").setValue(.integer(0), forKey: "moves")
      for _ in 0..<Self.accounts { try context.insert("Account").setValue(.integer(1000), forKey: "balance") }
    }
    let reads = Soak.isOn ? 20_000 : 40
    var rates: [Int: Double] = [:]
    for readers in [1, 8] {
      let done = Flag()
      let started = ContinuousClock.now
      let writes = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<readers {
          group.addTask {
            for _ in 0..<reads { try await Self.read(container) }
            return 0
          }
        }
        group.addTask {
          var generator = SeededGenerator(seed: 19)
          var count = 0
          while !done.isSet.load(ordering: .relaxed) || count == 0 {
            try await Self.move(container, Int(generator.next() % 100), Int(generator.next() % 100))
            count += 1
          }
          return count
        }
        for _ in 0..<readers { _ = try await group.next() }
        done.isSet.store(true, ordering: .relaxed)
        return try await group.next() ?? 0
      }
      let parts = (ContinuousClock.now - started).components
      let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
      rates[readers] = Double(readers * reads) / seconds
      print("load: \(readers) readers: \(Int(rates[readers] ?? 0)) reads per second beside \(writes) writes")
      #expect(writes > 0)
    }
    print("load: throughput of 8 readers over 1: \((rates[8] ?? 0) / (rates[1] ?? 1))")
    try await container.close()
    #expect(try StoreVerifier.verify(path: folder.file("bank.sqlite"), model: Self.model()).findings.isEmpty)
  }

  /// How many moves are known to be written.
  private static let known = Atomic(0)

  private static func move(_ container: PersistentContainer, _ from: Int, _ to: Int) async throws {
    let moves = try await container.write { context -> Int64 in
      let accounts = try context.fetch(FetchRequest("Account"))
      for (place, amount) in [(from, Int64(-7)), (to, 7)] {
        guard case .integer(let balance) = try accounts[place].value(forKey: "balance") else { continue }
        try accounts[place].setValue(.integer(balance + amount), forKey: "balance")
      }
      let ledger = try #require(try context.fetch("Ledger").first)
      guard case .integer(let moves) = try ledger.value(forKey: "moves") else { return 0 }
      try ledger.setValue(.integer(moves + 1), forKey: "moves")
      return moves + 1
    }
    known.store(Int(moves), ordering: .releasing)
  }

  private static func read(_ container: PersistentContainer) async throws {
    let least = known.load(ordering: .acquiring)
    let (sum, aggregate, moves) = try await container.read { context in
      var sum: Int64 = 0
      for account in try context.fetch(FetchRequest("Account")) {
        guard case .integer(let balance) = try account.value(forKey: "balance") else { continue }
        sum += balance
      }
      await Task.yield()
      var request = FetchRequest("Account")
      request.propertiesToFetch = [
        .expression(ExpressionDescription(name: "sum", expression: Key("balance").sum.expression))
      ]
      let aggregate = try context.fetchDictionaries(request).first?.integer(0)
      let ledger = try context.fetch("Ledger").first
      return (sum, aggregate, try ledger?.value(forKey: "moves"))
    }
    #expect(sum == total)
    #expect(aggregate == total)
    guard case .integer(let moves) = moves else {
      Issue.record("the ledger is gone")
      return
    }
    #expect(moves >= least)
  }
}

private final class Flag: Sendable {
  let isSet = Atomic(false)
}
