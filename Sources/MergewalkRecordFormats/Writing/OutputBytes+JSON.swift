import MergewalkBytes

extension OutputBytes {
  /// Appends a JSON string.
  ///
  /// - Parameter isUTF8: whether the text is UTF-8; of other texts, what is not becomes U+FFFD.
  mutating func append(json text: UnsafeRawBufferPointer, isUTF8: Bool = true) {
    guard isUTF8 else {
      var repaired = String(decoding: text, as: UTF8.self)
      return repaired.withUTF8 { append(json: UnsafeRawBufferPointer($0)) }
    }
    bytes.append(json: text, .printable)
  }

  mutating func append(json text: String) { bytes.append(json: text, .printable) }
}
