import Testing
import MergewalkThreads

@Suite("Workers") struct WorkerTests {
  @Test("joining waits for the end of the closure, and does nothing a second time")
  func joining() throws {
    let isDone = Monitor(false)
    let gate = Monitor(false)
    let worker = try #require(
      Worker {
        gate.wait { $0 }
        isDone.change { $0 = true }
      })
    #expect(!isDone.withLock { $0 })
    gate.change { $0 = true }
    worker.join()
    #expect(isDone.withLock { $0 })
    worker.join()
    worker.leave()
  }

  @Test("a worker that is left, or let go, goes on by itself", arguments: [true, false])
  func leaving(isTold: Bool) throws {
    let gate = Monitor(false)
    let isDone = Monitor(false)
    do {
      let worker = try #require(
        Worker {
          gate.wait { $0 }
          isDone.change { $0 = true }
        })
      if isTold {
        worker.leave()
        // Returns, although the thread waits.
        worker.join()
      }
    }
    gate.change { $0 = true }
    isDone.wait { $0 }
  }

  @Test("what the closure holds is let go at its end")
  func holding() throws {
    final class Held: Sendable {}
    weak var held: Held?
    let worker: Worker
    do {
      let object = Held()
      held = object
      worker = try #require(Worker { withExtendedLifetime(object) {} })
    }
    worker.join()
    #expect(held == nil)
  }

  @Test("each thread has a number of its own, which is never 0")
  func numbers() throws {
    let other = Monitor<UInt>(0)
    try #require(Worker { other.change { $0 = Worker.current } }).join()
    let number = other.withLock { $0 }
    #expect(number != 0 && Worker.current != 0)
    #expect(Worker.current == Worker.current)
  }

  @Test("a closure has the stack that was asked for")
  func stack() throws {
    // 16 MiB of frames are more than the usual 8 MiB.
    @Sendable @inline(never) func depth(_ left: Int) -> Int {
      withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 16) { frame in
        frame[0] = UInt8(truncatingIfNeeded: left)
        return left == 0 ? Int(frame[0]) : depth(left - 1) + Int(frame[0]) - Int(frame[0]) + 1
      }
    }
    let reached = Monitor(0)
    try #require(Worker(stack: 64 << 20) { reached.change { $0 = depth(1 << 12) } }).join()
    #expect(reached.withLock { $0 } == 1 << 12)
  }
}
