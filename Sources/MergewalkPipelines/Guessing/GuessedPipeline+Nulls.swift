import MergewalkDiagnostics
import MergewalkRecordFormats

/// What means null in a guessed pipeline: in all columns of the source, or in one column.
extension GuessedPipeline {
  /// The option with the words that mean null in a column of this type; text keeps them.
  static func nullTokens(_ verdict: ColumnProfile.Verdict) -> String? {
    verdict.type == .text || verdict.nullSpellings.isEmpty ? nil : "null_tokens: \(list(verdict.nullSpellings))"
  }

  /// The spellings of null in all columns: those that were found, and empty fields where the columns are text.
  func nullLines(_ found: CSVOptions) -> [String] {
    var tokens = found.nullTokens
    var notes: [String] = []
    let dumped = sample.profiles.reduce(0) { $0 + $1.nullCounts[0] }
    if dumped > 0, !tokens.contains("\\N") {
      tokens.append("\\N")
      notes.append("\\N occurs \(PrintableText.count(dumped, "time"))")
    }
    let empty = entity.attributes.reduce(0) { count, attribute in
      attribute.verdict.type == .text ? count + sample.profiles[attribute.column].empty : count
    }
    if empty > 0, !tokens.contains("") {
      tokens.append("")
      notes.append("\(PrintableText.count(empty, "empty field")) without quotes in columns of text")
    }
    func line(_ tokens: [String], _ note: String) -> String {
      let list = tokens.map { $0.isEmpty ? "\"\"" : Self.scalar($0, inFlow: true) }.joined(separator: ", ")
      return "\"null\": [\(list)]\(note.isEmpty ? "" : "  # \(note)")"
    }
    var lines: [String] = []
    let words = plainNulls
    if !words.isEmpty {
      let places = words.map { "“\($0.word)” in \(PrintableText.count($0.count, "field")) (\($0.columns))" }
      lines += GuessWords.question(
        "in columns of text there is \(places.joined(separator: "; ")): "
          + (words.count == 1 ? "it stays text. Does it mean null there?" : "they stay text. Do they mean null there?")
          + " Then set" + (tokens.isEmpty ? ":" : ", in place of the line below:"), indent: "  ")
      lines.append("  # \(line(tokens + words.map { $0.word }, "in all columns"))")
    }
    if !tokens.isEmpty { lines.append("  " + line(tokens, notes.joined(separator: "; "))) }
    return lines
  }

  /// The words in columns of text that hardly mean anything but null, and where they are.
  private var plainNulls: [(word: String, count: Int, columns: String)] {
    let texts = entity.attributes.filter { $0.verdict.type == .text && !sample.profiles[$0.column].plainNulls.isEmpty }
    var result: [(word: String, count: Int, columns: String)] = []
    for word in ColumnProfile.nullSpellings {
      let found = texts.filter { sample.profiles[$0.column].plainNulls[word] != nil }
      if found.isEmpty { continue }
      let count = found.reduce(0) { $0 + (sample.profiles[$1.column].plainNulls[word] ?? 0) }
      let names = found.prefix(3).map(\.columnName).joined(separator: ", ") + (found.count > 3 ? " ..." : "")
      result.append((word: word, count: count, columns: names))
    }
    return result
  }
}
