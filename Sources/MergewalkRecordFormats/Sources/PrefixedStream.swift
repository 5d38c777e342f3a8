/// A stream of which the beginning was read already, to look at it, and is read again.
final class PrefixedStream: ByteStream {
  private let stream: any ByteStream
  private var prefix: [UInt8]
  private var taken = 0
  private(set) var isWhole = false

  /// Puts bytes that were read from a stream before what is still to come.
  init(_ prefix: [UInt8], _ stream: any ByteStream) {
    self.prefix = prefix
    self.stream = stream
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  /// Reads on until the prefix has `count` bytes or the stream ends, and returns it.
  func prefix(_ count: Int) throws(ReadError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 1)
    defer { buffer.deallocate() }
    while prefix.count < count, !isWhole {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, count - prefix.count)])
      let got = try stream.read(into: room)
      if got == 0 { isWhole = true }
      prefix.append(contentsOf: room[..<got])
    }
    return prefix
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    guard taken < prefix.count else { return isWhole ? 0 : try stream.read(into: buffer) }
    let count = min(buffer.count, prefix.count - taken)
    prefix.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count]))
    }
    taken += count
    if taken == prefix.count {
      prefix = []
      taken = 0
    }
    return count
  }
}
