import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore

/// Writes files that must not be there yet.
enum OutputFile {
  /// Creates a file with this text.
  ///
  /// - Throws: one finding, `fileExists` or `cannotWrite`; a file that could not be written whole is removed.
  static func create(_ path: String, _ text: String, access: FileAccess = .usual) throws(DiagnosticList) {
    try create(path, bytes: Array(text.utf8), access: access)
  }

  /// Creates a file with these bytes; otherwise as ``create(_:_:access:)``.
  ///
  /// - Parameter cure: what to do when there is a file.
  static func create(
    _ path: String, bytes: [UInt8], access: FileAccess = .usual, cure: String = OutputFile.usualCure
  ) throws(DiagnosticList) {
    if FileSystem.exists(path) { throw DiagnosticList([refusal(path, EEXIST, cure)]) }
    let unfinished = UnfinishedFile(for: path)
    try write(bytes, to: unfinished, for: path, access: access)
    do throws(StoreError) { try unfinished.publish() } catch {
      if error.code == .alreadyExists { throw DiagnosticList([refusal(path, EEXIST, cure)]) }
      throw DiagnosticList(error: "cannotWrite", path: path, message: error.message)
    }
  }

  /// Writes bytes to a hidden file, which is gone when they do not get there.
  ///
  /// - Parameter path: the file that findings name.
  static func write(
    _ bytes: [UInt8], to unfinished: UnfinishedFile, for path: String, access: FileAccess
  ) throws(DiagnosticList) {
    let descriptor = open(unfinished.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DiagnosticList([refusal(path, errno)]) }
    access.apply(to: descriptor)
    let isWhole = bytes.withUnsafeBytes { WholeBytes.write($0, to: descriptor).failure == 0 }
    let finding = failure(path, "cannotWrite", "cannot write the file")
    // Before it gets its name: a stop of the machine would leave a file without bytes in the place of an older one.
    let isSynced = fsync(descriptor) == 0 || errno == EINVAL
    guard close(descriptor) == 0, isWhole, isSynced else {
      unfinished.remove()
      throw finding
    }
  }

  static let usualCure = "name another file, or remove this one"

  /// Writes to what is no regular file: a device, a pipe, standard output by its name.
  ///
  /// - Throws: one finding, `cannotWrite`.
  static func send(_ path: String, _ text: String) throws(DiagnosticList) {
    let descriptor = FileOpening.forWriting(path, O_APPEND)
    guard descriptor >= 0 else { throw failure(path, "cannotWrite", "cannot open it for writing") }
    let isWhole = Array(text.utf8).withUnsafeBytes { WholeBytes.write($0, to: descriptor).failure == 0 }
    let finding = failure(path, "cannotWrite", "cannot write to it")
    guard close(descriptor) == 0, isWhole else { throw finding }
  }

  /// Why no file can be created at a path, by the system's number of the error.
  static func refusal(_ path: String, _ number: Int32, _ cure: String = OutputFile.usualCure) -> Diagnostic {
    if FileKind(path) == .folder { return folder(path) }
    if number == EEXIST {
      return Diagnostic(
        .error, code: "fileExists", path: path, position: .file, message: "there is a file already", hint: cure)
    }
    return Diagnostic(
      .error, code: "cannotWrite", path: path, position: .file,
      message: "cannot create the file: \(String(cString: strerror(number)))",
      hint: number == ENOENT ? NearestFile.hint(for: path) : nil)
  }

  /// That a folder stands where a file is to be written.
  static func folder(_ path: String) -> Diagnostic {
    Diagnostic(
      .error, code: "cannotWrite", path: path, position: .file, message: "this is a folder, not a file",
      hint: "name a file")
  }

  private static func failure(_ path: String, _ code: String, _ message: String) -> DiagnosticList {
    let reason = String(cString: strerror(errno))
    return DiagnosticList(error: code, path: path, message: "\(message): \(reason)")
  }
}
