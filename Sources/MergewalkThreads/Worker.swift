import MergewalkSystem
import Synchronization

/// A thread that runs one closure: for work that blocks, which must not take a thread of Swift's pool.
///
/// It is joined or left; a worker that goes away without either is left.
package final class Worker: Sendable {
  /// The thread until it is joined or left.
  private let thread: Mutex<Handle?>

  /// The system's name of a thread: a number on Linux, a pointer on macOS.
  ///
  /// `@unchecked Sendable`: nothing is read through the pointer here.
  private struct Handle: @unchecked Sendable {
    let thread: pthread_t
  }

  /// Starts the thread; nil when the system has none to give.
  ///
  /// - Parameters:
  ///   - stack: the bytes of its stack; nil for as many as the system usually gives.
  ///   - body: what it does. Whatever the closure holds lives as long as it runs.
  package init?(stack: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let box = Unmanaged.passRetained(Body(run: body))
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    if let stack { pthread_attr_setstacksize(attributes, stack) }
    let code = pthread_create(
      &thread, attributes,
      { context in
        // Darwin says that there is a context, glibc that there may be one.
        let context: UnsafeMutableRawPointer? = context
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    pthread_attr_destroy(attributes)
    guard code == 0 else {
      box.release()
      return nil
    }
    #if canImport(Darwin)
      guard let thread else { return nil }
    #endif
    self.thread = Mutex(Handle(thread: thread))
  }

  deinit { leave() }

  /// Waits for the end of the closure; everything that it did can be seen then.
  ///
  /// Returns at once when the thread was joined or left before.
  package func join() {
    if let handle = take() { pthread_join(handle.thread, nil) }
  }

  /// Lets the closure end by itself, because it may be waiting for something that never comes.
  ///
  /// What it still writes must not be read by others, except under a lock.
  package func leave() {
    if let handle = take() { pthread_detach(handle.thread) }
  }

  private func take() -> Handle? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }

  /// Identifies the current thread among all that run; never 0.
  package static var current: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
