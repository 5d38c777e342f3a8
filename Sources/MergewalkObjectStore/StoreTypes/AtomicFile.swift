import MergewalkDiagnostics
import MergewalkSystem

/// Writes a file atomically: readers see the complete old or new one, even after a machine crash.
///
/// ```swift
/// try AtomicFile.replace(path) { file in try file.write(bytes) }
/// ```
public final class AtomicFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// How many bytes are collected before they are written.
  private static let bufferSize = 1 << 16

  /// Writes a file under a hidden name beside the one it replaces, syncs it and renames it.
  ///
  /// The new file takes the permissions of the old one.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`, or the error of `body`; the old file is then unchanged.
  public static func replace(_ path: String, _ body: (AtomicFile) throws(StoreError) -> Void) throws(StoreError) {
    // A link stays one: the file it leads to is replaced.
    let path = ResolvedPath.of(path)
    try FileSystem.requireReplaceable(path)
    let file = try AtomicFile(path)
    do throws(StoreError) {
      try body(file)
      try file.flush()
      guard fsync(file.descriptor) == 0 else { throw FileSystem.failure(path, "cannot sync") }
    } catch {
      close(file.descriptor)
      unlink(file.temporary)
      throw error
    }
    close(file.descriptor)
    guard rename(file.temporary, path) == 0 else {
      let error = FileSystem.failure(path, "cannot rename to it")
      unlink(file.temporary)
      throw error
    }
    try FileSystem.sync(FileSystem.folder(of: path))
  }

  private init(_ path: String) throws(StoreError) {
    self.path = path
    var template = Array("\(FileSystem.folder(of: path))/.\(FileSystem.name(of: path)).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw FileSystem.failure(path, "cannot make a file beside it") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // What a file made in the usual way would allow, unless there is one to follow.
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, stat(path: path).map { $0.st_mode & 0o777 } ?? 0o666 & ~mask)
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Appends bytes.
  public func write(_ bytes: some Sequence<UInt8>) throws(StoreError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Appends text in UTF-8.
  public func write(_ text: String) throws(StoreError) { try write(text.utf8) }

  private func flush() throws(StoreError) {
    let failure = buffer.withUnsafeBytes { WholeBytes.write($0, to: descriptor).failure }
    guard failure == 0 else { throw FileSystem.failure(path, "cannot write") }
    buffer.removeAll(keepingCapacity: true)
  }
}

@available(*, unavailable, message: "a file that is being written is confined to one task")
extension AtomicFile: Sendable {}

/// The identity by which a file is recognized as the one that was read.
struct FileIdentity: Equatable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// The same as numbers, to be written down.
  var numbers: [Int64] {
    [
      Int64(bitPattern: UInt64(device)), Int64(bitPattern: UInt64(inode)), Int64(size), Int64(seconds),
      Int64(nanoseconds),
    ]
  }

  /// `nil` when there is no file.
  init?(_ path: String) {
    guard let info = stat(path: path) else { return nil }
    device = UInt(info.st_dev)
    inode = UInt(info.st_ino)
    size = Int(info.st_size)
    seconds = info.st_mtim.tv_sec
    nanoseconds = info.st_mtim.tv_nsec
  }
}
