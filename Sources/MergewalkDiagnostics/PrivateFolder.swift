/// A folder that this process has made for its work, and in which no other one works.
///
/// Its path was resolved when it was made, and all that is below it is the process's own: there are no links to follow, no
/// devices, and nothing that other processes have left. Nothing in it is synced by itself, because whoever has many files
/// there has them all synced at once.
package enum PrivateFolder {
  /// The folder's path; it holds for what the current thread does in `$path.withValue(…)`.
  @TaskLocal package static var path: String?

  /// Whether a path is that of something in the folder, at whatever depth.
  package static func holds(_ path: String) -> Bool {
    guard let folder = Self.path else { return false }
    let (bytes, start) = (path.utf8, folder.utf8)
    return bytes.starts(with: start) && bytes.dropFirst(start.count).first == UInt8(ascii: "/")
  }
}
