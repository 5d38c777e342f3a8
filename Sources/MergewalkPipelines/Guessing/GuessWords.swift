import MergewalkDiagnostics

enum GuessWords {
  /// The paths in words: at most two of them by name.
  static func list(_ paths: [String]) -> String {
    switch paths.count {
    case 1: paths[0]
    case 2: "\(paths[0]) and \(paths[1])"
    default: "\(paths[0]) and \(paths.count - 1) more files"
    }
  }

  /// `all 3 records of orders.csv`, `the first 10,000 records of standard input`.
  static func looked(_ records: Int, isWhole: Bool, source: String) -> String {
    let what =
      switch (records, isWhole) {
      case (0, _): "the header"
      case (1, true): "the one record"
      case (1, false): "the first record"
      case (_, true): "all \(PrintableText.count(records, "record"))"
      case (_, false): "the first \(PrintableText.count(records, "record"))"
      }
    return "\(what) of \(source == "-" ? "standard input" : source)"
  }

  /// A question as comment lines of at most 120 columns.
  ///
  /// What is in apostrophes is for a shell, and stays on one line with its option.
  static func question(_ text: String, indent: String = "") -> [String] {
    var words: [String] = []
    var isQuoted = false
    for word in GuessedPipeline.comment(text).split(separator: " ", omittingEmptySubsequences: false) {
      if let before = words.last, isQuoted || before == "--option" {
        words[words.count - 1] = "\(before) \(word)"
      } else {
        words.append(String(word))
      }
      if isQuoted || word.hasPrefix("'") { isQuoted = word.last(where: { !".,;?".contains($0) }) != "'" }
    }
    var lines = ["\(indent)# QUESTION:"]
    for (index, word) in words.enumerated() {
      let line = "\(lines[lines.count - 1]) \(word)"
      if index == 0 || line.count <= 120 {
        lines[lines.count - 1] = line
      } else {
        lines.append("\(indent)#   \(word)")
      }
    }
    return lines
  }
}
