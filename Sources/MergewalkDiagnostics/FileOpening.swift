import MergewalkSystem

/// Opens files that may be named pipes without waiting forever for the other end.
package enum FileOpening {
  /// How long the other end of a named pipe may take to open, in seconds.
  package static let patience = 2.0
  private static let pause: Int32 = 20

  /// Opens an existing file for writing, and what is no regular file too.
  ///
  /// - Returns: The descriptor, which blocks; -1 with `errno`, `ENXIO` for a pipe without a reader.
  package static func forWriting(_ path: String, _ flags: Int32) -> Int32 {
    let end = SystemClock.monotonic + patience
    while true {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
      }
      if errno == EINTR { continue }
      guard errno == ENXIO, SystemClock.monotonic < end else { return -1 }
      poll(nil, 0, pause)
    }
  }

  /// Reads from a descriptor that was opened with `O_NONBLOCK`, and waits for what a pipe's writer sends.
  ///
  /// - Parameter hasWriter: Whether the other end is known to have been open; is set.
  /// - Returns: The number of bytes; 0 at the end; -1 with `errno`, `ETIMEDOUT` for a pipe without a writer.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, hasWriter: inout Bool
  ) -> Int {
    let end = SystemClock.monotonic + patience
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        hasWriter = true
        return count
      }
      if count == 0 {
        if hasWriter { return 0 }
        guard SystemClock.monotonic < end else {
          errno = ETIMEDOUT
          return -1
        }
        poll(nil, 0, pause)
      } else if errno == EAGAIN {
        hasWriter = true
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, -1)
      } else if errno != EINTR {
        return -1
      }
    }
  }
}
