import MergewalkSystem

/// The destination of rows: an open file descriptor, a pipe, a terminal.
///
/// The owner of the process ignores `SIGPIPE`, so that a reader that closes its end shows as ``isReaderGone`` instead
/// of killing the process. The sink does not close its descriptor.
package final class ByteSink {
  package let descriptor: Int32
  /// How many bytes the operating system has taken.
  package private(set) var byteCount = 0
  /// Whether the reader of the pipe has gone away; what is written afterwards is dropped.
  package private(set) var isReaderGone = false

  /// Wraps an open descriptor.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or notes that the reader has gone away.
  ///
  /// - Throws: ``OutputError`` when the device refuses (it is full, it fails).
  /// - Complexity: O(bytes); one `write(2)` when the device takes them at once.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    var done = 0
    while done < bytes.count, !isReaderGone {
      let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
      if count > 0 {
        done += count
        byteCount += count
      } else if count < 0, errno == EPIPE {
        isReaderGone = true
      } else if count < 0, errno == EAGAIN {
        try wait()
      } else if count == 0 || errno != EINTR {
        throw OutputError(number: count == 0 ? EIO : errno)
      }
    }
  }

  /// Waits until a descriptor that does not block (a terminal shared with such a program) takes bytes again.
  private func wait() throws(OutputError) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&request, 1, -1) >= 0 || errno == EINTR else { throw OutputError(number: errno) }
  }
}

/// Rows that could not be written.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operating system's error number.
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// `cannot write: No space left on device`.
  package var description: String { "cannot write: \(String(cString: strerror(number)))" }
}
