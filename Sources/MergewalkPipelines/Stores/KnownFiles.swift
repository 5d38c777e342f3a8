import Synchronization

/// The digests of files that this process has hashed: a file that has not changed since is not read again.
///
/// Without it, a family that one process builds would be read twice: the commit verifies what the task has just hashed.
final class KnownFiles: Sendable {
  private let files = Mutex<[String: (state: FileState, digest: FamilyFiles.Digest)]>([:])

  /// See ``FamilyFiles/digest(_:)``.
  func digest(_ path: String) -> FamilyFiles.Digest? {
    guard let state = FileState(path) else { return nil }
    if let known = files.withLock({ $0[path] }), known.state == state { return known.digest }
    guard let digest = FamilyFiles.digest(path) else { return nil }
    // A file that another process wrote meanwhile is hashed again next time.
    if FileState(path) == state { files.withLock { $0[path] = (state, digest) } }
    return digest
  }

  /// Takes note that a file has another name now.
  func move(_ path: String, to new: String) {
    files.withLock { files in
      guard let known = files.removeValue(forKey: path), let state = FileState(new), state.isSameFile(as: known.state)
      else { return }
      files[new] = (state, known.digest)
    }
  }
}
