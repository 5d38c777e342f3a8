import MergewalkBytes

/// A path that contains the value of a column, such as `{country:2}/{country}.sqlite`.
///
/// Values are percent-encoded, so the path of any value stays in the family's folder. Letters, digits and `-`, `_`,
/// `.`, `~` stay as they are, except for a dot or an underscore at either end, and the first letter of a Windows device
/// name, such as `aux`.
public struct StorePathTemplate: Sendable, Hashable {
  enum Piece: Sendable, Hashable {
    case text(String)
    /// The value, or its first characters.
    case value(first: Int?)
  }

  /// The path as written.
  public let text: String
  let pieces: [Piece]

  /// The maximum length of a name in bytes: suffixes such as `-journal` need room, too.
  public static let mostNameBytes = 230

  /// A mistake in a path, with its cure.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The finding.
    public var message: String
    /// The cure.
    public var hint: String

    /// `message; hint`.
    public var description: String { "\(message); \(hint)" }
  }

  /// Reads a path.
  ///
  /// - Throws: the mistake.
  public init(_ text: String, column: String) throws(Fault) {
    self.text = text
    var pieces: [Piece] = []
    var rest = Substring(text)
    while let open = rest.firstIndex(of: "{") {
      if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw Fault(message: "“{” is not closed in “\(text)”", hint: "write {\(column)} or {\(column):2}")
      }
      pieces.append(try Self.value(rest[rest.index(after: open)..<close], column: column))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    self.pieces = pieces
    guard pieces.contains(.value(first: nil)) else {
      throw Fault(
        message: "“\(text)” is the same path for several values", hint: "write {\(column)} where the value should be")
    }
    try check()
  }

  private static func value(_ text: Substring, column: String) throws(Fault) -> Piece {
    if text == column { return .value(first: nil) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let digits = parts.last, parts.count > 1, text.dropLast(digits.count + 1) == column else {
      throw Fault(
        message: "“{\(text)}” is not the column by which stores are made", hint: "write {\(column)} or {\(column):2}"
      )
    }
    guard let count = Quantity.digits(String(digits)), 1...64 ~= count else {
      throw Fault(message: "“{\(text)}” has no number of characters from 1 to 64", hint: "for example {\(column):2}")
    }
    return .value(first: count)
  }

  /// Checks that every path stays in the folder and takes the place of nothing that is kept there.
  private func check() throws(Fault) {
    let example = pieces.map { if case .text(let text) = $0 { text } else { "v" } }.joined()
    for name in example.split(separator: "/", omittingEmptySubsequences: false) {
      if name.isEmpty || name == "." || name == ".." || name.hasPrefix(".") {
        let shown = (text.split(separator: "/").last ?? "").drop { $0 == "." }
        throw Fault(
          message: "“\(text)” is not a path below the family's folder with names that show",
          hint: "write a relative path without “..”, such as “stores/\(shown.isEmpty ? "{column}.sqlite" : shown)”")
      }
      if name.hasPrefix("_") {
        throw Fault(
          message: "a name in “\(text)” begins with an underscore: those names are the family's own",
          hint: "name it otherwise")
      }
      if name.utf8.contains(0) || name.utf8.count > Self.mostNameBytes {
        throw Fault(message: "“\(name)” is not a valid file name", hint: "shorten it")
      }
    }
    // SQLite's files beside the store “a” are called “a-wal” and “a-journal”: no value may make another store of them.
    var ending = ""
    if case .text(let text)? = pieces.last { ending = text }
    guard ending.contains(".") || ending.contains("/") else {
      throw Fault(
        message: "“\(text)” ends without an extension, so that a store could have the name of another one's log",
        hint: "add one after the value, such as “\(text).sqlite”")
    }
  }

  /// The path for a value; nil when a name in it would be too long.
  ///
  /// - Parameter isCoded: Whether letters are encoded as well, for values that differ in case only.
  package func path(for value: String, isCoded: Bool = false) -> String? {
    var path = ""
    for piece in pieces {
      switch piece {
      case .text(let text): path += text
      case .value(first: nil): path += Self.encoded(value, isCoded: isCoded)
      case .value(first: let count?):
        path += Self.encoded(String(String.UnicodeScalarView(value.unicodeScalars.prefix(count))), isCoded: isCoded)
      }
    }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return names.allSatisfy { $0.utf8.count <= Self.mostNameBytes } ? path : nil
  }

  /// Whether all names that are made of a value are short enough: those in its path, and the value alone.
  ///
  /// - Parameter isCoded: See ``path(for:isCoded:)``.
  package func fits(_ value: String, isCoded: Bool = false) -> Bool {
    Self.encoded(value, isCoded: isCoded).utf8.count <= Self.mostNameBytes && path(for: value, isCoded: isCoded) != nil
  }

  /// A value as a name of a file; it may be too long for one.
  package static func encoded(_ value: String, isCoded: Bool = false) -> String {
    var name: [UInt8] = []
    let bytes = Array(value.utf8)
    let isDevice = isDevice(bytes)
    for (index, byte) in bytes.enumerated() {
      let isEnd = index == 0 || index == bytes.count - 1
      let isPlain =
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "~"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"): !isEnd
        default: byte.isDigit || byte.isLetter && !isCoded && !(isDevice && index == 0)
        }
      if isPlain {
        name.append(byte)
      } else {
        name.append(UInt8(ascii: "%"))
        name.append(hexadecimal: byte, .capital)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Whether Windows takes a name for a device, whatever extension it has.
  private static func isDevice(_ name: [UInt8]) -> Bool {
    let base = String(decoding: name.prefix { $0 != UInt8(ascii: ".") }.prefix(5), as: UTF8.self).lowercased()
    if ["con", "prn", "aux", "nul"].contains(base) { return true }
    return base.utf8.count == 4 && (base.hasPrefix("com") || base.hasPrefix("lpt")) && base.last?.isASCII == true
      && base.last?.isNumber == true
  }

  /// The value that a name stands for; nil when it is none that was encoded.
  package static func decoded(_ name: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    let text = Array(name.utf8)
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < text.count, let byte = Hexadecimal.decode(text[index + 1...index + 2])?.first else {
          return nil
        }
        bytes.append(byte)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
