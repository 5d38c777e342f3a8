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

  /// Whether a file is there that is no folder and can be read.
  static func isReadableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR && access(path, R_OK) == 0
  }

  /// The files that a glob of the shell matches, sorted by their bytes; folders are left out.
  ///
  /// Source: POSIX `glob`, <https://pubs.opengroup.org/onlinepubs/9799919799/functions/glob.html>.
  static func glob(_ pattern: String) -> [String] {
    var matches = glob_t()
    defer { globfree(&matches) }
    // Sorted here: glob sorts by the locale.
    guard Glibc.glob(pattern, GLOB_NOSORT, nil, &matches) == 0, let paths = matches.gl_pathv else { return [] }
    var files: [String] = []
    for index in 0..<Int(matches.gl_pathc) {
      guard let path = paths[index] else { continue }
      let text = String(cString: path)
      if isReadableFile(text) { files.append(text) }
    }
    return files.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// Whether the text has a character that means something in a glob.
  static func isGlob(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" || $0 == "[" } }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
