import MergewalkDiagnostics
import MergewalkSystem

/// Makes the folders that a store and a rejects file lie in.
enum Folders {
  /// Makes the folder of `path` and those above it, as far as they are missing.
  ///
  /// - Returns: Those that were made, outer ones first.
  @discardableResult
  static func createParents(of path: String) throws(DiagnosticList) -> [String] {
    var made: [String] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var folder = ""
    for (index, part) in parts.enumerated() {
      folder += (index > 0 ? "/" : "") + part
      guard !part.isEmpty else { continue }
      if mkdir(folder, 0o777) == 0 {
        made.append(folder)
        continue
      }
      if errno == EEXIST {
        if FileKind(folder) != .file { continue }
        throw DiagnosticList(
          error: "cannotCreateFolder", path: folder, message: "there is a file where a folder is needed",
          hint: "name another folder, or remove the file")
      }
      let reason = String(cString: strerror(errno))
      // A folder above may be closed to us and yet hold the one we need.
      if stat(path: folder) != nil { continue }
      throw DiagnosticList(error: "cannotCreateFolder", path: folder, message: "cannot create the folder: \(reason)")
    }
    return made
  }

  /// Removes folders that are empty, inner ones first.
  static func removeEmpty(_ folders: [String]) {
    for folder in folders.reversed() { rmdir(folder) }
  }
}
