import MergewalkRecordFormats

/// What the texts of a column may mean besides text: a question for a person, with the lines that answer it.
enum TextMeaning {
  /// The question about texts that are all different; nil when they are nothing but text.
  static func question(_ texts: [String]) -> ColumnProfile.Question? {
    texts.isEmpty ? nil : truth(texts) ?? numbers(texts) ?? shortYears(texts) ?? namedMonths(texts)
  }

  /// Whether there may be a question about texts that begin with these.
  static func isPossible(_ texts: [String]) -> Bool { question(texts) != nil || DressedNumbers(texts) != nil }

  private static func truth(_ texts: [String]) -> ColumnProfile.Question? {
    // Alone, a letter says nothing, and two are rather the code of a country or a language, such as NO, ja and ON.
    guard texts.count > 1 || texts[0].count > 2, let found = ValueProposal.truth(texts.map { $0.lowercased() }) else {
      return nil
    }
    // Without case are the letters of ASCII only.
    func spelt(_ words: [String]) -> [String] {
      let met = texts.filter { words.contains($0.lowercased()) }
        .map { text in text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercased() : text }
      return met.isEmpty ? words : Set(met).sorted()
    }
    func list(_ words: [String]) -> String { words.map { "“\($0)”" }.joined(separator: " or ") }
    let (yes, no) = (spelt(found.yes), spelt(found.no))
    return ColumnProfile.Question(
      text: "does \(list(yes)) mean true, and \(list(no)) false?",
      answers: [ColumnProfile.Verdict(type: .boolean, trueWords: yes, falseWords: no)])
  }

  private static func numbers(_ texts: [String]) -> ColumnProfile.Question? {
    guard let dressed = DressedNumbers(texts), dressed.areLikely else { return nil }
    let example = texts.first { DressedNumbers([$0])?.steps.isEmpty == false } ?? texts[0]
    return question(
      "are these numbers, such as “\(example)”?", dressed.numbers, steps: dressed.steps, note: dressed.note)
  }

  /// The question about dates whose years have two digits, which no pattern reads.
  private static func shortYears(_ texts: [String]) -> ColumnProfile.Question? {
    var dates = ColumnProfile()
    for text in texts {
      let day = text.prefix { $0 != " " }
      let parts = day.split(omittingEmptySubsequences: false) { "./-".contains($0) }
      guard text.utf8.count <= 40, parts.count == 3, parts[2].count == 2 else { return nil }
      let full = "\(day.dropLast(2))20\(text[parts[2].startIndex...])"
      Array(full.utf8).withUnsafeBufferPointer { dates.add(.text, UnsafeRawBufferPointer($0), isTyped: false) }
      if dates.dates < dates.values { return nil }
    }
    return question(
      "are these dates, such as “\(texts[0])”?", dates,
      steps: ["{ replace: { pattern: '(?<=[./-])(\\d\\d)(?!\\S)', with: '20$1' } }"],
      note: "if no year is before 2000")
  }

  /// The question about dates with the names of months, or of days.
  private static func namedMonths(_ texts: [String]) -> ColumnProfile.Question? {
    guard texts.allSatisfy({ $0.contains(where: \.isLetter) }),
      let pattern = DatePatternProposal.pattern(texts.map { [$0] })
    else { return nil }
    return ColumnProfile.Question(
      text: "are these dates, such as “\(texts[0])”?",
      answers: [ColumnProfile.Verdict(type: .date(pattern: pattern))])
  }

  /// The question whether texts are what steps make of them.
  private static func question(
    _ text: String, _ made: ColumnProfile, steps: [String], note: String
  ) -> ColumnProfile.Question? {
    let answers = ColumnProfile.verdicts([made], named: [])[0].choices.map { choice -> ColumnProfile.Verdict in
      var answer = choice
      answer.steps = steps
      if !note.isEmpty { answer.evidence.append(note) }
      return answer
    }
    return answers.isEmpty ? nil : ColumnProfile.Question(text: text, answers: answers)
  }
}
