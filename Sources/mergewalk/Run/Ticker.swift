import MergewalkSystem
import MergewalkThreads

/// Calls a closure about twenty times a second on a thread of its own, until it is stopped.
final class Ticker {
  private let isStopped = Monitor(false)
  private let worker: Worker

  /// How long it waits between two calls, in seconds.
  private static let pause = 0.05

  /// Starts; nil where the system has no thread left.
  init?(_ body: @escaping @Sendable () -> Void) {
    let isStopped = isStopped
    let worker = Worker {
      repeat { body() } while !isStopped.wait(upTo: Self.pause) { $0 }
    }
    guard let worker else { return nil }
    self.worker = worker
  }

  /// Waits until the closure has run for the last time.
  func stop() {
    isStopped.change { $0 = true }
    worker.join()
  }
}

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
