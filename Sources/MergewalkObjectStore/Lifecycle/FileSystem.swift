import CMergewalkProcess
package import MergewalkDiagnostics
package import MergewalkSystem

/// The few calls of the file system that stores need.
package enum FileSystem {
  /// The folder part of a path: `.` when there is none.
  package static func folder(of path: String) -> String { ResolvedPath.folder(of: path) }

  /// The last part of a path.
  package static func name(of path: String) -> String { ResolvedPath.name(of: path) }

  /// The size of a file in bytes; `nil` when there is none.
  package static func size(_ path: String) -> Int? { stat(path: path).map { Int($0.st_size) } }

  /// The same for a file that need not be there: `nil` means that there is none.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  static func sizeIfThere(_ path: String) throws(StoreError) -> Int? {
    var info = stat()
    if stat(path, &info) == 0 { return Int(info.st_size) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw failure(path, "cannot be looked at")
  }

  /// Whether there is anything at the path, a broken link included.
  package static func exists(_ path: String) -> Bool { stat(path: path, followsLinks: false) != nil }

  /// The first bytes of a file: at most `count`; `nil` when it cannot be read.
  package static func head(_ path: String, count: Int) -> [UInt8]? {
    let (bytes, failure) = start(of: path, count: count)
    return failure == 0 ? bytes : nil
  }

  /// The same for a file that need not be there: `nil` means that there is none.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  static func headIfThere(_ path: String, count: Int) throws(StoreError) -> [UInt8]? {
    let (bytes, number) = start(of: path, count: count)
    if number == 0 { return bytes }
    if number == ENOENT { return nil }
    errno = number
    throw failure(path, "cannot read")
  }

  /// The first bytes of a file, and the number of the error that kept the rest from being read; 0 when none did.
  package static func start(of path: String, count: Int) -> (bytes: [UInt8], failure: Int32) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return ([], errno) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let (length, failure) = bytes.withUnsafeMutableBytes { WholeBytes.read(file, at: 0, into: $0) }
    return (Array(bytes.prefix(length)), failure)
  }

  /// Waits until all that was written to the file system of a folder is on the disk.
  package static func syncAll(_ folder: String) throws(StoreError) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw failure(folder, "cannot open") }
    defer { close(file) }
    guard cprocess_syncfs(file) == 0 else { throw failure(folder, "cannot sync") }
  }

  /// Waits until a file or a folder is on the disk; what is in a ``PrivateFolder`` waits for its owner.
  package static func sync(_ path: String) throws(StoreError) {
    if PrivateFolder.holds(path) { return }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path, "cannot open") }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure(path, "cannot sync") }
  }

  static func truncateFile(_ path: String, to length: Int) throws(StoreError) {
    guard truncate(path, length) == 0 else { throw failure(path, "cannot truncate") }
  }

  /// Removes a file; that there is none is fine.
  package static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, "cannot remove") }
  }

  /// Gives a file another name, unless something has that name.
  ///
  /// - Throws: ``StoreError`` with `alreadyExists` or `inputOutput`.
  package static func renameExclusively(_ from: String, to: String) throws(StoreError) {
    // No other process could take the name between the look and the step.
    if PrivateFolder.holds(to) {
      guard !exists(to) else { throw alreadyExists(to) }
      return try rename(from, to: to)
    }
    // A second name and then the removal of the first, because link() refuses a name that is taken, in one step.
    if link(from, to) == 0 { return try remove(from) }
    if errno == EEXIST { throw alreadyExists(to) }
    // Some file systems have no hard links.
    guard errno == EPERM || errno == ENOSYS || errno == ENOTSUP else { throw failure(to, "cannot rename to it") }
    guard !exists(to) else { throw alreadyExists(to) }
    try rename(from, to: to)
  }

  private static func alreadyExists(_ path: String) -> StoreError {
    StoreError(.alreadyExists, path: path, message: "a file appeared while the store was being built")
  }

  /// Removes everything in a folder and the folder; that there is none is fine.
  package static func removeTree(_ path: String) throws(StoreError) {
    guard let info = stat(path: path, followsLinks: false) else { return }
    // Links are removed, not followed.
    guard info.isFolder else { return try remove(path) }
    for name in names(in: path) { try removeTree(path + "/" + name) }
    guard rmdir(path) == 0 || errno == ENOENT else { throw failure(path, "cannot remove") }
  }

  /// Gives a file another name; a file that has that name goes away.
  ///
  /// - Throws: ``StoreError`` as ``requireReplaceable(_:)``, or with `inputOutput`.
  package static func rename(_ from: String, to: String) throws(StoreError) {
    try requireReplaceable(to)
    guard Glibc.rename(from, to) == 0 else { throw failure(to, "cannot rename to it") }
  }

  /// Checks that what has a name may go away for a file: devices, pipes and sockets stay, whoever asks.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  package static func requireReplaceable(_ path: String) throws(StoreError) {
    guard !PrivateFolder.holds(path), let kind = FileKind.special(path, followsLinks: false) else { return }
    throw StoreError(.inputOutput, path: path, message: "it is \(kind), which no file replaces; name another place")
  }

  /// Makes a folder, and returns whether there was none.
  @discardableResult
  package static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(StoreError) -> Bool {
    if mkdir(path, mode_t(mode)) == 0 { return true }
    guard errno == EEXIST else { throw failure(path, "cannot make the folder") }
    if FileKind(path) == .file {
      throw StoreError(
        .alreadyExists, path: path,
        message: "there is a file where a folder is needed; name another folder, or remove it")
    }
    return false
  }

  /// The names in a folder; none when it cannot be read.
  package static func names(in folder: String) -> [String] { FileKind.entries(of: folder) }

  /// The names in a folder that need not be there: none means that there is none, or nothing in it.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  static func namesIfThere(in folder: String) throws(StoreError) -> [String] {
    let (names, number) = FileKind.listing(of: folder)
    if [0, ENOENT, ENOTDIR].contains(number) { return names }
    errno = number
    throw failure(folder, "cannot list the files")
  }

  /// Copies a file's bytes to a new file.
  ///
  /// - Parameter access: Who may use the new file.
  package static func copy(_ from: String, to: String, access: FileAccess = .own) throws(StoreError) {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(from, "cannot open") }
    defer { close(source) }
    try create(to, access: access) { buffer, _ throws(StoreError) in
      while true {
        let got = read(source, buffer.baseAddress, buffer.count)
        if got < 0 && errno == EINTR { continue }
        guard got >= 0 else { throw failure(from, "cannot read") }
        return got
      }
    }
  }

  /// Makes a new file of the bytes that `next` puts into a buffer, piece by piece, until it puts in none.
  ///
  /// - Parameters:
  ///   - access: Who may use the new file.
  ///   - next: Gets the buffer and the number of bytes so far, and returns how many it has put into the buffer.
  package static func create(
    _ path: String, access: FileAccess, _ next: (UnsafeMutableRawBufferPointer, Int) throws(StoreError) -> Int
  ) throws(StoreError) {
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure(path, "cannot create") }
    defer { close(target) }
    access.apply(to: target)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var total = 0
    while true {
      let got = try next(buffer, total)
      if got == 0 { return }
      var done = 0
      while done < got {
        let put = write(target, buffer.baseAddress! + done, got - done)
        if put < 0 && errno == EINTR { continue }
        guard put > 0 else { throw failure(path, "cannot write") }
        done += put
      }
      total += got
    }
  }

  /// Makes a new empty folder for temporary files.
  static func makeTemporaryFolder() throws(StoreError) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/mergewalk-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
    guard let made else { throw failure(base, "cannot make a folder in it") }
    return made
  }

  static func removeFolder(_ path: String) { rmdir(path) }

  /// Whether this process may make files in a folder.
  static func isWritableFolder(_ path: String) -> Bool { access(path, W_OK | X_OK) == 0 }

  /// Whether a process with this number is running.
  package static func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

  static func pause(seconds: Double) { usleep(UInt32(max(0, min(seconds, 1)) * 1_000_000)) }

  static var processNumber: Int32 { getpid() }

  /// Takes the lock of a file or folder that this process has just made and opened; the system drops it with the process.
  ///
  /// Before it has the lock, another process may take it for one that was left behind, and remove it.
  ///
  /// - Returns: Whether it is still there. File systems without locks have no other processes.
  package static func lockOwn(_ descriptor: Int32, _ path: String) -> Bool {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    return isInPlace(descriptor, path)
  }

  /// Whether a path still leads to a file or folder that is open.
  static func isInPlace(_ descriptor: Int32, _ path: String) -> Bool {
    guard let mine = FileID(descriptor: descriptor), let there = stat(path: path, followsLinks: false) else {
      return false
    }
    return mine == FileID(there)
  }

  /// The error of the last call that failed.
  static func failure(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .inputOutput, path: path, message: "\(what): \(strerror(errno).map { String(cString: $0) } ?? "error \(errno)")")
  }
}

extension stat {
  /// A text that is another one when the file was written to, or another file has its place.
  package var mark: String { "\(st_dev):\(st_ino):\(st_size):\(st_mtim.tv_sec).\(st_mtim.tv_nsec)" }
}
