import MergewalkSystem

/// Paths with the symbolic links on them followed, so that what lies beside a file is looked for where the file is.
package enum ResolvedPath {
  /// As many links one after the other as the system itself follows.
  private static let mostLinks = 40

  /// The path of the file that a path leads to; the path itself when there is no link on it.
  ///
  /// The file need not be there: a link that leads to nothing gives the place to which it leads.
  package static func of(_ path: String) -> String {
    if PrivateFolder.holds(path) || !hasLink(path) { return path }
    var path = path
    for _ in 0..<mostLinks {
      if let real = real(path) { return real }
      guard let target = target(ofLink: path) else { break }
      path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
    }
    return inRealFolder(path)
  }

  /// The same from the root on, to tell whether two paths that lead to nothing yet will lead to the same file.
  package static func absolute(_ path: String) -> String {
    let path = of(path)
    return real(path) ?? inRealFolder(path)
  }

  /// The path from the root on, with its links as they are; the path itself when the working folder is gone.
  package static func fromRoot(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    return String(cString: here) + "/" + path
  }

  /// A path as seen from the folder of a file, or the working folder; neither how it was written counts nor where both lie.
  package static func relative(_ path: String, from file: String?) -> String {
    func parts(_ path: String) -> [Substring] { absolute(path).split(separator: "/") }
    let (parts, base) = (parts(path), parts(file.map { folder(of: $0) } ?? "."))
    let common = zip(parts, base).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: base.count - common) + parts[common...]).joined(separator: "/")
  }

  private static func inRealFolder(_ path: String) -> String {
    guard let folder = real(folder(of: path)) else { return path }
    return (folder == "/" ? "" : folder) + "/" + name(of: path)
  }

  /// The folder part of a path: `.` when there is none.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path.
  package static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// The ending of a path's last part with its full stop, such as `.csv`: of `.csv` and `csv` what is behind their end.
  package static func ending(of path: String) -> Substring {
    let begin = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let dot = path.utf8[begin...].lastIndex(of: UInt8(ascii: ".")) ?? begin
    return path[(dot > begin ? dot : path.endIndex)...]
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static func target(ofLink path: String) -> String? {
    var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &characters, characters.count)
    return count > 0 ? String(decoding: characters.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Whether the file or one of the folders on the way to it is a symbolic link.
  private static func hasLink(_ path: String) -> Bool {
    let slash = CChar(UInt8(ascii: "/"))
    var characters = ContiguousArray(path.utf8CString)
    return characters.withUnsafeMutableBufferPointer { characters in
      guard let start = characters.baseAddress else { return false }
      // Each part is looked at where the path ends behind it.
      for end in characters.indices.dropFirst() where characters[end] == slash || end == characters.count - 1 {
        let next = characters[end]
        characters[end] = 0
        defer { characters[end] = next }
        var status = stat()
        guard lstat(start, &status) == 0 else { return false }
        if status.isLink { return true }
      }
      return false
    }
  }
}
