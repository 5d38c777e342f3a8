import MergewalkDiagnostics

/// The type of a column of dates.
extension ColumnProfile {
  func dateVerdict(_ count: Int) -> Verdict {
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
}
