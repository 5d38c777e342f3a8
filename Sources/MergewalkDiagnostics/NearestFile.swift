import MergewalkSystem

/// Advice about a path at which there is nothing.
package enum NearestFile {
  /// What an empty path comes from.
  package static let emptyPath = "the path is empty: look whether the shell’s variable for it is set"
  /// More names of a folder than these are not looked at.
  private static let mostNames = 10_000

  /// The same as ``hint(for:preferring:)``, and where that has nothing to offer which folder was looked in.
  package static func advice(for path: String, preferring endings: [String] = []) -> String {
    if let hint = hint(for: path, preferring: endings) { return hint }
    let folder = ResolvedPath.folder(of: path)
    let name = folder == "." ? "the working directory" : "the folder “\(folder)”"
    let names = FileKind.entries(of: folder, most: mostNames).filter { !$0.hasPrefix(".") }
    return names.isEmpty ? "\(name) is empty" : "\(name) has \(three(names, prefix: ""))"
  }

  /// The path that was meant, that a folder on the way is missing, that a symbolic link leads to nothing, or which files
  /// of that kind there are; `nil` when the folder has nothing to offer.
  ///
  /// - Parameter endings: the extensions of what is looked for, where the path has none.
  /// - Complexity: O(names in the folder × length of the name).
  package static func hint(for path: String, preferring endings: [String] = []) -> String? {
    if path.isEmpty { return emptyPath }
    if path.contains("://") { return "it is a URL: download the file first, for example with curl" }
    var missing = path
    while !isThere(ResolvedPath.folder(of: missing)) { missing = ResolvedPath.folder(of: missing) }
    if isLink(missing), !isThere(missing) {
      let target = ResolvedPath.of(missing)
      return isLink(target)
        ? "“\(missing)” is a symbolic link that leads in a circle"
        : "“\(missing)” is a symbolic link to “\(target)”, where there is nothing"
    }
    let folder = ResolvedPath.folder(of: missing)
    let name = String(missing.split(separator: "/").last ?? "")
    let names = FileKind.entries(of: folder, most: mostNames)
    let rest = path.dropFirst(missing.count)
    let prefix = missing.dropLast(name.count)
    if missing != path {
      if let near = NearestName.find(name, in: names.filter { FileKind(folder + "/" + $0) == .folder }) {
        let meant = "\(prefix)\(near)\(rest)"
        return isThere(meant) ? "did you mean “\(meant)”?" : "did you mean the folder “\(prefix)\(near)”?"
      }
      return "there is no folder “\(missing)”"
    }
    // Of the same kind first; the same letters in another case, another extension, a letter too many: in this order.
    let stem = stem(name)
    // What was typed is no advice, even where it is there and cannot be reached.
    let shown = names.filter { !$0.hasPrefix(".") && "\(prefix)\($0)" != path }
    var endings = endings
    let ending = String(ResolvedPath.ending(of: name))
    if !ending.isEmpty {
      endings = [".yaml", ".yml"].contains(ending) ? [".yaml", ".yml"] : [ending]
    }
    for names in [shown.filter { name in endings.contains { name.hasSuffix($0) } }, shown] {
      let near = NearestName.find(name, in: names) ?? names.first { Self.stem($0) == stem && !stem.isEmpty }
      if let near { return "did you mean “\(prefix)\(near)”?" }
    }
    return endings.lazy.compactMap { list(shown, ending: $0[...], prefix: prefix) }.first
  }

  /// Which files with an extension a folder has; `nil` when it has none.
  package static func files(in folder: String, ending: String) -> String? {
    list(
      FileKind.entries(of: folder, most: mostNames), ending: ending[...],
      prefix: (folder.hasSuffix("/") ? folder : folder + "/")[...])
  }

  private static func list(_ names: [String], ending: Substring, prefix: Substring) -> String? {
    let others = names.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
    if others.isEmpty { return nil }
    return "there \(others.count == 1 ? "is" : "are") \(three(others, prefix: prefix))"
  }

  /// Three of the names, and how many more there are.
  private static func three(_ names: [String], prefix: Substring) -> String {
    let shown = names.prefix(3).map { "“\(prefix)\($0)”" }.joined(separator: ", ")
    return shown + (names.count > 3 ? " and \(names.count - 3) more" : "")
  }

  private static func stem(_ name: String) -> Substring {
    name.firstIndex(of: ".").map { $0 == name.startIndex ? name[...] : name[..<$0] } ?? name[...]
  }

  private static func isLink(_ path: String) -> Bool {
    stat(path: path, followsLinks: false)?.isLink ?? false
  }

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
