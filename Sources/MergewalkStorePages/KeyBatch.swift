import MergewalkSystem
import MergewalkThreads

/// Merged keys, on their way to the thread that makes pages of them.
///
/// Whichever thread takes a batch first fills it: the one that merges, or the one that needs it.
///
/// `@unchecked Sendable`: its memory belongs to the thread that has taken it, until it is filled.
final class KeyBatch: BackgroundJob, @unchecked Sendable {
  private enum Stage { case empty, taken, filled }

  let merge: KeyMerge
  let bytes: Bytes
  private let capacity: Int
  /// The bytes of keys.
  private(set) var used = 0
  /// Not a `Mutex`, which ThreadSanitizer does not see.
  private let stage = Monitor(Stage.empty)

  /// - Parameter capacity: The bytes of its memory, enough for any key.
  init(_ merge: KeyMerge, capacity: Int) {
    self.merge = merge
    self.capacity = capacity
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  var isFilled: Bool { stage.withLock { $0 == .filled } }

  /// Takes the batch, to fill it; says whether no other thread had taken it.
  func take() -> Bool {
    stage.withLock { stage in
      guard stage == .empty else { return false }
      stage = .taken
      return true
    }
  }

  /// Fills the batch that was taken.
  func fill() throws(PageError) {
    used = try merge.fill(bytes, capacity)
    stage.withLock { $0 = .filled }
  }

  func run() throws(PageError) { if take() { try fill() } }
}
