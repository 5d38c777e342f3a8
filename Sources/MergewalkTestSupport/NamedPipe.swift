import MergewalkSystem

/// A named pipe that a test writes at chosen moments, so that it knows what a reader has received.
///
/// Both ends are held open: neither end waits for the other to open it, and writing without a reader raises no signal.
public final class NamedPipe {
  /// The pipe's path.
  public let path: String
  private var descriptor: Int32

  /// Creates the pipe; the path must not exist.
  public init(_ path: String) {
    self.path = path
    precondition(mkfifo(path, 0o600) == 0, "cannot make the pipe \(path): \(String(cString: strerror(errno)))")
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open the pipe \(path): \(String(cString: strerror(errno)))")
    // As much as a pipe may hold, 1 MiB: F_SETPIPE_SZ, which Swift's Glibc does not name.
    _ = fcntl(descriptor, 1031, 1 << 20)
  }

  deinit { end() }

  /// Writes a text; waits for a reader if it is longer than a MiB.
  public func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while rest.count > 0 {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        precondition(count > 0, "cannot write to the pipe \(path): \(String(cString: strerror(errno)))")
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// Ends the reader's input; nothing more can be written.
  public func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
