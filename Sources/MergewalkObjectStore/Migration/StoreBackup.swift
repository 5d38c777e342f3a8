import MergewalkDiagnostics
import MergewalkSQLite

/// A copy of a store: one file with what its log has, and the folder with external data beside it.
enum StoreBackup {
  /// Copies an open store to a new path.
  ///
  /// - Returns: What has to live until the copy is needed for good: without it the next copy to the same path takes this
  ///   one back.
  /// - Throws: ``StoreError`` with `alreadyExists`, `inputOutput` or `sqlite`; nothing is left then.
  static func copy(_ connection: Connection, store path: String, to copy: String) throws(StoreError) -> StagingFolder {
    let copy = StorePath.resolved(copy)
    let staging = try StagingFolder(forStore: copy)
    let source = ExternalData.folder(ofStore: path)
    let target = ExternalData.folder(ofStore: copy)
    for taken in [copy, copy + "-wal", copy + "-journal"] where FileSystem.exists(taken) {
      throw Self.taken(copy)
    }
    let hasFiles = FileSystem.exists(source)
    guard !hasFiles || !FileSystem.exists(target) else {
      throw StoreError(
        .alreadyExists, path: target, message: "there is a folder already; name another place for the copy")
    }
    let file = staging.file("copy.sqlite")
    (FileAccess(of: path) ?? .own).make(file)
    try connection.backUp(to: file)
    try FileSystem.sync(file)
    var moves = [(from: file, to: copy)]
    if hasFiles {
      let files = staging.file("files")
      try FileSystem.makeFolder(files, mode: 0o700)
      for name in try FileSystem.namesIfThere(in: source) {
        try FileSystem.copy(
          "\(source)/\(name)", to: "\(files)/\(name)", access: FileAccess(of: "\(source)/\(name)") ?? .own)
      }
      try FileSystem.sync(files)
      try FileSystem.makeFolder(FileSystem.folder(of: target), mode: 0o700)
      // The copy's own name comes last: it stands for a whole copy.
      moves.insert((files, target), at: 0)
    }
    try staging.note(published: moves)
    do throws(StoreError) {
      for (from, to) in moves { try FileSystem.rename(from, to: to) }
      try FileSystem.sync(FileSystem.folder(of: copy))
    } catch {
      staging.takeBackPublished()
      throw error
    }
    return staging
  }

  /// The error about a place that is taken: no copy is written over.
  static func taken(_ path: String) -> StoreError {
    StoreError(
      .alreadyExists, path: path, message: "there is a file already: remove it, or name another place for the copy")
  }

  /// Removes a store with its log and its external data; what is not there does not matter.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(path + suffix) }
    removeExternalData(path)
  }

  static func removeExternalData(_ path: String) {
    // Another store of the same name has its files in the same folder.
    guard !StoresOfSameName.mayBeThere(beside: path) else { return }
    let folder = ExternalData.folder(ofStore: path)
    for name in FileSystem.names(in: folder) { try? FileSystem.remove("\(folder)/\(name)") }
    ExternalData.removeEmptyFolder(ofStore: path)
  }
}
