import Glibc
import Synchronization

/// A thread of its own that runs pieces of work one after the other, in the order in which they came.
///
/// Work on stores blocks in the file system, so it must not take a thread of Swift's pool away from tasks that could run.
/// The thread starts with the first piece of work and ends when the queue goes away.
final class StoreQueue: Sendable {
  /// What the thread and its callers share; the thread keeps it alive, not the queue.
  private final class Work: Sendable {
    private struct State {
      var waiting: [@Sendable () -> Void] = []
      var isEnded = false
      var hasThread = false
    }
    private let state = Mutex(State())
    private let available = Semaphore()
    /// The thread that runs the work, 0 before there is one.
    let thread = Atomic<UInt>(0)

    /// Adds a piece of work, and starts the thread with the first one.
    func add(_ work: @escaping @Sendable () -> Void) {
      let isFirst = state.withLock { state in
        state.waiting.append(work)
        defer { state.hasThread = true }
        return !state.hasThread
      }
      if isFirst { start() }
      available.signal()
    }

    /// Ends the thread when all work is done.
    func end() {
      let hasThread = state.withLock { state in
        state.isEnded = true
        return state.hasThread
      }
      if hasThread { available.signal() }
    }

    private func start() {
      var thread = pthread_t()
      let argument = Unmanaged.passRetained(self).toOpaque()
      let code = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument)
      precondition(code == 0, "the system has no thread left for a store: error \(code)")
      pthread_detach(thread)
    }

    private func run() {
      thread.store(UInt(pthread_self()), ordering: .releasing)
      while true {
        available.wait()
        let next: (@Sendable () -> Void)? = state.withLock { state in
          state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        if let next {
          next()
        } else if state.withLock({ $0.isEnded && $0.waiting.isEmpty }) {
          return
        }
      }
    }
  }

  private let work = Work()

  deinit { work.end() }

  /// Whether the caller is on the queue's thread.
  var isCurrent: Bool { work.thread.load(ordering: .acquiring) == UInt(pthread_self()) }

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
    let done = Semaphore()
    let box = ResultBox<Value, Failure>()
    work.add {
      box.result.withLock { $0 = Self.result(body) }
      done.signal()
    }
    done.wait()
    guard let result = box.result.withLock({ $0 }) else { preconditionFailure("the work is done and has no result") }
    return try result.get()
  }

  private static func result<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    do { return .success(try body()) } catch { return .failure(error) }
  }
}

/// Where a piece of work leaves its result.
private final class ResultBox<Value: Sendable, Failure: Error>: Sendable {
  let result = Mutex<Result<Value, Failure>?>(nil)
}

/// Counts signals, and blocks those who wait for one.
final class Semaphore: Sendable {
  // Plain memory at one place, as the system wants it; all its functions may be called by several threads.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one who waits go on.
  func signal() { sem_post(semaphore) }

  /// Blocks until somebody signals.
  func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
