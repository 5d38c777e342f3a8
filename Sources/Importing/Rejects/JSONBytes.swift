import RecordFormats

/// JSON text that grows at its end, as bytes.
struct JSONBytes {
  private(set) var bytes: ContiguousArray<UInt8> = []
  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

  /// Forgets the first `count` bytes.
  mutating func removeFirst(_ count: Int) {
    if count == bytes.count { bytes.removeAll(keepingCapacity: true) } else { bytes.removeFirst(count) }
  }

  /// Opens an object or an array with its bracket.
  mutating func open(_ bracket: UInt8) {
    bytes.append(bracket)
    isFirst = true
  }

  /// Closes an object or an array with its bracket.
  mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    isFirst = false
  }

  /// Puts a comma between elements.
  mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  /// Ends a line of NDJSON.
  mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    isFirst = true
  }

  /// Begins a member; its name needs no escapes.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Begins a member of any name of valid UTF-8.
  mutating func key(_ name: String) {
    separate()
    var name = name
    name.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    bytes.append(UInt8(ascii: ":"))
  }

  /// Appends JSON text as it is.
  mutating func raw(_ text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

  /// Appends a member that is a string.
  mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    var value = value
    value.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a member that is a number.
  mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Appends a member that is true or false.
  mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Appends a string of valid UTF-8, escaped.
  ///
  /// U+0085, U+2028 and U+2029 are escaped too, although JSON does not ask for it: some readers of lines take them
  /// for line ends.
  mutating func string(_ text: UnsafeRawBufferPointer) {
    bytes.reserveCapacity(bytes.count + text.count + 2)
    bytes.append(UInt8(ascii: "\""))
    var plainStart = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      let length = Self.lineEndLength(text, index)
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F || length > 0 else {
        index += 1
        continue
      }
      bytes.append(contentsOf: text[plainStart..<index])
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(byte)
      case UInt8(ascii: "\n"): escape(UInt8(ascii: "n"))
      case UInt8(ascii: "\r"): escape(UInt8(ascii: "r"))
      case UInt8(ascii: "\t"): escape(UInt8(ascii: "t"))
      case 0xC2: escape(hexadecimal: 0x0085)
      case 0xE2: escape(hexadecimal: text[index + 2] == 0xA8 ? 0x2028 : 0x2029)
      default: escape(hexadecimal: UInt16(byte))
      }
      index += max(1, length)
      plainStart = index
    }
    bytes.append(contentsOf: text[plainStart...])
    bytes.append(UInt8(ascii: "\""))
  }

  /// The length of U+0085, U+2028 or U+2029 at `index`; 0 for other characters.
  private static func lineEndLength(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int {
    switch text[index] {
    case 0xC2: index + 1 < text.count && text[index + 1] == 0x85 ? 2 : 0
    case 0xE2:
      index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] | 1 == 0xA9 ? 3 : 0
    default: 0
    }
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(byte)
  }

  private mutating func escape(hexadecimal value: UInt16) {
    escape(UInt8(ascii: "u"))
    for shift in [12, 8, 4, 0] {
      let digit = UInt8(truncatingIfNeeded: value >> UInt16(shift)) & 0x0F
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Appends a string of base64 with padding.
  mutating func base64(_ data: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(base64: data)
    bytes.append(UInt8(ascii: "\""))
  }
}
