import MergewalkSystem

/// The kind of file at a path, with links followed.
package enum FileKind {
  case missing
  case folder
  case file

  package init(_ path: String) {
    self = stat(path: path).map { $0.isFolder ? .folder : .file } ?? .missing
  }

  /// The kind of file at a path that is neither a file nor a folder, such as “a pipe”; `nil` for those, for links and
  /// for nothing.
  package static func special(_ path: String, followsLinks: Bool = true) -> String? {
    guard let status = stat(path: path, followsLinks: followsLinks) else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR, S_IFLNK: return nil
    case S_IFIFO: return "a pipe"
    case S_IFSOCK: return "a socket"
    default: return "a device"
    }
  }

  /// The names in a folder, sorted by code points; empty when it cannot be read.
  ///
  /// - Parameter most: More names than these are not looked at.
  package static func entries(of folder: String, most: Int = .max) -> [String] { listing(of: folder, most: most).names }

  /// The same, and the number of the error that kept the rest from being read; 0 when none did.
  package static func listing(of folder: String, most: Int = .max) -> (names: [String], failure: Int32) {
    guard let handle = opendir(folder) else { return ([], errno) }
    defer { closedir(handle) }
    var names: [String] = []
    var failure: Int32 = 0
    while names.count < most {
      errno = 0
      guard let entry = readdir(handle) else {
        failure = errno
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return (names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, failure)
  }
}
