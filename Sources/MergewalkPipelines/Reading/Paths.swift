import MergewalkSystem
import MergewalkDiagnostics

/// Paths as people write them in pipeline files.
package enum Paths {
  /// The path of `path` when it is relative to the folder of `file`; a file that is called `-` is `./-`, because `-` alone
  /// stands for standard input.
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
      if part == "..", let last = kept.last, last != "..",
        stat(path: prefix(kept), followsLinks: false)?.isFolder ?? false
      {
        kept.removeLast()
      } else {
        kept.append(part)
      }
    }
    let result = prefix(kept)
    return result.isEmpty ? "." : result == "-" ? "./-" : result
  }

  static func join(_ folder: String, _ name: String) -> String {
    if folder == "." || folder.isEmpty { return name }
    return folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// The path of a file as seen from a folder, both relative to the working directory; absolute paths and `-` stay.
  static func relative(_ path: String, from folder: String) -> String {
    if path.hasPrefix("/") || path == "-" { return path }
    let whole = ResolvedPath.fromRoot(path)
    guard whole.hasPrefix("/") else { return path }
    func parts(_ path: String) -> [Substring] { simplify(path).split(separator: "/").map { Substring(String($0)) } }
    let (file, base) = (parts(whole), parts(ResolvedPath.fromRoot(folder)))
    let common = zip(file, base).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: base.count - common) + file[common...]).joined(separator: "/")
  }

  /// The last part of a path without its extension.
  package static func stem(_ path: String) -> String {
    let name = String(path.split(separator: "/").last ?? "pipeline")
    return String(name[..<ResolvedPath.ending(of: name).startIndex])
  }
}
