import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore

/// Where the files of a family of stores are, and the few things that are done with them.
struct FamilyFiles: Sendable {
  let folder: String

  var plan: String { folder + "/_plan/plan.json" }
  var splitRejects: String { folder + "/_plan/rejects.ndjson" }
  var planFolder: String { folder + "/_plan" }
  var spool: String { folder + "/_spool" }
  var attempts: String { folder + "/_attempts" }
  var receipts: String { folder + "/_parts" }
  var next: String { folder + "/_next" }
  var success: String { folder + "/_SUCCESS" }
  /// The rejects of the split and of all parts.
  var allRejects: String { folder + "/_rejects.ndjson" }
  /// The copy of `_SUCCESS` from before stores were replaced.
  var previous: String { folder + "/_plan/previous.json" }

  func receipt(_ name: String) -> String { "\(receipts)/\(name).json" }
  func rejects(_ name: String) -> String { "\(receipts)/\(name).rejects.ndjson" }
  func store(_ path: String) -> String { "\(folder)/\(path)" }
  func nextStore(_ path: String) -> String { "\(next)/\(path)" }

  /// Whether a path that begins at the folder leads to a file of the family that is no store.
  static func isOwn(_ path: String) -> Bool {
    let names = ["_plan", "_spool", "_attempts", "_parts", "_next", "_SUCCESS", "_rejects.ndjson"]
    return path.split(separator: "/").first.map { names.contains(String($0)) } ?? false
  }

  /// Makes the folders of the family, except the attempts'.
  func make() throws(FamilyError) {
    for path in [folder, planFolder, receipts, attempts] { try Self.makeFolders(path) }
  }

  /// Whether two paths name one file, as they may where capital and small letters are the same.
  static func areSame(_ one: String, _ other: String) -> Bool { FileID(one).map { $0 == FileID(other) } ?? false }

  // MARK: Files

  /// Makes a folder and those above it.
  static func makeFolders(_ path: String) throws(FamilyError) {
    if FileKind(path) == .folder { return }
    let parent = FileSystem.folder(of: path)
    if path.contains("/"), path != "/", parent != path, FileKind(parent) != .folder { try makeFolders(parent) }
    do throws(StoreError) { try FileSystem.makeFolder(path) } catch { throw FamilyError(error) }
  }

  /// All bytes of a file; nil when there is none.
  static func read(_ path: String) throws(FamilyError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FamilyError(.failed, "\(path): cannot open: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    // Most are receipts, which are short.
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let got = piece.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw FamilyError(.failed, "\(path): cannot read: \(String(cString: strerror(errno)))") }
      if got == 0 { return bytes }
      bytes += piece[..<got]
    }
  }

  /// Appends bytes to a file, which is made when it does not exist.
  ///
  /// - Returns: The state of the file afterwards; `nil` when the system does not tell it.
  @discardableResult
  static func append(_ bytes: [UInt8], to path: String) throws(FamilyError) -> FileState? {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FamilyError(.failed, "\(path): cannot open: \(String(cString: strerror(errno)))") }
    var failure = bytes.withUnsafeBytes { WholeBytes.write($0, to: file).failure }
    let state = stat(descriptor: file).map { FileState($0) }
    if close(file) != 0, failure == 0 { failure = errno }
    guard failure == 0 else {
      throw FamilyError(.failed, "\(path): cannot write: \(String(cString: strerror(failure)))")
    }
    return state
  }

  /// An object as a file whose last member is a digest of all others.
  static func sealed(_ write: (inout JSONBytes) -> Void) -> [UInt8] {
    func object(_ sum: String?) -> [UInt8] {
      var out = JSONBytes()
      out.open(UInt8(ascii: "{"))
      write(&out)
      if let sum { out.member("sum", sum) }
      out.close(UInt8(ascii: "}"))
      out.endLine()
      return out.bytes
    }
    let digest = DigestStream()
    object(nil).withUnsafeBytes { digest.add($0) }
    return object(Hexadecimal.text(digest.finish()))
  }

  /// Puts bytes in the place of a file in one step, through a file in a folder of the same file system.
  ///
  /// A file that has these bytes already is left alone.
  static func replace(_ path: String, _ bytes: [UInt8], through folder: String) throws(FamilyError) {
    if try read(path) == bytes { return }
    let work = "\(folder)/\(FileSystem.name(of: path)).new"
    unlink(work)
    try append(bytes, to: work)
    do throws(StoreError) {
      try FileSystem.sync(work)
      try FileSystem.rename(work, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch { throw FamilyError(error) }
  }

  /// Puts the contents of some files, one behind the other, in the place of a file in one step.
  ///
  /// A file that has these bytes already is left alone; nothing to put there removes it.
  static func replace(_ path: String, joining parts: [String], through folder: String) throws(FamilyError) {
    do throws(StoreError) {
      guard !parts.isEmpty else { return try FileSystem.remove(path) }
    } catch { throw FamilyError(error) }
    let work = "\(folder)/\(FileSystem.name(of: path)).new"
    unlink(work)
    for part in parts {
      guard let bytes = try read(part) else {
        throw FamilyError(.incomplete, "\(part): the file no longer exists")
      }
      try append(bytes, to: work)
    }
    if let new = digest(work), let old = digest(path), new == old {
      unlink(work)
      return
    }
    do throws(StoreError) {
      try FileSystem.sync(work)
      try FileSystem.rename(work, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch { throw FamilyError(error) }
  }

  /// The size and the SHA-256 of a file.
  struct Digest: Hashable, Sendable {
    var bytes: Int
    var sha256: String
  }

  /// The digest of a file; nil when there is none or it cannot be read.
  static func digest(_ path: String) -> Digest? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let digest = DigestStream()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var total = 0
    while true {
      let got = Glibc.read(file, buffer.baseAddress, buffer.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return nil }
      if got == 0 { return Digest(bytes: total, sha256: Hexadecimal.text(digest.finish())) }
      digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      total += got
    }
  }
}

/// Tells whether a file is the one that it was, with the bytes that it had: its number, its size, and the times at which
/// it was written and changed, of which no program can set back the second.
struct FileState: Hashable, Sendable {
  private let numbers: [UInt64]

  init(_ status: stat) {
    func nanoseconds(_ time: timespec) -> UInt64 {
      UInt64(bitPattern: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
    numbers = [
      UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino),
      UInt64(truncatingIfNeeded: status.st_size),
      nanoseconds(status.st_mtim), nanoseconds(status.st_ctim),
    ]
  }

  /// Whether the file is the same with the same bytes, whatever its name: a new name changes the last of the times.
  func isSameFile(as other: FileState) -> Bool { numbers.dropLast() == other.numbers.dropLast() }

  /// The state of the file at a path; `nil` when there is none.
  init?(_ path: String) {
    guard let status = stat(path: path) else { return nil }
    self.init(status)
  }
}

/// A lock that one process has at a time; the system drops it with the process.
final class FamilyLock {
  private let file: Int32

  /// Waits for the lock.
  ///
  /// - Throws: `busy` after so many seconds; `failed` where there are no locks.
  init(_ path: String, seconds: Double) throws(FamilyError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FamilyError(.failed, "\(path): cannot open: \(String(cString: strerror(errno)))") }
    var waited = 0.0
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      // The file is closed by `deinit`, which runs here, too; closed twice, it might be another one by then.
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw FamilyError(.failed, "\(path): cannot lock: \(String(cString: strerror(errno)))")
      }
      guard waited < seconds else {
        throw FamilyError(.busy, "\(path): another process is planning or committing this family")
      }
      usleep(20_000)
      waited += 0.02
    }
  }

  deinit { close(file) }
}

/// A folder in which one attempt works; it goes with whoever made it.
final class AttemptFolder {
  let path: String
  private let lock: Int32

  init(_ files: FamilyFiles) throws(FamilyError) {
    while true {
      let (high, low) = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
      var path = "\(files.attempts)/\(UUIDText.text(high, low))"
      try FamilyFiles.makeFolders(path)
      // Once for all that is made in it, see ``PrivateFolder``.
      path = ResolvedPath.of(path)
      let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if lock < 0 {
        let number = errno
        rmdir(path)
        // A commit may sweep a folder that is not locked yet.
        if number == ENOENT { continue }
        throw FamilyError(.failed, "\(path): cannot open: \(String(cString: strerror(number)))")
      }
      if FileSystem.lockOwn(lock, path) {
        (self.path, self.lock) = (path, lock)
        return
      }
      close(lock)
    }
  }

  deinit {
    try? FileSystem.removeTree(path)
    if lock >= 0 { close(lock) }
  }

  /// Makes a folder in it and returns its path.
  func folder(_ name: String) throws(FamilyError) -> String {
    try FamilyFiles.makeFolders(path + "/" + name)
    return path + "/" + name
  }

  /// Removes what attempts have left that are gone.
  static func sweep(_ files: FamilyFiles) {
    for name in FileSystem.names(in: files.attempts) {
      let path = files.attempts + "/" + name
      let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard lock >= 0 else { continue }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileSystem.removeTree(path) }
      close(lock)
    }
  }
}

extension FamilyFiles {
  /// The size of a plain file; nil when there is none.
  static func size(_ path: String) -> Int? {
    stat(path: path).flatMap { $0.isRegular ? Int($0.st_size) : nil }
  }

  /// A mark that shows whether a file was written to since; nil when it is not a file with such a mark.
  ///
  /// The number of the file does not count: a copy with the times of its original is the same.
  static func state(_ path: String) -> String? {
    guard let status = stat(path: path), status.isRegular else { return nil }
    return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// Tells whether a file is still the one that was read and was not replaced.
  static func identity(_ path: String) -> String? {
    stat(path: path)?.mark
  }
}
