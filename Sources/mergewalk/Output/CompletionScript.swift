import ArgumentParser

/// Adds to the parser's completion scripts the words that may follow `mergewalk help`.
enum CompletionScript {
  /// A completion script with the commands and topics behind `help`, and the commands of a group behind its name; any
  /// other text, and a script of a form that is not known, as it is.
  static func addingHelp(to text: String, of root: any ParsableCommand.Type) -> String {
    let names = root.configuration.subcommands.map(CommandNames.name)
    let words = names + HelpTopic.allCases.map(\.rawValue).sorted().filter { !names.contains($0) }
    let groups = root.configuration.subcommands.filter { !$0.configuration.subcommands.isEmpty }.map { group in
      Group(name: CommandNames.name(group), commands: group.configuration.subcommands.map(CommandNames.name))
    }
    if text.hasPrefix("#!/bin/bash\n") { return bash(text, words, groups) }
    if text.hasPrefix("#compdef mergewalk\n") { return zsh(text, words, groups) }
    if text.hasPrefix("function __mergewalk") { return fish(text, words, groups) }
    return text
  }

  /// A command that has commands.
  private struct Group {
    var name: String
    var commands: [String]
  }

  private static let function = "_mergewalk_help() {"

  /// The function's last lines offer words by the number of the one that is being completed.
  private static func bash(_ text: String, _ words: [String], _ groups: [Group]) -> String {
    guard let parts = split(text, at: "\n}\n") else { return text }
    func offer(_ words: [String]) -> String {
      "__mergewalk_add_completions -W '" + words.joined(separator: "'$'\\n''") + "'"
    }
    let head = [
      "", "    case \"${positional_number}\" in", "    1) \(offer(words)) ;;", "    2)", "        case \"${prev}\" in",
    ]
    let inner = groups.map { "        \($0.name)) \(offer($0.commands)) ;;" }
    let lines = head + inner + ["        esac", "        ;;", "    esac", "}", ""]
    return parts.before + lines.joined(separator: "\n") + parts.after
  }

  private static func zsh(_ text: String, _ words: [String], _ groups: [Group]) -> String {
    guard let parts = split(text, at: "'*:subcommands:'") else { return text }
    let inner = groups.map { "\($0.name)) compadd \($0.commands.joined(separator: " "));; " }.joined()
    let topics = "'1:topic:(\(words.joined(separator: " ")))'"
    let commands = "'2:command:{case \"${words[2]}\" in \(inner)esac}'"
    return "\(parts.before)\(topics)\n        \(commands)\(parts.after)"
  }

  private static func fish(_ text: String, _ words: [String], _ groups: [Group]) -> String {
    func offer(_ place: Int, _ condition: String, _ words: [String]) -> String {
      let test = "__mergewalk_should_offer_completions_for_positional \"mergewalk help\" -eq \(place)\(condition)"
      return "complete -c 'mergewalk' -n '\(test)' -fa '\(words.joined(separator: " "))'"
    }
    let inner = groups.map { offer(2, "; and contains -- \($0.name) (__mergewalk_tokens -pc)", $0.commands) }
    return ([text, offer(1, "", words)] + inner).joined(separator: "\n")
  }

  /// The script around the first such text in the function for `help`.
  private static func split(_ text: String, at mark: String) -> (before: String, after: String)? {
    guard let start = text.firstRange(of: function),
      let place = text[start.upperBound...].firstRange(of: mark)
    else { return nil }
    return (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
  }
}
