/// Names and texts between quotation marks, as SQL writes them.
package enum SQLQuoting {
  /// A name, which may have any characters but NUL.
  package static func name(_ name: String) -> String { quoted(name, UInt8(ascii: "\"")) }

  /// A text without NUL, at which SQL ends.
  static func text(_ text: String) -> String { quoted(text, UInt8(ascii: "'")) }

  /// By bytes: a combining mark behind a quotation mark makes one character of both.
  private static func quoted(_ text: String, _ mark: UInt8) -> String {
    var bytes = [mark]
    for byte in text.utf8 {
      if byte == mark { bytes.append(mark) }
      bytes.append(byte)
    }
    bytes.append(mark)
    return String(decoding: bytes, as: UTF8.self)
  }
}
