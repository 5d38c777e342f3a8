import Diagnostics
import Glibc

/// Makes the folders that a store and a rejects file lie in.
enum Folders {
  /// Makes the folder of `path` and those above it, as far as they are missing.
  static func createParents(of path: String) throws(DiagnosticList) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var folder = ""
    for (index, part) in parts.enumerated() {
      folder += (index > 0 ? "/" : "") + part
      guard !part.isEmpty, mkdir(folder, 0o777) != 0, errno != EEXIST else { continue }
      let reason = String(cString: strerror(errno))
      // A folder above may be closed to us and yet hold the one we need.
      var status = stat()
      if stat(folder, &status) == 0 { continue }
      throw DiagnosticList([
        Diagnostic(
          .error, code: "cannotCreateFolder", path: folder, position: .file,
          message: "cannot create the folder: \(reason)")
      ])
    }
  }
}
