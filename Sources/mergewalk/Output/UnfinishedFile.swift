import MergewalkSystem
import MergewalkObjectStore

/// A hidden file beside one that is being written, `.NAME.mergewalk-PID.tmp`: a name never stands for half a file, and
/// what killed processes have left is removed by the next one that writes the same file.
struct UnfinishedFile {
  let path: String
  private let target: String

  /// Names a hidden file, and removes those of processes that are gone.
  init(for target: String) {
    self.target = target
    let folder = FileSystem.folder(of: target)
    let start = StorePath.hiddenPrefix(target)
    let prefix = FileSystem.name(of: start)
    path = "\(start)\(getpid())\(Self.suffix)"
    for name in FileSystem.names(in: folder) where name.hasPrefix(prefix) && name.hasSuffix(Self.suffix) {
      let digits = name.dropFirst(prefix.count).dropLast(Self.suffix.count)
      guard let process = Int32(digits), process > 0, process == getpid() || !FileSystem.isRunning(process) else {
        continue
      }
      unlink("\(folder)/\(name)")
    }
  }

  private static let suffix = ".tmp"

  /// Gives the file its name, unless something has it.
  ///
  /// - Throws: ``StoreError`` with `alreadyExists` or `inputOutput`; the file is gone then.
  func publish() throws(StoreError) {
    do throws(StoreError) { try FileSystem.renameExclusively(path, to: target) } catch {
      remove()
      throw error
    }
  }

  func remove() { unlink(path) }
}
