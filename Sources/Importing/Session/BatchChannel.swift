import Glibc
import Synchronization

/// A bounded hand-over of batches from one thread to another, and of empty ones back.
///
/// The sender waits while `capacity` batches are on their way, so memory is bounded; batches come back to be filled
/// again, so nothing is allocated in the steady state.
///
/// `@unchecked Sendable`: every stored property is read and written only while `mutex` is held.
final class BatchChannel: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var filled: [ImportBatch] = []
  private var empty: [ImportBatch]
  private var isFinished = false
  private var isCancelled = false
  private var isReceiverWaiting = false
  private var failure: ImportError?

  init(batches: [ImportBatch]) {
    empty = batches
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Takes an empty batch to fill; waits for one.
  ///
  /// `nil` when the receiver wants no more.
  func takeEmpty() -> ImportBatch? {
    locked {
      while empty.isEmpty, !isCancelled { pthread_cond_wait(changed, mutex) }
      return isCancelled ? nil : empty.removeLast()
    }
  }

  /// Whether the receiver has nothing to do at this moment, so that it may as well do a part of the sender's work.
  var isReceiverIdle: Bool { locked { isReceiverWaiting && filled.isEmpty } }

  /// Sends a filled batch.
  func send(_ batch: consuming ImportBatch) {
    lock()
    filled.append(batch)
    unlock()
  }

  /// Says that nothing more will come, and why if it is not the end of the input.
  func finish(_ error: ImportError? = nil) {
    locked {
      isFinished = true
      failure = error
    }
  }

  /// Takes the next filled batch; waits for one.
  ///
  /// `nil` at the end.
  ///
  /// - Parameter shouldStop: Is asked ten times a second while there is nothing; `nil` is returned when it says so.
  /// - Throws: What the sender failed with, after all batches before it.
  func receive(unless shouldStop: (() -> Bool)? = nil) throws(ImportError) -> ImportBatch? {
    let (batch, error): (ImportBatch?, ImportError?) = locked {
      isReceiverWaiting = true
      while filled.isEmpty, !isFinished {
        guard let shouldStop else {
          pthread_cond_wait(changed, mutex)
          continue
        }
        if shouldStop() { return (nil, nil) }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_nsec += 100_000_000
        if time.tv_nsec >= 1_000_000_000 {
          time.tv_sec += 1
          time.tv_nsec -= 1_000_000_000
        }
        pthread_cond_timedwait(changed, mutex, &time)
      }
      isReceiverWaiting = false
      if !filled.isEmpty { return (filled.removeFirst(), nil) }
      return (nil, failure)
    }
    if let error { throw error }
    return batch
  }

  /// Gives a batch back to be filled again.
  func recycle(_ batch: consuming ImportBatch) {
    lock()
    empty.append(batch)
    unlock()
  }

  /// Lets go of the empty batches and their memory; for when the sender has ended.
  func drain() {
    locked { empty.removeAll() }
  }

  /// Tells the sender to stop.
  func cancel() {
    locked { isCancelled = true }
  }

  private func lock() { pthread_mutex_lock(mutex) }
  private func unlock() {
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }
  private func locked<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }
}
