import MergewalkBytes

/// JSON written for columns that are mappings or sequences of another format.
enum JSONColumn {
  static func append(_ bytes: UnsafeRawBufferPointer, _ state: FieldState, to output: inout [UInt8]) {
    switch state {
    case .absent, .null: output.append(contentsOf: "null".utf8)
    case .true: output.append(contentsOf: "true".utf8)
    case .false: output.append(contentsOf: "false".utf8)
    case .json: output.append(contentsOf: bytes)
    case .number: append(number: bytes, to: &output)
    case .text, .quoted: output.append(json: bytes, .least)
    }
  }

  /// Appends a number: as it is where RFC 8259 spells it so, else spelt anew without a change of its value (`+1`, `010`,
  /// `.5`, `5.`, `0x1F`, `0o17`); what has no spelling in JSON (`.inf`, more than 64 bits of hexadecimal digits) becomes
  /// a string.
  static func append(number bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    if isNumber(bytes) {
      output.append(contentsOf: bytes)
    } else if let value = prefixed(bytes) {
      output.append(contentsOf: String(value).utf8)
    } else if let text = respelt(bytes) {
      output.append(contentsOf: text)
    } else {
      output.append(json: bytes, .least)
    }
  }

  /// The value of `0x…` or `0o…`, unless it needs more than 64 bits.
  private static func prefixed(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "0") else { return nil }
    let digits = UnsafeRawBufferPointer(rebasing: bytes[2...])
    guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "x"): return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    case UInt8(ascii: "o"): return UInt64(String(decoding: digits, as: UTF8.self), radix: 8)
    default: return nil
    }
  }

  /// A decimal number without a plus, without leading zeros and with digits on both sides of its dot.
  private static func respelt(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var text: [UInt8] = []
    var rest = bytes[...]
    if rest.first == UInt8(ascii: "-") { text.append(UInt8(ascii: "-")) }
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    while rest.first == UInt8(ascii: "0"), let next = rest.dropFirst().first, next &- 48 < 10 { rest.removeFirst() }
    if rest.first == UInt8(ascii: ".") { text.append(UInt8(ascii: "0")) }
    while let byte = rest.popFirst() {
      text.append(byte)
      guard byte == UInt8(ascii: "."), rest.first.map({ $0 &- 48 < 10 }) != true else { continue }
      text.append(UInt8(ascii: "0"))
    }
    return text.withUnsafeBytes { isNumber($0) } ? text : nil
  }

  /// Whether bytes are a number as RFC 8259 spells it.
  static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count > 0 else { return false }
    let first = base[0]
    guard first == UInt8(ascii: "-") || (first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9")) else { return false }
    var scanner = JSONScanner(base, from: 0, end: bytes.count)
    return scanner.value(depth: 0) && scanner.i == bytes.count
  }
}
