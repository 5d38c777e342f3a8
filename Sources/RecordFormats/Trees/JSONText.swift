/// JSON written for columns that are mappings or sequences of another format.
enum JSONText {
  /// Appends a string with its quotes, escaped as RFC 8259 demands and no further.
  static func append(string bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    for (i, byte) in bytes.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      output.append(contentsOf: bytes[start..<i])
      start = i + 1
      output.append(UInt8(ascii: "\\"))
      switch byte {
      case 8: output.append(UInt8(ascii: "b"))
      case 9: output.append(UInt8(ascii: "t"))
      case 10: output.append(UInt8(ascii: "n"))
      case 12: output.append(UInt8(ascii: "f"))
      case 13: output.append(UInt8(ascii: "r"))
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
      default:
        output.append(contentsOf: "u00".utf8)
        output.append(UInt8(ascii: "0") + byte >> 4)
        let low = byte & 15
        output.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
      }
    }
    output.append(contentsOf: bytes[start...])
    output.append(UInt8(ascii: "\""))
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
