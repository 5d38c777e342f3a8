/// The spelling of text in YAML.
package enum YAMLText {
  /// Returns the text plain where every YAML reader takes it for the same text, else in double quotes.
  package static func scalar(_ text: String, inFlow: Bool) -> String {
    isPlain(text, inFlow: inFlow) ? text : quoted(text)
  }

  /// Returns the text in double quotes on one line, with escapes for what cannot stand there.
  package static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: out += "\\\""
      case 0x5C: out += "\\\\"
      case 0x0A: out += "\\n"
      case 0x0D: out += "\\r"
      case 0x09: out += "\\t"
      case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...:
        out.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        out += scalar.value < 0x100 ? "\\x" : "\\u"
        out += String(repeating: "0", count: (scalar.value < 0x100 ? 2 : 4) - digits.count) + digits
      }
    }
    return out + "\""
  }

  private static func isPlain(_ text: String, inFlow: Bool) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last, last != UInt8(ascii: " ") else { return false }
    let isStart = isLetterOrDigit(first) || first == UInt8(ascii: "_") || first == UInt8(ascii: "/") || first >= 0x80
    guard isStart || (first == UInt8(ascii: ".") && bytes.count > 1) else { return false }
    for (i, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: ":"):
        guard i + 1 < bytes.count, bytes[i + 1] != UInt8(ascii: " "), !inFlow else { return false }
      case UInt8(ascii: "#"):
        guard bytes[i - 1] != UInt8(ascii: " ") else { return false }
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
        guard !inFlow else { return false }
      case 0..<0x20, 0x7F: return false
      default: break
      }
    }
    for scalar in text.unicodeScalars where scalar.value >= 0x80 {
      // Letters of any script may stand plain; spaces, marks and the private area may not.
      guard scalar.properties.isAlphabetic else { return false }
    }
    guard case .string = YAMLScalar(plain: text) else { return false }
    // Readers of YAML 1.1 take these for Booleans, and digits with colons or underscores for numbers.
    let others = ["yes", "no", "on", "off"]
    guard !others.contains(text.lowercased()) else { return false }
    return !(first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9")) && first != UInt8(ascii: ".")
      || bytes.contains { isLetter($0) && !isHexLetter($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
  }
  private static func isHexLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "f") || byte | 0x20 == UInt8(ascii: "x")
  }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
  }
}
