import MergewalkSystem

/// The hidden files of stores that are being built under one name: `.NAME.mergewalk-PID` and what lies beside each.
struct UnfinishedStoreNames {
  /// The files that may be beside a hidden file and are removed with it: SQLite's own, and records that an import puts off.
  ///
  /// The list of files with values is not one of them: it is removed with those files.
  static let companions = ["-journal", "-wal", "-shm", laterSuffix]
  static let laterSuffix = "-later"

  /// The path of the store that is being built.
  let store: String
  let folder: String
  let prefix: String

  init(_ path: String) {
    store = path
    folder = FileSystem.folder(of: path)
    prefix = FileSystem.name(of: StorePath.hiddenPrefix(path))
  }

  /// A path for the file of this process; a later one when a file that is not ours has our number.
  func path(attempt: Int) -> String {
    "\(folder)/\(prefix)\(FileSystem.processNumber)" + (attempt == 0 ? "" : "-\(attempt)")
  }

  /// The hidden files, the latest first.
  func unfinished() -> [String] {
    var found: [(path: String, time: Int64)] = []
    for name in FileSystem.names(in: folder) {
      guard let parts = parts(name), parts.isMain else { continue }
      let path = "\(folder)/\(name)"
      // Only files of our own: a link, or a file that another program has put there, is not resumed.
      guard let info = stat(path: path, followsLinks: false), info.isRegular, info.st_uid == geteuid() else { continue }
      found.append((path, Int64(info.st_mtim.tv_sec)))
    }
    return found.sorted { ($0.time, $0.path) > ($1.time, $1.path) }.map(\.path)
  }

  /// Removes the files of processes that are gone; what cannot be removed stays.
  ///
  /// A file whose process's number is in use now is removed only when it certainly is of an earlier process: when it
  /// was left in good order and no process has it open.
  func removeLeftovers(except kept: String? = nil) {
    // Names of files are made of what they hold: rows that are there may name the same ones as a list does.
    let sparesFiles = kept != nil || FileSystem.exists(store)
    for name in FileSystem.names(in: folder) {
      guard let parts = parts(name), parts.isMain, name != kept.map(FileSystem.name) else { continue }
      removeLeftover("\(folder)/\(name)", isOver: isOver(parts.process), sparesFiles: sparesFiles)
    }
    for name in FileSystem.names(in: folder) {
      guard let parts = parts(name), !parts.isMain, isOver(parts.process),
        !FileSystem.exists("\(folder)/\(parts.main)")
      else { continue }
      if !name.hasSuffix(PlanFile.filesSuffix) {
        try? FileSystem.remove("\(folder)/\(name)")
      } else if !sparesFiles {
        removeFiles(in: ExternalFileList(path: "\(folder)/\(name)"))
      }
    }
  }

  /// Removes the files in a list, and the list; one that cannot be read stays, as nothing is known of its files.
  ///
  /// Where rows may name them it is not for this: they are removed by whoever knows what the rows name.
  private func removeFiles(in list: ExternalFileList) {
    guard let earlier = try? list.read() else { return }
    ExternalFiles(path: store, hasReproducibleNames: false, list: list, earlier: earlier).removeAllMade(named: [])
  }

  /// The lists of files of processes that were killed when the store had its name, before they had removed what no row
  /// names any more.
  func listsAlone() -> [ExternalFileList] {
    FileSystem.names(in: folder).filter { name in
      guard name.hasSuffix(PlanFile.filesSuffix), let parts = parts(name), isOver(parts.process) else { return false }
      return !FileSystem.exists("\(folder)/\(parts.main)")
    }
    .sorted().map { ExternalFileList(path: "\(folder)/\($0)") }
  }

  private func isOver(_ process: Int32) -> Bool {
    process == FileSystem.processNumber || !FileSystem.isRunning(process)
  }

  private func removeLeftover(_ path: String, isOver: Bool, sparesFiles: Bool) {
    guard let info = stat(path: path, followsLinks: false) else { return }
    // The second name of a store that was just published: to open and close it would drop locks of this process.
    if !info.isRegular || info.st_nlink > 1 {
      if isOver { try? FileSystem.remove(path) }
      return
    }
    guard case .mine(let claim) = HiddenClaim.take(path) else { return }
    guard isOver || (claim.size > 0 && (try? StoreMetadata.read(path: path)) != nil) else { return }
    // The file goes first: without it the others are not resumed, and no row names what is in the list.
    guard (try? FileSystem.remove(path)) != nil else { return }
    for suffix in Self.companions { try? FileSystem.remove(path + suffix) }
    if !sparesFiles { removeFiles(in: ExternalFileList(path: path + PlanFile.filesSuffix)) }
    withExtendedLifetime(claim) {}
  }

  /// The parts of a name: the name of the hidden file it is or belongs to, and the number of its process.
  private func parts(_ name: String) -> (main: String, process: Int32, isMain: Bool)? {
    guard name.hasPrefix(prefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let process = Int32(digits), process > 0 else { return nil }
    var end = digits.endIndex
    let behind = rest[end...]
    if behind.first == "-" {
      let attempt = behind.dropFirst().prefix { $0.isASCII && $0.isNumber }
      if !attempt.isEmpty { end = attempt.endIndex }
    }
    return (String(name[..<end]), process, end == name.endIndex)
  }
}

/// A hidden file that this process alone may use: to build a store in it, to resume one, or to remove it.
///
/// Beside SQLite's own lock, which is gone between the closing of the file and its renaming. The system drops both with
/// the process.
final class HiddenClaim {
  let path: String
  let descriptor: Int32

  private init(_ path: String, _ descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  enum Attempt {
    case mine(HiddenClaim)
    /// Another process has it.
    case others
    /// The file is gone or cannot be opened.
    case nothing
  }

  static func take(_ path: String) -> Attempt {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return .nothing }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return .others
    }
    let claim = HiddenClaim(path, descriptor)
    // Whoever had it may have renamed or removed it meanwhile.
    return claim.isInPlace ? .mine(claim) : .nothing
  }

  /// Makes a file of our own.
  static func make(_ names: UnfinishedStoreNames) throws(StoreError) -> HiddenClaim {
    for attempt in 0..<100 {
      let path = names.path(attempt: attempt)
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      if descriptor < 0 {
        if errno == EEXIST { continue }
        throw FileSystem.failure(names.store, "cannot make a store here")
      }
      let claim = HiddenClaim(path, descriptor)
      // Another process may look at it for a moment, and finds it empty.
      if FileSystem.lockOwn(descriptor, path) { return claim }
    }
    throw StoreError(
      .busy, path: names.path(attempt: 0), message: "all names for a store that is being built are taken")
  }

  /// The bytes of the file.
  var size: Int { stat(descriptor: descriptor).map { Int($0.st_size) } ?? 0 }

  /// Whether the path still leads to the file.
  var isInPlace: Bool { FileSystem.isInPlace(descriptor, path) }
}
