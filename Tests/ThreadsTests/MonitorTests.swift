import Testing
import MergewalkThreads

@Suite("Monitors") struct MonitorTests {
  @Test("no change of several threads is lost")
  func counting() throws {
    let count = Monitor(0)
    let workers = try (0..<4).map { _ in
      try #require(Worker { for _ in 0..<1_000 { count.withLock { $0 += 1 } } })
    }
    for worker in workers { worker.join() }
    #expect(count.withLock { $0 } == 4_000)
  }

  @Test("who waits goes on when the value is as it is wanted, not before")
  func waiting() throws {
    let value = Monitor(0)
    let seen = Monitor<[Int]>([])
    let worker = try #require(
      Worker {
        for wanted in [3, 5, 6] {
          let found = value.wait(until: { $0 >= wanted }) { $0 }
          seen.change { $0.append(found) }
        }
      })
    value.change { $0 = 2 }
    #expect(seen.withLock { $0 } == [])
    value.change { $0 = 4 }
    seen.wait { $0.count == 1 }
    value.change { $0 = 6 }
    worker.join()
    #expect(seen.withLock { $0 } == [4, 6, 6])
  }

  @Test("a change without waking is seen at the next one that wakes")
  func waking() throws {
    let value = Monitor(0)
    let worker = try #require(Worker { value.wait { $0 == 2 } })
    value.withLock { $0 = 2 }
    value.wake()
    worker.join()
  }

  @Test("waiting ends with its time, and says whether the value is as it is wanted")
  func patience() {
    let value = Monitor(false)
    let clock = ContinuousClock()
    let taken = clock.measure { #expect(!value.wait(upTo: 0.02) { $0 }) }
    #expect(taken >= .milliseconds(20))
    value.withLock { $0 = true }
    #expect(value.wait(upTo: 0) { $0 })
    #expect(value.wait(upTo: 1_000) { $0 })
  }

  @Test("what is given to another thread comes without a copy")
  func giving() throws {
    let box = Monitor<[[Int]]>([])
    var list = Array(0..<1_000)
    for _ in 0..<100 {
      let place = list.withUnsafeBufferPointer { $0.baseAddress }
      box.give(list) { $0.append($1) }
      list = []
      list = box.wait(until: { !$0.isEmpty }) { $0.removeLast() }
      list[0] += 1
      #expect(list.withUnsafeBufferPointer { $0.baseAddress } == place)
    }
    #expect(list[0] == 100)
  }
}
