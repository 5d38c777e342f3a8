import Foundation

/// How text becomes bytes.
enum TextForm: String, Sendable {
  case utf8
  case utf8Mark
  /// UTF-8 that nobody names: it is told by the bytes.
  case detected = "detect"
  case utf16le
  case utf16be
  case utf32le
  /// The low byte first, and no mark that tells.
  case utf16 = "utf-16"
  case latin1 = "iso-8859-1"
  case windows1252 = "windows-1252"
  case shiftJIS = "shift_jis"
  case johab

  /// What the pipeline calls it; nil where the files themselves tell it.
  var name: String? {
    switch self {
    case .utf8, .utf8Mark, .utf16le, .utf16be, .utf32le: nil
    case .detected, .utf16, .latin1, .windows1252, .shiftJIS, .johab: rawValue
    }
  }

  /// What XML calls it.
  var nameInXML: String {
    switch self {
    case .utf8, .utf8Mark, .detected: "UTF-8"
    case .utf16le, .utf16be: "UTF-16"
    case .utf32le: "UTF-32"
    case .utf16, .latin1, .windows1252, .shiftJIS, .johab: rawValue.uppercased()
    }
  }

  /// The bytes of a text that the encoding holds.
  func bytes(_ text: String) -> [UInt8] {
    switch self {
    case .utf8, .detected: return Array(text.utf8)
    case .utf8Mark: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    case .utf16le: return [0xFF, 0xFE] + Self.utf16.bytes(text)
    case .utf16be: return [0xFE, 0xFF] + [UInt8](text.data(using: .utf16BigEndian) ?? Data())
    case .utf32le: return [0xFF, 0xFE, 0, 0] + [UInt8](text.data(using: .utf32LittleEndian) ?? Data())
    case .utf16: return [UInt8](text.data(using: .utf16LittleEndian) ?? Data())
    case .latin1, .windows1252, .shiftJIS, .johab:
      let table = table
      var bytes: [UInt8] = []
      for scalar in text.unicodeScalars {
        if scalar.value < 0x80 {
          bytes.append(UInt8(scalar.value))
        } else {
          bytes += table[scalar] ?? [UInt8(truncatingIfNeeded: scalar.value)]
        }
      }
      return bytes
    }
  }

  /// Whether the encoding has all characters.
  var isWhole: Bool {
    switch self {
    case .utf8, .utf8Mark, .detected, .utf16le, .utf16be, .utf32le, .utf16: true
    case .latin1, .windows1252, .shiftJIS, .johab: false
    }
  }

  /// Whether the encoding has all characters of a text.
  func holds(_ text: String) -> Bool {
    if isWhole { return true }
    let table = table
    let isLatin = self == .latin1 || self == .windows1252
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.value < 0x80 || isLatin && (0xA0..<0x100).contains(scalar.value) || table[scalar] != nil
    }
  }

  /// Texts that have bytes of their own in the encoding.
  var texts: [String] {
    switch self {
    case .windows1252: ["€\u{201E}Š", "œŸ\u{2026}"]
    // The second bytes of some characters are those of a backslash or of a bar.
    case .shiftJIS: ["ソース", "表\\示", "ポ|ｱ~", "\"能\""]
    case .johab: ["가겦", "한\\글", "갚|긒", "\"설\"~"]
    case .utf8, .utf8Mark, .detected, .utf16le, .utf16be, .utf32le, .utf16, .latin1: []
    }
  }

  /// The bytes of characters that are neither in ASCII nor, if that is most of the encoding, in ISO 8859-1.
  private var table: [Unicode.Scalar: [UInt8]] {
    switch self {
    case .windows1252: Self.windowsTable
    case .shiftJIS: Self.shiftJISTable
    case .johab: Self.johabTable
    case .utf8, .utf8Mark, .detected, .utf16le, .utf16be, .utf32le, .utf16, .latin1: [:]
    }
  }

  private static let windowsTable: [Unicode.Scalar: [UInt8]] = [
    "€": [0x80], "\u{201E}": [0x84], "\u{2026}": [0x85], "Š": [0x8A], "œ": [0x9C], "Ÿ": [0x9F],
  ]

  private static let shiftJISTable: [Unicode.Scalar: [UInt8]] = [
    "ソ": [0x83, 0x5C], "ー": [0x81, 0x5B], "ス": [0x83, 0x58], "表": [0x95, 0x5C], "示": [0x8E, 0xA6],
    "ポ": [0x83, 0x7C], "ｱ": [0xB1], "能": [0x94, 0x5C],
  ]

  private static let johabTable: [Unicode.Scalar: [UInt8]] = [
    "가": [0x88, 0x61], "겦": [0x89, 0x5C], "한": [0xD0, 0x65], "글": [0x8B, 0x69], "갚": [0x88, 0x7C],
    "긒": [0x8B, 0x7C], "설": [0xAC, 0xE9],
  ]
}
