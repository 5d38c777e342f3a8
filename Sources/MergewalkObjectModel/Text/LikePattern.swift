/// The pattern of `LIKE`, which a whole text must match.
///
/// `*` stands for any characters, also none, `?` for one Unicode scalar, and `\*`, `\?`, `\\` for the second character
/// itself. A backslash before anything else stands for itself.
///
/// The parts between asterisks are looked for one after the other, each at the first place where it fits, which is
/// enough: there is no way back. Parts without `?` are found in linear time.
package struct LikePattern: Sendable {
  /// A part may compare no more bytes than this many times the text's length; see ``matches(_:)``.
  static let greatestEffort = 64

  /// A part of the pattern between two asterisks.
  private struct Part: Sendable {
    /// The characters; the bytes at ``wild`` are placeholders.
    var bytes: [UInt8] = []
    /// For each byte whether it is a `?`.
    var isWild: [Bool] = []
    var hasWild = false
    /// The number of Unicode scalars.
    var scalarCount = 0

    mutating func append(_ byte: UInt8) {
      bytes.append(byte)
      isWild.append(false)
      if byte & 0xC0 != 0x80 { scalarCount += 1 }
    }

    mutating func appendWild() {
      bytes.append(0)
      isWild.append(true)
      hasWild = true
      scalarCount += 1
    }
  }

  /// The parts, at least one; asterisks are between them.
  private let parts: [Part]
  private let options: ComparisonPredicate.Options

  /// Compiles a pattern; with `[c]` or `[d]` it is folded here, and texts when they are matched.
  package init(_ pattern: UnsafeBufferPointer<UInt8>, options: ComparisonPredicate.Options = []) {
    self.options = TextFolding.effective(options)
    parts = TextFolding.withFolded(pattern, self.options) { Self.parts($0) }
  }

  /// Compiles a pattern; with `[c]` or `[d]` it is folded here, and texts when they are matched.
  package init(_ pattern: String, options: ComparisonPredicate.Options = []) {
    self = pattern.withBytes { LikePattern($0, options: options) }
  }

  private static func parts(_ pattern: UnsafeBufferPointer<UInt8>) -> [Part] {
    var parts: [Part] = []
    var part = Part()
    var index = 0
    while index < pattern.count {
      let byte = pattern[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"):
        // Asterisks in a row mean no more than one.
        if part.bytes.isEmpty, !parts.isEmpty { continue }
        parts.append(part)
        part = Part()
      case UInt8(ascii: "?"): part.appendWild()
      case UInt8(ascii: "\\"):
        if index < pattern.count, [UInt8(ascii: "*"), UInt8(ascii: "?"), byte].contains(pattern[index]) {
          part.append(pattern[index])
          index += 1
        } else {
          part.append(byte)
        }
      default: part.append(byte)
      }
    }
    parts.append(part)
    return parts
  }

  /// Whether all of the text matches.
  ///
  /// - Throws: ``PredicateError`` with `patternTimeLimit` when a part with `?` of more than 64 characters has to be
  ///   compared at too many places: more than 64 bytes for each byte of the text.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) throws(PredicateError) -> Bool {
    let outcome: Bool? =
      options.isEmpty ? match(text) : TextFolding.withFolded(text, options) { match($0) }
    guard let outcome else {
      throw PredicateError(
        .patternTimeLimit, "matching a text of \(text.count) bytes with a LIKE pattern took too many steps",
        hint: "use fewer ? between two *, or another operator")
    }
    return outcome
  }

  package func matches(_ text: String) throws(PredicateError) -> Bool {
    try text.withBytes { bytes throws(PredicateError) in try matches(bytes) }
  }

  /// Whether the folded text matches; `nil` when that is too much work.
  private func match(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    let first = parts[0]
    guard let start = Self.end(first, in: text, at: 0, limit: text.count) else { return false }
    if parts.count == 1 { return start == text.count }
    let last = parts[parts.count - 1]
    guard let end = Self.suffixStart(last, of: text, notBefore: start),
      Self.end(last, in: text, at: end, limit: text.count) == text.count
    else { return false }
    var position = start
    var effort = Self.greatestEffort * (text.count + 1_024)
    for index in 1..<max(1, parts.count - 1) {
      let part = parts[index]
      let found =
        part.hasWild
        ? Self.find(part, in: text, from: position, to: end, effort: &effort)
        : part.bytes.withUnsafeBufferPointer { bytes in
          TextBytes.find(bytes, in: UnsafeBufferPointer(rebasing: text[..<end]), from: position)
            .map { $0 + bytes.count }
        }
      if effort < 0 { return nil }
      guard let found else { return false }
      position = found
    }
    return true
  }

  /// Where the part ends when it fits at a place, else `nil`.
  private static func end(
    _ part: Part, in text: UnsafeBufferPointer<UInt8>, at start: Int, limit: Int
  ) -> Int? {
    var effort = Int.max
    return end(part, in: text, at: start, limit: limit, effort: &effort)
  }

  @inline(__always)
  private static func end(
    _ part: Part, in text: UnsafeBufferPointer<UInt8>, at start: Int, limit: Int, effort: inout Int
  ) -> Int? {
    var position = start
    for index in part.bytes.indices {
      guard position < limit else { return nil }
      effort -= 1
      if part.isWild[index] {
        position = UTF8Scalars.next(text, position)
      } else if text[position] == part.bytes[index] {
        position += 1
      } else {
        return nil
      }
    }
    return position
  }

  /// Where the text's last characters begin that are as many as the part's; `nil` when there are not so many.
  private static func suffixStart(
    _ part: Part, of text: UnsafeBufferPointer<UInt8>, notBefore start: Int
  ) -> Int? {
    var position = text.count
    if !part.hasWild {
      position -= part.bytes.count
      return position >= start ? position : nil
    }
    for _ in 0..<part.scalarCount {
      guard position > start else { return nil }
      position -= 1
      while position > start, text[position] & 0xC0 == 0x80 { position -= 1 }
    }
    return position
  }

  /// Where the part's first occurrence ends; `nil` when there is none, or when the effort is used up.
  private static func find(
    _ part: Part, in text: UnsafeBufferPointer<UInt8>, from start: Int, to limit: Int, effort: inout Int
  ) -> Int? {
    var position = start
    // Each character takes at least one byte.
    while position + part.scalarCount <= limit {
      if let end = end(part, in: text, at: position, limit: limit, effort: &effort) { return end }
      if effort < 0 { return nil }
      position = UTF8Scalars.next(text, position)
    }
    return nil
  }
}
