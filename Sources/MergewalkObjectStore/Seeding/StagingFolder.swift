import MergewalkDiagnostics
import MergewalkSystem

/// A hidden folder beside something that is made, in which it is made ready before it gets its name in one step.
///
/// It is called `.NAME.mergewalk-work-PID`. Whoever makes the same thing next removes what processes left behind that
/// were killed, and what they had given a name already without coming to their end: so the same command starts over by
/// itself.
package final class StagingFolder {
  /// The folder's path, which starts with `/` or `./`.
  package let path: String
  /// The open folder, with a lock that the system drops with the process.
  private let descriptor: Int32
  /// The file in the folder that says what has got its name.
  private static let notes = "published"

  /// Makes the folder for a store, or something else, that need not exist.
  ///
  /// - Throws: ``StoreError`` with `busy` when this process has one for the same store, or `inputOutput`.
  package init(forStore store: String) throws(StoreError) {
    let store = StorePath.resolved(store)
    let parent = FileSystem.folder(of: store)
    Self.sweep(store, takesBack: true)
    let folder = (parent.hasPrefix("/") || parent == "." ? parent : "./" + parent) + "/" + Self.prefix(store)
    path = folder + String(FileSystem.processNumber)
    guard !FileSystem.exists(path) else {
      throw StoreError(.busy, path: store, message: "this process is already making the store")
    }
    descriptor = try Self.make(path)
  }

  /// Makes a folder and takes its lock.
  private static func make(_ path: String) throws(StoreError) -> Int32 {
    while true {
      try FileSystem.makeFolder(path, mode: 0o700)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if descriptor < 0 {
        // Another process may sweep a folder that is not locked yet.
        if errno == ENOENT { continue }
        throw FileSystem.failure(path, "cannot be opened")
      }
      if FileSystem.lockOwn(descriptor, path) { return descriptor }
      close(descriptor)
    }
  }

  deinit {
    Self.remove(path)
    close(descriptor)
  }

  /// Removes a folder; its notes go last, as they say what is to be done about the rest.
  private static func remove(_ folder: String) {
    for name in FileSystem.names(in: folder) where name != notes { try? FileSystem.removeTree(folder + "/" + name) }
    try? FileSystem.removeTree(folder)
  }

  private static func prefix(_ store: String) -> String { FileSystem.name(of: StorePath.hiddenPrefix(store)) + "work-" }

  package func file(_ name: String) -> String { path + "/" + name }

  // MARK: What was left behind

  /// Removes the folders of processes that are gone.
  ///
  /// - Parameter takesBack: Whether what they have published goes too; not when it is needed.
  package static func sweep(_ store: String, takesBack: Bool) {
    let store = StorePath.resolved(store)
    let parent = FileSystem.folder(of: store)
    let prefix = prefix(store)
    for name in FileSystem.names(in: parent) where name.hasPrefix(prefix) {
      let folder = "\(parent)/\(name)"
      guard Int32(name.dropFirst(prefix.count)) ?? 0 > 0, let lock = take(folder) else { continue }
      if takesBack { takeBack(folder) }
      remove(folder)
      close(lock)
    }
  }

  /// Takes the lock of a folder that no process has.
  private static func take(_ folder: String) -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Notes what is to get its name next, so that a successor can take it back should this process be killed.
  ///
  /// What replaces something is not noted: taking it back would leave neither the new nor what was there before.
  ///
  /// - Parameter moves: Where each file or folder is now, and where it will be.
  package func note(published moves: [(from: String, to: String)]) throws(StoreError) {
    var text = ""
    for (from, to) in moves {
      guard let identity = Self.identity(from) else { throw FileSystem.failure(from, "cannot be found") }
      if !FileSystem.exists(to) { text += "\(identity) \(to)\u{0}" }
    }
    let bytes = Array(text.utf8)
    try FileSystem.create(file(Self.notes + ".new"), access: .own) { buffer, done in
      let count = min(buffer.count, bytes.count - done)
      buffer.copyBytes(from: bytes[done..<done + count])
      return count
    }
    try FileSystem.sync(file(Self.notes + ".new"))
    try FileSystem.rename(file(Self.notes + ".new"), to: file(Self.notes))
    try FileSystem.sync(path)
  }

  /// Removes what has got its name so far.
  package func takeBackPublished() { Self.takeBack(path) }

  /// Forgets what was noted: it stays, whatever becomes of this process.
  package func forgetPublished() { try? FileSystem.remove(file(Self.notes)) }

  /// Removes what a process has published without coming to its end, unless it was changed since.
  private static func takeBack(_ folder: String) {
    let notes = folder + "/" + Self.notes
    guard let size = FileSystem.size(notes), let bytes = FileSystem.head(notes, count: size) else { return }
    let published = bytes.split(separator: 0).compactMap { line -> (target: String, isSame: Bool, isThere: Bool)? in
      guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
      let target = String(decoding: line[line.index(after: space)...], as: UTF8.self)
      let found = identity(target)
      return (target, found == String(decoding: line[..<space], as: UTF8.self), found != nil)
    }
    // A store that was changed since is in use, and so are the files that it names.
    let isInUse = published.contains { $0.isThere && !$0.isSame && !ExternalData.holds($0.target) }
    for (target, isSame, _) in published where !(isInUse && ExternalData.holds(target)) {
      if isSame { try? FileSystem.removeTree(target) }
      // Also where a process was killed between the two.
      for folder in [target, FileSystem.folder(of: target)] where ExternalData.isFolder(folder) {
        FileSystem.removeFolder(folder)
        FileSystem.removeFolder(FileSystem.folder(of: folder))
      }
    }
  }

  /// A mark that shows that a file is the same and was not written to; of a folder, that nothing came into it or went.
  private static func identity(_ path: String) -> String? {
    stat(path: path, followsLinks: false)?.mark
  }
}
