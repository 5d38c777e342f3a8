import Glibc

/// A stream that is read ahead by a thread of its own, so that unpacking and parsing take a core each.
///
/// The first MiB is read without a thread: most streams that are opened to look at are not read further. Only for
/// streams over files, whose reads end: the thread is joined when the stream goes.
final class PrefetchStream: ByteStream {
  let path: String
  /// Counts the bytes of the file; any thread may ask it.
  private let file: any ByteStream
  private let ahead: ReadAhead
  private var direct = 0
  private var thread: pthread_t?
  /// What of the current buffer was not handed out.
  private var current: (index: Int, range: Range<Int>)?

  /// What is read before the thread starts.
  private static let directBytes = 1 << 20

  init(_ upstream: any ByteStream, file: any ByteStream) {
    path = upstream.path
    self.file = file
    ahead = ReadAhead(upstream)
  }

  deinit {
    guard let thread else { return }
    ahead.cancel()
    pthread_join(thread, nil)
  }

  var bytesRead: Int { file.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if thread == nil {
      if direct >= Self.directBytes { thread = ahead.start() }
      if thread == nil {
        let count = try ahead.upstream.read(into: buffer)
        direct += count
        return count
      }
    }
    if current == nil {
      guard let next = try ahead.take() else { return 0 }
      current = (next.index, 0..<next.count)
    }
    guard let (index, range) = current else { return 0 }
    let count = min(buffer.count, range.count)
    let part = range.lowerBound..<range.lowerBound + count
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: ahead.buffers[index][part]))
    current = (index, part.upperBound..<range.upperBound)
    if part.upperBound == range.upperBound {
      ahead.giveBack(index)
      current = nil
    }
    return count
  }
}

/// The buffers between the thread that reads ahead and the one that takes.
///
/// `@unchecked Sendable`: the upstream belongs to the thread once it runs; a buffer belongs to the thread until it is
/// filled and to the taker until it is given back; everything else is read and written only while `mutex` is held.
private final class ReadAhead: @unchecked Sendable {
  let upstream: any ByteStream
  let buffers: [UnsafeMutableRawBufferPointer]
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var free: [Int]
  private var filled: [(index: Int, count: Int)] = []
  private var isFinished = false
  private var isCancelled = false
  private var failure: ReadError?

  private static let bufferCount = 3
  private static let bufferSize = 1 << 18

  init(_ upstream: any ByteStream) {
    self.upstream = upstream
    // Pages that no thread fills take no memory.
    buffers = (0..<Self.bufferCount).map { _ in .allocate(byteCount: Self.bufferSize, alignment: 64) }
    free = Array(buffers.indices)
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    for buffer in buffers { buffer.deallocate() }
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Starts the thread; nil when the system has none to give.
  func start() -> pthread_t? {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<ReadAhead>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    if code == 0 { return thread }
    box.release()
    return nil
  }

  /// Takes the next filled buffer; waits for one; nil at the end.
  ///
  /// - Throws: what the upstream threw, behind what it gave before.
  func take() throws(ReadError) -> (index: Int, count: Int)? {
    let (next, error): ((index: Int, count: Int)?, ReadError?) = locked {
      while filled.isEmpty, !isFinished { pthread_cond_wait(changed, mutex) }
      return filled.isEmpty ? (nil, failure) : (filled.removeFirst(), nil)
    }
    if let error { throw error }
    return next
  }

  /// Lets the thread fill a buffer again.
  func giveBack(_ index: Int) { locked { free.append(index) } }

  /// Tells the thread to stop.
  func cancel() { locked { isCancelled = true } }

  /// Fills buffers until the upstream ends or nobody wants them.
  private func run() {
    while let index = takeFree() {
      var count = 0
      var error: ReadError?
      var isEnd = false
      // Small pieces are put together.
      while count < Self.bufferSize / 2, !isEnd {
        do throws(ReadError) {
          let got = try upstream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffers[index][count...]))
          count += got
          isEnd = got == 0
        } catch let fault {
          error = fault
          isEnd = true
        }
      }
      locked {
        if count > 0 { filled.append((index, count)) }
        isFinished = isEnd
        failure = error
      }
      if isEnd { return }
    }
  }

  private func takeFree() -> Int? {
    locked {
      while free.isEmpty, !isCancelled { pthread_cond_wait(changed, mutex) }
      return isCancelled ? nil : free.removeLast()
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body()
  }
}
