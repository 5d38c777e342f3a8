@testable import MergewalkImporting
import MergewalkRecordFormats
import Synchronization
import Testing
import MergewalkThreads

@Suite struct BatchChannelTests {
  private func plan() throws -> ImportPlan {
    var definition = ImportDefinition(
      name: "channel", model: try ShopModel().build(), storePath: "s", inputs: [], format: RecordGenerator.csvFormat,
      root: ShopImport.item())
    definition.batchLimit = BatchLimit(records: 10)
    return try ImportPlan(definition, part: definition.parts[0])
  }

  @Test func batchesComeInOrderAndNoMoreAreOnTheirWayThanThereAre() throws {
    let plan = try plan()
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    let counters = Counters()
    let thread = try worker {
      for number in 0..<200 {
        guard let batch = channel.takeEmpty() else { break }
        counters.take()
        channel.send(Self.number(batch, number))
      }
      channel.finish()
    }
    var received: [Int] = []
    while let batch = try channel.receive() {
      received.append(batch.bytesRead)
      counters.giveBack()
      channel.recycle(batch)
    }
    thread.join()
    #expect(received == Array(0..<200))
    #expect(counters.most <= 3)
  }

  private func worker(_ body: @escaping @Sendable () -> Void) throws -> Worker { try #require(Worker(body)) }

  private static func number(_ batch: consuming ImportBatch, _ number: Int) -> ImportBatch {
    var batch = batch
    batch.bytesRead = number
    return batch
  }

  @Test func aFailureComesAfterTheBatchesBeforeIt() throws {
    let plan = try plan()
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    for number in 1...2 {
      let batch = try #require(channel.takeEmpty())
      channel.send(Self.number(batch, number))
    }
    channel.finish(ImportError(code: .cannotRead, message: "gone"))
    #expect(try channel.receive()?.bytesRead == 1)
    #expect(try channel.receive()?.bytesRead == 2)
    let error = #expect(throws: ImportError.self) { try channel.receive() }
    #expect(error?.code == .cannotRead)
  }

  @Test func aWaitingSenderIsFreedByCancelling() throws {
    let plan = try plan()
    let channel = BatchChannel(batches: [ImportBatch(plan: plan)])
    let counters = Counters()
    let thread = try worker {
      while let batch = channel.takeEmpty() {
        counters.take()
        channel.send(batch)
      }
      channel.finish()
    }
    _ = try channel.receive()
    channel.cancel()
    thread.join()
    #expect(counters.most <= 1)
  }

  @Test func anEndWithoutBatchesIsAnEnd() throws {
    let channel = BatchChannel(batches: [])
    channel.finish()
    let end = try channel.receive()
    #expect(end == nil)
  }
}

/// How many batches are on their way.
private final class Counters: Sendable {
  private let state = Mutex((now: 0, most: 0))

  var most: Int { state.withLock { $0.most } }
  func take() {
    state.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }
  func giveBack() { state.withLock { $0.now -= 1 } }
}
