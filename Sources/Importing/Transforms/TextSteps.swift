import ObjectModel

/// What steps do with one text; positions and lengths count Unicode scalars.
enum TextSteps {
  /// The number of scalars of valid UTF-8.
  static func scalarCount(_ text: FieldBytes) -> Int {
    var count = 0
    for byte in text { count &+= byte & 0xC0 != 0x80 ? 1 : 0 }
    return count
  }

  /// The byte at which a scalar begins; the text's length when there are fewer.
  private static func offset(_ text: FieldBytes, ofScalar number: Int) -> Int {
    if number <= 0 { return 0 }
    var seen = 0
    for index in text.indices where text[index] & 0xC0 != 0x80 {
      if seen == number { return index }
      seen += 1
    }
    return text.count
  }

  /// So many scalars from a place on: from 1, or from the end when negative.
  static func substring(_ text: FieldBytes, from: Int, length: Int?) -> Range<Int> {
    let first = from > 0 ? from - 1 : max(0, scalarCount(text) + from)
    let start = offset(text, ofScalar: first)
    guard let length else { return start..<text.count }
    let end = offset(FieldBytes(rebasing: text[start...]), ofScalar: length) + start
    return start..<end
  }

  /// The part of this number between separators.
  static func part(_ text: FieldBytes, _ separator: [UInt8], _ take: Int) -> Range<Int>? {
    separator.withUnsafeBufferPointer { separator in
      if take > 0 {
        var start = 0
        for _ in 1..<take {
          guard let found = TextBytes.find(separator, in: text, from: start) else { return nil }
          start = found + separator.count
        }
        return start..<(TextBytes.find(separator, in: text, from: start) ?? text.count)
      }
      // From the end: the separators are those that are met from the start, so that both ways split alike.
      var total = 1
      var place = 0
      while let found = TextBytes.find(separator, in: text, from: place) {
        total += 1
        place = found + separator.count
      }
      let number = total + take + 1
      return number > 0 ? part(text, Array(separator), number) : nil
    }
  }

  /// The text without the listed characters at both ends.
  static func stripped(_ text: FieldBytes, _ characters: [Unicode.Scalar]) -> Range<Int> {
    var start = 0
    var end = text.count
    while start < end {
      let (scalar, length) = self.scalar(text, at: start)
      guard characters.contains(scalar) else { break }
      start += length
    }
    while end > start {
      var head = end - 1
      while head > start, text[head] & 0xC0 == 0x80 { head -= 1 }
      guard characters.contains(self.scalar(text, at: head).0) else { break }
      end = head
    }
    return start..<end
  }

  /// The scalar that begins at a byte of valid UTF-8, and its length.
  @inline(__always)
  static func scalar(_ text: FieldBytes, at index: Int) -> (Unicode.Scalar, Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (Unicode.Scalar(UInt8(first)), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard index + length <= text.count else { return ("\u{FFFD}", text.count - index) }
    var value = first & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }

  // MARK: New texts; false when there is no room

  static func append(_ text: String, _ sink: inout ByteSink) -> Bool { text.withBytes { sink.append($0) } }

  static func append(_ scalar: Unicode.Scalar, _ sink: inout ByteSink) -> Bool {
    for byte in UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter {
      guard sink.append(byte) else { return false }
    }
    return true
  }

  /// Capitals or small letters by Unicode's full mapping.
  static func changeCase(_ text: FieldBytes, upper: Bool, _ sink: inout ByteSink) -> Bool {
    guard TextBytes.areASCII(text) else {
      let string = String(decoding: text, as: UTF8.self)
      return append(upper ? TextFolding.uppercase(string) : TextFolding.lowercase(string), &sink)
    }
    guard let target = sink.reserve(text.count) else { return false }
    let first = UInt8(ascii: upper ? "a" : "A")
    for index in text.indices {
      let byte = text[index]
      target[index] = byte &- first < 26 ? byte ^ 0x20 : byte
    }
    sink.take(text.count)
    return true
  }

  /// A capital at the beginning of each word, small letters behind it.
  ///
  /// A word is letters, digits, marks and apostrophes.
  static func capitalise(_ text: FieldBytes, _ sink: inout ByteSink) -> Bool {
    var isInside = false
    var index = 0
    while index < text.count {
      let (scalar, length) = scalar(text, at: index)
      index += length
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
        let made = isLetter ? (isInside ? byte | 0x20 : byte & ~0x20) : byte
        guard sink.append(made) else { return false }
        isInside = isLetter || byte &- UInt8(ascii: "0") < 10 || (isInside && byte == UInt8(ascii: "'"))
        continue
      }
      let properties = scalar.properties
      guard append(isInside ? properties.lowercaseMapping : properties.titlecaseMapping, &sink) else { return false }
      switch properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
        isInside = true
      case .nonspacingMark, .spacingMark, .enclosingMark: break
      default: isInside = isInside && scalar == "\u{2019}"
      }
    }
    return true
  }

  /// One blank for each run of white space, none at the ends.
  static func collapse(_ text: FieldBytes, _ sink: inout ByteSink) -> Bool {
    let range = WhiteSpace.trimmed(text)
    // A blank takes the place of at least one byte, so there is no more to write than there was.
    guard let target = sink.reserve(range.count) else { return false }
    var (index, count) = (range.lowerBound, 0)
    var isSpace = false
    while index < range.upperBound {
      let byte = text[index]
      var length = 1
      var isBlank = byte == 0x20 || byte &- 0x09 < 5
      if byte >= 0x80 {
        let found = scalar(text, at: index)
        length = found.1
        isBlank = found.0.properties.isWhitespace
      }
      if isBlank {
        isSpace = true
      } else {
        if isSpace {
          target[count] = 0x20
          count += 1
          isSpace = false
        }
        for offset in 0..<length { target[count + offset] = text[index + offset] }
        count += length
      }
      index += length
    }
    sink.take(count)
    return true
  }

  /// The form in which texts are compared with options.
  static func fold(_ text: FieldBytes, _ options: TextFolding.Options, _ sink: inout ByteSink) -> Bool {
    if TextBytes.areASCII(text), !options.contains(.caseInsensitive) { return sink.append(text) }
    return TextFolding.fold(text, options).withUnsafeBufferPointer { sink.append($0) }
  }

  /// Every occurrence of a text by another, from left to right.
  static func replace(_ text: FieldBytes, _ old: [UInt8], _ new: [UInt8], _ sink: inout ByteSink) -> Bool {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let first = sink.position
        var start = 0
        while let found = TextBytes.find(old, in: text, from: start) {
          guard sink.append(FieldBytes(rebasing: text[start..<found])), sink.append(new),
            sink.position - first <= ByteSink.greatestValue
          else { return false }
          start = found + old.count
        }
        return sink.append(FieldBytes(rebasing: text[start...]))
      }
    }
  }

  /// Fills up with a text, scalar by scalar.
  static func pad(
    _ text: FieldBytes, _ length: Int, _ filling: [UInt8], _ atStart: Bool, _ sink: inout ByteSink
  ) -> Bool {
    let missing = length - scalarCount(text)
    guard missing > 0 else { return sink.append(text) }
    if !atStart, !sink.append(text) { return false }
    let done = filling.withUnsafeBufferPointer { filling in
      var index = 0
      for _ in 0..<missing {
        let (_, width) = scalar(filling, at: index)
        guard sink.append(FieldBytes(rebasing: filling[index..<index + width])) else { return false }
        index += width
        if index >= filling.count { index = 0 }
      }
      return true
    }
    return done && (!atStart || sink.append(text))
  }
}
