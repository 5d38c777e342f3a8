/// The delimiter between two fields: one character or several, 1 to 8 bytes of UTF-8.
///
/// If it could match at several places, the leftmost one counts: with `||`, `a|||b` is `a` and `|b`. A file in another
/// encoding is decoded first, so `§` is also found in Latin-1.
public struct CSVDelimiter: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// Its bytes, the first in the lowest byte; what is above them is 0.
  let word: UInt64
  /// The number of its bytes.
  public let count: Int

  /// The maximum number of bytes.
  public static let mostBytes = 8

  /// Creates a delimiter from a text; nil if that is empty, longer than 8 bytes, or contains NUL, CR or LF.
  public init?(_ text: String) {
    var word: UInt64 = 0
    let bytes = text.utf8
    guard 1...Self.mostBytes ~= bytes.count, !bytes.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
      return nil
    }
    for (i, byte) in bytes.enumerated() { word |= UInt64(byte) << UInt64(8 * i) }
    self.word = word
    count = bytes.count
  }

  /// A delimiter of known bytes.
  init(word: UInt64, count: Int) {
    self.word = word
    self.count = count
  }

  /// Creates a delimiter of one ASCII character.
  ///
  /// - Precondition: `byte` is ASCII, and not NUL, CR or LF.
  public init(_ byte: UInt8) {
    precondition(byte < 0x80 && byte != 0 && byte != 10 && byte != 13, "a delimiter of one byte is a character")
    word = UInt64(byte)
    count = 1
  }

  /// Creates a delimiter from a literal.
  public init(stringLiteral text: String) {
    guard let delimiter = CSVDelimiter(text) else {
      preconditionFailure("a delimiter has 1 to 8 bytes without NUL, CR and LF")
    }
    self = delimiter
  }

  /// Its bytes.
  public var bytes: [UInt8] { (0..<count).map { byte($0) } }
  /// Its text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
  /// Its text.
  public var description: String { text }

  var first: UInt8 { UInt8(truncatingIfNeeded: word) }
  /// Its only byte; nil if there are several.
  var single: UInt8? { count == 1 ? first : nil }

  func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }

  /// Whether a byte is among its bytes.
  public func contains(_ byte: UInt8) -> Bool { (0..<count).contains { self.byte($0) == byte } }

  @inline(__always)
  func stands(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    if bytes[index] != first { return false }
    return count == 1 || restStands(in: bytes, at: index)
  }

  private func restStands(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    if index + count > bytes.count { return false }
    for i in 1..<count where bytes[index + i] != byte(i) { return false }
    return true
  }
}

/// Compares text with a delimiter of several bytes, all at once.
struct DelimiterMatcher {
  /// The text at a place.
  enum Match {
    case delimiter
    case other
    /// The text that is there ends inside what may be the delimiter.
    case cut
  }

  private let word: UInt64
  /// The number of bytes of the delimiter.
  let count: Int

  init(_ delimiter: CSVDelimiter) {
    word = delimiter.word
    count = delimiter.count
  }

  /// The text at `at`, which is before `end`; nothing from `end` on is read.
  @inline(__always)
  func match(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Match {
    let there = min(count, end - at)
    let found =
      end - at >= 8
      ? UInt64(littleEndian: UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
      : (0..<there).reduce(0) { $0 | UInt64(base[at + $1]) << UInt64(8 * $1) }
    // Shifting by 64 gives 0, so that all eight bytes can be wanted.
    let difference = (found ^ word) & ~(~0 << UInt64(8 * there))
    return difference != 0 ? .other : there == count ? .delimiter : .cut
  }
}
