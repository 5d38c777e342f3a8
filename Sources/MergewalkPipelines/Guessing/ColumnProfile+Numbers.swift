import MergewalkDiagnostics

/// The type of a column of numbers.
extension ColumnProfile {
  /// The conclusions from the numbers of one column about those of the others.
  struct DecimalProof {
    var mark: UInt8
    var column: String
  }

  /// The mark before the fractions of a column of numbers, if they can be read in no other way.
  var provenDecimalMark: UInt8? {
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

  func numberVerdict(_ proof: DecimalProof?) -> Verdict {
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

  func plainVerdict() -> Verdict {
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
      verdict.evidence.append(
        exponents > 0 ? "some with exponents" : "up to \(PrintableText.count(mostDigits, "digit"))")
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
}
