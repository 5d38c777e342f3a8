import MergewalkSystem
import Synchronization

/// An open input, read once from its start to its end.
///
/// Streams are stacked: a file, its unpacked contents, a member of the archive in them.
protocol ByteStream: AnyObject {
  /// The path as the user gave it, for messages; a member of an archive stands behind it and a slash.
  var path: String { get }
  /// The bytes taken from the file itself so far, for progress; a file may be asked from any thread.
  var bytesRead: Int { get }
  /// Whether another thread may do the reading, whose reads end so that it can be waited for.
  var canReadAhead: Bool { get }
  /// A part of what was handed out that is known to be UTF-8 without NUL, by its offsets from the stream's start; it may
  /// go on behind that. It begins where a character does, and may end inside one.
  var verifiedText: Range<Int> { get }

  /// Reads at least one byte into the buffer, which must not be empty.
  ///
  /// - Returns: the number of bytes; 0 at the end of the input, which has then been found whole.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int
}

extension ByteStream {
  var canReadAhead: Bool { false }
  var verifiedText: Range<Int> { 0..<0 }
}

/// An input that can be read at any place, which zip archives need.
protocol RandomAccessStream: ByteStream {
  var size: Int { get }

  /// Fills the buffer with what stands at `offset`.
  ///
  /// - Throws: `truncated` when the file ends before; `inputFailed`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError)

  /// Whether what was read is still what the file holds.
  ///
  /// - Throws: `fileChanged`.
  func verifyUnchanged() throws(ReadError)
}

/// An open file, pipe or device; closes its descriptor when it goes.
final class FileStream: ByteStream {
  let path: String
  private let taken = Atomic(0)
  private let descriptor: Int32
  private let owned: Bool
  /// The file's state when it was opened; only of regular files.
  private var before: stat?

  init(path: String, descriptor: Int32, owned: Bool) {
    self.path = path
    self.descriptor = descriptor
    self.owned = owned
  }

  /// Opens the file at a path.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory` or `inputFailed`.
  init(opening path: String) throws(ReadError) {
    var descriptor: Int32
    repeat { descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
    if descriptor < 0 { throw ReadError(errno: errno, path: path, doing: "open") }
    self.path = path
    self.descriptor = descriptor
    owned = true
    let status = try status(doing: "open")
    if status.isFolder { throw ReadError(errno: EISDIR, path: path, doing: "open") }
    if status.isRegular { before = status }
  }

  deinit { if owned { _ = close(descriptor) } }

  var bytesRead: Int { taken.load(ordering: .relaxed) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        taken.add(count, ordering: .relaxed)
        return count
      }
      if count == 0 {
        try verifyUnchanged()
        return 0
      }
      if errno != EINTR { throw ReadError(errno: errno, path: path, doing: "read") }
    }
  }

  private func status(doing verb: String) throws(ReadError) -> stat {
    guard let status = stat(descriptor: descriptor) else { throw ReadError(errno: errno, path: path, doing: verb) }
    return status
  }
}

extension FileStream: RandomAccessStream {
  /// Whether any place can be read.
  var isSeekable: Bool { before != nil }

  var canReadAhead: Bool { isSeekable }

  var size: Int { Int(before?.st_size ?? 0) }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      if count == 0 {
        try verifyUnchanged()
        throw ReadError(container: .truncated, path, at: offset + filled, "the file ends here")
      }
      if count < 0, errno != EINTR { throw ReadError(errno: errno, path: path, doing: "read") }
      if count > 0 {
        filled += count
        taken.add(count, ordering: .relaxed)
      }
    }
  }

  func verifyUnchanged() throws(ReadError) {
    guard let before else { return }
    let now = try status(doing: "read")
    if now.st_size == before.st_size, now.st_mtim.tv_sec == before.st_mtim.tv_sec,
      now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    {
      return
    }
    let what =
      now.st_size == before.st_size ? "was written to" : "had \(before.st_size) bytes and now has \(now.st_size)"
    throw ReadError(
      .fileChanged, path: path,
      message: "the file \(what) while it was read; import it when whatever writes it has finished")
  }
}

/// Bytes in memory that arrive in pieces, for tests.
final class MemoryStream: RandomAccessStream {
  let path: String
  private let taken = Atomic(0)
  private let bytes: [UInt8]
  private let chunks: [Int]
  private var chunkIndex = 0
  private var position = 0
  let canReadAhead: Bool

  /// - Parameter canReadAhead: whether it is read as a file is.
  init(path: String, bytes: [UInt8], chunks: [Int], canReadAhead: Bool = false) {
    self.canReadAhead = canReadAhead
    self.path = path
    self.bytes = bytes
    self.chunks = chunks
  }

  var bytesRead: Int { taken.load(ordering: .relaxed) }
  var size: Int { bytes.count }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let chunk = chunks.isEmpty ? Int.max : chunks[min(chunkIndex, chunks.count - 1)]
    let count = min(buffer.count, chunk, bytes.count - position)
    copy(position, UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    position += count
    chunkIndex += 1
    return count
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) {
    if offset < 0 || offset > bytes.count || buffer.count > bytes.count - offset {
      throw ReadError(container: .truncated, path, at: bytes.count, "the file ends here")
    }
    copy(offset, buffer)
  }

  func verifyUnchanged() throws(ReadError) {}

  private func copy(_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + buffer.count]))
    }
    taken.add(buffer.count, ordering: .relaxed)
  }
}

extension ReadError {
  /// The error that an errno stands for.
  package init(errno number: Int32, path: String, doing verb: String) {
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
