import MergewalkBytes
public import MergewalkDiagnostics

/// Reads `.strings` files: `"key" = "text";` with comments, as Xcode keeps the localised names of a model.
///
/// Core Data looks for `NAMEModel.strings` in the folder of a language (`de.lproj`) beside the model. Source: Apple,
/// Core Data Programming Guide, "Localizing a Managed Object Model", and Internationalization Programming Topics,
/// "Strings Files".
public enum LocalizationFile {
  /// Reads a file.
  ///
  /// - Throws: `fileMissing`, `fileUnreadable`, `fileTooLarge` for more than 16 MiB, and as ``parse(_:path:)``.
  public static func read(_ path: String) throws(DiagnosticList) -> [String: String] {
    try parse(SourceFile.read(path, limit: 16 << 20), path: path)
  }

  /// The file of a language beside a model: `de.lproj/ShopModel.strings` for `Shop.xcdatamodeld` and `de`; `nil` if
  /// there is none.
  public static func path(forModel model: String, language: String) -> String? {
    var parts = model.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    while parts.count > 1, parts.last == "" { parts.removeLast() }
    guard let last = parts.popLast(), !language.contains("/") else { return nil }
    let stem = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
    let path = (parts + ["\(language).lproj", "\(stem)Model.strings"]).joined(separator: "/")
    return FileKind(path) == .file ? path : nil
  }

  /// Reads the bytes of a file: UTF-8, or UTF-16 with a byte order mark.
  ///
  /// The last text of a repeated key counts. A key without a text (`"key";`) stands for itself.
  ///
  /// - Throws: `notUTF8` and `stringsSyntax` with the position of the mistake.
  /// - Complexity: O(bytes).
  public static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> [String: String] {
    var parser = StringsParser(try scalars(bytes, path), path: path)
    return try parser.table()
  }

  private static func scalars(_ bytes: [UInt8], _ path: String) throws(DiagnosticList) -> [Unicode.Scalar] {
    let mark = bytes.prefix(2)
    if mark == [0xFF, 0xFE] || mark == [0xFE, 0xFF] {
      let isLittle = bytes[0] == 0xFF
      let (low, high) = isLittle ? (0, 1) : (1, 0)
      var units: [UInt16] = []
      for i in stride(from: 2, to: bytes.count - 1, by: 2) {
        units.append(UInt16(bytes[i + low]) | UInt16(bytes[i + high]) << 8)
      }
      return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let text = String(validating: bytes[start...], as: UTF8.self) else {
      throw DiagnosticList(error: "notUTF8", path: path, message: "the bytes are neither UTF-8 nor UTF-16")
    }
    return Array(text.unicodeScalars)
  }
}

/// Goes once over the text of a `.strings` file.
private struct StringsParser {
  private let scalars: [Unicode.Scalar]
  private let path: String
  private var place = Place()
  private var index: Int { place.index }

  private struct Place {
    var index = 0
    var line = 1
    var lineStart = 0
  }

  init(_ scalars: [Unicode.Scalar], path: String) {
    self.scalars = scalars
    self.path = path
  }

  mutating func table() throws(DiagnosticList) -> [String: String] {
    var table: [String: String] = [:]
    while try skipBlank() {
      let key = try word()
      _ = try skipBlank()
      var text = key
      if take("=") {
        _ = try skipBlank()
        text = try word()
        _ = try skipBlank()
      }
      guard take(";") else { throw failure("expected ; after “\(SwiftNames.comment(key))”") }
      table[key] = text
    }
    return table
  }

  /// Skips white space and comments; false at the end.
  private mutating func skipBlank() throws(DiagnosticList) -> Bool {
    while index < scalars.count {
      if scalars[index].properties.isWhitespace {
        advance()
      } else if scalars[index] == "/", index + 1 < scalars.count, scalars[index + 1] == "/" {
        while index < scalars.count, scalars[index] != "\n" { advance() }
      } else if scalars[index] == "/", index + 1 < scalars.count, scalars[index + 1] == "*" {
        let opening = place
        place.index += 2
        while index + 1 < scalars.count, !(scalars[index] == "*" && scalars[index + 1] == "/") { advance() }
        guard index + 1 < scalars.count else { throw failure("the comment that begins here has no end", at: opening) }
        place.index += 2
      } else {
        return true
      }
    }
    return false
  }

  /// Reads quoted text, or a word without quotation marks.
  private mutating func word() throws(DiagnosticList) -> String {
    var text = String.UnicodeScalarView()
    guard index < scalars.count, scalars[index] == "\"" else {
      while index < scalars.count, Self.isBare(scalars[index]) {
        text.append(scalars[index])
        advance()
      }
      guard !text.isEmpty else { throw failure("expected text in quotation marks") }
      return String(text)
    }
    let opening = place
    advance()
    while index < scalars.count {
      let scalar = scalars[index]
      advance()
      if scalar == "\"" { return String(text) }
      if scalar == "\\" { text.append(try escape(opening)) } else { text.append(scalar) }
    }
    throw failure("the text that begins here has no end", at: opening)
  }

  private mutating func escape(_ opening: Place) throws(DiagnosticList) -> Unicode.Scalar {
    guard index < scalars.count else { throw failure("the text that begins here has no end", at: opening) }
    let scalar = scalars[index]
    advance()
    switch scalar {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "U", "u":
      var value: UInt32 = 0
      for _ in 0..<4 {
        guard index < scalars.count, let digit = Hexadecimal.value(scalars[index]) else {
          throw failure("expected four hexadecimal digits after \\U")
        }
        value = value << 4 | digit
        advance()
      }
      guard let character = Unicode.Scalar(value) else { throw failure("\\U names half of a character") }
      return character
    default: return scalar
    }
  }

  private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "_-./$:".unicodeScalars.contains(scalar)
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard index < scalars.count, scalars[index] == scalar else { return false }
    advance()
    return true
  }

  private mutating func advance() {
    if scalars[place.index] == "\n" {
      place.line += 1
      place.lineStart = place.index + 1
    }
    place.index += 1
  }

  private func failure(_ message: String, at earlier: Place? = nil) -> DiagnosticList {
    let place = earlier ?? place
    // Columns count bytes, as everywhere.
    let column = scalars[place.lineStart..<min(place.index, scalars.count)].reduce(1) { $0 + UTF8.width($1) }
    return DiagnosticList(
      error: "stringsSyntax", path: path, position: SourcePosition(line: place.line, column: column), message: message)
  }
}
