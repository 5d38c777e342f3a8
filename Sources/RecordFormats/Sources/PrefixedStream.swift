/// A stream of which the beginning was read already, to look at it, and is read again.
final class PrefixedStream: ByteStream {
  private let stream: any ByteStream
  private var prefix: [UInt8]
  private var taken = 0
  /// Whether the prefix is all there is.
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
    var filled = prefix.count
    if filled < count { prefix += repeatElement(0, count: count - filled) }
    defer { if filled < prefix.count { prefix.removeLast(prefix.count - filled) } }
    while filled < count, !isWhole {
      let got = try prefix.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
        try stream.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[filled...])))
      }
      if got == 0 { isWhole = true }
      filled += got
    }
    return Array(prefix[..<filled])
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
