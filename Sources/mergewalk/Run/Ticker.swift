import Glibc
import Synchronization

/// Calls a closure about twenty times a second on a thread of its own, until it is stopped.
///
/// A plain thread: it sleeps, which the cooperative pool must not.
final class Ticker {
  private let state: State
  private var thread = pthread_t()

  private final class State: Sendable {
    let isStopped = Atomic(false)
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts; where the system has no thread left, nothing is ever called.
  init?(_ body: @escaping @Sendable () -> Void) {
    state = State(body)
    let box = Unmanaged.passRetained(state)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let state = Unmanaged<State>.fromOpaque(context).takeRetainedValue()
        while !state.isStopped.load(ordering: .acquiring) {
          state.body()
          usleep(50_000)
        }
        return nil
      }, box.toOpaque())
    if code != 0 {
      box.release()
      return nil
    }
  }

  /// Waits until the closure has run for the last time.
  func stop() {
    if state.isStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
    pthread_join(thread, nil)
  }
}

/// What the process takes at this moment.
enum ProcessMemory {
  /// The resident set in bytes, or 0 where the system does not say.
  ///
  /// Source: proc(5), `/proc/self/statm`: the second number is in pages.
  static func resident() -> Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return 0 }
    let numbers = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
    guard numbers.count > 1, let pages = Int(numbers[1]) else { return 0 }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
