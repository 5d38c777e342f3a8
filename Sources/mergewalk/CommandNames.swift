import ArgumentParser
import MergewalkDiagnostics

/// Finds names of commands that there are not, before the parser takes them for arguments too many.
enum CommandNames {
  /// What to say about a command line whose first words name no command; `nil` when they do.
  static func mistake(in arguments: [String], of root: any ParsableCommand.Type) -> String? {
    var command = root
    var path = name(root)
    var words = arguments[...]
    if words.first == "help" { words = words.dropFirst() }
    while let word = words.first, !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty {
      let names = command.configuration.subcommands.map(name)
      guard let index = names.firstIndex(of: word) else {
        if word == "help" { return nil }
        let known = arguments.first == "help" ? names + HelpTopic.allCases.map(\.rawValue) : names
        if known.contains(word) { return nil }
        let hint =
          nearest(word, in: known).map { "did you mean “\(path) \($0)”?" }
          ?? "the commands are " + names.joined(separator: ", ")
        return """
          Error: “\(path)” has no command “\(word)”; \(hint)
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

  /// The command that was meant; letters that changed places in a short word count as one.
  private static func nearest(_ word: String, in names: [String]) -> String? {
    if let near = NearestName.find(word, in: names) { return near }
    let same = names.filter { $0.sorted() == word.sorted() }
    return same.first ?? names.first { $0.hasPrefix(word) && word.count > 1 }
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }
}
