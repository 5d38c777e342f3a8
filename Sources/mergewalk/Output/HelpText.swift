/// Lays out the long texts of help for 80 columns.
enum HelpText {
  /// The parser breaks lines of 80 characters.
  static let columns = 79

  /// The parser's text, with its lines of usage broken, too.
  static func withUsage(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // Commands of models have an option --version, which hides the one that every command has.
    let hasOwnVersion = lines.contains { $0.contains("--model-version, --version <") }
    return lines.filter { !hasOwnVersion || !$0.hasPrefix("  --version  ") }.flatMap { line in
      line.lowercased().hasPrefix("usage: ") && line.count > columns ? usage(line) : [line]
    }.joined(separator: "\n")
  }

  /// A line of usage, broken between options, which stay whole.
  private static func usage(_ line: String) -> [String] {
    var lines = [""]
    var depth = 0
    var word = ""
    for character in line + " " {
      if character == "[" || character == "<" { depth += 1 }
      if character == "]" || character == ">" { depth -= 1 }
      guard character == " ", depth == 0 else {
        word.append(character)
        continue
      }
      if lines[lines.count - 1].count + word.count + 1 > columns { lines.append("      ") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
      word = ""
    }
    return lines
  }

  /// The text as the argument parser wraps it well.
  ///
  /// A paragraph is one line, whatever its lines in the source; tables and examples, which are indented, are broken
  /// here, with what belongs to a line below its text. The texts of all commands are laid out whenever the program
  /// starts, so this looks at bytes: splitting them into characters doubled the time of a start.
  static func flow(_ text: String) -> String {
    var result = ""
    var isOpen = false
    for bytes in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let isParagraph = isParagraph(bytes)
      if bytes.startIndex != text.startIndex { result += isParagraph && isOpen ? " " : "\n" }
      let line = Substring(bytes)
      // No line has more characters than bytes.
      result += isParagraph || bytes.count <= columns ? String(line) : broken(String(line)).joined(separator: "\n")
      isOpen = isParagraph
    }
    return result
  }

  /// Whether a line belongs to a paragraph: it is not indented, no heading in capital letters, and not empty.
  private static func isParagraph(_ line: Substring.UTF8View) -> Bool {
    guard let first = line.first, first != UInt8(ascii: " ") else { return false }
    return !line.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: " ") }
  }

  /// An indented line as several: a command goes on behind a backslash, the meaning in a table below its beginning.
  private static func broken(_ line: String) -> [String] {
    guard line.count > columns else { return [line] }
    let characters = Array(line)
    let indent = characters.prefix { $0 == " " }.count
    let isCommand = line.contains("mergewalk ")
    var hanging = indent + 4
    if !isCommand,
      let gap = characters.indices.dropFirst(indent).first(where: { index in
        characters[index] == " " && index + 1 < characters.count && characters[index + 1] == " "
      })
    {
      hanging = characters[gap...].firstIndex { $0 != " " } ?? hanging
    }
    // The backslash and the space before it.
    let most = columns - (isCommand ? 2 : 0)
    guard let cut = isCommand ? Self.cut(characters, from: hanging, to: most) : last(" ", in: characters[...most]),
      cut > hanging
    else { return [line] }
    let rest = String(repeating: " ", count: hanging) + String(characters[(cut + 1)...])
    return [String(characters[..<cut]) + (isCommand ? " \\" : "")] + broken(rest)
  }

  private static func last(_ character: Character, in characters: ArraySlice<Character>) -> Int? {
    characters.lastIndex(of: character)
  }

  /// Where a command is broken: before an option, so that it stays with its value, else between words; never in quotes.
  private static func cut(_ characters: [Character], from first: Int, to most: Int) -> Int? {
    var quote: Character?
    var option: Int?
    var space: Int?
    for (index, character) in characters.enumerated().prefix(most + 1) {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == " ", index > first {
        space = index
        if characters[(index + 1)...].starts(with: "--") { option = index }
      }
    }
    return option ?? space ?? last(" ", in: characters[...most])
  }
}
