import CMergewalkScan
import MergewalkThreads

/// How much a stream is read ahead.
struct ReadAheadSize {
  /// The number of bytes to read before the thread starts: most streams that are opened for a look are not read
  /// further.
  var direct = 1 << 20
  var buffer = 1 << 17
}

/// A stream that is read ahead by a thread, into a few buffers between it and the one that takes.
///
/// The thread reads into memory of its own and copies that out: writing to lines that the other processor has read last
/// takes several times as long.
///
/// `@unchecked Sendable`: the upstream and `check` belong to the thread once it runs; a buffer belongs to the thread
/// until it is filled and to the taker until it is given back; `worker`, `current` and `verified` are the taker's.
final class ReadAhead: @unchecked Sendable {
  /// A buffer with something in it.
  private struct Filled {
    var index: Int
    var count: Int
    var verified: Range<Int>
  }

  private struct State {
    var free: [Int]
    var filled: [Filled] = []
    var isFinished = false
    var isCancelled = false
    var failure: ReadError?
  }

  let upstream: any ByteStream
  private var check: AheadCheck?
  private let buffers: [UnsafeMutableRawBufferPointer]
  private let shared: Monitor<State>
  private var worker: Worker?
  /// The rest of the current buffer.
  private var current: (index: Int, range: Range<Int>)?
  /// The check's result for the last buffer that was taken.
  private(set) var verified = 0..<0

  private static let bufferCount = 6
  /// Who has waited goes on when there are so many buffers to fill, or to take: waking a thread takes a while.
  private static let enoughFree = 3
  private static let enoughFilled = 2

  /// - Parameter check: looks at the text as it arrives.
  init(_ upstream: any ByteStream, check: AheadCheck? = nil, bufferSize: Int = ReadAheadSize().buffer) {
    self.upstream = upstream
    self.check = check
    // Pages that no thread fills take no memory.
    buffers = (0..<Self.bufferCount).map { _ in .allocate(byteCount: bufferSize, alignment: 64) }
    shared = Monitor(State(free: Array(buffers.indices)))
  }

  deinit { for buffer in buffers { buffer.deallocate() } }

  // MARK: The taker

  /// Whether the thread runs, so that the upstream is its own.
  var isStarted: Bool { worker != nil }

  /// Starts the thread; nothing happens when the system has none to give.
  func start() { worker = Worker { self.run() } }

  /// Ends the thread, if there is one, and waits for it.
  func stop() {
    shared.change { $0.isCancelled = true }
    worker?.join()
    worker = nil
  }

  /// Hands out bytes that the thread read; waits for some; 0 at the end.
  ///
  /// - Throws: what the upstream threw, behind what it gave before.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if current == nil {
      guard let next = try take() else { return 0 }
      current = (next.index, 0..<next.count)
      verified = next.verified
    }
    guard let (index, range) = current else { return 0 }
    let count = min(buffer.count, range.count)
    let end = range.lowerBound + count
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffers[index][range.lowerBound..<end]))
    current = (index, end..<range.upperBound)
    if count == range.count {
      giveBack(index)
      current = nil
    }
    return count
  }

  private func take() throws(ReadError) -> Filled? {
    var isWaiting = false
    let (next, error): (Filled?, ReadError?) = shared.wait(until: { state in
      // Who had to wait waits for more.
      let isReady = state.isFinished || state.filled.count >= (isWaiting ? Self.enoughFilled : 1)
      isWaiting = true
      return isReady
    }) { $0.filled.isEmpty ? (nil, $0.failure) : ($0.filled.removeFirst(), nil) }
    if let error { throw error }
    return next
  }

  private func giveBack(_ index: Int) {
    let isEnough = shared.withLock { state in
      state.free.append(index)
      return state.free.count == Self.enoughFree
    }
    if isEnough { shared.wake() }
  }

  // MARK: The thread

  /// Fills buffers until the upstream ends or they are no longer wanted.
  private func run() {
    let size = buffers[0].count
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: AheadCheck.before + size, alignment: 64)
    defer { memory.deallocate() }
    let own = UnsafeMutableRawBufferPointer(rebasing: memory[AheadCheck.before...])
    while let index = takeFree() {
      var count = 0
      var error: ReadError?
      var isEnd = false
      // Small pieces are put together.
      while count < max(1, size / 2), !isEnd {
        do throws(ReadError) {
          let got = try upstream.read(into: UnsafeMutableRawBufferPointer(rebasing: own[count...]))
          count += got
          isEnd = got == 0
        } catch let fault {
          error = fault
          isEnd = true
        }
      }
      var verified = 0..<0
      if count > 0, let base = own.baseAddress, let target = buffers[index].baseAddress {
        verified = check?.advance(base, count) ?? verified
        cscan_copy_out(target, base, count)
      }
      let isEnough = shared.withLock { state in
        if count > 0 { state.filled.append(Filled(index: index, count: count, verified: verified)) }
        state.isFinished = isEnd
        state.failure = error
        return isEnd || state.filled.count == Self.enoughFilled
      }
      if isEnough { shared.wake() }
      if isEnd { return }
    }
  }

  private func takeFree() -> Int? {
    var isWaiting = false
    return shared.wait(until: { state in
      let isReady = state.isCancelled || state.free.count >= (isWaiting ? Self.enoughFree : 1)
      isWaiting = true
      return isReady
    }) { $0.isCancelled ? nil : $0.free.removeLast() }
  }
}

/// Looks for UTF-8 in a text as it is read ahead.
struct AheadCheck {
  private var text = TextCheck()
  /// Where valid text begins; nil when that is to be found in what comes next.
  private var start: Int?
  /// The offset of what comes next, and the bytes before it.
  private var offset: Int
  private var last: UInt32 = 0

  /// The number of bytes that may be written before the bytes: the start of a character that they cut.
  static let before = 64

  /// - Parameter offset: where the text begins that it will be given.
  init(offset: Int) { self.offset = offset }

  /// Goes on over text.
  ///
  /// - Returns: what is known to be valid: offsets from the start of a character on; the last one may be cut.
  mutating func advance(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Range<Int> {
    let known = MemoryLayout<UInt32>.size
    (bytes - known).storeBytes(of: last, as: UInt32.self)
    last = (bytes + (count - known)).loadUnaligned(as: UInt32.self)
    let base = UnsafePointer((bytes - known).assumingMemoryBound(to: UInt8.self))
    let origin = offset - known
    offset += count
    if start == nil {
      var first = known
      while first < known + count, base[first] & 0xC0 == 0x80 { first += 1 }
      text.resume(at: origin + first)
    }
    let from = start ?? text.checkedTo
    text.advance(base, origin: origin, end: known + count, isLast: false)
    start = text.fault == .max ? from : nil
    return from..<max(from, text.fault == .max ? offset : text.fault)
  }
}
