import MergewalkThreads

/// A bounded hand-over of batches from one thread to another, and of empty ones back.
///
/// The sender waits while `capacity` batches are in transit, so memory is bounded; batches return to be filled again,
/// so nothing is allocated in the steady state.
final class BatchChannel: Sendable {
  private struct State {
    var filled: [ImportBatch] = []
    var empty: [ImportBatch]
    var isFinished = false
    var isCancelled = false
    var isReceiverWaiting = false
    var failure: ImportError?

    /// Whether the receiver has something to take, or learns that nothing comes.
    var hasNews: Bool { !filled.isEmpty || isFinished }
  }

  private let shared: Monitor<State>
  /// Makes another batch for a sender that is the receiver itself, and so must not wait; `nil` for one that is not.
  private let make: (@Sendable () -> ImportBatch)?

  /// How often a receiver that waits is asked whether it wants to stop, in seconds.
  private static let patience = 0.1

  init(batches: [ImportBatch], make: (@Sendable () -> ImportBatch)? = nil) {
    shared = Monitor(State(empty: batches))
    self.make = make
  }

  /// Takes an empty batch to fill; waits for one.
  ///
  /// `nil` when the receiver wants no more.
  func takeEmpty() -> ImportBatch? {
    if let make {
      return shared.withLock { $0.isCancelled ? nil : $0.empty.popLast() ?? make() }
    }
    return shared.wait(until: { !$0.empty.isEmpty || $0.isCancelled }) { $0.isCancelled ? nil : $0.empty.removeLast() }
  }

  /// Whether the receiver has nothing to do at this moment, so that it may as well do a part of the sender's work.
  var isReceiverIdle: Bool { shared.withLock { $0.isReceiverWaiting && $0.filled.isEmpty } }

  func send(_ batch: consuming ImportBatch) { shared.give(batch) { $0.filled.append($1) } }

  /// Says that nothing more will come, and why if it is not the end of the input.
  func finish(_ error: ImportError? = nil) {
    shared.change {
      $0.isFinished = true
      $0.failure = error
    }
  }

  /// Takes the next filled batch; waits for one.
  ///
  /// `nil` at the end.
  ///
  /// - Parameter shouldStop: Is asked ten times a second while there is nothing; `nil` is returned when it says so.
  /// - Throws: What the sender failed with, after all batches before it.
  func receive(unless shouldStop: (() -> Bool)? = nil) throws(ImportError) -> ImportBatch? {
    shared.withLock { $0.isReceiverWaiting = true }
    if let shouldStop {
      while !shared.wait(upTo: Self.patience, until: \.hasNews) {
        if shouldStop() { return nil }
      }
    }
    let (batch, error) = shared.wait(until: \.hasNews) { state -> (ImportBatch?, ImportError?) in
      state.isReceiverWaiting = false
      return state.filled.isEmpty ? (nil, state.failure) : (state.filled.removeFirst(), nil)
    }
    if let error { throw error }
    return batch
  }

  /// Gives a batch back to be filled again.
  func recycle(_ batch: consuming ImportBatch) { shared.give(batch) { $0.empty.append($1) } }

  /// Releases the empty batches and their memory; for when the sender has ended.
  func drain() { shared.withLock { $0.empty.removeAll() } }

  /// Tells the sender to stop.
  func cancel() { shared.change { $0.isCancelled = true } }
}
