import Synchronization
import MergewalkThreads

/// A thread of its own that runs pieces of work one after the other, in the order in which they came.
///
/// Work on stores blocks in the file system, so it must not take a thread of Swift's pool away from tasks that could run.
/// The thread starts with the first piece of work and ends when the queue goes away and all work is done.
final class StoreQueue: Sendable {
  /// The state that the thread and its callers share; the thread keeps it alive, not the queue.
  private final class Work: Sendable {
    private struct State {
      var waiting: [@Sendable () -> Void] = []
      var isEnded = false
      var worker: Worker?
      /// Whether a caller runs the work because there is no thread for it.
      var isCallerRunning = false
    }
    private let shared = Monitor(State())
    /// The thread that runs the work, 0 before there is one.
    let thread = Atomic<UInt>(0)

    /// Adds a piece of work, and starts the thread with the first one.
    ///
    /// Where the system has no thread left, the caller does the work, one at a time all the same.
    func add(_ work: @escaping @Sendable () -> Void) {
      let isCallers = shared.change { state -> Bool in
        state.waiting.append(work)
        if state.isCallerRunning { return false }
        if state.worker == nil { state.worker = Worker { self.run() } }
        state.isCallerRunning = state.worker == nil
        return state.isCallerRunning
      }
      if isCallers { runHere() }
    }

    private func runHere() {
      thread.store(Worker.current, ordering: .releasing)
      while let next = shared.change({ state -> (@Sendable () -> Void)? in
        if state.waiting.isEmpty {
          thread.store(0, ordering: .releasing)
          state.isCallerRunning = false
          return nil
        }
        return state.waiting.removeFirst()
      }) {
        next()
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

  /// Has a piece of work done, without waiting for it.
  func post(_ body: @escaping @Sendable () -> Void) { work.add(body) }

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
    // The wait ends when there is one.
    guard let result = done.wait(until: { $0 != nil }, { $0 }) else { preconditionFailure("waited for a result") }
    return try result.get()
  }

  private static func result<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    do { return .success(try body()) } catch { return .failure(error) }
  }
}

/// Tasks that prefer the queue run on its thread between their suspensions.
extension StoreQueue: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    work.add { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
