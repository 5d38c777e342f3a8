import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem

/// Where a store's file is: the one place where the given path becomes the path that is opened.
///
/// SQLite follows symbolic links and puts its log beside the file to which they lead; so all that lies beside a store
/// (log, journal, hidden files, external data, the table of runs) is looked for there, too. The path is resolved once,
/// when the store is opened: links that are turned meanwhile do not lead astray.
package enum StorePath {
  /// The path of a store's file; a file that is called like SQLite's memory is a file all the same.
  package static func resolved(_ path: String) -> String {
    path == StoreFile.memoryPath ? "./" + path : ResolvedPath.of(path)
  }

  /// The path of an existing store's file; a save over several stores that a crash has cut off is made whole first.
  ///
  /// - Throws: ``StoreError`` with `unsupported` when the file has a second name beside which there is a log that
  ///   belongs to it: whoever opened the first one would not see what the log holds, and spoil it by writing.
  static func existing(_ path: String) throws(StoreError) -> String {
    let path = resolved(path)
    JointJournal.complete(path)
    guard let status = stat(path: path), status.isRegular, status.st_nlink > 1 else { return path }
    let folder = FileSystem.folder(of: path)
    let mine = FileSystem.name(of: path)
    for name in FileSystem.names(in: folder) where name != mine {
      let other = "\(folder)/\(name)"
      guard FileID(other) == FileID(status), stat(path: other, followsLinks: false)?.isRegular ?? false else {
        continue
      }
      for suffix in ["-wal", "-journal"] where (FileSystem.size(other + suffix) ?? 0) > 0 {
        throw StoreError(
          .unsupported, path: path,
          message: "the file is also called \(other), and \(name)\(suffix) belongs to it: open the store by that name")
      }
    }
    return path
  }

  /// How the paths of files begin that stand beside a store, or another file that is made, for a while:
  /// `.NAME.mergewalk-`, in its folder.
  ///
  /// A long name is cut, with a hash of the whole behind it: there has to be room for the rest of the files' names.
  package static func hiddenPrefix(_ path: String) -> String {
    var name = FileSystem.name(of: path)
    if name.utf8.count > 200 { name = String(decoding: name.utf8.prefix(170), as: UTF8.self) + "~" + digits(of: name) }
    return "\(FileSystem.folder(of: path))/.\(name).mergewalk-"
  }

  /// Sixteen digits that stand for a text.
  static func digits(of text: String) -> String {
    var hash = FNVHash()
    for byte in text.utf8 { hash.add(byte) }
    return Hexadecimal.text(hash.value, width: 16)
  }

  /// Checks that the names of all that belongs to a store are not too long for the file system.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  static func requireRoom(_ path: String) throws(StoreError) {
    let known = pathconf(FileSystem.folder(of: path), Int32(_PC_NAME_MAX))
    let most = (known > 0 ? Int(known) : 255) - longestSuffix.utf8.count
    let count = FileSystem.name(of: path).utf8.count
    guard count > most else { return }
    throw StoreError(
      .inputOutput, path: path,
      message: "the store's name has \(count) bytes, and with room for the files beside it, such as its log, at most"
        + " \(most) are possible here; give the store a shorter name")
  }

  /// The longest suffix of a file that belongs to a store: the table of its runs, and SQLite's journal of that.
  private static let longestSuffix = "-mergewalk-journal"

  /// Checks that a path leads to a regular file or to nothing, and so do those of its log and journal: to open a pipe would
  /// wait for its other end.
  static func requireFile(_ path: String) throws(StoreError) {
    if PrivateFolder.holds(path) { return }
    for suffix in ["", "-wal", "-shm", "-journal"] {
      guard let kind = FileKind.special(path + suffix) else { continue }
      throw StoreError(
        .notADatabase, path: path,
        message: suffix.isEmpty
          ? "it is \(kind), no file that could be a store"
          : "\(path)\(suffix) is \(kind), no file of SQLite's; remove it")
    }
  }
}

extension PersistentStore {
  /// Whether the store's file is the one to which a path leads.
  func isAt(_ path: String) -> Bool {
    type != .inMemory && StorePath.resolved(self.path) == StorePath.resolved(path)
  }
}
