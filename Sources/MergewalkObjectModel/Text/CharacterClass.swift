import CMergewalkICU

/// A set of Unicode scalars that one place of a pattern allows.
struct CharacterClass: Sendable, Hashable {
  /// A set that Unicode defines.
  enum Property: Sendable, Hashable {
    /// `\d`: decimal digits of all scripts.
    case digit
    /// `\w`: letters, marks, decimal digits, connecting punctuation, joiners.
    case word
    /// `\s`: white space.
    case space
    /// `\p{…}`: general categories by their short names, such as `Lu`, or `L` for all kinds of letters.
    case category(String)
  }
  /// A property or what it excludes.
  struct Member: Sendable, Hashable {
    var property: Property
    var isExcluded: Bool
  }

  var ranges: [ClosedRange<UInt32>] = []
  var members: [Member] = []
  var isNegated = false

  /// All characters that do not end a line: `.` in ICU's default mode.
  static let notLineEnd: CharacterClass = {
    var ends = CharacterClass()
    ends.ranges = [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029]
    ends.isNegated = true
    return ends
  }()

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    for range in ranges where range.contains(value) { return !isNegated }
    for member in members where Self.has(scalar, member.property) != member.isExcluded { return !isNegated }
    return isNegated
  }

  private static func has(_ scalar: Unicode.Scalar, _ property: Property) -> Bool {
    let value = Int32(bitPattern: scalar.value)
    switch property {
    case .digit: return category(value) == "Nd"
    case .space: return mergewalk_isWhiteSpace(value) != 0
    case .word:
      return mergewalk_isAlphabetic(value) != 0 || value == 0x200C || value == 0x200D
        || ["Mn", "Mc", "Me", "Nd", "Pc"].contains(category(value))
    case .category(let name): return category(value).hasPrefix(name)
    }
  }

  private static func category(_ value: Int32) -> String { categories[Int(mergewalk_category(value))] }

  /// The general categories in the order of ICU's numbers for them.
  private static let categories = [
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cs",
    "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf",
  ]

  /// The names that `\p{…}` takes: categories, and the first letters of their groups.
  static let categoryNames = Set(categories + categories.map { String($0.prefix(1)) })

  /// The class with both cases of its ASCII letters; `nil` when it names others, whose cases only ICU knows.
  var ignoringCase: CharacterClass? {
    var result = self
    for range in ranges {
      guard range.upperBound < 0x80 else { return nil }
      for (first, last, other) in [(0x41, 0x5A, 32), (0x61, 0x7A, -32)] as [(Int, Int, Int)] {
        let low = max(Int(range.lowerBound), first)
        let high = min(Int(range.upperBound), last)
        if low <= high { result.ranges.append(UInt32(low + other)...UInt32(high + other)) }
      }
    }
    for member in members {
      if case .category = member.property { return nil }
    }
    return result
  }
}
