import MergewalkSystem

/// A value that threads share: one at a time looks at it or changes it, and others wait until it is as they want it.
///
/// `@unchecked Sendable`: `state` is read and written only while `mutex` is held. What is not `Sendable` may be in it
/// if whoever takes it out takes it altogether.
package final class Monitor<State>: @unchecked Sendable {
  private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  /// Shares a value.
  package init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    #if !canImport(Darwin)
      // A clock that is never set: how long a wait takes does not depend on the time of day.
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    #endif
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Uses the value and wakes no thread: for a look, or a change without waiters.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Changes the value and wakes those that wait.
  package func change<Result>(_ body: (inout State) -> Result) -> Result {
    defer { wake() }
    return withLock(body)
  }

  /// Puts something into the value and wakes those that wait; the caller keeps no copy of it, not even for a moment, so
  /// the one that takes it out can change its arrays where they are.
  package func give<Item>(_ item: consuming Item, _ body: (inout State, consuming Item) -> Void) {
    pthread_mutex_lock(mutex)
    body(&state, item)
    pthread_mutex_unlock(mutex)
    wake()
  }

  /// Waits until the value is as it is wanted, and uses it then.
  ///
  /// - Parameter isReady: is asked with the lock held, at first and after each change.
  package func wait<Result>(until isReady: (State) -> Bool, _ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isReady(state) { pthread_cond_wait(changed, mutex) }
    return body(&state)
  }

  /// Waits until the value is as it is wanted.
  package func wait(until isReady: (State) -> Bool) { wait(until: isReady) { _ in } }

  /// Waits until the value is as it is wanted, but not forever.
  ///
  /// - Parameter seconds: how long; 0 for a look.
  /// - Returns: whether it is as it is wanted.
  package func wait(upTo seconds: Double, until isReady: (State) -> Bool) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + Int(seconds * 1_000_000_000)
    deadline.tv_sec += nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isReady(state) {
      if Self.wait(changed, mutex, until: &deadline) == ETIMEDOUT { return isReady(state) }
    }
    return true
  }

  /// Waits for a condition, at most until a moment of the monotonic clock.
  private static func wait(
    _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
    until deadline: inout timespec
  ) -> Int32 {
    #if canImport(Darwin)
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      let left = (deadline.tv_sec - now.tv_sec) * 1_000_000_000 + deadline.tv_nsec - now.tv_nsec
      if left <= 0 { return ETIMEDOUT }
      var span = timespec(tv_sec: left / 1_000_000_000, tv_nsec: left % 1_000_000_000)
      return pthread_cond_timedwait_relative_np(condition, mutex, &span)
    #else
      return pthread_cond_timedwait(condition, mutex, &deadline)
    #endif
  }

  /// Wakes those that wait, after a change under ``withLock(_:)`` that now is worth it.
  package func wake() { pthread_cond_broadcast(changed) }
}
