import MergewalkBytes

/// The number of terminal columns that text takes, scalar by scalar.
///
/// East Asian wide characters and emoji take two, combining marks, joiners and other format characters none, all others
/// one. A joiner or a skin tone adds no columns to an emoji; two regional indicators are one flag. Terminals differ in
/// details; a wrong guess only costs alignment. Source: Unicode Standard Annex 11 (East Asian Width), Unicode Technical
/// Standard 51 (Emoji).
struct DisplayWidth {
  private var followsJoiner = false
  private var isInFlag = false
  private var lastWidth = 0

  init() {}

  /// The columns that a character adds to those before it.
  mutating func add(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 {
      // Soft hyphens are shown by most terminals.
      followsJoiner = false
      isInFlag = false
      lastWidth = 1
      return 1
    }
    return addOther(scalar)
  }

  private mutating func addOther(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value == 0x200D {
      followsJoiner = true
      return 0
    }
    if value == 0xFE0F {
      // The emoji form of a character that is narrow as text.
      let width = lastWidth == 1 ? 1 : 0
      lastWidth = 2
      return width
    }
    if Self.isZeroWidth(scalar) { return 0 }
    defer { followsJoiner = false }
    if followsJoiner, lastWidth == 2 { return 0 }
    if (0x1F1E6...0x1F1FF).contains(value) {
      isInFlag.toggle()
      lastWidth = 2
      return isInFlag ? 2 : 0
    }
    isInFlag = false
    if (0x1F3FB...0x1F3FF).contains(value), lastWidth == 2 { return 0 }
    lastWidth = Self.isWide(value) ? 2 : 1
    return lastWidth
  }

  /// Marks that stand over others, medial and final Hangul letters, and format characters that show nothing.
  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return true }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return true
    default: return false
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= 0x1100 else { return false }
    let place = wide.indices.first(fromWhich: { wide[$0].1 >= value })
    return place < wide.count && wide[place].0 <= value
  }

  /// First and last of the runs of characters whose East Asian Width is W or F; code points without a character join the
  /// runs around them.
  private static let wide: [(UInt32, UInt32)] = [
    (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC), (0x23F0, 0x23F0), (0x23F3, 0x23F3),
    (0x25FD, 0x25FE), (0x2614, 0x2615), (0x2630, 0x2637), (0x2648, 0x2653), (0x267F, 0x267F), (0x268A, 0x268F),
    (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE), (0x26C4, 0x26C5), (0x26CE, 0x26CE),
    (0x26D4, 0x26D4), (0x26EA, 0x26EA), (0x26F2, 0x26F3), (0x26F5, 0x26F5), (0x26FA, 0x26FA), (0x26FD, 0x26FD),
    (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755),
    (0x2757, 0x2757), (0x2795, 0x2797), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50),
    (0x2B55, 0x2B55), (0x2E80, 0x303E), (0x3041, 0x3247), (0x3250, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF), (0xFE10, 0xFE19), (0xFE30, 0xFE6B), (0xFF01, 0xFF60), (0xFFE0, 0xFFE6), (0x16FE0, 0x1B2FB),
    (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF), (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F200, 0x1F320),
    (0x1F32D, 0x1F335), (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA), (0x1F3CF, 0x1F3D3),
    (0x1F3E0, 0x1F3F0), (0x1F3F4, 0x1F3F4), (0x1F3F8, 0x1F43E), (0x1F440, 0x1F440), (0x1F442, 0x1F4FC),
    (0x1F4FF, 0x1F53D), (0x1F54B, 0x1F54E), (0x1F550, 0x1F567), (0x1F57A, 0x1F57A), (0x1F595, 0x1F596),
    (0x1F5A4, 0x1F5A4), (0x1F5FB, 0x1F64F), (0x1F680, 0x1F6C5), (0x1F6CC, 0x1F6CC), (0x1F6D0, 0x1F6D2),
    (0x1F6D5, 0x1F6DF), (0x1F6EB, 0x1F6EC), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7F0), (0x1F90C, 0x1F93A),
    (0x1F93C, 0x1F945), (0x1F947, 0x1F9FF), (0x1FA70, 0x1FAFF), (0x20000, 0x3FFFD),
  ]
}

/// How text looks on a terminal.
package enum DisplayText {
  /// How many columns of a terminal the text takes.
  package static func width(_ text: String) -> Int {
    var counter = DisplayWidth()
    return text.unicodeScalars.reduce(0) { $0 + counter.add($1) }
  }
}
