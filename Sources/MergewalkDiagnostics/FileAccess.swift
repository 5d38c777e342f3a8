package import MergewalkSystem

/// The permissions of a file: a file made from another one is never readable by more users than that one.
package struct FileAccess: Sendable, Hashable {
  /// The permissions of user, group and others.
  package var mode: mode_t
  /// Whose the file is; `nil` for whoever makes it.
  private var owner: uid_t?
  private var group: gid_t?

  /// The permissions of a file made in the usual way; the process's mask applies.
  package static let usual = FileAccess(mode: 0o666, owner: nil, group: nil)
  /// For the user alone.
  package static let own = FileAccess(mode: 0o600, owner: nil, group: nil)

  private init(mode: mode_t, owner: uid_t?, group: gid_t?) {
    self.mode = mode
    self.owner = owner
    self.group = group
  }

  /// The access to a file, without the right to execute it; `nil` when there is none.
  package init?(of path: String) {
    guard let status = stat(path: path) else { return nil }
    self.init(mode: status.st_mode & 0o666, owner: status.st_uid, group: status.st_gid)
  }

  /// The access that a new file has that shows what another one holds: its maker's own, and no further user's beyond
  /// that one's.
  package static func derived(from path: String) -> FileAccess {
    guard let access = FileAccess(of: path) else { return .usual }
    return FileAccess(mode: access.mode | 0o600, owner: nil, group: access.group)
  }

  /// The permissions that both allow; the owner is the first one's.
  package func narrowed(by other: FileAccess?) -> FileAccess {
    var result = self
    if let other { result.mode &= other.mode }
    return result
  }

  /// Gives a new file this access, as far as the process's mask allows.
  ///
  /// Only the superuser can give files away. A group that is not the one meant gets what all others get.
  package func apply(to descriptor: Int32) {
    guard let status = stat(descriptor: descriptor) else { return }
    var mode = mode
    if let group {
      let isGiven = owner.map { fchown(descriptor, $0, group) == 0 } ?? false
      if !isGiven, group != status.st_gid, fchown(descriptor, uid_t.max, group) != 0 {
        mode = mode & ~0o070 | mode & (mode & 0o007) << 3
      }
    }
    let mask = umask(0)
    umask(mask)
    _ = fchmod(descriptor, mode & ~mask)
  }

  /// Gives the file at a path this access.
  package func apply(to path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    apply(to: descriptor)
    close(descriptor)
  }

  /// Makes an empty file with this access where there is none, for code that opens it by its name.
  ///
  /// - Returns: Whether it was made.
  @discardableResult
  package func make(_ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    apply(to: descriptor)
    close(descriptor)
    return true
  }
}
