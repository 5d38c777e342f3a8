import MergewalkBytes

extension ByteSource {
  /// Whether an input has nothing in it, unpacked, but blanks, line ends and a mark of UTF-8; false for archives, unless
  /// their empty members are skipped, for what can be read only once and for what cannot be read.
  package var isBlank: Bool {
    if isReadOnce { return false }
    // An archive may be large though all its members are empty.
    let most = container.skipsEmptyMembers ? Int.max : InputBuffer.capacity
    if let size = fileSize, size == 0 || size >= most { return size == 0 }
    guard let contents = try? SourceContents(self), !contents.isArchive || container.skipsEmptyMembers,
      let stream = try? contents.next()
    else { return false }
    return (try? InputBuffer.around(stream).isBlank()) ?? false
  }

  /// What to say of a file, or a member of an archive, that is skipped because there is nothing in it.
  package static func emptyNote(_ path: String) -> String { "there is nothing in “\(path)”, and it is skipped" }
}

extension InputBuffer {
  /// Whether there is nothing to come but blanks, line ends and a mark of UTF-8; false if that takes more than the look
  /// ahead.
  func isBlank() throws(ReadError) -> Bool {
    var isWhole = try !need(ByteOrderMark.bytes.count)
    while true {
      let text = available.starts(with: ByteOrderMark.bytes) ? available.dropFirst(3) : available[...]
      if !text.allSatisfy(\.isDocumentSpace) { return false }
      if isWhole || available.count == Self.capacity { return isWhole }
      isWhole = try !need(min(Self.capacity, 2 * available.count + 1))
    }
  }
}
