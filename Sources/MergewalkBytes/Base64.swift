/// Bytes written as base64.
///
/// Source: RFC 4648, sections 3.2, 3.5, 4 and 5.
package enum Base64 {
  /// Which spellings are read.
  package enum Form: Sendable {
    /// The standard alphabet with its padding; the unused bits of the last digit may be anything.
    case padded
    /// The same; white space does not count.
    case spaced
    /// The standard or the URL alphabet; padding may be left out, but what is there must be complete, and the unused
    /// bits of the last digit must be zero: there is one spelling for each value.
    case exact
  }

  /// The value of each byte as a digit; 64 more for those of the URL alphabet; 255 for bytes that are none.
  private static let digits: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 255)
    for value in 0..<64 { table[Int(alphabet.utf8Start[value])] = UInt8(value) }
    table[Int(UInt8(ascii: "-"))] = 64 + 62
    table[Int(UInt8(ascii: "_"))] = 64 + 63
    return table
  }()

  fileprivate static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// The text with padding, in one line.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { text.append(base64: $0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that a text stands for; nil when it has another form.
  package static func decode(_ text: some Collection<UInt8>, _ form: Form) -> [UInt8]? {
    let text = form == .spaced ? text.filter { !$0.isDocumentSpace } : Array(text)
    var count: Int?
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { room, used in
      count = room.baseAddress.flatMap { target in text.withUnsafeBufferPointer { decode($0, form, into: target) } }
      used = count ?? 0
    }
    return count == nil ? nil : bytes
  }

  /// Writes the bytes that a text without white space stands for to `output`, which holds three quarters as many bytes
  /// and three.
  ///
  /// - Returns: how many they are; nil when the text has another form.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, _ form: Form, into output: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    var count = text.count
    if count > 0, text[count - 1] == UInt8(ascii: "=") {
      guard count & 3 == 0 else { return nil }
      count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1
    }
    let rest = count & 3
    let isExact = form == .exact
    guard isExact ? rest != 1 : text.count & 3 == 0 else { return nil }
    let limit: UInt8 = isExact ? 128 : 64
    return digits.span.withUnsafeBufferPointer { table in
      var target = output
      var index = 0
      while index + 4 <= count {
        let a = table[Int(text[index])]
        let b = table[Int(text[index + 1])]
        let c = table[Int(text[index + 2])]
        let d = table[Int(text[index + 3])]
        guard a | b | c | d < limit else { return nil }
        target[0] = a << 2 | b >> 4 & 3
        target[1] = b << 4 | c >> 2 & 15
        target[2] = c << 6 | d & 63
        target += 3
        index += 4
      }
      guard rest > 0 else { return target - output }
      let a = table[Int(text[index])]
      let b = table[Int(text[index + 1])]
      guard a | b < limit else { return nil }
      target[0] = a << 2 | b >> 4 & 3
      if rest == 2 { return isExact && b & 0x0F != 0 ? nil : target + 1 - output }
      let c = table[Int(text[index + 2])]
      guard c < limit, !isExact || c & 0x03 == 0 else { return nil }
      target[1] = b << 4 | c >> 2 & 15
      return target + 2 - output
    }
  }
}

extension [UInt8] {
  /// Appends the base64 of bytes, with padding, in one line.
  package mutating func append(base64 data: UnsafeRawBufferPointer) {
    func digit(_ value: UInt32) -> UInt8 { Base64.alphabet.utf8Start[Int(value & 63)] }
    let needed = count + (data.count + 2) / 3 * 4
    if needed > capacity { reserveCapacity(Swift.max(needed, 2 * capacity)) }
    var index = 0
    while index < data.count {
      let length = Swift.min(3, data.count - index)
      var word: UInt32 = 0
      for offset in 0..<3 { word = word << 8 | (offset < length ? UInt32(data[index + offset]) : 0) }
      append(digit(word >> 18))
      append(digit(word >> 12))
      append(length > 1 ? digit(word >> 6) : UInt8(ascii: "="))
      append(length > 2 ? digit(word) : UInt8(ascii: "="))
      index += 3
    }
  }
}
