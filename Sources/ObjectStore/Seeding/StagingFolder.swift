/// A hidden folder beside a store, in which something is made ready that then gets the store's name in one step.
///
/// It is called `.NAME.mergewalk-WORK-PID`; those that crashed processes left behind are removed.
package final class StagingFolder {
  /// The folder's path, which starts with `/` or `./`.
  package let path: String

  /// Makes the folder for a store that need not exist.
  ///
  /// - Throws: ``StoreError`` with `busy` when this process has one for the same store, or `inputOutput`.
  package init(forStore store: String) throws(StoreError) {
    let parent = FileSystem.folder(of: store)
    let prefix = "." + FileSystem.name(of: store) + ".mergewalk-work-"
    for name in FileSystem.names(in: parent) where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), process > 0, !FileSystem.isRunning(process) else {
        continue
      }
      Self.remove("\(parent)/\(name)")
    }
    let folder = (parent.hasPrefix("/") || parent == "." ? parent : "./" + parent) + "/\(prefix)"
    path = folder + String(FileSystem.processNumber)
    guard !FileSystem.exists(path) else {
      throw StoreError(.busy, path: store, message: "this process is already making the store")
    }
    try FileSystem.makeFolder(path)
  }

  deinit { Self.remove(path) }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Removes the folder with the files in it, and with the folders of external data that they have.
  private static func remove(_ folder: String) {
    for name in FileSystem.names(in: folder) {
      let path = "\(folder)/\(name)"
      if name.hasSuffix("_SUPPORT") {
        for file in FileSystem.names(in: path + "/_EXTERNAL_DATA") {
          try? FileSystem.remove(path + "/_EXTERNAL_DATA/" + file)
        }
        FileSystem.removeFolder(path + "/_EXTERNAL_DATA")
        FileSystem.removeFolder(path)
      } else {
        try? FileSystem.remove(path)
      }
    }
    FileSystem.removeFolder(folder)
  }
}
