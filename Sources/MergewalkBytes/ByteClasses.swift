/// Kinds of characters of ASCII. There are three kinds of white space, because formats differ in what theirs is.
extension UInt8 {
  /// Whether it is a digit, 0 to 9.
  @inlinable @inline(__always)
  package var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether it is a letter of ASCII.
  @inlinable @inline(__always)
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// The small letter of a capital one; any other byte is itself.
  @inlinable @inline(__always)
  package var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The capital of a small letter; any other byte is itself.
  @inlinable @inline(__always)
  package var uppercased: UInt8 { self &- 0x61 < 26 ? self & 0xDF : self }

  /// Whether it is a space or a tab.
  @inlinable @inline(__always)
  package var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// Whether it is white space of JSON and XML: a space, a tab, LF or CR.
  @inlinable @inline(__always)
  package var isDocumentSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  /// Whether it is white space as C has it: a space, a tab, LF, VT, FF or CR.
  @inlinable @inline(__always)
  package var isSpace: Bool { self == 0x20 || self &- 0x09 < 5 }
}
