import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// A fetch that could not be carried out, in words for a person.
struct FetchFailure: Error {
  /// One or more lines: `place: error: message [code]`, where the error is about a place in an option's text that line with
  /// a caret under the place, then what to do about it.
  let words: String
  /// With which code the command ends.
  var status = ExitStatus.failure

  init(words: String, status: ExitCode = ExitStatus.failure) {
    self.words = words
    self.status = status
  }

  /// An error in the request as a whole.
  init(_ error: PredicateError) {
    let error = Self.withCure(error)
    words = "mergewalk: error: \(Self.visible(error.message)) [\(error.code.rawValue)]" + Self.hint(error)
  }

  /// An error that keeps the text of an option from being compiled: at its own place, or that of the first name that it
  /// quotes.
  init(refused error: PredicateError, option: String, text: String) {
    var error = Self.withCure(error)
    if error.position.line == 0 {
      let start = SourcePosition(line: 1, column: 1, byteOffset: 0)
      error.position = SourceText(text, position: start).position(of: error)
    }
    self.init(error, option: option, text: text)
  }

  private static func withCure(_ error: PredicateError) -> PredicateError {
    var error = error
    // Only a person's text has variables here.
    if error.code == .missingVariable { error.hint = "write the value itself, or %@ with its value as --arg" }
    return error
  }

  init(_ error: PredicateError, option: String, text: String) {
    var error = error
    if error.code == .unknownKey, let advice = Self.advice(option, text), error.hint?.hasPrefix("did you") != true {
      error.hint = (error.hint.map { $0 + "; " } ?? "") + advice
    }
    guard error.position.line > 0 else {
      words = "\(option): error: \(Self.visible(error.message)) [\(error.code.rawValue)]" + Self.hint(error)
      return
    }
    let place = "\(option):\(error.position.line):\(error.position.column)"
    words =
      "\(place): error: \(Self.visible(error.message)) [\(error.code.rawValue)]\n"
      + Self.excerpt(text, at: error.position) + Self.hint(error)
  }

  /// Names that an unknown name in an option may have been meant for.
  private static func advice(_ option: String, _ text: String) -> String? {
    switch option {
    case "--predicate", "--having": return "write text in quotes: 'Ada'"
    case "--sort" where text.contains(" "): return "the descending order is written “-name”, the ascending one “name”"
    default: return nil
    }
  }

  /// An error while the statement ran.
  ///
  /// - Parameter options: The options that have expressions: any of them can be to blame.
  init(_ error: FetchError, store path: String, options: String = "mergewalk") {
    switch error {
    case .predicate(let error): self.init(Self.withCure(error), option: options, text: "")
    case .store(let error):
      let advice = error.advice.map { "; " + $0 } ?? ""
      self.init(
        words: "\(path): error: \(error.message)\(advice) [\(error.code.rawValue)]", status: ExitStatus.of(error.code))
    }
  }

  private static func hint(_ error: PredicateError) -> String { error.hint.map { "\n  hint: \(visible($0))" } ?? "" }

  /// The line with the error, or what is around the place when it is long, and a caret below.
  static func excerpt(_ text: String, at position: SourcePosition) -> String {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard position.line <= lines.count else { return "  ^" }
    let line = Array(lines[position.line - 1])
    let place = min(max(0, position.column - 1), line.count)
    var start = line.count <= 100 ? 0 : max(0, place - 60)
    var end = line.count <= 100 ? line.count : min(line.count, place + 40)
    // Not within a character.
    while start > 0, line[start] & 0xC0 == 0x80 { start -= 1 }
    while end < line.count, line[end] & 0xC0 == 0x80 { end += 1 }
    let before = (start > 0 ? "…" : "") + visible(String(decoding: line[start..<place], as: UTF8.self))
    let after = visible(String(decoding: line[place..<end], as: UTF8.self)) + (end < line.count ? "…" : "")
    return "  \(before)\(after)\n  \(String(repeating: " ", count: DisplayText.width(before)))^"
  }

  /// Text without what would move the cursor or colour the screen.
  private static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0x09: " "
          case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
          case 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
          default: scalar
          }
        }))
  }
}
