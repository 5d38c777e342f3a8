import MergewalkBytes
import MergewalkRecordFormats
package import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore

/// One rejected record: where it stands and why it was rejected.
package struct Reject: Sendable {
  /// One thing that is wrong with the record.
  package struct Reason: Sendable {
    package var code: RejectCode
    /// The message: found, then expected.
    package var message: String
    /// The entity's name, when the reason is about one.
    package var entity: String?
    /// The attribute's or relationship's name, when the reason is about one.
    package var attribute: String?
    /// The name of the source's column, when the reason is about one.
    package var field: String?
    /// Where the reason stands in the file.
    package var position: SourcePosition

    package init(
      _ code: RejectCode, message: String, entity: String? = nil, attribute: String? = nil, field: String? = nil,
      position: SourcePosition
    ) {
      self.code = code
      self.message = message
      self.entity = entity
      self.attribute = attribute
      self.field = field
      self.position = position
    }
  }

  /// The input's path as the user gave it.
  package var file: String
  /// The path inside the input of the archive's member that the record is from; nil when the input is no archive.
  package var member: String?
  /// The record's number in its file or member, from 1; a header does not count.
  package var record: Int
  /// The first reason, under which the record is counted.
  package var reason: Reason
  /// Further reasons.
  package var also: [Reason]
  /// The import that rejected the record; nil when the run has only one.
  package var part: String?
  /// The names of the file's columns; nil where the line need not carry them.
  package var header: [String]?
  /// The number of spaces before the record's first line, where they are a part of its meaning.
  package var indent = 0
  /// The declarations of namespaces around the record in its XML document; nil when none are known.
  package var namespaces: String?
  /// Whether the raw record is only its beginning.
  package var isCut = false

  package init(file: String, member: String? = nil, record: Int, reason: Reason, also: [Reason] = []) {
    self.file = file
    self.member = member
    self.record = record
    self.reason = reason
    self.also = also
  }
}

/// The rejects file cannot be written.
package struct RejectWriterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Sendable, CaseIterable {
    /// The file or its folder does not let itself be written.
    case cannotOpen
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
    case .cannotOpen where number == ENXIO: "the pipe \(path), which is to take the rejects, has no reader"
    case .cannotOpen: "the rejects file \(path) cannot be opened: \(String(cString: strerror(number)))"
    case .cannotWrite: "the rejects file \(path) cannot be written: \(String(cString: strerror(number)))"
    case .notRejects:
      "the rejects file \(path) would take the place of a file that is not a rejects file; name another one, or move it away"
    case .tooShort: "the rejects file \(path) has lost what the run has written to it"
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

  private let run: String
  /// The bytes that are known to be on the disk.
  private var syncedBytes = 0
  /// Whether the file's name and its first lines are on the disk: by these the next run knows it.
  private var isSettled = true
  private var descriptor: Int32 = -1
  /// What runs before have left.
  private let earlier: EarlierRejects
  /// Who may use a file that is made: at most who may use the store, and the file that was set aside.
  private var rights: FileAccess
  private var buffer = JSONBytes()
  /// The buffer is written when it is fuller than this, in bytes.
  private static let bufferLimit = 256 << 10

  /// Prepares the file.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - run: what names the run in each line.
  ///   - access: who may use a file that is made.
  ///   - isReplayed: whether the records of a file were replayed, so that nothing is lost with it.
  /// - Throws: ``RejectWriterError`` `notRejects` when there is a file that holds something else, `cannotOpen` when
  ///   there is a file that can be neither set aside nor written, or no file can be made; better now than after hours.
  ///   The folder is made when it is not there.
  package init(
    path: String, run: String, access: FileAccess = .usual, isReplayed: (_ path: String) -> Bool = { _ in false }
  ) throws(RejectWriterError) {
    self.path = path
    self.run = run
    rights = access
    earlier = EarlierRejects(of: path)
    var status = stat()
    if stat(path, &status) == 0 {
      let isKept =
        status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        // What an earlier process of this run has written and never committed is written again.
        && EarlierRejects.run(of: path) != run && !isReplayed(path)
      if isKept {
        _ = try earlier.setAside()
        rights.mode &= status.st_mode
        return
      }
      guard OutputKind.rejects.mayReplace(path) else {
        throw RejectWriterError(code: .notRejects, path: path, number: EEXIST)
      }
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
  /// - Throws: ``RejectWriterError`` `tooShort` when the file has fewer bytes; `cannotOpen`, `cannotWrite`.
  package convenience init(
    path: String, run: String, access: FileAccess = .usual, keeping length: Int, count: Int,
    isReplayed: (_ path: String) -> Bool = { _ in false }
  ) throws(RejectWriterError) {
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    guard length > 0, !isSpecial else {
      try self.init(path: path, run: run, access: access, isReplayed: isReplayed)
      self.count = count
      byteCount = length
      return
    }
    guard try EarlierRejects(of: path).putBack(run: run), stat(path, &status) == 0, Int(status.st_size) >= length else {
      throw RejectWriterError(code: .tooShort, path: path, number: ENOENT)
    }
    try self.init(path: path, run: run, length: length)
    self.count = count
    byteCount = length
  }

  /// Opens a file that is there and cuts it to a length.
  private init(path: String, run: String, length: Int) throws(RejectWriterError) {
    self.path = path
    self.run = run
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
  /// - Parameter raw: the record's bytes without its line end. They are written whole: as a string when they are
  ///   UTF-8, else in base64.
  package func write(_ reject: Reject, raw: UnsafeRawBufferPointer) throws(RejectWriterError) {
    let before = buffer.bytes.count
    buffer.open(UInt8(ascii: "{"))
    buffer.member("run", run)
    buffer.member("file", reject.file)
    if let member = reject.member { buffer.member("member", member) }
    if let part = reject.part { buffer.member("import", part) }
    buffer.member("record", reject.record)
    append(reject.reason)
    if !reject.also.isEmpty {
      buffer.key("also")
      buffer.open(UInt8(ascii: "["))
      for reason in reject.also {
        buffer.separate()
        buffer.open(UInt8(ascii: "{"))
        append(reason)
        buffer.close(UInt8(ascii: "}"))
      }
      buffer.close(UInt8(ascii: "]"))
    }
    if let header = reject.header { buffer.member("header", HeaderText.text(header)) }
    if reject.indent > 0 { buffer.member("indent", reject.indent) }
    if let namespaces = reject.namespaces, !namespaces.isEmpty { buffer.member("namespaces", namespaces) }
    if reject.isCut { buffer.member("cut", true) }
    if raw.isUTF8 {
      buffer.key("raw")
      buffer.string(raw)
    } else {
      buffer.key("raw_base64")
      buffer.base64(raw)
    }
    buffer.close(UInt8(ascii: "}"))
    buffer.endLine()
    count += 1
    byteCount += buffer.bytes.count - before
    if buffer.bytes.count > Self.bufferLimit { try flush() }
  }

  /// Adds a line about an object of the store that could not be deleted.
  package func write(object: String, entity: String, code: RejectCode, message: String) throws(RejectWriterError) {
    let before = buffer.bytes.count
    buffer.open(UInt8(ascii: "{"))
    buffer.member("run", run)
    buffer.member("entity", entity)
    buffer.member("object", object)
    buffer.member("code", code.rawValue)
    buffer.member("message", message)
    buffer.close(UInt8(ascii: "}"))
    buffer.endLine()
    count += 1
    byteCount += buffer.bytes.count - before
    if buffer.bytes.count > Self.bufferLimit { try flush() }
  }

  private func append(_ reason: Reject.Reason) {
    buffer.member("line", reason.position.line)
    buffer.member("byte_offset", reason.position.byteOffset)
    buffer.member("column", reason.position.column)
    if let field = reason.field { buffer.member("field", field) }
    if let entity = reason.entity { buffer.member("entity", entity) }
    if let attribute = reason.attribute { buffer.member("attribute", attribute) }
    buffer.member("code", reason.code.rawValue)
    buffer.member("message", reason.message)
  }

  /// Hands all lines to the operating system.
  ///
  /// - Throws: ``RejectWriterError``; lines that were not written are kept for another try.
  package func flush() throws(RejectWriterError) {
    guard !buffer.bytes.isEmpty else { return }
    if descriptor < 0 {
      try make()
    }
    let (written, failure) = buffer.bytes.withUnsafeBytes { WholeBytes.write($0, to: descriptor) }
    buffer.removeFirst(written)
    guard failure == 0 else { throw RejectWriterError(code: .cannotWrite, path: path, number: failure) }
    guard !isSettled, !FileSystem.isSyncDeferred else { return }
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
    var own = stat()
    guard fstat(descriptor, &own) == 0, own.st_mode & S_IFMT == S_IFREG, FileID(path) != FileID(own) else { return }
    path = earlier.file(ofRun: run) ?? path
  }
}
