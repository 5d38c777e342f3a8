import MergewalkDiagnostics
import Glibc

/// The versions in an `.xcdatamodeld` folder.
public struct ModelVersions: Sendable, Hashable {
  /// The names of the versions (folder names without `.xcdatamodel`), sorted by code points.
  public let names: [String]
  /// The name of the current version: the one `.xccurrentversion` names, or the only one; `nil` when it is not settled.
  public let current: String?
}

/// What a path holds, as far as reading models is concerned.
enum FileKind {
  case missing
  case folder
  case file

  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = .missing
      return
    }
    self = status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// The names in a folder, sorted by code points; empty when it cannot be read.
  static func entries(of folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted(by: CodePointOrder.precedes)
  }
}
