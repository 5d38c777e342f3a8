import MergewalkBytes

extension ByteSource {
  /// Files of more bytes have something in them.
  private static let mostBlankBytes = 1 << 16

  /// Whether an input has nothing in it, unpacked, but blanks, line ends and a mark of UTF-8; false for archives, for
  /// what can be read only once and for what cannot be read.
  package var isBlank: Bool {
    if isReadOnce { return false }
    if let size = fileSize, size == 0 || size > Self.mostBlankBytes { return size == 0 }
    guard let contents = try? SourceContents(self), !contents.isArchive, let stream = try? contents.next() else {
      return false
    }
    var buffer = [UInt8](repeating: 0, count: Self.mostBlankBytes)
    var (total, isFirst) = (0, true)
    while total <= Self.mostBlankBytes {
      let count = try? buffer.withUnsafeMutableBytes { (all) throws(ReadError) in try stream.read(into: all) }
      guard let count else { return false }
      if count == 0 { return true }
      let text = buffer[..<count]
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      guard (isFirst && text.starts(with: mark) ? text.dropFirst(3) : text).allSatisfy(\.isDocumentSpace) else {
        return false
      }
      (total, isFirst) = (total + count, false)
    }
    return false
  }
}
