extension RangeReplaceableCollection<UInt8> {
  /// Appends the base64 of bytes, with padding, in one line.
  ///
  /// Source: RFC 4648, section 4.
  package mutating func append(base64 data: UnsafeRawBufferPointer) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    func digit(_ value: UInt32) -> UInt8 { alphabet.utf8Start[Int(value & 63)] }
    reserveCapacity(count + (data.count + 2) / 3 * 4)
    var index = 0
    while index < data.count {
      let count = Swift.min(3, data.count - index)
      var word: UInt32 = 0
      for offset in 0..<3 { word = word << 8 | (offset < count ? UInt32(data[index + offset]) : 0) }
      append(digit(word >> 18))
      append(digit(word >> 12))
      append(count > 1 ? digit(word >> 6) : UInt8(ascii: "="))
      append(count > 2 ? digit(word) : UInt8(ascii: "="))
      index += 3
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    let span = bindMemory(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }
}
