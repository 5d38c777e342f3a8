import Diagnostics
import Glibc

/// Reads and replaces small files as a whole.
enum TextFile {
  /// The bytes of a file, or `nil` when there is none.
  ///
  /// - Throws: one finding, `cannotRead`, also for what is no plain file or is larger than 64 MiB.
  static func read(_ path: String) throws(DiagnosticList) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(path, "cannotRead", "cannot open the file")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 64 << 20 else {
      throw DiagnosticList([
        Diagnostic(
          .error, code: "cannotRead", path: path, position: .file, message: "this is not a file of at most 64 MiB")
      ])
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, "cannotRead", "cannot read the file") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Puts text in the place of a file, in one step: others see the old file or the new one.
  ///
  /// - Throws: `cannotWrite`, or `fileExists` when an earlier attempt left its unfinished file.
  static func replace(_ path: String, _ text: String) throws(DiagnosticList) {
    let unfinished = "\(path).\(getpid()).tmp"
    try OutputFile.create(unfinished, text)
    guard rename(unfinished, path) == 0 else {
      let finding = failure(path, "cannotWrite", "cannot replace the file")
      unlink(unfinished)
      throw finding
    }
  }

  private static func failure(_ path: String, _ code: String, _ message: String) -> DiagnosticList {
    let reason = String(cString: strerror(errno))
    return DiagnosticList([
      Diagnostic(.error, code: code, path: path, position: .file, message: "\(message): \(reason)")
    ])
  }
}
