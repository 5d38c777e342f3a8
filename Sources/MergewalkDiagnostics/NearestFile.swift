import Glibc

/// Advice about a path at which there is nothing.
public enum NearestFile {
  /// More names of a folder than these are not looked at.
  private static let mostNames = 10_000

  /// The path that was meant, that a folder on the way is missing, or which files of that kind there are; `nil` when the
  /// folder has nothing to offer.
  ///
  /// - Complexity: O(names in the folder × length of the name).
  public static func hint(for path: String) -> String? {
    var missing = path
    while !isThere(ResolvedPath.folder(of: missing)) { missing = ResolvedPath.folder(of: missing) }
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
    // The same letters in another case, another extension, a letter too many: in this order.
    let stem = stem(name)
    if let near = NearestName.find(name, in: names.filter { !$0.hasPrefix(".") }) {
      return "did you mean “\(prefix)\(near)”?"
    }
    if let near = names.first(where: { Self.stem($0) == stem && !stem.isEmpty }) {
      return "did you mean “\(prefix)\(near)”?"
    }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return list(names, ending: name[dot...], prefix: prefix)
  }

  /// Which files with an extension a folder has; `nil` when it has none.
  public static func files(in folder: String, ending: String) -> String? {
    list(
      FileKind.entries(of: folder, most: mostNames), ending: ending[...],
      prefix: (folder.hasSuffix("/") ? folder : folder + "/")[...])
  }

  private static func list(_ names: [String], ending: Substring, prefix: Substring) -> String? {
    let others = names.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
    if others.isEmpty { return nil }
    let shown = others.prefix(5).map { "“\(prefix)\($0)”" }.joined(separator: ", ")
    return "there is \(shown)" + (others.count > 5 ? " and \(others.count - 5) more" : "")
  }

  private static func stem(_ name: String) -> Substring {
    name.firstIndex(of: ".").map { $0 == name.startIndex ? name[...] : name[..<$0] } ?? name[...]
  }

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
