import Glibc

/// Reads whole files that people wrote, within a limit.
public enum SourceFile {
  /// Returns the file's bytes.
  ///
  /// Codes of the findings: `fileMissing`, `fileUnreadable`, `fileTooLarge`.
  ///
  /// - Parameters:
  ///   - path: the path, absolute or relative to the working directory.
  ///   - limit: the greatest size in bytes.
  /// - Throws: one finding about the file as a whole.
  /// - Complexity: O(size).
  public static func read(_ path: String, limit: Int = 64 << 20) throws(DiagnosticList) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(path, EISDIR) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: max(4096, min(Int(status.st_size) + 1, 1 << 20)))
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path, errno)
      }
      guard bytes.count + count <= limit else {
        throw DiagnosticList([
          Diagnostic(
            .error, code: "fileTooLarge", path: path, position: .file,
            message: "the file is larger than \(limit) bytes")
        ])
      }
      bytes += chunk[..<count]
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> DiagnosticList {
    let code = number == ENOENT || number == ENOTDIR ? "fileMissing" : "fileUnreadable"
    let message =
      code == "fileMissing" ? "there is no such file" : "cannot read the file: \(String(cString: strerror(number)))"
    return DiagnosticList([Diagnostic(.error, code: code, path: path, position: .file, message: message)])
  }
}
