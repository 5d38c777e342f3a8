/// A stream of which the first bytes were read already, to look at them.
final class PrefixedStream: ByteStream {
  private let stream: any ByteStream
  private var prefix: [UInt8]
  private var used = 0

  /// Puts bytes that were read from a stream before what is still to come.
  init(_ prefix: [UInt8], _ stream: any ByteStream) {
    self.prefix = prefix
    self.stream = stream
  }

  /// Reads the first bytes of a stream: `count`, or all if there are fewer.
  static func first(_ count: Int, of stream: any ByteStream) throws(ReadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = try bytes.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
        try stream.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[filled...])))
      }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if used < prefix.count {
      let count = min(buffer.count, prefix.count - used)
      prefix.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + count])) }
      used += count
      if used == prefix.count { prefix = []; used = 0 }
      return count
    }
    return try stream.read(into: buffer)
  }
}
