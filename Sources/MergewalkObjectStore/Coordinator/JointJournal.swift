import MergewalkSystem
import MergewalkDiagnostics

/// The journal of a save over several stores, a file beside the first of them.
///
/// Its name is `.NAME.mergewalk-joint/TOKEN`; beside each other store a link of that name leads to it.
///
/// For the next developer:
/// - The file is made empty and locked, then come the links, all of them on the disk; then its content. When that is on
///   the disk, the save is decided, and only then does the first store commit.
/// - Content that is not whole (its digest says so) was never decided; nor was that of a file that is not there.
/// - The lock says that the process that saves is alive. Whoever gets it makes the save where it is missing.
/// - A store has the save when its metadata count it (``JoinedSaves``).
/// - Each save has a name of its own, so that the end of one does not remove the next one's file. The folder's name is
///   always the same, so that to look whether there is one takes one call.
final class JointJournal {
  struct Part {
    enum Content {
      /// Changed rows (``ChangeRecording``), and the number of the schema that they fit.
      case rows([UInt8], schema: Int64)
      /// A file that takes the store's place, if that is still the file it was.
      case file(String, former: [Int64])
    }

    let path: String
    let identifier: String
    /// The numbers of the save, by pair of stores.
    let saves: [String: Int64]
    let content: Content

    /// - Parameter store: The store, within the transaction of the save.
    init(_ store: PersistentStore, _ content: Content) {
      self.init(
        path: ResolvedPath.absolute(StorePath.resolved(store.path)), identifier: store.identifier,
        saves: store.file.metadata.joinedSaves,
        content: content)
    }

    init(path: String, identifier: String, saves: [String: Int64], content: Content) {
      (self.path, self.identifier, self.saves, self.content) = (path, identifier, saves, content)
    }
  }

  private let path: String
  private let descriptor: Int32
  private var links: [String] = []

  deinit { close(descriptor) }

  /// Writes the parts down, and decides the save with that.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`; nothing is decided then.
  init(_ parts: [Part]) throws(StoreError) {
    let first = parts[0].path
    var access = FileAccess.derived(from: first)
    for part in parts { access = access.narrowed(by: FileAccess(of: part.path)) }
    (path, descriptor) = try Self.make(for: first)
    let token = FileSystem.name(of: path)
    do throws(StoreError) {
      access.apply(to: descriptor)
      for part in parts.dropFirst() {
        let link = "\(Self.folder(of: part.path))/\(token)"
        let isNear = FileSystem.folder(of: part.path) == FileSystem.folder(of: first)
        let target = isNear ? "../\(FileSystem.name(of: Self.folder(of: first)))/\(token)" : path
        _ = try Self.inFolder(of: part.path) { symlink(target, link) }
        links.append(link)
      }
      for folder in Set(parts.flatMap { [Self.folder(of: $0.path), FileSystem.folder(of: $0.path)] }).sorted() {
        try FileSystem.sync(folder)
      }
      let failure = JointContent.bytes(parts, from: first).withUnsafeBytes {
        WholeBytes.write($0, to: descriptor).failure
      }
      guard failure == 0, fsync(descriptor) == 0 else { throw FileSystem.failure(path, "cannot write") }
    } catch {
      _ = withdraw()
      throw error
    }
  }

  /// Removes the file and the links to it, when all stores have the save, or none is to have it.
  func remove() { Self.remove(path, links: links) }

  /// The same, for sure: the save is not made any more.
  ///
  /// - Returns: Whether that is so.
  func withdraw() -> Bool {
    // Content that is not whole says nothing, should the file's name stay.
    let isCut = ftruncate(descriptor, 0) == 0
    remove()
    return isCut || !FileSystem.exists(path)
  }

  // MARK: Names

  /// Where the files and links of a store are.
  static func folder(of store: String) -> String { StorePath.hiddenPrefix(store) + "joint" }

  /// Makes an empty file that this process has locked.
  private static func make(for store: String) throws(StoreError) -> (path: String, descriptor: Int32) {
    while true {
      let path = "\(folder(of: store))/\(StoreUUID.make())"
      let descriptor = try inFolder(of: store) { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
      if FileSystem.lockOwn(descriptor, path) { return (path, descriptor) }
      close(descriptor)
    }
  }

  /// Makes something in the folder of a store, which the end of another save may remove at any time.
  private static func inFolder(of store: String, _ make: () -> Int32) throws(StoreError) -> Int32 {
    let folder = folder(of: store)
    let mode = stat(path: FileSystem.folder(of: store)).map { $0.st_mode & 0o777 } ?? 0o755
    for _ in 0..<100 {
      try FileSystem.makeFolder(folder, mode: mode)
      let result = make()
      if result >= 0 { return result }
      guard errno == ENOENT else { break }
    }
    throw FileSystem.failure(store, "cannot write down beside it what a save over several stores will do")
  }

  /// Removes a file and the links to it, and folders that are empty then.
  static func remove(_ path: String, links: [String]) {
    // The file first: links that lead nowhere say that there is nothing to do.
    for name in [path] + links {
      try? FileSystem.remove(name)
      rmdir(FileSystem.folder(of: name))
    }
  }

  /// Removes all that is written down for a store that goes away, when the others have what belongs to them.
  static func forget(_ store: String) {
    complete(store)
    try? FileSystem.removeTree(folder(of: store))
  }
}
