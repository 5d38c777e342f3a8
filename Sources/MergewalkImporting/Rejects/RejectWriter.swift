package import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore

/// The rejects file cannot be written.
package struct RejectWriterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Sendable, CaseIterable {
    /// The file or its folder does not let itself be written.
    case cannotOpen
    /// The file does not let itself be read, so that nothing is known of what it holds.
    case cannotRead
    /// The disk is full, or another failure of the operating system.
    case cannotWrite
    /// There is a file that holds something else.
    case notRejects
    /// The file has fewer bytes than the run that is resumed has written to it, or is gone.
    case tooShort
  }
  /// The kind of failure.
  package var code: Code
  package var path: String
  /// The operating system's error number.
  package var number: Int32

  /// The message, with the path and the operating system's words.
  package var description: String {
    switch code {
    case .cannotOpen where number == ENXIO: "the pipe \(path) for the rejects has no reader"
    case .cannotOpen: "the rejects file \(path) cannot be opened: \(String(cString: strerror(number)))"
    case .cannotRead: "the rejects file \(path) cannot be read: \(String(cString: strerror(number)))"
    case .cannotWrite: "the rejects file \(path) cannot be written: \(String(cString: strerror(number)))"
    case .notRejects:
      "the rejects file \(path) would take the place of a file that is not a rejects file; name another one, or move it away"
    case .tooShort: "the rejects file \(path) has lost rejects that the run has written"
    }
  }
}

/// Writes rejected records as NDJSON: one line for each.
///
/// A file of an earlier run is set aside at the start (``EarlierRejects``); the run's own is made with the first
/// reject, so that a clean run leaves none. The lines' members are described in `docs/rejects.md`.
package final class RejectWriter {
  /// The file's path; where it was moved, once it is closed and another run has set it aside meanwhile.
  package private(set) var path: String
  /// The number of rejects so far.
  package private(set) var count = 0
  /// The number of bytes so far, those that are not flushed included.
  package private(set) var byteCount = 0

  /// The bytes that are known to be on the disk.
  private var syncedBytes = 0
  /// Whether the file's name and its first lines are on the disk: by these the next run knows it.
  private var isSettled = true
  private var descriptor: Int32 = -1
  /// The rejects that earlier runs have left.
  private let earlier: EarlierRejects
  /// Who may use a file that is made: at most who may use the store, and the file that was set aside.
  private var rights: FileAccess
  private var text: RejectText
  /// The buffer is written when it is fuller than this, in bytes.
  private static let bufferLimit = 256 << 10

  /// Prepares the file.
  ///
  /// - Parameters:
  ///   - run: what names the run in each line.
  ///   - access: who may use a file that is made.
  ///   - isReplayed: whether the records of a file were replayed, so that nothing is lost with it.
  /// - Throws: ``RejectWriterError`` `notRejects` when there is a file that holds something else, `cannotRead`,
  ///   `cannotOpen` when there is a file that can be neither set aside nor written, or no file can be made; better now
  ///   than after hours. The folder is made when it does not exist.
  package init(
    path: String, run: String, access: FileAccess = .usual,
    isReplayed: (_ path: String) throws(RejectWriterError) -> Bool = { _ in false }
  ) throws(RejectWriterError) {
    self.path = path
    text = RejectText(run: run)
    rights = access
    earlier = EarlierRejects(of: path)
    if let status = stat(path: path) {
      // What an earlier process of this run has written and never committed is written again.
      if status.isRegular, status.st_size > 0, try EarlierRejects.run(of: path) != run,
        try !isReplayed(path)
      {
        _ = try earlier.setAside()
        rights.mode &= status.st_mode
        return
      }
      try EarlierRejects.requireRejects(path)
      descriptor = FileOpening.forWriting(path, O_TRUNC)
      guard descriptor >= 0 else { throw RejectWriterError(code: .cannotOpen, path: path, number: errno) }
      return
    }
    let folder = ResolvedPath.folder(of: path)
    Self.makeFolder(folder)
    guard Glibc.access(folder, W_OK | X_OK) == 0 else {
      throw RejectWriterError(code: .cannotOpen, path: path, number: errno)
    }
  }

  /// Continues with the file of an earlier process: what that wrote behind the first `length` bytes is cut off.
  ///
  /// The file is found where another run has set it aside meanwhile, too. What is no plain file, such as a pipe, is
  /// only written to.
  ///
  /// - Parameter count: the number of rejects in these bytes.
  /// - Throws: ``RejectWriterError`` `tooShort` when the file has fewer bytes; `cannotRead`, `cannotOpen`, `cannotWrite`.
  package convenience init(
    path: String, run: String, access: FileAccess = .usual, keeping length: Int, count: Int,
    isReplayed: (_ path: String) throws(RejectWriterError) -> Bool = { _ in false }
  ) throws(RejectWriterError) {
    guard length > 0, stat(path: path)?.isRegular ?? true else {
      try self.init(path: path, run: run, access: access, isReplayed: isReplayed)
      self.count = count
      byteCount = length
      return
    }
    guard try EarlierRejects(of: path).putBack(run: run), let status = stat(path: path), status.st_size >= length else {
      throw RejectWriterError(code: .tooShort, path: path, number: ENOENT)
    }
    try self.init(path: path, run: run, length: length)
    self.count = count
    byteCount = length
  }

  /// Opens an existing file and cuts it to a length.
  private init(path: String, run: String, length: Int) throws(RejectWriterError) {
    self.path = path
    text = RejectText(run: run)
    rights = .usual
    earlier = EarlierRejects(of: path)
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RejectWriterError(code: .cannotOpen, path: path, number: errno) }
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
      throw RejectWriterError(code: .cannotWrite, path: path, number: errno)
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Makes a folder and those above it; what does not work shows when the folder is used.
  private static func makeFolder(_ path: String) {
    guard access(path, F_OK) != 0, mkdir(path, 0o755) != 0, errno == ENOENT else { return }
    let above = ResolvedPath.folder(of: path)
    guard above != path else { return }
    makeFolder(above)
    mkdir(path, 0o755)
  }

  /// Adds a line; it reaches the file with the next flush.
  ///
  /// - Parameter raw: the record's bytes without its line end.
  package func write(_ reject: Reject, raw: UnsafeRawBufferPointer) throws(RejectWriterError) {
    try count { $0.add(reject, raw: raw) }
  }

  /// Adds a line about an object of the store that could not be deleted.
  package func write(object: String, entity: String, code: RejectCode, message: String) throws(RejectWriterError) {
    try count { $0.add(object: object, entity: entity, code: code, message: message) }
  }

  private func count(_ add: (inout RejectText) -> Void) throws(RejectWriterError) {
    let before = text.bytes.count
    add(&text)
    count += 1
    byteCount += text.bytes.count - before
    if text.bytes.count > Self.bufferLimit { try flush() }
  }

  /// Hands all lines to the operating system.
  ///
  /// - Throws: ``RejectWriterError``; lines that were not written are kept for another try.
  package func flush() throws(RejectWriterError) {
    guard !text.bytes.isEmpty else { return }
    if descriptor < 0 {
      try make()
    }
    let (written, failure) = text.bytes.withUnsafeBytes { WholeBytes.write($0, to: descriptor) }
    text.removeFirst(written)
    guard failure == 0 else { throw RejectWriterError(code: .cannotWrite, path: path, number: failure) }
    guard !isSettled, !PrivateFolder.holds(path) else { return }
    try syncBytes()
    let folder = open(FileSystem.folder(of: ResolvedPath.of(path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that may be written but not read cannot be waited for.
    if folder >= 0 {
      defer { Glibc.close(folder) }
      guard fsync(folder) == 0 || errno == EINVAL || errno == EROFS else {
        throw RejectWriterError(code: .cannotWrite, path: path, number: errno)
      }
    }
    isSettled = true
  }

  private func syncBytes() throws(RejectWriterError) {
    guard fdatasync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
      throw RejectWriterError(code: .cannotWrite, path: path, number: errno)
    }
  }

  /// Makes the file; what has come to its place since the run began goes aside.
  private func make() throws(RejectWriterError) {
    let target = ResolvedPath.of(path)
    for _ in 0..<2 {
      descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 {
        isSettled = false
        return rights.apply(to: descriptor)
      }
      guard errno == EEXIST else { break }
      _ = try earlier.setAside()
    }
    throw RejectWriterError(code: .cannotOpen, path: path, number: errno)
  }

  /// Hands all lines to the operating system and waits until they are on the disk.
  ///
  /// What is no file on a disk, such as a pipe, has nothing to wait for.
  package func sync() throws(RejectWriterError) {
    try flush()
    guard descriptor >= 0, syncedBytes != byteCount else { return }
    try syncBytes()
    syncedBytes = byteCount
  }

  /// Flushes and closes the file; nothing may be written afterwards.
  ///
  /// - Parameter isFinished: whether the run has come to its end. What it has rejected once more is then not kept
  ///   twice.
  package func close(isFinished: Bool = true) throws(RejectWriterError) {
    try flush()
    guard descriptor >= 0 else { return }
    findMoved()
    let result = Glibc.close(descriptor)
    descriptor = -1
    // A network file system may report a full disk only now.
    guard result == 0 else { throw RejectWriterError(code: .cannotWrite, path: path, number: errno) }
    // Whatever runs before have rejected was rejected again: one file is enough.
    guard isFinished else { return }
    for file in earlier.paths where file != path && EarlierRejects.isContained(file, in: path) { unlink(file) }
  }

  /// Finds the file when a run of another pipeline, which writes to the same path, has set it aside.
  private func findMoved() {
    guard let own = stat(descriptor: descriptor), own.isRegular, FileID(path) != FileID(own) else { return }
    path = (try? earlier.file(ofRun: text.run)) ?? path
  }
}
