import Glibc

/// What the file system says of a path.
enum FileFacts {
  /// Whether there is something.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The size of a file in bytes; `nil` when there is none.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// The first bytes of a regular file; `nil` when it cannot be read.
  static func head(_ path: String, count: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
    return got >= 0 ? Array(bytes.prefix(got)) : nil
  }
}
