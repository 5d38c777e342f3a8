/// Paths in commands that a person is told to give.
package enum ShellText {
  /// The path as one word of a shell that no command takes for an option.
  package static func word(_ path: String) -> String {
    let path = path.hasPrefix("-") && path != "-" ? "./" + path : path
    let isPlain =
      !path.isEmpty
      && path.utf8.allSatisfy { byte in
        "/._-+,".utf8.contains(byte) || (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      }
    return isPlain
      ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
