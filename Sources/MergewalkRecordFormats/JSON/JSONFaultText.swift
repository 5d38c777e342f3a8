import MergewalkBytes

/// Words for a fault of JSON's syntax: what is expected at a place, and what stands there.
struct JSONFaultText {
  private enum Last { case nothing, openObject, openArray, comma, colon, name, value, word }

  /// Whether each array or object around the place is an object.
  private var isObject: [Bool] = []
  private var last = Last.nothing
  private var isInString = false
  private var isBehindBackslash = false

  /// Describes the error at `at` of a text that begins with a value at `start`.
  ///
  /// - Complexity: O(bytes before the fault); it is requested once for each record that is refused.
  static func message(_ base: UnsafePointer<UInt8>, from start: Int, at: Int, end: Int) -> String {
    if at >= end { return "the JSON text ends too early" }
    var text = JSONFaultText()
    // An element of an array is all that is looked at, and the comma before it stands in the same memory.
    if let before = UnsafeBufferPointer(start: base, count: start).last(where: { !$0.isDocumentSpace }), before == 0x2C
    {
      text.last = .comma
    }
    for i in start..<max(start, at) { text.take(base[i]) }
    let found = name(UnsafeBufferPointer(start: base + at, count: end - at))
    if text.isBehindBackslash { return "not JSON: \(found) is not an escape after a backslash" }
    if text.isInString {
      return base[at] < 0x20
        ? "not JSON: \(found) is in a string; write control characters as escapes, such as \\u0009"
        : "not JSON: this escape is not one of JSON's, such as \\n and \\u00E9; write a backslash itself twice"
    }
    if text.last == .word { return "not JSON: \(found) cannot continue a number, true, false or null" }
    let rest = UnsafeBufferPointer(start: base + at, count: end - at)
    return "not JSON: \(text.expected) is expected, but there is \(found)" + (text.cure(rest).map { "; " + $0 } ?? "")
  }

  /// What to do about text of other languages that is near JSON; `nil` for anything else.
  private func cure(_ rest: UnsafeBufferPointer<UInt8>) -> String? {
    let words = [
      ("//", "JSON has no comments: take them out"), ("/*", "JSON has no comments: take them out"),
      ("#", "JSON has no comments: take them out"), ("'", "JSON writes names and texts in double quotes"),
      ("NaN", "JSON has no NaN: write null"), ("Infinity", "JSON has no infinity: write null"),
      ("None", "JSON writes null"), ("nil", "JSON writes null"), ("undefined", "JSON writes null"),
      ("NULL", "JSON writes null in small letters"), ("True", "JSON writes true in small letters"),
      ("False", "JSON writes false in small letters"), ("<", "this looks like XML or a web page"),
    ]
    if let found = words.first(where: { rest.starts(with: $0.0.utf8) }) { return found.1 }
    return last == .comma && (rest.first == UInt8(ascii: "]") || rest.first == UInt8(ascii: "}"))
      ? "take out the comma before it" : nil
  }

  private mutating func take(_ byte: UInt8) {
    if isInString {
      if isBehindBackslash {
        isBehindBackslash = false
      } else if byte == UInt8(ascii: "\\") {
        isBehindBackslash = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        last = isObject.last == true && (last == .openObject || last == .comma) ? .name : .value
      }
      return
    }
    switch byte {
    case 32, 9, 10, 13: if last == .word { last = .value }
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      isObject.append(byte == UInt8(ascii: "{"))
      last = byte == UInt8(ascii: "{") ? .openObject : .openArray
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      _ = isObject.popLast()
      last = .value
    case UInt8(ascii: ","): last = .comma
    case UInt8(ascii: ":"): last = .colon
    default: last = .word
    }
  }

  private var expected: String {
    switch (last, isObject.last) {
    case (.name, _): "“:”"
    case (.openObject, _): "the name of a member in double quotes or “}”"
    case (.comma, .some(true)): "the name of a member in double quotes"
    case (.openArray, _): "a value or “]”"
    case (.value, .some(true)): "“,” or “}”"
    case (.value, .some(false)): "“,” or “]”"
    case (.value, nil), (.word, _): "the end"
    case (.nothing, _), (.comma, _), (.colon, _): "a value"
    }
  }

  /// A byte, or the character that begins with it.
  private static func name(_ text: UnsafeBufferPointer<UInt8>) -> String {
    guard let byte = text.first else { return "the end" }
    if byte < 0x20 || byte == 0x7F { return "the control character \(byte)" }
    let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    guard let character = String(validating: text.prefix(length), as: UTF8.self), !character.isEmpty else {
      return "the byte \(byte)"
    }
    return "“\(character)”"
  }
}
