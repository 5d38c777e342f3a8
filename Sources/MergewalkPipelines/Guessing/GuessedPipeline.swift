import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats
import MergewalkYAML

/// Writes the pipeline of a guessed entity, with what speaks for each line as a comment.
struct GuessedPipeline {
  let entity: GuessedEntity
  let name: String
  /// The paths that the file names.
  let files: [String]
  let model: String
  let store: String
  let folder: String
  /// The options that the command line gave.
  let options: [(name: String, value: String)]

  var sample: SourceSample { entity.sample }

  var text: String {
    var lines = header
    lines += [
      "pipeline: \(quote(name))", "model: \(quote(model))",
      "store: \(quote(store))", "source:", "  files: \(fileList)",
    ]
    lines += sourceOptions
    if entity.attributes.contains(where: { $0.isKept && $0.isNumber }) {
      lines.append("fields: { plain_numbers: true }  # a later 007 or +49 in a column of numbers is rejected")
    }
    lines += ["import:", "  entity: \(entity.name)"]
    lines += keyLines
    lines.append("  attributes:")
    for index in entity.attributes.indices where entity.attributes[index].isKept { attribute(index, &lines) }
    relationshipLines(&lines)
    lines.append("rejects: { file: \(Self.scalar(name + ".rejects.ndjson", inFlow: true)) }")
    return lines.joined(separator: "\n") + "\n"
  }

  private var fileList: String {
    files.count == 1 ? quote(files[0]) : "[\(files.map { Self.scalar($0, inFlow: true) }.joined(separator: ", "))]"
  }

  // MARK: Parts

  private var header: [String] {
    let what = GuessWords.looked(
      sample.records, isWhole: sample.isWhole, source: Self.comment(GuessWords.list(sample.paths)))
    var lines = [
      "# Guessed by mergewalk from \(what). A record that does not fit is rejected, never",
      "# reinterpreted. The comment after each line gives the reason for it.",
    ]
    var questions: [String] = []
    if let found = otherContent { questions.append(found) }
    if sample.rejects > 0, let reject = sample.firstReject {
      questions.append(
        "\(PrintableText.count(sample.rejects, "record")) cannot be read; the first is on line \(reject.position.line):"
          + " \(reject.message)")
    }
    if let footer = sample.footer {
      questions.append(
        "is the last record, on line \(footer.line), a footer, because \(footer.reason)? It will be stored; a condition of"
          + " the import (where) leaves it out")
    }
    if let blank = sample.blankRecords {
      let isOne = blank.count == 1
      questions.append(
        "\(PrintableText.count(blank.count, "record")) \(isOne ? "has" : "have") nothing in any column, the first on line"
          + " \(blank.line): \(isOne ? "is it an empty row" : "are they empty rows") of a spreadsheet? Each is stored as an"
          + " object without values; a condition of the import leaves them out"
          + (blank.column.map { ", such as where: " + Self.isThere($0) } ?? " (where)"))
    }
    if let place = sample.nearHeader {
      questions.append(
        "is the record on line \(place.line) the header of another file that was appended to this one? It and what follows"
          + " will be stored as records")
    }
    if let place = sample.surplus {
      questions.append(
        "the record on line \(place.line) has parts that are not columns, because the first ones have no such; name them if"
          + " they are wanted")
    }
    if !sample.definition.isTableCertain {
      questions.append("other options of the source fit about as well. Are these right?")
    }
    if let doubt = sample.definition.encodingDoubt {
      questions.append("\(doubt). In another one, letters would differ. Is it right?")
    }
    if let aligned = sample.definition.aligned { questions.append(Self.question(aligned)) }
    for question in questions + entity.questions {
      lines += GuessWords.question(question + (question.hasSuffix("?") ? "" : "."))
    }
    return lines
  }

  /// The condition that a column has a value, as YAML has it.
  private static func isThere(_ column: String) -> String {
    let path = ObjectExpression.keyPath(PropertyPath([.property(column)]))
    let condition = ObjectPredicate.comparison(ComparisonPredicate(path, .notEqualTo, .constant(.null)))
    return YAMLText.scalar(condition.description, inFlow: false)
  }

  /// Asks whether a file that is a table by its name is something else by its content.
  private var otherContent: String? {
    guard case .csv = sample.definition.format, !options.contains(where: { $0.name == "format" }),
      let source = sample.definition.sources.first(where: { !$0.isBlank }),
      let found = try? SourceFormat.ofContent(source), found != .csv, found != .tsv
    else { return nil }
    if sample.columns.first?.lowercased().contains("html") == true {
      return "“\(sample.paths[0])” looks like a web page, not like a table: is it what a download that failed left?"
    }
    return "“\(sample.paths[0])” looks like \(found.rawValue), not like a table. Is it? Then guess again with --option"
      + " format=\(found.rawValue)"
  }

  /// Asks whether text whose columns blanks align is fixed-width, and says how to guess again.
  private static func question(_ aligned: AlignedColumns) -> String {
    guard !aligned.columns.isEmpty else {
      return "all lines have \(aligned.length ?? 0) characters: is this fixed-width text? Then guess again with"
        + " --option format=fixed-width --option 'widths={NAME: WIDTH, …}'"
    }
    let widths = aligned.columns.enumerated().map { index, column in
      let name = column.name.isEmpty ? "column\(index + 1)" : column.name
      return YAMLText.scalar(name, inFlow: true) + ": \(column.width)"
    }.joined(separator: ", ")
    let quoted = widths.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    return "\(aligned.columns.count) columns are aligned by blanks: is this fixed-width text? Then guess again with"
      + " --option format=fixed-width --option 'widths={\(quoted)}'"
      + (aligned.linesAbove > 0 ? " --option skip_lines=\(aligned.linesAbove)" : "") + " --option trim=true"
  }

  private var keyLines: [String] {
    guard !entity.key.isEmpty else { return ["  mode: insert"] }
    let names = entity.key.map { entity.attributes[$0].name }
    return [
      "  find_by: [\(names.joined(separator: ", "))]  # \(entity.keyEvidence)",
      "  duplicates: reject  # of records with one key, all but the first are rejected",
    ]
  }

  private func attribute(_ index: Int, _ lines: inout [String]) {
    let attribute = entity.attributes[index]
    for question in attribute.verdict.questions {
      let which = question.answers.count == 1 ? "this line" : "one of these lines"
      let then = question.answers.isEmpty ? "" : " Then write \(which), and its type in \(model):"
      lines += GuessWords.question(question.text + then, indent: "    ")
      for answer in question.answers {
        var notes = [ModelYAMLNames.name(answer.type.modelType)] + answer.evidence
        // Its texts are all there; the values that some of them mean are not, nor are those of empty ones.
        if attribute.isRequired, sample.profiles[attribute.column].missing(as: answer.type) > 0 {
          notes.insert("without “!”", at: 1)
        }
        if entity.key.contains(index), !answer.type.modelType.canBeKey {
          notes.append("and another find_by: no object is found by it")
        }
        lines.append("    # \(line(attribute, answer))  # \(Self.comment(notes.joined(separator: ", ")))")
      }
    }
    lines.append("    \(line(attribute, attribute.verdict))  # \(Self.comment(attribute.evidence))")
  }

  /// The line of an attribute if this is the verdict on its column.
  private func line(_ attribute: GuessedAttribute, _ verdict: ColumnProfile.Verdict) -> String {
    var parts: [String] = []
    if attribute.trims(verdict) { parts.append("trim: true") }
    if !verdict.steps.isEmpty { parts.append("do: [\(verdict.steps.joined(separator: ", "))]") }
    if case .date(let pattern?) = verdict.type { parts.append("date: \(YAMLText.quoted(pattern))") }
    if let mark = verdict.decimalMark { parts.append("decimal_mark: \(Self.character(mark))") }
    if let mark = verdict.groupMark { parts.append("group_mark: \(Self.character(mark))") }
    if verdict.takesCodes { parts.append("plain_numbers: false") }
    if verdict.type == .boolean {
      parts += ["\"true\": \(Self.list(verdict.trueWords))", "\"false\": \(Self.list(verdict.falseWords))"]
    }
    if let words = Self.nullTokens(verdict) { parts.append(words) }
    if parts.isEmpty { return "\(attribute.name): \(quote(attribute.columnName))" }
    let column = Self.scalar(attribute.columnName, inFlow: true)
    return "\(attribute.name): { \((["from: \(column)"] + parts).joined(separator: ", ")) }"
  }

  static func list(_ words: [String]) -> String { "[\(words.map(YAMLText.quoted).joined(separator: ", "))]" }

  private func relationshipLines(_ lines: inout [String]) {
    if entity.relationships.isEmpty { return }
    lines.append("  relationships:")
    for relationship in entity.relationships {
      let attribute = entity.attributes[relationship.attribute]
      lines.append("    # \(Self.comment(relationship.evidence))")
      var parts: [String] = []
      if attribute.trims { parts.append("trim: true") }
      if let words = Self.nullTokens(attribute.verdict) { parts.append(words) }
      var column = Self.scalar(attribute.columnName, inFlow: true)
      if !parts.isEmpty { column = "{ \((["from: \(column)"] + parts).joined(separator: ", ")) }" }
      lines.append("    \(relationship.name): { find_by: { \(relationship.keyName): \(column) }, mode: update }")
    }
  }

  // MARK: Source

  /// The options of the source, with the evidence of those that were detected.
  private var sourceOptions: [String] {
    let definition = sample.definition
    var lines = options.map { option in
      var value = option.value
      // Paths of the command line begin at the working directory, those of a pipeline at its folder.
      if ComponentSpec.source.field(named: option.name)?.kind == .path { value = Paths.relative(value, from: folder) }
      return "  \(quote(option.name)): \(Self.value(value))  # as given"
    }
    let said = Set(options.map(\.name))
    if !sample.skippedFiles.isEmpty, !said.contains("empty_files") {
      lines.append("  empty_files: skip  # \(PrintableText.count(sample.skippedFiles.count, "file")) had nothing in it")
    }
    if !said.contains("format") { lines.append("  format: \(definition.formatName.rawValue)") }
    if case .json(let found) = definition.format, found.scalars == .value, !said.contains("scalars") {
      lines.append("  scalars: value  # the document is no list of records, but one record")
    }
    for line in definition.evidence { lines.append("  # \(Self.comment(line))") }
    guard case .csv(let found) = definition.format else { return lines }
    for (option, value, note) in CSVText.differences(found, from: CSVText.base(definition.formatName))
    where !said.contains(option) && option != "null" {
      if option == "escape", sample.doubtfulEscapes > 0 {
        // Said by a person, it would be left out there.
        lines += GuessWords.question(
          "in \(PrintableText.count(sample.doubtfulEscapes, "record")) it precedes an ordinary character, where a run would"
            + " leave it out. Is it an escape there too? Then set:", indent: "  ")
        lines.append("  # \(option): \(value)")
        continue
      }
      lines.append("  \(option): \(value)\(note.isEmpty ? "" : "  # \(note)")")
    }
    for proposal in definition.proposals where !said.contains(proposal.option) {
      let isNeeded = proposal.option == "comment" && sample.setsComment
      // Records that cannot be read say nothing of the types, so that those below may not be theirs.
      let takesMore = proposal.option == "short_records" || proposal.option == "long_records"
      let then =
        takesMore
        ? " Then guess again with --option \(proposal.option)=\(proposal.value), because the types and the key below come"
          + " from the other records only; that sets:" : isNeeded ? "" : " Then set:"
      lines += GuessWords.question(proposal.reasonUnsaid + ". Is that right?" + then, indent: "  ")
      lines.append("  \(isNeeded ? "" : "# ")\(proposal.option): \(proposal.value)")
    }
    if !said.contains("null") { lines += nullLines(found) }
    return lines
  }

  // MARK: Words

  private func quote(_ text: String) -> String { Self.scalar(text, inFlow: false) }

  /// Text as a pipeline has it: nothing in it is a variable.
  static func scalar(_ text: String, inFlow: Bool) -> String {
    YAMLText.scalar(literal(text), inFlow: inFlow)
  }

  private static func literal(_ text: String) -> String {
    text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
  }

  /// A value of the command line as YAML.
  private static func value(_ text: String) -> String {
    let isYAML = text.hasPrefix("[") || text.hasPrefix("{") || text.hasPrefix("\"") || text.hasPrefix("'")
    if isYAML && text.utf8.count > 1 { return text }
    if text == "true" || text == "false" || (!text.isEmpty && text.utf8.allSatisfy(\.isDigit)) { return text }
    return scalar(text, inFlow: false)
  }

  /// A delimiter or the like: its name, or in quotes.
  static func text(_ text: String) -> String { CharacterName.name(text) ?? YAMLText.quoted(literal(text)) }

  static func character(_ byte: UInt8) -> String {
    text(String(UnicodeScalar(byte)))
  }

  /// Text without what ends a line or moves the cursor.
  static func comment(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE, 0xFFFF: " "
          default: scalar
          }
        }))
  }
}
