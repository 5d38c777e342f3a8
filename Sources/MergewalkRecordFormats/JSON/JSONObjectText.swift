import MergewalkBytes

/// The members of one JSON object as they are written, for those who change some and keep the bytes of the others.
package struct JSONObjectText: Sendable, Hashable {
  package struct Member: Sendable, Hashable {
    /// Its name, without escapes.
    package var name: String
    /// Its name with quotes, the colon and its value, without white space around.
    package var text: [UInt8]
    /// Its value alone.
    package var value: [UInt8]

    /// Creates a member.
    ///
    /// - Parameter value: JSON.
    package init(_ name: String, value: [UInt8]) {
      self.name = name
      self.value = value
      text = []
      text.append(json: name, .least)
      text += [UInt8(ascii: ":"), UInt8(ascii: " ")] + value
    }

    fileprivate init(name: String, text: [UInt8], value: [UInt8]) {
      (self.name, self.text, self.value) = (name, text, value)
    }
  }

  package var members: [Member] = []

  /// An object without members.
  package init() {}

  /// Reads an object; `nil` for anything else.
  ///
  /// - Complexity: O(bytes).
  package init?(_ bytes: [UInt8]) {
    let isWhole = Self.pieces(bytes, "{", "}") { scanner, bytes in
      guard let member = Self.member(&scanner, bytes) else { return false }
      members.append(member)
      return true
    }
    if !isWhole { return nil }
  }

  /// The elements of an array as they are written; `nil` for anything else.
  ///
  /// - Complexity: O(bytes).
  package static func elements(_ bytes: [UInt8]) -> [[UInt8]]? {
    var elements: [[UInt8]] = []
    let isWhole = pieces(bytes, "[", "]") { scanner, bytes in
      scanner.skipSpace()
      let start = scanner.i
      guard scanner.value(depth: 1) else { return false }
      elements.append(Array(bytes[start..<scanner.i]))
      return true
    }
    return isWhole ? elements : nil
  }

  /// Calls `piece` at each piece between two brackets; says whether there is nothing else.
  private static func pieces(
    _ bytes: [UInt8], _ open: Unicode.Scalar, _ close: Unicode.Scalar,
    _ piece: (inout JSONScanner, UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      var scanner = JSONScanner(base, from: 0, end: bytes.count)
      guard scanner.expect(UInt8(ascii: open)) else { return false }
      scanner.skipSpace()
      if scanner.i < bytes.count, bytes[scanner.i] == UInt8(ascii: close) {
        scanner.i += 1
      } else {
        repeat {
          guard piece(&scanner, bytes) else { return false }
          scanner.skipSpace()
          guard scanner.i < bytes.count else { return false }
          scanner.i += 1
        } while bytes[scanner.i - 1] == UInt8(ascii: ",")
        guard bytes[scanner.i - 1] == UInt8(ascii: close) else { return false }
      }
      scanner.skipSpace()
      return scanner.i == bytes.count
    }
  }

  private static func member(_ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>) -> Member? {
    scanner.skipSpace()
    let start = scanner.i
    guard scanner.string() else { return nil }
    let name = text(Array(bytes[start..<scanner.i]))
    guard scanner.expect(UInt8(ascii: ":")) else { return nil }
    scanner.skipSpace()
    let value = scanner.i
    guard scanner.value(depth: 1) else { return nil }
    return Member(name: name, text: Array(bytes[start..<scanner.i]), value: Array(bytes[value..<scanner.i]))
  }

  /// The value of a member that is a text; `nil` for others and for none.
  package func text(_ name: String) -> String? {
    guard let value = self[name]?.value, value.first == UInt8(ascii: "\"") else { return nil }
    return Self.text(value)
  }

  package subscript(name: String) -> Member? { members.first { $0.name == name } }

  package var bytes: [UInt8] {
    var result: [UInt8] = [UInt8(ascii: "{")]
    for (index, member) in members.enumerated() {
      if index > 0 { result += Array(", ".utf8) }
      // Line ends between values are white space; those inside of texts are escaped.
      result += member.text.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    }
    return result + [UInt8(ascii: "}")]
  }

  private static func text(_ quoted: [UInt8]) -> String {
    let inside = quoted.dropFirst().dropLast()
    guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
    let bytes = [UInt8](unsafeUninitializedCapacity: quoted.count) { target, count in
      guard let start = target.baseAddress else { return }
      quoted.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        count = JSONEscape.unescape(base, 1, quoted.count - 1, to: start)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
