import Glibc

/// Where an input's bytes come from.
public struct ByteSource: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case file
    case standardInput
    case memory([UInt8], chunks: [Int])
  }

  /// The path as the user gave it, for messages.
  public let path: String
  let kind: Kind

  /// A file, or standard input when the path is `-`.
  public init(path: String) {
    self.path = path
    kind = path == "-" ? .standardInput : .file
  }

  /// Bytes in memory that arrive in pieces of `chunkSize` bytes, for tests.
  public init(bytes: some Sequence<UInt8>, chunkSize: Int = .max, path: String = "memory") {
    self.init(bytes: bytes, chunkSizes: [chunkSize], path: path)
  }

  /// Bytes in memory that arrive in pieces of the given sizes, of which the last one repeats, for tests.
  public init(bytes: some Sequence<UInt8>, chunkSizes: [Int], path: String = "memory") {
    self.path = path
    kind = .memory(Array(bytes), chunks: chunkSizes.map { max(1, $0) })
  }

  /// Opens the source for reading from its start.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory` or `inputFailed`.
  func open() throws(ReadError) -> ByteStream {
    switch kind {
    case .memory(let bytes, let chunks): return ByteStream(path: path, bytes: bytes, chunks: chunks)
    case .standardInput: return ByteStream(path: path, descriptor: 0, owned: false)
    case .file:
      var descriptor: Int32
      repeat { descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
      if descriptor < 0 { throw ReadError(errno: errno, path: path, doing: "open") }
      let stream = ByteStream(path: path, descriptor: descriptor, owned: true)
      var status = stat()
      if fstat(descriptor, &status) != 0 { throw ReadError(errno: errno, path: path, doing: "open") }
      if status.st_mode & S_IFMT == S_IFDIR { throw ReadError(errno: EISDIR, path: path, doing: "open") }
      return stream
    }
  }

  /// Whether what is read is gone: standard input, a pipe, a device.
  public var isReadOnce: Bool {
    switch kind {
    case .standardInput: return true
    case .file:
      var status = stat()
      let isThere = stat(path, &status) == 0
      return isThere && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    default: return false
    }
  }

  /// Reads the first bytes without consuming anything; what can be read only once (standard input, a pipe) gives none.
  ///
  /// - Throws: as `open()`.
  func sample(_ count: Int) throws(ReadError) -> [UInt8] {
    if isReadOnce { return [] }
    let stream = try open()
    var result = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = try result.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
        try stream.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[filled...])))
      }
      if got == 0 { break }
      filled += got
    }
    result.removeLast(count - filled)
    return result
  }
}

/// An open source; closes its descriptor when it goes.
final class ByteStream {
  let path: String
  /// The bytes delivered so far.
  private(set) var bytesRead = 0
  private let descriptor: Int32
  private let owned: Bool
  private let memory: [UInt8]
  private let chunks: [Int]
  private var chunkIndex = 0

  init(path: String, descriptor: Int32, owned: Bool) {
    self.path = path
    self.descriptor = descriptor
    self.owned = owned
    memory = []
    chunks = []
  }

  init(path: String, bytes: [UInt8], chunks: [Int]) {
    self.path = path
    descriptor = -1
    owned = false
    memory = bytes
    self.chunks = chunks
  }

  deinit { if owned { _ = close(descriptor) } }

  /// Reads at least one byte into the buffer, which must not be empty.
  ///
  /// - Returns: the number of bytes; 0 at the end of the input.
  /// - Throws: `inputFailed`, `isDirectory`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if descriptor < 0 {
      let chunk = chunks.isEmpty ? Int.max : chunks[min(chunkIndex, chunks.count - 1)]
      let count = min(buffer.count, chunk, memory.count - bytesRead)
      memory.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[bytesRead..<bytesRead + count]))
      }
      bytesRead += count
      chunkIndex += 1
      return count
    }
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        bytesRead += count
        return count
      }
      if errno != EINTR { throw ReadError(errno: errno, path: path, doing: "read") }
    }
  }
}

extension ReadError {
  /// The error that an errno stands for.
  init(errno number: Int32, path: String, doing verb: String) {
    let code: Code =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM: .permissionDenied
      case EISDIR: .isDirectory
      default: .inputFailed
      }
    let reason =
      switch code {
      case .notFound: "there is no file at this path"
      case .permissionDenied: "this user may not read the file"
      case .isDirectory: "this is a folder, not a file"
      default: strerror(number).map { String(cString: $0) } ?? "error \(number)"
      }
    self.init(code, path: path, message: "cannot \(verb) the input: \(reason)")
  }
}
