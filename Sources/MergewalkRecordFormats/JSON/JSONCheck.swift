/// Tells whether a text is one JSON value.
package enum JSONCheck {
  /// The first error in the text; `nil` for JSON.
  ///
  /// - Complexity: O(bytes).
  package static func fault(of text: [UInt8]) -> String? {
    text.withUnsafeBufferPointer { text in
      guard let base = text.baseAddress else { return "the JSON text ends too early" }
      var scanner = JSONScanner(base, from: 0, end: text.count)
      if scanner.document() { return nil }
      return JSONFaultText.message(base, from: 0, at: scanner.faultAt, end: text.count)
    }
  }
}
