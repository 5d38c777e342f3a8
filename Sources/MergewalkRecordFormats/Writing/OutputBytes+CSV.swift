extension OutputBytes {
  /// Appends text as a CSV field, in quotes when it has to be.
  ///
  /// Source: RFC 4180, section 2, rules 5 to 7.
  mutating func append(csv text: UnsafeRawBufferPointer, _ layout: RowLayout) {
    if text.isEmpty { return append(layout.empty) }
    var needsQuotes = !layout.null.isEmpty && text.count == layout.null.count && text.elementsEqual(layout.null)
    // At the start of a record, a reader takes it for the mark of a file.
    if text[0] == 0xEF, text.starts(with: ByteOrderMark.bytes) { needsQuotes = true }
    for byte in text where byte <= UInt8(ascii: "\"") || byte == layout.delimiter {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"), layout.delimiter: needsQuotes = true
      default: break
      }
    }
    guard needsQuotes else { return append(text) }
    append(UInt8(ascii: "\""))
    var start = 0
    for (index, byte) in text.enumerated() where byte == UInt8(ascii: "\"") {
      append(UnsafeRawBufferPointer(rebasing: text[start...index]))
      append(byte)
      start = index + 1
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
    append(UInt8(ascii: "\""))
  }

  mutating func append(csv text: String, _ layout: RowLayout) {
    var text = text
    text.withUTF8 { append(csv: UnsafeRawBufferPointer($0), layout) }
  }
}
