import ArgumentParser
import MergewalkDiagnostics

/// Finds names of commands that do not exist, before the parser takes them for arguments too many.
enum CommandNames {
  /// Words of other tools, with what they are here.
  private static let synonyms = [
    "import": "mergewalk run", "load": "mergewalk run", "validate": "mergewalk lint", "check": "mergewalk lint",
    "query": "mergewalk fetch", "select": "mergewalk fetch", "init": "mergewalk guess",
    "version": "mergewalk --version",
  ]

  /// The message for a command line whose first words name no command; `nil` when they do.
  static func mistake(in arguments: [String], of root: any ParsableCommand.Type) -> String? {
    var command = root
    var path = name(root)
    let isHelp = arguments.first == "help"
    var words = arguments.dropFirst(isHelp ? 1 : 0)
    while let word = words.first, !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty {
      let names = command.configuration.subcommands.map(name)
      guard let index = names.firstIndex(of: word) else {
        if word == "help" { return nil }
        let topics = isHelp && path == name(root) ? HelpTopic.allCases.map(\.rawValue).sorted() : []
        if topics.contains(word) { return nil }
        let called = isHelp ? path.replacing("mergewalk", with: "mergewalk help") : path
        let known = names + topics
        let meant = path == name(root) && !isHelp ? deeper(word, in: root) : []
        let hint =
          if !meant.isEmpty {
            "did you mean " + meant.map { "“\($0)”" }.joined(separator: " or ") + "?"
          } else if let near = nearest(word, in: known) {
            "did you mean “\(called) \(near)”?"
          } else {
            "the commands are " + names.joined(separator: ", ")
              + (topics.isEmpty ? "" : "; the topics are " + topics.joined(separator: ", "))
          }
        return """
          Error: “\(called)” has no \(topics.isEmpty ? "command" : "command or topic") “\(word)”; \(hint)
          Usage: \(path) <subcommand>
            See '\(path) --help' for more information.
          """
      }
      command = command.configuration.subcommands[index]
      path += " " + word
      words = words.dropFirst()
    }
    return nil
  }

  /// The first argument that names a file and was read as options, since it begins with a dash.
  static func fileTakenForOptions(_ arguments: [String], isFile: (String) -> Bool) -> String? {
    let plain = arguments.prefix { $0 != "--" }
    if plain.contains(where: { ["-h", "-help", "--help", "help"].contains($0) }) { return nil }
    return plain.first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.count > 2 && isFile($0) }
  }

  /// Adds to the parser's message about numbers: that a negative one was read as an option, and that something else is
  /// not a number.
  static func explained(_ text: String, _ arguments: [String]) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.first else { return text }
    if first.hasPrefix("Error: Missing value for '") {
      let option = arguments.indices.dropLast().first { index in
        first.hasPrefix("Error: Missing value for '\(arguments[index]) ") && isNegative(arguments[index + 1])
      }
      if let option {
        let value = arguments[option + 1]
        let kind = Int(value) == nil ? "value" : "number"
        lines[0] = "Error: \(arguments[option]) takes a \(kind) that is not negative, not \(value)"
      }
    } else if first.hasPrefix("Error: The value '"), first.hasSuffix(">'"),
      ["count", "number", "records", "days", "jobs"].contains(where: { first.contains("<\($0)>'") })
    {
      lines[0] += ": it takes a whole number"
    } else if let hint = meant(first, arguments.first ?? "") {
      lines[0] = String(first.prefix(upTo: first.firstRange(of: ". Did you mean")?.lowerBound ?? first.endIndex)) + hint
    } else if let extra = extra(first), let usage = ExtraArguments(lines) {
      lines[0] += usage.hint(extra, in: arguments)
    } else if first.hasSuffix("<count|all>'") {
      lines[0] += ": it takes a whole number, or “all”"
    }
    return lines.joined(separator: "\n")
  }

  /// The first argument that the parser calls unexpected.
  private static func extra(_ message: String) -> String? {
    guard let start = message.firstRange(of: " argument") ?? message.firstRange(of: "Unexpected argument"),
      message.lowercased().contains("unexpected argument"), let quote = message[start.upperBound...].firstIndex(of: "'")
    else { return nil }
    let rest = message[message.index(after: quote)...]
    return String(rest[..<(rest.firstRange(of: "', '")?.lowerBound ?? rest.lastIndex(of: "'") ?? rest.endIndex)])
  }

  /// Whether a text begins as a negative number does: `-1`, `-30s`.
  private static func isNegative(_ text: String) -> Bool {
    text.hasPrefix("-") && text.dropFirst().first.map { "0"..."9" ~= $0 } == true
  }

  /// The names of options in other tools, by command.
  private static let optionsElsewhere = [
    "fetch": [
      "--where": "--predicate", "--filter": "--predicate", "--order": "--sort", "--order-by": "--sort",
      "--select": "--columns", "--fields": "--columns", "--out": "--output",
    ],
    "run": [
      "--output": "--store", "--out": "--store", "-o": "--store", "--database": "--store", "--variable": "--set",
      "--var": "--set", "-n": "--dry-run", "--check": "--dry-run", "--plan": "--dry-run", "--debug": "--log text",
    ],
    "model": ["--language": "--style", "--format": "--to", "-o": "--output", "--out": "--output"],
    "export": ["-o": "--out", "--output": "--out", "--folder": "--out"],
    "stores": ["-o": "--out", "--output": "--out", "--folder": "--out"],
    "seed": ["-o": "--store", "--output": "--store", "--out": "--store"],
    "guess": ["--limit": "--records", "--rows": "--records", "-o": "--out", "--output": "--out"],
    "preview": ["--limit": "--records", "--rows": "--records", "--lines": "--records"],
  ]

  /// The likely intention of an unknown option, or of an entity that stands alone.
  private static func meant(_ message: String, _ command: String) -> String? {
    func word(behind start: String) -> String? {
      guard message.hasPrefix(start) else { return nil }
      let rest = message.dropFirst(start.count)
      return rest.firstIndex(of: "'").map { String(rest[..<$0]) }
    }
    if command == "fetch", let word = word(behind: "Error: Unexpected argument '") {
      return FileKind(word) == .file
        ? "; the store is the only argument: “mergewalk fetch \(word) --entity NAME”"
        : "; an entity is named by “--entity \(word)”"
    }
    let option = word(behind: "Error: Unknown option '").flatMap { optionsElsewhere[command]?[$0] }
    return option.map { "; it is called “\($0)” here" }
  }

  /// The commands that a word of the first level stands for: those of that name in groups, or another tool's word.
  private static func deeper(_ word: String, in root: any ParsableCommand.Type) -> [String] {
    let inner = root.configuration.subcommands.flatMap { group in
      group.configuration.subcommands.filter { name($0) == word }.map { "\(name(root)) \(name(group)) \(name($0))" }
    }
    return inner.isEmpty ? synonyms[word].map { [$0] } ?? [] : inner
  }

  /// The command that was meant; letters that changed places in a short word count as one.
  private static func nearest(_ word: String, in names: [String]) -> String? {
    if let near = NearestName.find(word, in: names) { return near }
    let same = names.filter { $0.sorted() == word.sorted() }
    return same.first ?? names.first { $0.hasPrefix(word) && word.count > 1 }
  }

  static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }
}
