import MergewalkDiagnostics

/// The type of a column's values, as far as they determine it without a doubt.
package enum ColumnType: Sendable, Hashable {
  /// Whole numbers of 64 bits.
  case integer
  /// Numbers with a fraction of at most 15 digits altogether.
  case decimal
  /// Other numbers of which a double loses no digit.
  case double
  /// `true` and `false`.
  case boolean
  /// Dates: in ISO 8601, or in a pattern of UTS 35.
  case date(pattern: String?)
  case uuid
  /// Objects and lists, as their JSON text.
  case json
  /// Everything else, and everything that may mean two things.
  case text

  /// One word: `integer`, `date` ...
  package var name: String {
    switch self {
    case .integer: "integer"
    case .decimal: "decimal"
    case .double: "double"
    case .boolean: "boolean"
    case .date: "date"
    case .uuid: "uuid"
    case .json: "json"
    case .text: "text"
    }
  }
}

extension ColumnProfile {
  /// The types of the columns of one source, which are judged together.
  static func verdicts(_ profiles: [ColumnProfile], named names: [String]) -> [Verdict] {
    let proofs = profiles.enumerated().compactMap { index, profile in
      profile.provenDecimalMark.map {
        DecimalProof(mark: $0, column: names.indices.contains(index) ? names[index] : "")
      }
    }
    // Columns that contradict each other prove nothing.
    let proof = proofs.first { first in proofs.allSatisfy { $0.mark == first.mark } }
    return profiles.map { $0.verdict(proof) }
  }

  /// The conclusions from the numbers of one column about those of the others.
  struct DecimalProof {
    var mark: UInt8
    var column: String
  }

  /// How many values there are without the spellings of null.
  private var plainValues: Int { values - nullCounts.reduce(0, +) }

  /// Decides; what could mean two things is text.
  ///
  /// - Parameter proof: the decimal mark that another column of the source shows.
  private func verdict(_ proof: DecimalProof?) -> Verdict {
    let count = plainValues
    guard count > 0 else {
      return Verdict(
        type: .text, evidence: values == 0 ? [] : ["nothing but " + spellings.joined(separator: ", ")])
    }
    var verdict: Verdict
    if booleans == count {
      verdict = Verdict(type: .boolean, evidence: ["true or false"])
    } else if uuids == count {
      verdict = Verdict(type: .uuid)
    } else if dates == count {
      verdict = dateVerdict(count)
    } else if strings == 0, numbers == count {
      verdict = numberVerdict(proof)
    } else {
      return textVerdict(count)
    }
    if verdict.type != .text { verdict.nullSpellings = spellings }
    return verdict
  }

  var spellings: [String] {
    Self.nullSpellings.indices.filter { nullCounts[$0] > 0 }.map { Self.nullSpellings[$0] }
  }

  // MARK: Dates

  private func dateVerdict(_ count: Int) -> Verdict {
    guard let family = dateFamily, !hasDateFamilies else {
      return Verdict(type: .text, evidence: ["dates in more than one form"])
    }
    if family.order == .iso {
      return Verdict(type: .date(pattern: nil), evidence: [timed > 0 ? "ISO 8601 with times" : "ISO 8601"])
    }
    var isDayFirst = true
    var evidence: [String] = []
    if family.order == .yearLast {
      switch (dayFirst == count, monthFirst == count) {
      case (true, false):
        evidence.append(
          "the day comes first: \(PrintableText.count(count - monthFirst, "value")) can be read in no other way")
      case (false, true):
        isDayFirst = false
        evidence.append(
          "the month comes first: \(PrintableText.count(count - dayFirst, "value")) can be read in no other way")
      case (true, true):
        return Verdict(
          type: .text, evidence: ["dates, but no value shows whether the day or the month comes first"],
          questions: [
            Question(
              text: "does the day or the month come first?",
              answers: [true, false].map { isDay in
                Verdict(
                  type: .date(pattern: pattern(family, isDayFirst: isDay)),
                  evidence: ["if the \(isDay ? "day" : "month") comes first"])
              })
          ])
      case (false, false):
        return Verdict(type: .text, evidence: ["dates, some with the day first and some with the month"])
      }
    }
    return Verdict(type: .date(pattern: pattern(family, isDayFirst: isDayFirst)), evidence: evidence)
  }

  private func pattern(_ family: DateShape, isDayFirst: Bool) -> String? {
    family.pattern(isDayFirst: isDayFirst, isShort: hasShortDates, isShortHour: hasShortHours)
  }

  // MARK: Numbers

  /// The mark before the fractions of a column of numbers, if they can be read in no other way.
  private var provenDecimalMark: UInt8? {
    // Programs write exponents with a point, wherever they run; that says nothing of amounts.
    guard strings == 0, numbers > 0, numbers == plainValues, exponents == 0, !markedExample.isEmpty else { return nil }
    let left = NumberForms.all.filter { forms.contains($0.form) }
    guard let mark = left.first?.decimalMark, left.allSatisfy({ $0.decimalMark == mark }) else { return nil }
    // Groups that any decimal mark could stand behind prove nothing.
    let isWhole = left.contains { wholeForms.contains($0.form) && $0.groupMark != 0x2C && $0.groupMark != 0x2E }
    return isWhole ? nil : mark
  }

  /// Whether the numbers mean one thing with a decimal point and another with a decimal comma.
  private var isAmbiguous: Bool {
    let left = NumberForms.all.filter { forms.contains($0.form) }
    return !left.allSatisfy { wholeForms.contains($0.form) }
      && left.contains { $0.decimalMark == 0x2E } && left.contains { $0.decimalMark == 0x2C }
  }

  private func numberVerdict(_ proof: DecimalProof?) -> Verdict {
    guard isAmbiguous else { return plainVerdict() }
    guard let proof else {
      return Verdict(
        type: .text,
        evidence: [
          "numbers that can be read in two ways: \(markedExample) has a decimal mark or a mark between groups"
        ],
        questions: [
          Question(
            text: "does \(markedExample) have a decimal mark, or a mark between groups?",
            answers: [UInt8(0x2E), 0x2C].flatMap { mark in
              marked(mark).choices.map { choice -> Verdict in
                var answer = choice
                let isGroup = answer.groupMark == 0x2C || answer.groupMark == 0x2E
                answer.evidence = [isGroup ? "if it is between groups" : "if it is the decimal mark"]
                return answer
              }
            })
        ])
    }
    var verdict = marked(proof.mark)
    verdict.evidence.append(
      "the decimal mark is \(proof.mark == 0x2C ? "a comma" : "a point") as in \(proof.column)")
    return verdict
  }

  /// The verdict if this is the decimal mark.
  private func marked(_ mark: UInt8) -> Verdict {
    var copy = self
    copy.forms = NumberForms(NumberForms.all.filter { $0.decimalMark == mark }.map(\.form)).intersection(forms)
    return copy.plainVerdict()
  }

  private func plainVerdict() -> Verdict {
    if leadingZeros > 0 || plusSigns > 0 {
      let evidence =
        leadingZeros > 0
        ? "\(PrintableText.count(leadingZeros, "value")) with leading zeros (\(leadingZeroExample))"
        : "digits with a plus before them: \(PrintableText.count(plusSigns, "value"))"
      var copy = self
      (copy.leadingZeros, copy.plusSigns) = (0, 0)
      let answers = copy.plainVerdict().choices.map { choice -> Verdict in
        var answer = choice
        answer.takesCodes = true
        return answer
      }
      return Verdict(
        type: .text, evidence: [evidence],
        questions: answers.isEmpty ? [] : [Question(text: "are these numbers, not codes?", answers: answers)])
    }
    guard !forms.isEmpty else {
      return Verdict(type: .text, evidence: ["numbers with different marks for decimals and groups"])
    }
    if forms.contains(.point) { return plainNumbers(Verdict(type: .text)) }
    // What is left has marks. Forms without groups stand for those with groups that no value has.
    var left = NumberForms.all.filter { forms.contains($0.form) }
    if forms.contains(.comma) { left.removeAll { $0.decimalMark == 0x2C && $0.groupMark != nil } }
    // Whole numbers in groups: the decimal mark is only named where it would be the same.
    let isWhole = left.allSatisfy { wholeForms.contains($0.form) }
    if isWhole, let first = left.first, left.allSatisfy({ $0.groupMark == first.groupMark }) {
      left = [left.first { $0.decimalMark == 0x2E } ?? first]
    }
    guard left.count == 1, let only = left.first else {
      let ways = left.map { Self.example($0.decimalMark, $0.groupMark) }
      return Verdict(
        type: .text, evidence: ["numbers that can be read in two ways: \(ways.joined(separator: " or "))"],
        questions: [Question(text: "which one? set decimal_mark and group_mark")])
    }
    var verdict = Verdict(type: .text)
    if only.decimalMark == 0x2C { verdict.decimalMark = 0x2C }
    verdict.groupMark = only.groupMark
    verdict.evidence = ["written like \(Self.example(only.decimalMark, only.groupMark))"]
    return plainNumbers(verdict)
  }

  /// Chooses among the types of numbers.
  private func plainNumbers(_ start: Verdict) -> Verdict {
    var verdict = start
    let form = NumberForms.all.first { entry in
      forms.contains(entry.form) && entry.groupMark == start.groupMark
        && (entry.decimalMark == 0x2C) == (start.decimalMark != nil)
    }
    let isWhole = form.map { wholeForms.contains($0.form) } ?? false
    if isWhole {
      if tooLarge > 0 {
        verdict = Verdict(
          type: .text, evidence: ["whole numbers of up to \(mostDigits) digits, more than 64 bits hold"])
      } else {
        verdict.type = .integer
        verdict.evidence.append(least == most ? "only \(least)" : "\(least) to \(most)")
      }
    } else if exponents == 0, mostDigits <= 15 {
      verdict.type = .decimal
      verdict.evidence.append("up to \(PrintableText.count(mostDigits, "digit"))")
    } else if mostDigits <= 17, !losesDigits {
      verdict.type = .double
      verdict.evidence.append(exponents > 0 ? "some with exponents" : "up to \(mostDigits) digits")
    } else {
      verdict = Verdict(
        type: .text, evidence: ["numbers of up to \(mostDigits) digits, more than a double holds"],
        questions: [
          Question(
            text: "may their last digits be rounded?",
            answers: [Verdict(type: .double, decimalMark: start.decimalMark, groupMark: start.groupMark)])
        ])
    }
    return verdict
  }

  private static func example(_ decimalMark: UInt8, _ groupMark: UInt8?) -> String {
    let group = groupMark.map { String(UnicodeScalar($0)) } ?? ""
    return "1\(group)234\(String(UnicodeScalar(decimalMark)))5"
  }

  // MARK: Text

  private func textVerdict(_ count: Int) -> Verdict {
    var verdict = Verdict(type: .text)
    if structures == count { return Verdict(type: .json, evidence: ["objects or lists"]) }
    // Dates and UUIDs are strings there, as all others are.
    let hasStrings = strings > 0
    let kinds = [
      (numbers, "number", "numbers"), (hasStrings ? 0 : dates, "date", "dates"), (booleans, "Boolean", "Booleans"),
      (hasStrings ? 0 : uuids, "UUID", "UUIDs"), (structures, "object or list", "objects or lists"),
    ].filter { $0.0 > 0 }
    if kinds.isEmpty || kinds.reduce(0, { $0 + $1.0 }) * 2 < count {
      verdict.evidence = ["up to \(PrintableText.count(longest, "byte"))"]
      return verdict
    }
    let mixture = kinds.map { PrintableText.count($0.0, $0.1, $0.2) }
    let rest =
      hasStrings
      ? [PrintableText.count(strings, "string")]
      : others > 0 ? ["\(PrintableText.grouped(others)) other (\(otherExample))"] : []
    verdict.evidence = ["mixed: " + (mixture + rest).joined(separator: ", ")]
    if !hasStrings, let question = exceptionQuestion(count) { verdict.questions = [question] }
    return verdict
  }

  /// Asks whether the few values that are not of the kind of all others are mistakes; nil where they are many, or where the
  /// others have no certain type.
  private func exceptionQuestion(_ count: Int) -> Question? {
    let kinds: [(count: Int, name: String, verdict: Verdict)] = [
      (numbers, "numbers", plainVerdict()), (dates, "dates", dateVerdict(dates)),
      (booleans, "true or false", Verdict(type: .boolean)), (uuids, "UUIDs", Verdict(type: .uuid)),
    ]
    guard let kind = kinds.first(where: { count - $0.count <= max(1, count / 10) }) else { return nil }
    return Self.exceptionQuestion(
      kind.verdict, kind.name, exceptions: count - kind.count, of: count, example: others > 0 ? otherExample : nil)
  }

  /// The question about exceptions; nil where they are many, or where the type is not certain.
  static func exceptionQuestion(
    _ verdict: Verdict, _ name: String, exceptions: Int, of count: Int, example: String?
  ) -> Question? {
    guard count >= 3, exceptions <= max(1, count / 10), verdict.type != .text, verdict.type != .json else { return nil }
    let isOne = exceptions == 1
    let shown = example.map { isOne ? ", “\($0)”," : ", such as “\($0)”," } ?? ""
    var answer = verdict
    answer.evidence = ["and a run rejects \(isOne ? "it" : "them")"]
    return Question(
      text: "\(PrintableText.grouped(count - exceptions)) of \(PrintableText.count(count, "value")) are \(name);"
        + (isOne ? " is the other one\(shown) a mistake?" : " are the others\(shown) mistakes?"),
      answers: [answer])
  }
}
