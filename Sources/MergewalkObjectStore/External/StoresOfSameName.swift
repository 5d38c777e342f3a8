import MergewalkDiagnostics

/// The stores that keep their values in the same folder as another one.
///
/// The folder is called like a store without its extension, so `a.sqlite` and `a.db`, or a copy `a.bak`, have one
/// between them.
///
/// What rows of such a store name is not known without its model. So files that the other store's rows do not name may
/// be in use all the same, and stay.
enum StoresOfSameName {
  /// The ends of the names of files that belong to a store.
  ///
  /// They are not opened: whoever closes such a file drops the locks that its process has on it.
  private static let companions = ["-wal", "-shm", "-journal", "-mergewalk"]

  /// The paths of the stores, sorted; those that are being built count.
  ///
  /// - Throws: ``StoreError`` with `inputOutput` when the store's folder cannot be read.
  /// - Complexity: O(names in the store's folder).
  static func paths(beside path: String) throws(StoreError) -> [String] {
    let path = StorePath.resolved(path)
    let folder = FileSystem.folder(of: path)
    let mine = FileSystem.name(of: path)
    let stem = ExternalData.stem(mine)
    let own = FileID(path)
    return try FileSystem.namesIfThere(in: folder).filter { name in
      let other = "\(folder)/\(name)"
      if let later = finalName(name) { return later != mine && ExternalData.stem(later) == stem }
      guard name != mine, ExternalData.stem(name) == stem, !name.hasPrefix(mine + "-"),
        !companions.contains(where: { name.hasSuffix($0) }), FileKind(other) == .file
      else { return false }
      // A second name of the same file.
      if let own, FileID(other) == own { return false }
      return isStore(other)
    }
    .sorted().map { "\(folder)/\($0)" }
  }

  /// Whether there are any: also where that cannot be told, as files are in danger only where there are none.
  static func mayBeThere(beside path: String) -> Bool {
    do throws(StoreError) { return try !paths(beside: path).isEmpty } catch { return true }
  }

  /// The name that a hidden file will have, when it is a store that is being built: `.NAME.mergewalk-PID`.
  private static func finalName(_ name: String) -> String? {
    guard name.hasPrefix("."), let mark = name.firstRange(of: ".mergewalk-") else { return nil }
    let rest = name[mark.upperBound...]
    guard !rest.isEmpty, rest.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "-") }) else { return nil }
    return String(name[..<mark.lowerBound].dropFirst())
  }

  /// Whether a file is an SQLite store, or may be one: whoever has it open is not disturbed.
  private static func isStore(_ path: String) -> Bool {
    do throws(StoreError) {
      _ = try DatabaseHeader(path)
      // To read more of a store with a log would take a copy of it.
      if ["-wal", "-shm", "-journal"].contains(where: { FileSystem.exists(path + $0) }) { return true }
      _ = try StoreMetadata.read(path: path)
      return true
    } catch {
      switch error.code {
      case .notFound, .notADatabase, .otherStoreType, .notACoreDataStore: return false
      default: return true
      }
    }
  }

  /// The names of stores, for a sentence.
  static func words(_ paths: [String]) -> String {
    let names = paths.prefix(3).map { "“\(FileSystem.name(of: $0))”" }.joined(separator: ", ")
    return paths.count > 3 ? "\(names) and \(paths.count - 3) more" : names
  }
}
