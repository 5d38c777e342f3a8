import MergewalkDiagnostics
import MergewalkSystem

/// A folder for one case, which goes away with the value and everything in it.
final class ScratchFolder {
  let path: String

  /// Makes the folder where `TMPDIR` says, else in `/tmp`; `nil` when that cannot be.
  init?() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((Paths.join(parent, "mergewalk-test-XXXXXX")).utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path, depth: 0) }

  func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path; `nil` when that cannot be.
  func write(_ text: String, to name: String) -> String? {
    let path = file(name)
    if let slash = name.lastIndex(of: "/") { mkdir(file(String(name[..<slash])), 0o700) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    var text = text
    let failure = text.withUTF8 { WholeBytes.write(UnsafeRawBufferPointer($0), to: descriptor).failure }
    return close(descriptor) == 0 && failure == 0 ? path : nil
  }

  /// Stores have folders with folders for large values; nothing here is deeper.
  private static func remove(_ folder: String, depth: Int) {
    for name in FileKind.entries(of: folder) {
      let path = "\(folder)/\(name)"
      if depth < 8, let status = stat(path: path, followsLinks: false), status.isFolder {
        remove(path, depth: depth + 1)
      } else {
        unlink(path)
      }
    }
    rmdir(folder)
  }
}
