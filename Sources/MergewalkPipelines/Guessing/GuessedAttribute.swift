import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// An attribute that a column becomes, and why.
struct GuessedAttribute {
  /// The column's number in the sample.
  let column: Int
  /// The column's name, or its path.
  let columnName: String
  var name: String
  var verdict: ColumnProfile.Verdict
  /// Whether there are blanks around values, which types other than text do not take.
  let hasBlanks: Bool
  /// Whether every record of the whole source can be read and has a value.
  var isRequired = false
  /// A note on its values, for a comment.
  var evidence = ""
  /// Whether it is an attribute; a column that a relationship reads need not be one.
  var isKept = true

  init(column: Int, name: String, of sample: SourceSample) {
    self.column = column
    columnName = sample.columns[column]
    self.name = name
    let profile = sample.profiles[column]
    verdict = sample.verdicts[column]
    hasBlanks = profile.padded > 0 || profile.blank > 0
    doubtCodes()
    doubtConversion(sample)
    let missing = profile.missing(as: verdict.type)
    // A record that cannot be read may lack the value once its cause is mended, as a short one does that is padded.
    isRequired = sample.isWhole && sample.rejects == 0 && missing == 0 && profile.records > 0
    evidence = Self.evidence(profile, verdict, missing: missing, isUnique: sample.uniqueColumns.contains(column))
    askAboutNumbers(profile)
    askAboutText(sample)
    for question in verdict.questions.indices {
      for answer in verdict.questions[question].answers.indices {
        verdict.questions[question].answers[answer].nullSpellings = profile.spellings
      }
    }
  }

  /// Whether blanks around values are removed.
  var trims: Bool { trims(verdict) }

  /// Whether blanks around values are removed if this is the verdict.
  func trims(_ verdict: ColumnProfile.Verdict) -> Bool {
    hasBlanks && verdict.type != .text && verdict.type != .json
  }

  /// Whether later values with zeros or a plus before their digits contradict the type.
  var isNumber: Bool { [.integer, .decimal, .double].contains(verdict.type) }

  var modelType: AttributeType { verdict.type.modelType }

  // MARK: Doubts

  /// Digits that are no numbers, as the column's name says, stay text.
  private mutating func doubtCodes() {
    guard GuessedNames.isCode(columnName) else { return }
    verdict.questions.removeAll { $0.answers.contains(where: \.takesCodes) }
    guard verdict.type == .integer else { return }
    verdict = .init(type: .text, evidence: ["digits, but by its name it is not a number; others may begin with 0"])
  }

  /// Treats values that the import's own conversion does not take as text.
  private mutating func doubtConversion(_ sample: SourceSample) {
    guard verdict.type != .text, verdict.type != .json else { return }
    var trimmed = field
    trimmed.conversion.trim = true
    guard let field = try? CompiledField(trimmed, attribute: AttributeDescription(name: name, type: modelType)) else {
      verdict = .init(type: .text)
      return
    }
    var cells = CellColumn()
    var failures: [FieldFailure] = []
    var example: String?
    for batch in sample.batches {
      var batch = batch
      field.convert(&batch, column: column, into: &cells, failures: &failures)
      guard example == nil, let first = failures.first else { continue }
      example = batch.withField(Int(first.record), column) {
        $0.withMemoryRebound(to: UInt8.self, ColumnProfile.excerpt)
      }
    }
    guard let failure = failures.first else { return }
    let profile = sample.profiles[column]
    let question = ColumnProfile.exceptionQuestion(
      verdict, "of type \(verdict.type.name)", exceptions: failures.count,
      of: profile.values - profile.nullCounts.reduce(0, +), example: example)
    verdict = .init(
      type: .text,
      evidence: [
        "like \(verdict.type.name), but \(PrintableText.count(failures.count, "value")) not: \(failure.code.rawValue)"
      ], questions: question.map { [$0] } ?? [])
  }

  private mutating func askAboutNumbers(_ profile: ColumnProfile) {
    // As numbers, two versions would be one.
    if verdict.type == .decimal, verdict.decimalMark == nil, verdict.groupMark == nil,
      profile.longestFractionWithZero > profile.shortestFraction
    {
      verdict.questions.append(
        .init(text: "are these versions or the like, of which 1.1 and 1.10 are two?", answers: [.init(type: .text)]))
    }
    guard verdict.type == .integer else { return }
    // Numbers of several sizes have more or fewer points between groups.
    let hasSamePoints = profile.numbers > 1 && profile.fewestPoints == profile.mostPoints
    if verdict.groupMark == 0x2E, hasSamePoints, profile.mostPoints > 1 {
      let text = "all have \(profile.mostPoints) points: are these versions or the like?"
      verdict.questions.append(.init(text: text, answers: [.init(type: .text)]))
      return
    }
    let words = Set(GuessedNames.words(columnName).map { $0.lowercased() })
    let isTime = !words.isDisjoint(with: [
      "time", "timestamp", "ts", "date", "created", "updated", "modified", "at", "on", "unix", "unixtime", "epoch",
    ])
    let question: (text: String, answer: ColumnType)
    if isTime, profile.least >= 100_000_000, profile.most <= 4_102_444_800 {
      question = ("are these seconds since 1970?", .date(pattern: "unix"))
    } else if isTime, profile.least >= 100_000_000_000, profile.most <= 4_102_444_800_000 {
      question = ("are these milliseconds since 1970?", .date(pattern: "unix_ms"))
    } else if isTime, profile.shortest == 8, profile.longest == 8, profile.least >= 1_900_01_01,
      profile.most <= 2_100_12_31
    {
      question = ("are these days?", .date(pattern: "yyyyMMdd"))
    } else if profile.shortest == profile.longest, profile.least >= 0, profile.mostDigits >= 5, profile.values > 1 {
      question = ("all have \(profile.mostDigits) digits: are they codes, which may begin with 0?", .text)
    } else {
      return
    }
    verdict.questions.append(.init(text: question.text, answers: [.init(type: question.answer)]))
  }

  /// Asks about texts that may be values of another type.
  private mutating func askAboutText(_ sample: SourceSample) {
    guard verdict.type == .text, sample.profiles[column].structures == 0,
      !GuessedNames.isCode(columnName),
      // The first few are enough for most.
      TextMeaning.isPossible(sample.texts(column, atMost: 4)),
      let question = TextMeaning.question(sample.texts(column, atMost: 1_000))
    else { return }
    // What they may mean all together is more than what is wrong with some of them.
    verdict.questions = [question]
  }

  // MARK: Words

  private static func evidence(
    _ profile: ColumnProfile, _ verdict: ColumnProfile.Verdict, missing: Int, isUnique: Bool
  ) -> String {
    let nulls = verdict.nullSpellings.isEmpty ? profile.nullCounts[0] : profile.nullCounts.reduce(0, +)
    var parts = ["\(PrintableText.count(profile.values - nulls, "value"))"] + verdict.evidence
    if isUnique, profile.values > 1 { parts.append("all different") }
    if verdict.type == .text, profile.emptyQuoted > 0 {
      parts.append("\(PrintableText.grouped(profile.emptyQuoted)) empty in quotes")
    }
    if missing > 0 { parts.append("\(PrintableText.grouped(missing)) missing") }
    return "\(verdict.type.name): " + parts.joined(separator: ", ")
  }

  // MARK: Import

  /// How the import fills it.
  var field: FieldImport {
    var field = FieldImport(attributeName: name, column: columnName)
    field.conversion.trim = trims
    field.conversion.nullSpellings = verdict.nullSpellings
    if case .date(let pattern?) = verdict.type { field.conversion.dateFormat = .pattern(pattern) }
    if let mark = verdict.decimalMark { field.conversion.decimalMark = mark }
    field.conversion.groupMark = verdict.groupMark
    field.conversion.plainNumbers = isNumber
    if verdict.type == .boolean {
      field.conversion.trueSpellings = verdict.trueWords
      field.conversion.falseSpellings = verdict.falseWords
    }
    return field
  }
}

extension ColumnProfile {
  /// The records that give an attribute of this type no value.
  func missing(as type: ColumnType) -> Int {
    var count = absent + nulls + empty
    if type != .text, type != .json {
      count += emptyQuoted + blank + nullCounts.reduce(0, +)
    } else {
      count += nullCounts[0]
    }
    return count
  }
}
