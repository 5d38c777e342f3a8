/// A stream that keeps what was read from it, and seems to end when that is too much.
final class RecordingStream: ByteStream {
  private let stream: any ByteStream
  private(set) var recorded: [UInt8] = []
  private(set) var failure: ReadError?
  /// Whether it seemed to end before the stream does.
  private(set) var isCut = false

  /// The most bytes that are kept.
  static let most = 16 << 20

  init(_ stream: any ByteStream) { self.stream = stream }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if recorded.count >= Self.most {
      isCut = true
      return 0
    }
    do throws(ReadError) {
      let count = try stream.read(into: buffer)
      recorded.append(contentsOf: buffer[..<count])
      return count
    } catch {
      failure = error
      throw error
    }
  }
}
