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
