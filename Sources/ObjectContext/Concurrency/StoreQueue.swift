import Synchronization
import Threads

/// A thread of its own that runs pieces of work one after the other, in the order in which they came.
///
/// Work on stores blocks in the file system, so it must not take a thread of Swift's pool away from tasks that could run.
/// The thread starts with the first piece of work and ends when the queue goes away and all work is done.
final class StoreQueue: Sendable {
  /// What the thread and its callers share; the thread keeps it alive, not the queue.
  private final class Work: Sendable {
    private struct State {
      var waiting: [@Sendable () -> Void] = []
      var isEnded = false
      var worker: Worker?
    }
    private let shared = Monitor(State())
    /// The thread that runs the work, 0 before there is one.
    let thread = Atomic<UInt>(0)

    /// Adds a piece of work, and starts the thread with the first one.
    func add(_ work: @escaping @Sendable () -> Void) {
      shared.change { state in
        state.waiting.append(work)
        if state.worker == nil { state.worker = Worker { self.run() } }
        precondition(state.worker != nil, "the system has no thread left for a store")
      }
    }

    /// Ends the thread when all work is done.
    func end() { shared.change { $0.isEnded = true } }

    private func run() {
      thread.store(Worker.current, ordering: .releasing)
      while let next = shared.wait(
        until: { !$0.waiting.isEmpty || $0.isEnded }, { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() })
      {
        next()
      }
    }
  }

  private let work = Work()

  deinit { work.end() }

  /// Whether the caller is on the queue's thread.
  var isCurrent: Bool { work.thread.load(ordering: .acquiring) == Worker.current }

  /// Runs a piece of work on the queue and waits for it as a task does.
  func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      work.add { continuation.resume(returning: Self.result(body)) }
    }
    return try result.get()
  }

  /// Runs a piece of work on the queue and blocks until it is done; at once when the caller is on the queue already.
  func runAndWait<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if isCurrent { return try body() }
    let done = Monitor<Result<Value, Failure>?>(nil)
    work.add {
      let result = Self.result(body)
      done.change { $0 = result }
    }
    guard let result = done.wait(until: { $0 != nil }, { $0 }) else { preconditionFailure("waited for a result") }
    return try result.get()
  }

  private static func result<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    do { return .success(try body()) } catch { return .failure(error) }
  }
}
