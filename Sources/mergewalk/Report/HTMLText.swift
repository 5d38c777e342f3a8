import MergewalkBytes

/// Text for HTML pages.
enum HTMLText {
  /// The text such that it stays text, whatever it holds: in elements and in quoted attributes.
  ///
  /// Secrets are hidden. Control characters, which HTML does not know, and those that turn the direction of what follows are spelt out.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in Console.redacted(String(text)).unicodeScalars {
      switch scalar {
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.xml(.html)
  }

  /// A number for a coordinate: at most two digits behind the point.
  static func coordinate(_ value: Double) -> String { Figures.fixed(value, digits: 2) }
}
