import CMergewalkProcess
import MergewalkDiagnostics
import MergewalkSystem

/// The right to plan and apply runs into an existing store: one process at a time has it, while others can still read
/// and write the store.
///
/// It is a lock on a file beside the store, `.NAME.mergewalk-plan`, that holds the number of its process. The system
/// drops the lock with the process. Whether it is taken can be asked without taking it.
final class StoreClaim {
  private let path: String
  private let descriptor: Int32
  private var isGivenBack = false

  private init(_ path: String, _ descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// The claim's file of a store.
  static func path(ofStore path: String) -> String { StorePath.hiddenPrefix(path) + "plan" }

  /// Takes the claim.
  ///
  /// - Parameter wait: How long to wait, in seconds, while another process has it.
  /// - Throws: ``StoreError`` with `busy` or `inputOutput`.
  static func take(_ store: String, wait: Double) throws(StoreError) -> StoreClaim {
    let path = path(ofStore: store)
    let patience = max(0, min(wait, 86_400))
    let end = SystemClock.monotonic + patience
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { throw FileSystem.failure(path, "cannot create") }
      if cprocess_lock(descriptor) == 0 {
        // Whoever had it may have removed the file meanwhile.
        if let mine = FileID(descriptor: descriptor), let there = stat(path: path, followsLinks: false),
          mine == FileID(there)
        {
          let number = Array("\(FileSystem.processNumber)\n".utf8)
          _ = ftruncate(descriptor, 0)
          _ = number.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
          // Whoever may read the store may ask.
          FileAccess.derived(from: store).apply(to: descriptor)
          return StoreClaim(path, descriptor)
        }
      } else if errno != EAGAIN, errno != EACCES {
        let error = FileSystem.failure(path, "cannot lock")
        close(descriptor)
        throw error
      } else if SystemClock.monotonic >= end {
        close(descriptor)
        throw busy(path, store, waited: patience)
      }
      close(descriptor)
      FileSystem.pause(seconds: Double.random(in: 0.01...0.06))
    }
  }

  /// Checks that no process has the claim.
  ///
  /// - Throws: ``StoreError`` with `busy`, or as ``isTaken(_:)``.
  static func requireFree(_ store: String) throws(StoreError) {
    if try isTaken(store) { throw busy(path(ofStore: store), store, waited: 0) }
  }

  /// Whether a process has the claim; asking does not make others find it taken.
  ///
  /// - Throws: ``StoreError`` with `inputOutput` when that is not known.
  static func isTaken(_ store: String) throws(StoreError) -> Bool {
    let path = path(ofStore: store)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw FileSystem.failure(path, "cannot open")
    }
    defer { close(descriptor) }
    let answer = cprocess_is_locked(descriptor)
    guard answer >= 0 else { throw FileSystem.failure(path, "cannot tell whether it is locked") }
    return answer > 0
  }

  private static func busy(_ path: String, _ store: String, waited seconds: Double) -> StoreError {
    let holder = FileSystem.head(path, count: 16).flatMap {
      Int32(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self))
    }
    return StoreLock.error(store: store, holder: holder, waited: seconds, doing: "is importing into the store")
  }

  /// Gives it back; giving it back twice does nothing.
  func giveBack() {
    guard !isGivenBack else { return }
    isGivenBack = true
    unlink(path)
    close(descriptor)
  }

  deinit { giveBack() }
}
