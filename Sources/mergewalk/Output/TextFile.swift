import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting

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
  /// What is no regular file, such as a device or a pipe, is written to and stays. The file to which a link leads is
  /// replaced, not the link. The new file is open to no user to whom the old one is not.
  ///
  /// - Parameters:
  ///   - kind: what the text is; a file that is something else stays.
  ///   - access: who may use the file at most.
  /// - Throws: `cannotWrite`; `fileExists` when there is a file of another kind, `fileUnreadable` when that is not known.
  static func replace(
    _ path: String, _ text: String, as kind: OutputKind, access: FileAccess = .usual
  ) throws(DiagnosticList) {
    if isSpecial(path) { return try OutputFile.send(path, text) }
    if FileKind(path) == .folder { throw DiagnosticList([OutputFile.folder(path)]) }
    if let number = kind.obstacle(at: path) {
      throw DiagnosticList(
        error: number == EEXIST ? "fileExists" : "fileUnreadable", path: path,
        message: number == EEXIST
          ? "there is a file that is not \(kind.words); it was not changed"
          : "the file cannot be read, and was not changed: \(String(cString: strerror(number)))",
        hint: "name another file")
    }
    let path = ResolvedPath.of(path)
    let unfinished = UnfinishedFile(for: path)
    try OutputFile.write(
      Array(text.utf8), to: unfinished, for: path, access: access.narrowed(by: FileAccess(of: path)))
    guard rename(unfinished.path, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unfinished.remove()
      throw DiagnosticList(error: "cannotWrite", path: path, message: "cannot replace the file: \(reason)")
    }
  }

  /// Whether something is there that another file must not take the place of.
  ///
  /// Names such as `/dev/stdout` lead to regular files too, through links that are not ours.
  private static func isSpecial(_ path: String) -> Bool {
    guard let status = stat(path: path), !status.isFolder else { return false }
    return !status.isRegular || path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
  }
}
