import MergewalkSystem

/// Files that have no name, so that nothing of them stays when the process ends, however it ends.
package enum NamelessFile {
  /// Makes an empty file on the file system of a folder.
  ///
  /// Where the file system knows no such files, it has a name for a moment.
  ///
  /// - Returns: a descriptor, open to read and to write; -1 when there is none, and `errno` says why.
  package static func make(in folder: String) -> Int32 {
    #if os(Linux)
      // O_TMPFILE is a macro that is not imported. Source: open(2), and asm-generic/fcntl.h of Linux.
      let descriptor = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
      if descriptor >= 0 || ![EOPNOTSUPP, EISDIR, EINVAL].contains(errno) { return descriptor }
    #endif
    var template = Array("\(folder)/.mergewalk-temporary-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    if file >= 0 {
      unlink(template)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    }
    return file
  }
}
