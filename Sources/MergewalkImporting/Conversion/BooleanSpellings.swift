/// The spellings of true and false that a field accepts, compared without ASCII case.
struct BooleanSpellings: Sendable {
  /// Spellings of at most eight bytes, as words; the first element of `values` belongs to the first word.
  private var words: [UInt64] = []
  private var lengths: [UInt8] = []
  private var values: [Bool] = []
  private var long: [(bytes: [UInt8], value: Bool)] = []

  static let defaultTrue = ["true", "t", "yes", "y", "1", "on"]
  static let defaultFalse = ["false", "f", "no", "n", "0", "off"]

  init(true trueSpellings: [String], false falseSpellings: [String]) {
    for (spellings, value) in [(trueSpellings, true), (falseSpellings, false)] {
      for spelling in spellings {
        let bytes = Self.folded(spelling)
        if bytes.count <= 8 {
          words.append(bytes.withUnsafeBufferPointer(Self.word))
          lengths.append(UInt8(bytes.count))
          values.append(value)
        } else {
          long.append((bytes, value))
        }
      }
    }
  }

  /// The spelling's bytes with A-Z as a-z.
  static func folded(_ spelling: String) -> [UInt8] { spelling.utf8.map(folded) }

  @inline(__always) private static func folded(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  @inline(__always) private static func word(_ bytes: FieldBytes) -> UInt64 {
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(folded(byte)) }
    return word
  }

  /// Returns the value that `bytes` spell.
  ///
  /// - Throws: `boolean` when they are not a listed spelling.
  /// - Complexity: O(number of spellings).
  @inline(__always)
  func parse(_ bytes: FieldBytes) throws(ConversionFailureCode) -> Bool {
    guard bytes.count <= 8 else { return try parseLong(bytes) }
    let word = Self.word(bytes)
    for index in words.indices where words[index] == word && Int(lengths[index]) == bytes.count {
      return values[index]
    }
    throw .boolean
  }

  @inline(never)
  private func parseLong(_ bytes: FieldBytes) throws(ConversionFailureCode) -> Bool {
    for spelling in long where spelling.bytes.count == bytes.count {
      if zip(spelling.bytes, bytes).allSatisfy({ $0 == Self.folded($1) }) { return spelling.value }
    }
    throw .boolean
  }
}
