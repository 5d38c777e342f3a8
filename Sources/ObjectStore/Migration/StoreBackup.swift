import Glibc
import SQLite

/// A copy of a store: one file with what its log has, and the folder with external data beside it.
enum StoreBackup {
  /// Copies an open store to a new path.
  ///
  /// - Throws: ``StoreError`` with `alreadyExists`, `inputOutput` or `sqlite`; nothing is left then.
  static func copy(_ connection: Connection, store path: String, to copy: String) throws(StoreError) {
    let source = ExternalData.folder(ofStore: path)
    let target = ExternalData.folder(ofStore: copy)
    for taken in [copy, copy + "-wal", copy + "-journal"] where FileSystem.exists(taken) {
      throw StoreError(
        .alreadyExists, path: copy, message: "there is a file already: remove it, or name another place for the copy")
    }
    let hasFiles = FileSystem.exists(source)
    guard !hasFiles || !FileSystem.exists(target) else {
      throw StoreError(
        .alreadyExists, path: target, message: "there is a folder already; name another place for the copy")
    }
    do throws(StoreError) {
      // The name of the copy stands for a whole copy, also after a crash.
      let unfinished = copy + ".unfinished"
      for suffix in ["", "-wal", "-shm", "-journal"] { try FileSystem.remove(unfinished + suffix) }
      do throws(StoreError) {
        try connection.backUp(to: unfinished)
        try FileSystem.sync(unfinished)
        try FileSystem.rename(unfinished, to: copy)
      } catch {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(unfinished + suffix) }
        throw error
      }
      if hasFiles {
        let parent = FileSystem.folder(of: target)
        try makeFolder(parent)
        try makeFolder(target)
        for name in FileSystem.names(in: source) { try FileSystem.copy("\(source)/\(name)", to: "\(target)/\(name)") }
        try FileSystem.sync(target)
      }
      try FileSystem.sync(FileSystem.folder(of: copy))
    } catch {
      remove(copy)
      throw error
    }
  }

  /// Removes a store with its log and its external data; what is not there does not matter.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(path + suffix) }
    removeExternalData(path)
  }

  /// Removes the external data beside a store.
  static func removeExternalData(_ path: String) {
    let folder = ExternalData.folder(ofStore: path)
    for name in FileSystem.names(in: folder) { try? FileSystem.remove("\(folder)/\(name)") }
    FileSystem.removeFolder(folder)
    FileSystem.removeFolder(FileSystem.folder(of: folder))
  }

  private static func makeFolder(_ path: String) throws(StoreError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(.inputOutput, path: path, message: "cannot make the folder: error \(errno)")
    }
  }
}
