import MergewalkBytes

extension OutputBytes {
  /// Appends text as a YAML scalar that YAML 1.1 and 1.2 read as the same text.
  ///
  /// Plain only when it begins with a letter, has no character that means something to YAML, and is none of the words that some
  /// reader takes for something else (`no`, `off`, `null`, …). Lines of ordinary text become a literal block. All else stands between
  /// double quotes.
  ///
  /// - Parameter indentation: the depth of a literal block's lines.
  mutating func append(yaml text: UnsafeRawBufferPointer, indentation: Int) {
    if Self.isPlainYAML(text) { return append(text) }
    if text.contains(UInt8(ascii: "\n")), Self.isBlockYAML(text) { return append(block: text, indentation) }
    append(json: text)
  }

  /// Appends a mapping's key: plain or between double quotes.
  mutating func append(yamlKey name: String) {
    var name = name
    name.withUTF8 { utf8 in
      let text = UnsafeRawBufferPointer(utf8)
      if Self.isPlainYAML(text) { return append(text) }
      append(json: text)
    }
  }

  /// Appends a literal block without its last line end, which the layout writes.
  private mutating func append(block text: UnsafeRawBufferPointer, _ indentation: Int) {
    let newline = UInt8(ascii: "\n")
    append(UInt8(ascii: "|"))
    var end = text.count
    if text[end - 1] == newline {
      end -= 1
      if text[end - 1] == newline { append(UInt8(ascii: "+")) }
    } else {
      append(UInt8(ascii: "-"))
    }
    var start = 0
    while start <= end {
      var stop = start
      while stop < end, text[stop] != newline { stop += 1 }
      append(newline)
      if stop > start {
        for _ in 0..<indentation { append(UInt8(ascii: " ")) }
        append(UnsafeRawBufferPointer(rebasing: text[start..<stop]))
      }
      start = stop + 1
    }
  }

  /// Whether every reader takes the text, written as it is, for itself.
  private static func isPlainYAML(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, first.isLetter || first >= 0x80 || first == UInt8(ascii: "_"),
      text[text.count - 1] != UInt8(ascii: " ")
    else { return false }
    for (index, byte) in text.enumerated() {
      switch byte {
      case _ where byte.isLetter || byte.isDigit: break
      case UInt8(ascii: " "), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ","),
        UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "'"),
        UInt8(ascii: ";"), UInt8(ascii: "@"), UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "$"):
        break
      case 0x80...:
        if isSpecial(text, index) { return false }
      default:
        return false
      }
    }
    return text.count > 5 || !isWord(text)
  }

  /// Whether the lines of the text can stand in a literal block: they are printable, and the first begins with
  /// something, from which the reader learns the depth.
  private static func isBlockYAML(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, first > UInt8(ascii: " ") else { return false }
    var isBlank = true
    var length = 0
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "\n"):
        // A line of blanks alone may be taken for indentation.
        if isBlank && length > 0 { return false }
        isBlank = true
        length = -1
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      case 0..<0x20, 0x7F: return false
      case 0x80...:
        if isSpecial(text, index) { return false }
        isBlank = false
      default: isBlank = false
      }
      length += 1
    }
    return !(isBlank && length > 0)
  }

  /// Whether a character that is not printable in YAML, or that is a line end or a blank to some reader, begins here.
  private static func isSpecial(_ text: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    switch text[index] {
    // C1 controls and the no-break space.
    case 0xC2: text[index + 1] <= 0xA0
    // U+2000...U+206F: typographic blanks, line ends, marks of direction.
    case 0xE2: text[index + 1] == 0x80 || text[index + 1] == 0x81
    // The ideographic space.
    case 0xE3: text[index + 1] == 0x80 && text[index + 2] == 0x80
    // U+FEFF, U+FFFE, U+FFFF.
    case 0xEF:
      text[index + 1] == 0xBB && text[index + 2] == 0xBF || text[index + 1] == 0xBF && text[index + 2] >= 0xBE
    default: false
    }
  }

  /// Whether some reader takes the text for a Boolean or for nothing.
  ///
  /// Source: YAML 1.1, https://yaml.org/type/bool.html and https://yaml.org/type/null.html.
  private static func isWord(_ text: UnsafeRawBufferPointer) -> Bool {
    let words: [StaticString] = [
      "y", "n", "yes", "no", "on", "off", "true", "false", "null",
    ]
    return words.contains { word in
      word.utf8CodeUnitCount == text.count
        && zip(UnsafeBufferPointer(start: word.utf8Start, count: text.count), text).allSatisfy { $0 == $1 | 0x20 }
    }
  }
}
