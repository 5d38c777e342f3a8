import MergewalkDiagnostics

/// A syntax error of libyaml in the words of the file's author: the place of the mistake, and its cure.
///
/// libyaml names the place where it stopped, which may be lines below the mistake; unknown errors keep its own words.
/// Reads the file once more, only after an error.
struct YAMLMistake {
  var position: SourcePosition
  var message: String
  var hint: String

  private let lines: [ArraySlice<UInt8>]

  /// - Parameters:
  ///   - problem: what libyaml found.
  ///   - context: what it was reading.
  ///   - position: where it found it.
  ///   - begin: where what it was reading begins.
  init(_ problem: String, context: String?, at position: SourcePosition, begin: SourcePosition?, in bytes: [UInt8]) {
    self.position = position
    message = context.map { $0 + ": " + problem } ?? problem
    hint = "look at the indentation, the quotes and the brackets of this line and of the one above"
    lines = bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
    let isQuoted = context?.contains("quoted scalar") == true
    if isTabbed(position.line) {
      self.position = SourcePosition(line: position.line, column: indentation(position.line) + 1)
      message = "the line is indented with a tab"
      hint = "indent it with spaces, as the lines around it"
    } else if context?.contains("flow") == true, let begin {
      unclosed(begin)
    } else if isQuoted, problem.contains("escape") || problem.contains("hexdecimal") {
      message = "a backslash begins an escape in double quotes, but this is not an escape"
      hint = "write the text in single quotes, in which a backslash is a backslash"
    } else if isQuoted, let begin {
      self.position = begin
      message = "the quote that opens here is not closed"
      hint = "write the same quote at the end of the text"
    } else if problem.hasPrefix("mapping values are not allowed") {
      misplacedValue()
    } else if problem.hasPrefix("could not find expected ':'") {
      missingColon(begin ?? position)
    } else if problem.hasPrefix("did not find expected key") || problem.hasPrefix("did not find expected <document") {
      misplacedKey()
    } else if problem.hasPrefix("did not find expected '-'") || problem.hasPrefix("block sequence entries") {
      message = "a list cannot continue or begin here"
      hint = "write each item on its own line with “- ”, aligned with the others, or “[a, b]” in one line"
    } else if problem.contains("alphabetic or numeric") || problem.contains("cannot start any token")
      || context?.contains("tag") == true || context?.contains("directive") == true
    {
      forbiddenStart(begin ?? position)
    } else if problem.contains("control characters") {
      message = "there is a control character here"
      hint = "take it out, or write it as an escape such as \"\\x1B\" in double quotes"
    }
  }

  // MARK: Indentation

  /// Text, a blank line or a comment; the number of a line counts from 1.
  private func indentation(_ line: Int) -> Int { text(line).prefix { $0 == UInt8(ascii: " ") }.count }

  private func text(_ line: Int) -> ArraySlice<UInt8> {
    guard (1...lines.count).contains(line) else { return [] }
    let text = lines[line - 1]
    return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
  }

  private func isEmpty(_ line: Int) -> Bool {
    let rest = text(line).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return rest.isEmpty || rest.first == UInt8(ascii: "#")
  }

  private func isTabbed(_ line: Int) -> Bool {
    text(line).drop { $0 == UInt8(ascii: " ") }.first == UInt8(ascii: "\t") && !isEmpty(line)
  }

  /// The nearest line above with something in it; 0 when there is none.
  private func lineAbove(_ line: Int) -> Int {
    var above = line - 1
    while above > 0, isEmpty(above) { above -= 1 }
    return max(above, 0)
  }

  /// The key that a line begins with, or its first word, for messages.
  private func key(_ line: Int) -> String {
    let rest = text(line).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    let key = rest.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
    return String(decoding: key.prefix(40), as: UTF8.self)
  }

  private func isItem(_ line: Int) -> Bool {
    let rest = text(line).drop { $0 == UInt8(ascii: " ") }
    return rest.first == UInt8(ascii: "-") && (rest.count == 1 || rest.dropFirst().first == UInt8(ascii: " "))
  }

  /// Whether a line has a key, as far as one that is not looked into tells: a colon with a blank behind it, or at its end.
  private func hasKey(_ line: Int) -> Bool {
    let line = text(line)
    return line.last == UInt8(ascii: ":")
      || zip(line, line.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: " ") }
  }

  private static func spaces(_ count: Int) -> String { PrintableText.count(count, "space") }

  // MARK: Mistakes

  /// A bracket or brace that is not closed in its line, or something between two items.
  private mutating func unclosed(_ begin: SourcePosition) {
    let open = text(begin.line).dropFirst(begin.column - 1).first
    let (name, close) = open == UInt8(ascii: "[") ? ("bracket", "]") : ("brace", "}")
    if begin.line == position.line {
      message = "“,” or “\(close)” is missing before this in the \(name)s that open at column \(begin.column)"
      let before = text(position.line).prefix(max(0, position.column - 1))
      if let start = before.lastIndex(of: UInt8(ascii: "$")), text(position.line)[start...].starts(with: [0x24, 0x7B]) {
        hint = "write a variable inside \(name)s in quotes: “\"${NAME}\"”"
        return
      }
      hint = "separate items by commas, close with “\(close)”, and quote texts with commas, colons or brackets in them"
      return
    }
    position = begin
    message = "the \(name) that opens here is not closed"
    hint = "write “\(close)” after its last item"
  }

  /// A second colon in a line, or a line that is indented below one that has a value.
  private mutating func misplacedValue() {
    let above = lineAbove(position.line)
    let before = text(position.line).prefix(max(0, position.column - 1))
    let colons = zip(before, before.dropFirst()).count { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: " ") }
    if colons == 0, above > 0, indentation(above) < indentation(position.line) {
      let depth = indentation(above)
      position = SourcePosition(line: position.line, column: indentation(position.line) + 1)
      message = "“\(key(position.line))” is indented below “\(key(above))”, which already has a value"
      hint = "indent it by \(Self.spaces(depth)), as line \(above)"
    } else if colons == 0, above > 0, !hasKey(above) {
      missingColon(SourcePosition(line: above, column: indentation(above) + 1))
    } else {
      message = "a second “: ” in one line"
      hint = "put the value in quotes: \(key(position.line)): \"…\""
    }
  }

  /// A text that should be a key.
  private mutating func missingColon(_ begin: SourcePosition) {
    position = begin
    let line = text(begin.line).drop { $0 == UInt8(ascii: " ") }
    let word = String(decoding: line.prefix(40), as: UTF8.self)
    message = "“\(word)” is not “key: value”"
    if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: line[..<colon].prefix(40), as: UTF8.self)
      // A blank that does not break lines looks like one.
      let rest = line[(colon + 1)...]
      let value = String(decoding: rest.dropFirst(rest.starts(with: [0xC2, 0xA0]) ? 2 : 0).prefix(40), as: UTF8.self)
      hint = "write a space after the colon: “\(name): \(value)”"
    } else {
      hint = "write “key: value”, or “- ” before it if it is an item of a list"
    }
  }

  /// A key whose depth is that of no mapping that is open; the mistake may stand in a line above.
  private mutating func misplacedKey() {
    let depth = indentation(position.line)
    // Behind a value that is closed: `name: "a" b`.
    if position.column > depth + 1 {
      message = "there is more text after the value"
      hint = "put the whole value in one pair of quotes, or begin a new line"
      return
    }
    if isItem(position.line), lineAbove(position.line) > 0, !isItem(lineAbove(position.line)) {
      position = SourcePosition(line: position.line, column: depth + 1)
      message = "there is an item of a list where a “key: value” is expected"
      hint = "write the key of the list on a line above it, or remove “- ”"
      return
    }
    var opener = lineAbove(position.line)
    var known: Set<Int> = []
    while opener > 0, indentation(opener) >= depth {
      known.insert(indentation(opener))
      opener = lineAbove(opener)
    }
    let sibling = lineAbove(opener)
    if opener > 0, !known.contains(depth), sibling > 0, indentation(sibling) == depth {
      position = SourcePosition(line: opener, column: indentation(opener) + 1)
      message =
        "“\(key(opener))” is indented by \(Self.spaces(indentation(opener))), the lines above and below it by \(depth)"
      hint = "indent it by \(Self.spaces(depth))"
      return
    }
    position = SourcePosition(line: position.line, column: depth + 1)
    let above = known.min() ?? indentation(lineAbove(position.line))
    if above == depth {
      message = "“\(key(position.line))” cannot follow the value that ends in line \(lineAbove(position.line))"
      hint = "remove what is too much, or write all of it as “key: value”"
      return
    }
    message = "“\(key(position.line))” is indented by \(Self.spaces(depth)), which is the depth of no key above it"
    hint = "indent it by \(Self.spaces(above)), as line \(lineAbove(position.line))"
  }

  /// A value that begins with a character that means something in YAML.
  private mutating func forbiddenStart(_ begin: SourcePosition) {
    position = begin.line == position.line ? begin : position
    let rest = text(position.line).dropFirst(max(0, position.column - 1))
    let word = String(
      decoding: rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") }.prefix(40), as: UTF8.self)
    message = "a text cannot begin with “\(word.first.map { String($0) } ?? "")” without quotes"
    hint = "put it in quotes: \"\(word)\""
  }
}
