/// A stream with a look ahead.
final class InputBuffer: ByteStream {
  let upstream: any ByteStream
  private let memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// The upstream has nothing more.
  private(set) var atEnd = false
  /// The offset in the upstream of the next byte.
  private(set) var offset = 0

  /// The furthest look ahead.
  static let capacity = 1 << 16

  init(_ upstream: any ByteStream) {
    self.upstream = upstream
    memory = .allocate(byteCount: Self.capacity, alignment: 16)
  }

  /// The stream itself if it is such a buffer, else one around it.
  static func around(_ stream: any ByteStream) -> InputBuffer { stream as? InputBuffer ?? InputBuffer(stream) }

  deinit { memory.deallocate() }

  var path: String { upstream.path }
  var bytesRead: Int { upstream.bytesRead }
  var canReadAhead: Bool { upstream.canReadAhead }
  /// The bytes that are here already; valid until the next call.
  var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

  /// Reads until `count` bytes are available or the input ends; false in the second case.
  func need(_ count: Int) throws(ReadError) -> Bool {
    while end - start < count {
      if atEnd { return false }
      try fill()
    }
    return true
  }

  /// Reads once behind what is available; there must be room.
  func fill() throws(ReadError) {
    if start > 0 {
      memory.copyMemory(from: available)
      end -= start
      start = 0
    }
    precondition(end < memory.count, "the look ahead is longer than the buffer")
    let count = try upstream.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[end...]))
    end += count
    atEnd = count == 0
  }

  /// Goes over the first `count` available bytes.
  func consume(_ count: Int) {
    start += count
    offset += count
    precondition(count >= 0 && start <= end, "more was consumed than was there")
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if start < end {
      let count = min(buffer.count, end - start)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<start + count]))
      consume(count)
      return count
    }
    if atEnd { return 0 }
    let count = try upstream.read(into: buffer)
    atEnd = count == 0
    offset += count
    return count
  }
}
