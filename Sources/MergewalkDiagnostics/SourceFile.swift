import MergewalkSystem

/// Reads whole files that people wrote, within a limit.
package enum SourceFile {
  /// Returns the file's bytes.
  ///
  /// Codes of the findings: `fileMissing`, `fileUnreadable`, `fileTooLarge`.
  ///
  /// - Parameters:
  ///   - path: the path, absolute or relative to the working directory.
  ///   - limit: the greatest size in bytes.
  /// - Throws: one finding about the file as a whole.
  /// - Complexity: O(size).
  package static func read(_ path: String, limit: Int = 64 << 20) throws(DiagnosticList) -> [UInt8] {
    // A named pipe is not waited for here: opening it ends only when a writer comes.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    guard let status = stat(descriptor: descriptor) else { throw failure(path, errno) }
    guard !status.isFolder else { throw failure(path, EISDIR) }
    var hasWriter = status.st_mode & S_IFMT != S_IFIFO
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: max(4096, min(Int(status.st_size) + 1, 1 << 20)))
    while true {
      let count = chunk.withUnsafeMutableBytes { FileOpening.read(descriptor, into: $0, hasWriter: &hasWriter) }
      if count == 0 { return bytes }
      guard count > 0 else { throw failure(path, errno) }
      guard bytes.count + count <= limit else {
        throw DiagnosticList(error: "fileTooLarge", path: path, message: "the file is larger than \(limit) bytes")
      }
      bytes += chunk[..<count]
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> DiagnosticList {
    let code = number == ENOENT || number == ENOTDIR ? "fileMissing" : "fileUnreadable"
    let message =
      switch number {
      case ENOENT, ENOTDIR: "there is no such file"
      case ETIMEDOUT: "it is a pipe without a writer"
      case EISDIR: "this is a folder, not a file"
      case EACCES, EPERM: "this user may not read the file"
      default: "cannot read the file: \(String(cString: strerror(number)))"
      }
    let hint: String? =
      switch number {
      // What is read whole are mostly files that people write, which are YAML.
      case ENOENT, ENOTDIR: NearestFile.advice(for: path, preferring: [".yaml", ".yml"])
      case EISDIR where [".xcdatamodeld", ".xcdatamodel", ".momd"].contains(where: { path.hasSuffix($0) }):
        "it is a model; a pipeline names it with “model: \(path)”"
      case EISDIR: NearestFile.files(in: path, ending: ".yaml")
      default: nil
      }
    return DiagnosticList(error: code, path: path, message: message, hint: hint)
  }
}
