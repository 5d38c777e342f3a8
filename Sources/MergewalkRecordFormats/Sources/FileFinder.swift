import MergewalkBytes
import MergewalkSystem

/// Finds the files that paths, globs and folders name.
///
/// A path that exists is taken as it is, whatever characters it has. A folder stands for the files in it whose names
/// match ``pattern``; names that begin with a dot are left out, and so are other kinds of files than regular ones. A
/// glob stands for the regular files that match. Folders' and globs' files are sorted by the bytes of their paths.
///
/// A file is found once, under its first name, even if links give it several names.
package struct FileFinder {
  /// A file that was found.
  package struct File: Sendable, Hashable {
    /// The path, built from the text that named it.
    package var path: String
    /// The path under which it was found before; nil when it is found for the first time.
    package var foundBefore: String?
  }

  /// The shell pattern that names of files in folders must match.
  package var pattern = "*"
  /// Whether folders inside folders are searched; links to folders are not followed.
  package var isRecursive = false

  private struct Identity: Hashable {
    var device: UInt
    var inode: UInt
  }
  private var found: [Identity: String] = [:]

  /// Folders are not searched deeper than this.
  private static let deepest = 64

  /// Finds nothing yet.
  package init() {}

  /// The files that a text names, with those that were found before; those carry `foundBefore`.
  ///
  /// - Throws: `notFound` when there is nothing at a path; `noMatchingFile` when a glob or a folder has no file that
  ///   matches; `permissionDenied`; `inputFailed` for a folder that cannot be read.
  package mutating func find(_ text: String) throws(ReadError) -> [File] {
    if let status = stat(path: text) {
      guard status.isFolder else {
        if access(text, R_OK) != 0 { throw ReadError(errno: errno, path: text, doing: "open") }
        return [take(text, status)]
      }
      var paths: [String] = []
      try list(text, depth: 0, into: &paths)
      if paths.isEmpty {
        throw ReadError(
          .noMatchingFile, path: text,
          message: "no file \(isRecursive ? "under" : "in") this folder matches “\(pattern)”")
      }
      return take(paths)
    }
    if Self.isGlob(text) {
      let files = take(try Self.glob(text))
      if files.isEmpty { throw ReadError(.noMatchingFile, path: text, message: "no file matches “\(text)”") }
      return files
    }
    throw ReadError(errno: errno == 0 ? ENOENT : errno, path: text, doing: "open")
  }

  /// Whether the text has a character that means something in a glob.
  package static func isGlob(_ text: String) -> Bool { text.utf8.contains { $0 == 0x2A || $0 == 0x3F || $0 == 0x5B } }

  // MARK: Steps

  private mutating func take(_ paths: [String]) -> [File] {
    let sorted = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return sorted.compactMap { path in
      guard let status = stat(path: path), status.isRegular else { return nil }
      return take(path, status)
    }
  }

  private mutating func take(_ path: String, _ status: stat) -> File {
    let identity = Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    if let before = found[identity] { return File(path: path, foundBefore: before) }
    // A pipe gives other bytes each time.
    if status.isRegular { found[identity] = path }
    return File(path: path, foundBefore: nil)
  }

  private func list(_ folder: String, depth: Int, into paths: inout [String]) throws(ReadError) {
    guard let handle = opendir(folder) else { throw ReadError(errno: errno, path: folder, doing: "open") }
    defer { closedir(handle) }
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    while true {
      errno = 0
      guard let entry = readdir(handle) else {
        if errno != 0 { throw ReadError(errno: errno, path: folder, doing: "read") }
        return
      }
      let found = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { name -> [UInt8] in
          // The names of what is left out do not matter.
          let isOther =
            switch Int(entry.pointee.d_type) {
            case DT_DIR: !isRecursive
            case DT_UNKNOWN: false
            default: fnmatch(pattern, name, 0) != 0
            }
          return name[0] == 0x2E || isOther ? [0x2E] : Self.bytes(name)
        }
      }
      let name = try Self.text(found, in: folder)
      if name.hasPrefix(".") { continue }
      let path = prefix + name
      guard let status = stat(path: path, followsLinks: false) else { continue }
      if status.isFolder {
        guard isRecursive else { continue }
        if depth >= Self.deepest {
          throw ReadError(.inputFailed, path: path, message: "folders inside folders, more than \(Self.deepest) deep")
        }
        try list(path, depth: depth + 1, into: &paths)
      } else if fnmatch(pattern, name, 0) == 0 {
        paths.append(path)
      }
    }
  }

  /// Source: POSIX `glob`, <https://pubs.opengroup.org/onlinepubs/9799919799/functions/glob.html>.
  private static func glob(_ pattern: String) throws(ReadError) -> [String] {
    var matches = glob_t()
    defer { globfree(&matches) }
    // Sorted later: glob sorts by the locale.
    let status = Glibc.glob(pattern, GLOB_NOSORT, nil, &matches)
    if status == GLOB_NOSPACE { throw ReadError(.inputFailed, path: pattern, message: "too many files for the memory") }
    guard status == 0, let paths = matches.gl_pathv else { return [] }
    var found: [String] = []
    for index in 0..<Int(matches.gl_pathc) {
      guard let path = paths[index] else { continue }
      found.append(try text(bytes(path), in: pattern))
    }
    return found
  }

  private static func bytes(_ name: UnsafePointer<CChar>) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }

  /// The text of a name; a file that cannot be opened by it is not skipped in silence.
  private static func text(_ name: [UInt8], in path: String) throws(ReadError) -> String {
    if let text = String(validating: name, as: UTF8.self) { return text }
    throw ReadError(
      .inputFailed, path: path,
      message: "the name of “\(String(spelling: name))” is not UTF-8 text; rename it, or choose files by another"
        + " pattern")
  }
}
