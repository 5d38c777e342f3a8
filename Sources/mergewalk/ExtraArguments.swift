import MergewalkDiagnostics

/// Explains arguments that are too many for a command, by the command's own usage.
struct ExtraArguments {
  /// The command's words: `mergewalk store verify`.
  private let command: String
  /// Its arguments in their order, as usage shows them: `<store>`.
  private let places: [String]
  /// Its options.
  private let options: Set<String>

  /// Reads the usage in one of the parser's messages; `nil` for a message without one.
  init?(_ message: [String]) {
    guard let start = message.firstIndex(where: { $0.hasPrefix("Usage: ") }) else { return nil }
    let usage = message[start...].prefix { !$0.hasPrefix("  See ") }.joined(separator: " ").dropFirst(7)
    let words = usage.split(separator: " ").map(String.init)
    command = words.prefix { !"<[-".contains($0.first ?? "<") }.joined(separator: " ")
    var places: [String] = []
    var options: Set<String> = []
    // Behind an option stands what it takes.
    var isValue = false
    for word in words {
      let bare = word.filter { !"[]".contains($0) }
      if bare.hasPrefix("-") {
        options.insert(bare)
      } else if bare.hasPrefix("<"), bare != "<options>", !isValue {
        places.append(bare)
      }
      isValue = bare.hasPrefix("-") && !word.hasSuffix("]")
    }
    self.places = places
    self.options = options
  }

  /// What the command takes in their place.
  ///
  /// - Parameters:
  ///   - extra: the argument that is too many, or the first of several.
  ///   - arguments: the command line.
  func hint(_ extra: String, in arguments: [String]) -> String {
    if places.isEmpty { return "; “\(command)” takes no argument" }
    let taken = "; “\(command)” takes only \(places.joined(separator: ", then "))"
    if extra.hasSuffix(".sqlite"), places == ["<store>"], let before = wordBefore(extra, in: arguments) {
      let option = ["--out", "--model"].first(where: options.contains) ?? ""
      return taken
        + (option.isEmpty ? "" : ": “\(command) \(ShellText.word(extra)) \(option) \(ShellText.word(before))”")
    }
    if options.contains("--model"),
      [".yaml", ".yml", ".xcdatamodeld", ".xcdatamodel", ".mom", ".momd"].contains(where: extra.hasSuffix)
    {
      return taken + "; a model is named by “--model \(ShellText.word(extra))”"
    }
    if options.contains("--out"), places == ["<store>"] {
      return taken + "; the folder for the files is named by “--out \(ShellText.word(extra))”"
    }
    return taken
  }

  /// The word before the last one of this spelling, where it is no store and no option.
  private func wordBefore(_ extra: String, in arguments: [String]) -> String? {
    guard let place = arguments.lastIndex(of: extra), place > 0 else { return nil }
    let word = arguments[place - 1]
    return word.hasPrefix("-") || word.hasSuffix(".sqlite") || command.hasSuffix(word) ? nil : word
  }
}
