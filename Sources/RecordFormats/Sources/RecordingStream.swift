/// A stream that keeps what was read from it.
final class RecordingStream: ByteStream {
  private let stream: any ByteStream
  private(set) var recorded: [UInt8] = []
  private(set) var failure: ReadError?

  init(_ stream: any ByteStream) { self.stream = stream }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
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
