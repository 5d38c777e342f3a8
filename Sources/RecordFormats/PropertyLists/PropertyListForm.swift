/// The three ways in which a property list is written.
enum PropertyListForm: Sendable, Hashable {
  /// `bplist00` and numbered objects.
  case binary
  /// `<plist>` with an element for each value.
  case xml
  /// OpenStep text: `{ key = value; }`, or pairs without braces in a `.strings` file.
  case text

  /// The form that a file's first bytes begin.
  init(sample: UnsafeRawBufferPointer) {
    if sample.starts(with: "bplist".utf8) {
      self = .binary
      return
    }
    // Byte order marks and the NULs of wider units are passed over: only the first letters matter.
    let text = sample.prefix(512).filter { $0 != 0 && $0 < 0x80 }.drop { $0 == 0x20 || (9...13).contains($0) }
    guard text.first == UInt8(ascii: "<"), let second = text.dropFirst().first else {
      self = .text
      return
    }
    // OpenStep data begins with a bracket, too: <0fbd77>, <*I5>, <[base64]>.
    self = [UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "p")].contains(second) ? .xml : .text
  }

  /// The encoding of an XML document by its first bytes: a byte order mark, the width of its first character, or its
  /// declaration; UTF-8 when none tells.
  ///
  /// Source: Extensible Markup Language 1.0, appendix F, <https://www.w3.org/TR/xml/#sec-guessing>.
  ///
  /// - Throws: `unknownEncoding` for a declared name that there is not.
  static func declaredEncoding(_ sample: UnsafeRawBufferPointer, path: String) throws(ReadError) -> TextEncoding {
    if sample.starts(with: [0x3C, 0, 0, 0]) { return .utf32LittleEndian }
    if sample.starts(with: [0, 0, 0, 0x3C]) { return .utf32BigEndian }
    if sample.starts(with: [0x3C, 0]) { return .utf16LittleEndian }
    if sample.starts(with: [0, 0x3C]) { return .utf16BigEndian }
    guard sample.starts(with: "<?xml".utf8) else { return .automatic }
    let declaration = sample.prefix(while: { $0 != UInt8(ascii: ">") })
    guard let name = pseudoAttribute("encoding", of: String(decoding: declaration, as: UTF8.self)) else {
      return .automatic
    }
    // Bytes that read as ASCII are no UTF-16, whatever they say.
    if name.lowercased().hasPrefix("utf-16") || name.lowercased().hasPrefix("utf-32") { return .automatic }
    guard let encoding = TextEncoding(named: name), encoding != .detect else {
      throw ReadError(.unknownEncoding, path: path, message: "there is no encoding “\(name)”, which the file declares")
    }
    return encoding
  }

  private static func pseudoAttribute(_ name: String, of declaration: String) -> String? {
    let bytes = Array(declaration.utf8)
    let wanted = Array(name.utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) else { return nil }
    var rest = bytes[(start + wanted.count)...].drop { $0 <= 0x20 }
    guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
    rest = rest.drop { $0 <= 0x20 }
    guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = rest.firstIndex(of: quote)
    else { return nil }
    return String(decoding: rest[..<end], as: UTF8.self)
  }
}
