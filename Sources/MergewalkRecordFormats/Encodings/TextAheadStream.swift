import CMergewalkProcess

/// A text file that is read ahead by a thread, which also looks for bytes that are not UTF-8.
///
/// It is an ordinary stream until the text is known to be UTF-8, and if the process has only one processor. Only over
/// files, whose reads end.
final class TextAheadStream: ByteStream {
  let path: String
  private let upstream: any ByteStream
  private let size: ReadAheadSize
  private var isAllowed = false
  private var ahead: ReadAhead?
  /// The bytes that were handed out, and those that the file had given and that were not taken when the thread started.
  private var offset = 0
  private var rest = 0

  init(_ upstream: any ByteStream, _ size: ReadAheadSize) {
    path = upstream.path
    self.upstream = upstream
    self.size = size
  }

  deinit { ahead?.stop() }

  /// Lets a thread read on.
  func readAhead() { isAllowed = true }

  /// The number of bytes that were handed out, as if there were no thread.
  var bytesRead: Int { ahead == nil ? upstream.bytesRead : min(offset + rest, upstream.bytesRead) }

  var verifiedText: Range<Int> { ahead?.verified ?? 0..<0 }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if isAllowed, ahead == nil, offset >= size.direct { start() }
    let count = if let ahead { try ahead.read(into: buffer) } else { try upstream.read(into: buffer) }
    offset += count
    return count
  }

  private func start() {
    isAllowed = false
    // Handing the bytes over is worth it only when it is done at the same time as something else.
    guard cprocess_processors() > 1 else { return }
    let ahead = ReadAhead(upstream, check: AheadCheck(offset: offset), bufferSize: size.buffer)
    rest = upstream.bytesRead - offset
    ahead.start()
    // Where the system has no thread to give, it is not asked again.
    if ahead.isStarted { self.ahead = ahead }
  }
}
