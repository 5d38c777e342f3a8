import CMergewalkICU

/// The order in which a reader expects texts: the root collation of the Unicode CLDR.
///
/// It is the same on every machine, whatever its locale. Punctuation counts, composed and decomposed accents are equal.
/// Source: [UTS #35, Root Collation](https://www.unicode.org/reports/tr35/tr35-collation.html#Root_Collation).
package final class TextCollation: @unchecked Sendable {
  /// The strength of a comparison, with ICU's numbers.
  private enum Strength: Int32 {
    case letters = 0
    case accents = 1
    case `case` = 2
  }

  // ICU's collators can be used by several threads at once as long as they are not changed.
  private let collator: UnsafeMutableRawPointer?

  /// `[l]`, `localizedCompare:`: letters, then accents, then case.
  package static let standard = TextCollation(.case)
  /// `[cl]`, `localizedCaseInsensitiveCompare:`: letters, then accents.
  package static let caseInsensitive = TextCollation(.accents)
  /// `[dl]`: letters, then case.
  package static let diacriticInsensitive = TextCollation(.letters, hasCaseLevel: true)
  /// `[cdl]`: letters alone.
  package static let lettersOnly = TextCollation(.letters)
  /// `localizedStandardCompare:`: as ``standard``, but digits are ordered by the number that they make.
  package static let numeric = TextCollation(.case, isNumeric: true)

  /// The collation of the options `[c]` and `[d]` beside `[l]`.
  package static func collation(_ options: ComparisonPredicate.Options) -> TextCollation {
    switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
    case (false, false): standard
    case (true, false): caseInsensitive
    case (false, true): diacriticInsensitive
    case (true, true): lettersOnly
    }
  }

  private init(_ strength: Strength, hasCaseLevel: Bool = false, isNumeric: Bool = false) {
    collator = mergewalk_openCollator(strength.rawValue, hasCaseLevel ? 1 : 0, isNumeric ? 1 : 0)
  }

  deinit { if let collator { mergewalk_closeCollator(collator) } }

  /// -1, 0 or 1 as the first text comes before, with or after the second.
  ///
  /// Texts of more than 2^28 bytes, and all texts when ICU has no data, are ordered by their bytes.
  package func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    guard let collator, max(left.count, right.count) <= UTF16Buffer.greatestCount else {
      return TextBytes.compare(left, right)
    }
    var status: Int32 = 0
    let order = left.withMemoryRebound(to: CChar.self) { first in
      right.withMemoryRebound(to: CChar.self) { second in
        mergewalk_collate(
          collator, first.baseAddress, Int32(first.count), second.baseAddress, Int32(second.count), &status)
      }
    }
    return status > 0 ? TextBytes.compare(left, right) : Int(order)
  }

  /// Bytes that are in the order of the texts, for sorting many.
  package func sortKey(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard let collator, bytes.count <= UTF16Buffer.greatestCount else { return Array(bytes) }
    var text = UTF16Buffer()
    text.set(bytes)
    return text.withUnits { units in
      let size = mergewalk_sortKey(collator, units.baseAddress, Int32(units.count), nil, 0)
      return [UInt8](unsafeUninitializedCapacity: Int(size)) { key, count in
        count = Int(
          mergewalk_sortKey(collator, units.baseAddress, Int32(units.count), key.baseAddress, Int32(key.count)))
      }
    }
  }
}
