/// A stream that is read ahead on a separate thread, so that unpacking and parsing use a core each.
///
/// The first MiB is read without a thread. Only for streams over files, whose reads end: the thread is joined when the
/// stream is released.
final class PrefetchStream: ByteStream {
  let path: String
  /// Counts the bytes of the file; any thread may ask it.
  private let file: any ByteStream
  private let ahead: ReadAhead
  private var direct = 0

  init(_ upstream: any ByteStream, file: any ByteStream) {
    path = upstream.path
    self.file = file
    ahead = ReadAhead(upstream)
  }

  deinit { ahead.stop() }

  var bytesRead: Int { file.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if !ahead.isStarted, direct >= ReadAheadSize().direct { ahead.start() }
    if ahead.isStarted { return try ahead.read(into: buffer) }
    let count = try ahead.upstream.read(into: buffer)
    direct += count
    return count
  }
}
