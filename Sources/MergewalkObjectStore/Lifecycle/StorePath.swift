import MergewalkDiagnostics
import Glibc

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

  /// The path of an existing store's file.
  ///
  /// - Throws: ``StoreError`` with `unsupported` when the file has a second name beside which there is a log that
  ///   belongs to it: whoever opened the first one would not see what the log holds, and spoil it by writing.
  static func existing(_ path: String) throws(StoreError) -> String {
    let path = resolved(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else { return path }
    let folder = FileSystem.folder(of: path)
    let mine = FileSystem.name(of: path)
    for name in FileSystem.names(in: folder) where name != mine {
      let other = "\(folder)/\(name)"
      guard FileID(other) == FileID(status), lstatIsFile(other) else { continue }
      for suffix in ["-wal", "-journal"] where (FileSystem.size(other + suffix) ?? 0) > 0 {
        throw StoreError(
          .unsupported, path: path,
          message: "the file is also called \(other), and \(name)\(suffix) belongs to it: open the store by that name")
      }
    }
    return path
  }

  private static func lstatIsFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Checks that a path leads to a regular file or to nothing: to open a pipe would wait for its other end.
  static func requireFile(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    let kind: String
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: return
    case S_IFIFO: kind = "a pipe"
    case S_IFSOCK: kind = "a socket"
    default: kind = "a device"
    }
    throw StoreError(.notADatabase, path: path, message: "it is \(kind), no file that could be a store")
  }
}

extension PersistentStore {
  /// Whether the store's file is the one to which a path leads.
  func isAt(_ path: String) -> Bool {
    type != .inMemory && StorePath.resolved(self.path) == StorePath.resolved(path)
  }
}
