/// The text operators of predicates on UTF-8 bytes, with their options; both engines use these.
///
/// `[l]` counts for ``compare(_:_:_:)`` and ``areEqual(_:_:_:)`` only. ASCII is compared without memory of its own.
package enum TextComparison {
  package typealias Options = ComparisonPredicate.Options
  package typealias Bytes = UnsafeBufferPointer<UInt8>

  /// -1, 0 or 1 as the first text comes before, with or after the second.
  package static func compare(_ left: Bytes, _ right: Bytes, _ options: Options) -> Int {
    if options.contains(.localeSensitive), !options.contains(.normalized) {
      return TextCollation.collation(options).compare(left, right)
    }
    let folding = TextFolding.effective(options)
    if folding.isEmpty { return TextBytes.compare(left, right) }
    if let order = compareASCII(left, right, folding) { return order }
    return TextFolding.withFolded(left, folding) { first in
      TextFolding.withFolded(right, folding) { second in TextBytes.compare(first, second) }
    }
  }

  package static func areEqual(_ left: Bytes, _ right: Bytes, _ options: Options) -> Bool {
    compare(left, right, options) == 0
  }

  package static func hasPrefix(_ text: Bytes, _ part: Bytes, _ options: Options) -> Bool {
    withBothFolded(text, part, options, TextBytes.hasPrefix)
  }

  package static func hasSuffix(_ text: Bytes, _ part: Bytes, _ options: Options) -> Bool {
    withBothFolded(text, part, options, TextBytes.hasSuffix)
  }

  /// Whether the part is somewhere in the text.
  package static func contains(_ text: Bytes, _ part: Bytes, _ options: Options) -> Bool {
    withBothFolded(text, part, options) { TextBytes.find($1, in: $0) != nil }
  }

  @inline(__always)
  private static func withBothFolded(
    _ text: Bytes, _ part: Bytes, _ options: Options, _ body: (Bytes, Bytes) -> Bool
  ) -> Bool {
    let folding = TextFolding.effective(options)
    if folding.isEmpty { return body(text, part) }
    return TextFolding.withFolded(text, folding) { first in
      TextFolding.withFolded(part, folding) { second in body(first, second) }
    }
  }

  /// The order as far as ASCII decides it; `nil` when a character that is not ASCII may change it.
  @inline(__always)
  private static func compareASCII(_ left: Bytes, _ right: Bytes, _ folding: Options) -> Int? {
    let ignoresCase = folding.contains(.caseInsensitive)
    let shared = min(left.count, right.count)
    var index = 0
    while index < shared {
      var first = left[index]
      var second = right[index]
      if (first | second) & 0x80 != 0 { return nil }
      if first != second {
        if ignoresCase {
          if first &- 0x41 < 26 { first |= 0x20 }
          if second &- 0x41 < 26 { second |= 0x20 }
        }
        if first != second {
          // An accent that follows makes another character of a letter.
          if index + 1 < left.count, left[index + 1] >= 0x80 { return nil }
          if index + 1 < right.count, right[index + 1] >= 0x80 { return nil }
          return first < second ? -1 : 1
        }
      }
      index += 1
    }
    if index < left.count { return left[index] < 0x80 ? 1 : nil }
    if index < right.count { return right[index] < 0x80 ? -1 : nil }
    return 0
  }
}

extension TextFolding {
  /// The text in capitals: Unicode's full mapping, independent of locale ("ß" becomes "SS").
  package static func uppercase(_ text: String) -> String { text.uppercased() }
  /// The text in small letters: Unicode's full mapping, independent of locale; a capital sigma that ends a word becomes
  /// a final one.
  package static func lowercase(_ text: String) -> String {
    text.withBytes { bytes in
      guard bytes.indices.contains(where: { isCapitalSigma(bytes, $0) }) else { return text.lowercased() }
      var result = ""
      result.reserveCapacity(bytes.count)
      var index = 0
      while index < bytes.count {
        let start = index
        let scalar = UTF8Scalars.decode(bytes, &index)
        if isFinalSigma(bytes, at: start) {
          result.unicodeScalars.append("\u{3C2}")
        } else {
          result += scalar.properties.lowercaseMapping
        }
      }
      return result
    }
  }

  /// Whether a capital sigma stands at a place of the text and ends a word there: a letter with case is before it, none
  /// is behind it, and nothing but characters that are ignored between them.
  ///
  /// Source: The Unicode Standard, 3.13, table 3-17 (`Final_Sigma`).
  package static func isFinalSigma(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    guard isCapitalSigma(bytes, start) else { return false }
    var index = start + 2
    while index < bytes.count {
      let properties = UTF8Scalars.decode(bytes, &index).properties
      if properties.isCaseIgnorable { continue }
      if properties.isCased { return false }
      break
    }
    index = start
    while index > 0 {
      index -= 1
      while index > 0, bytes[index] & 0xC0 == 0x80 { index -= 1 }
      var next = index
      let properties = UTF8Scalars.decode(bytes, &next).properties
      if !properties.isCaseIgnorable { return properties.isCased }
    }
    return false
  }

  @inline(__always)
  private static func isCapitalSigma(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    bytes[index] == 0xCE && index + 1 < bytes.count && bytes[index + 1] == 0xA3
  }

  /// `canonical:`: the form in which `[cd]` compares.
  package static func canonical(_ text: String) -> String { fold(text, [.caseInsensitive, .diacriticInsensitive]) }
}
