import Glibc

/// Paths as people write them in pipeline files.
enum Paths {
  /// The path of `path` when it is relative to the folder of `file`.
  static func resolve(_ path: String, besideFile file: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return simplify(path) }
    return simplify(String(file[...slash]) + path)
  }

  /// Takes `x/..` and `.` out of a path, unless `x` is a symbolic link or does not exist, where `..` leads elsewhere.
  static func simplify(_ path: String) -> String {
    var kept: [Substring] = []
    let isAbsolute = path.hasPrefix("/")
    func prefix(_ parts: [Substring]) -> String { (isAbsolute ? "/" : "") + parts.joined(separator: "/") }
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = kept.last, last != "..", isFolder(prefix(kept)) {
        kept.removeLast()
      } else {
        kept.append(part)
      }
    }
    let result = prefix(kept)
    return result.isEmpty ? "." : result
  }

  /// The last part of a path without its extension.
  static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? "pipeline"
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return String(name) }
    return String(name[..<dot])
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
