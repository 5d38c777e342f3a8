/// A stream whose first bytes can be read twice: once for a sample, then again.
final class RewindableStream: ByteStream {
  private let upstream: any ByteStream
  private var kept: [UInt8] = []
  private var position = 0
  private var isKeeping = true
  private var isAtEnd = false

  init(_ upstream: any ByteStream) { self.upstream = upstream }

  var path: String { upstream.path }
  var bytesRead: Int { upstream.bytesRead }
  /// The bytes read so far.
  var keptBytes: Int { kept.count }

  /// Goes back to the start; from then on nothing is kept.
  func replay() {
    position = 0
    isKeeping = false
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if position < kept.count {
      let count = min(buffer.count, kept.count - position)
      kept.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
      }
      position += count
      if position == kept.count, !isKeeping {
        kept = []
        position = 0
      }
      return count
    }
    if isAtEnd { return 0 }
    let count = try upstream.read(into: buffer)
    isAtEnd = count == 0
    if isKeeping {
      kept.append(contentsOf: buffer[..<count])
      position = kept.count
    }
    return count
  }
}
