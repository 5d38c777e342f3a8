/// The encoding of a text file.
///
/// Readers work on UTF-8; other encodings are transcoded as the file streams in, and all positions then are those of
/// the decoded text.
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
  /// UTF-16 if the file starts with a UTF-16 byte order mark, else UTF-8.
  case automatic
  /// UTF-8, checked strictly; a byte order mark is skipped.
  case utf8 = "utf-8"
  /// UTF-16, low byte first; a byte order mark is skipped.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16, high byte first; a byte order mark is skipped.
  case utf16BigEndian = "utf-16be"
  /// ISO 8859-1: each byte is the code point of the same number.
  case latin1 = "iso-8859-1"
  /// Windows code page 1252; its five unassigned bytes (81, 8D, 8F, 90, 9D) are refused.
  case windows1252 = "windows-1252"
}
