import Diagnostics
import Glibc

/// Reads and replaces small files as a whole.
enum TextFile {
  /// The bytes of a file, or `nil` when there is none.
  ///
  /// - Throws: one finding, as `SourceFile` makes it.
  static func read(_ path: String) throws(DiagnosticList) -> [UInt8]? {
    do throws(DiagnosticList) {
      return try SourceFile.read(path)
    } catch  where error.diagnostics.first?.code == "fileMissing" {
      return nil
    }
  }

  /// Puts text in the place of a file, in one step: others see the old file or the new one.
  ///
  /// - Throws: `cannotWrite`, or `fileExists` when an earlier attempt left its unfinished file.
  static func replace(_ path: String, _ text: String) throws(DiagnosticList) {
    let unfinished = "\(path).\(getpid()).tmp"
    try OutputFile.create(unfinished, text)
    guard rename(unfinished, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(unfinished)
      throw DiagnosticList([
        Diagnostic(
          .error, code: "cannotWrite", path: path, position: .file, message: "cannot replace the file: \(reason)")
      ])
    }
  }
}
