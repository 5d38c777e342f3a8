import Synchronization

/// Lets one task in at a time, in the order in which they came; those that wait take no thread.
final class Turnstile: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  /// Waits until it is the caller's turn.
  func enter() async {
    if tryEnter(nil) { return }
    await withCheckedContinuation { continuation in
      if tryEnter(continuation) { continuation.resume() }
    }
  }

  /// Lets the next one in.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }

  private func tryEnter(_ continuation: CheckedContinuation<Void, Never>?) -> Bool {
    state.withLock { state in
      if !state.isTaken {
        state.isTaken = true
        return true
      }
      if let continuation { state.waiting.append(continuation) }
      return false
    }
  }
}

/// A turn at a turnstile, which a write shares with the writes within it.
///
/// A task that is started in a write keeps what the write's task knows, also when the write is over: such a task must
/// not take itself for a part of it.
final class WriteTurn: Sendable {
  private let writes = Mutex(1)

  /// Takes one more write into the turn; `false` when the turn is over.
  func join() -> Bool {
    writes.withLock { count in
      if count == 0 { return false }
      count += 1
      return true
    }
  }

  /// Takes note that a write is done; returns whether the turn is over with it.
  func leave() -> Bool {
    writes.withLock { count in
      count -= 1
      return count == 0
    }
  }
}
