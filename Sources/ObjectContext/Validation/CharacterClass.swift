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
    ends.ranges = [0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029]
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
    switch property {
    case .digit: scalar.properties.generalCategory == .decimalNumber
    case .space: scalar.properties.isWhitespace
    case .word:
      scalar.properties.isAlphabetic || scalar.properties.isJoinControl
        || ["Mn", "Mc", "Me", "Nd", "Pc"].contains(shortName(scalar.properties.generalCategory))
    case .category(let name): shortName(scalar.properties.generalCategory).hasPrefix(name)
    }
  }

  /// The names that `\p{…}` takes: categories, and the first letters of their groups.
  static let categoryNames: Set<String> = {
    let all = [
      "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
      "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]
    return Set(all + all.map { String($0.prefix(1)) })
  }()

  private static func shortName(_ category: Unicode.GeneralCategory) -> String {
    switch category {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark: "Mn"
    case .spacingMark: "Mc"
    case .enclosingMark: "Me"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation: "Pc"
    case .dashPunctuation: "Pd"
    case .openPunctuation: "Ps"
    case .closePunctuation: "Pe"
    case .initialPunctuation: "Pi"
    case .finalPunctuation: "Pf"
    case .otherPunctuation: "Po"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol: "Sk"
    case .otherSymbol: "So"
    case .spaceSeparator: "Zs"
    case .lineSeparator: "Zl"
    case .paragraphSeparator: "Zp"
    case .control: "Cc"
    case .format: "Cf"
    case .surrogate: "Cs"
    case .privateUse: "Co"
    case .unassigned: "Cn"
    @unknown default: "Cn"
    }
  }
}
