import MergewalkImporting

/// Proposes how dates, numbers and Booleans are written, from values that were rejected.
enum ValueProposal {
  /// A field’s options that all of the values fit; `nil` when the values tell nothing.
  static func text(_ code: RejectCode, _ samples: [RejectedValue]) -> String? {
    switch code {
    case .valueDate: missing(samples) ?? quoted(samples) ?? date(samples, mayBeISO: true) ?? named(samples)
    case .valueCalendar: zero(samples) ?? date(samples)
    case .valueNumber, .valueInteger: missing(samples) ?? quoted(samples) ?? dressed(samples) ?? number(samples)
    case .valueBoolean: missing(samples) ?? boolean(samples)
    case .valueUUID, .valueURI: missing(samples)
    default: nil
    }
  }

  private static let otherWords = ["..", "n.a.", "k.A.", "unknown", "missing"]

  private static func missing(_ samples: [RejectedValue]) -> String? {
    missing(samples) { ColumnProfile.nullSpellings.contains($0) || otherWords.contains($0) }
  }

  /// Advice about the words for a value that is missing, where all of them are such words.
  private static func missing(_ samples: [RejectedValue], _ isMissing: (String) -> Bool) -> String? {
    var words: [String] = []
    for sample in samples {
      guard let text = sample.candidates.last.map({ String(decoding: $0, as: UTF8.self) }), isMissing(text)
      else { return nil }
      if !words.contains(text) { words.append(text) }
    }
    if words.isEmpty { return nil }
    let list = words.map { GuessedPipeline.text($0) }
    return "for a value that is missing set “null_tokens: [\(list.joined(separator: ", "))]”"
  }

  /// Advice about fields in apostrophes, which are quotes only where the source says so.
  private static func quoted(_ samples: [RejectedValue]) -> String? {
    samples.allSatisfy {
      $0.bytes.count > 2 && $0.bytes[0] == UInt8(ascii: "'") && $0.bytes.dropFirst().contains(UInt8(ascii: "'"))
    }
      && !samples.isEmpty ? "the fields are in apostrophes: set “quote: apostrophe” in the source" : nil
  }

  private static func named(_ samples: [RejectedValue]) -> String? {
    DatePatternProposal.text(samples.map { $0.candidates.map { String(decoding: $0, as: UTF8.self) } })
  }

  /// Advice about the day that MySQL writes for none.
  private static func zero(_ samples: [RejectedValue]) -> String? {
    missing(samples) { $0.hasPrefix("0000-00-00") }
  }

  private static func date(_ samples: [RejectedValue], mayBeISO: Bool = false) -> String? {
    let shapes = samples.compactMap { sample in
      sample.candidates.lazy.compactMap { bytes in
        Array(bytes).withUnsafeBufferPointer { DateShape($0) }
      }.first
    }
    guard let first = shapes.first, mayBeISO || first.order != .iso else { return nil }
    let same = shapes.filter { $0.family == first.family }
    // Half of them is enough: the others may be wrong for another reason.
    guard same.count * 2 >= samples.count else { return nil }
    let isShort = same.contains(where: \.hasShortNumbers)
    let isShortHour = same.contains(where: \.hasShortHour)
    func pattern(isDayFirst: Bool) -> String {
      first.pattern(isDayFirst: isDayFirst, isShort: isShort, isShortHour: isShortHour) ?? "iso8601"
    }
    let fitsDay = same.allSatisfy(\.fitsDayFirst)
    let fitsMonth = same.allSatisfy(\.fitsMonthFirst)
    if first.order == .yearLast, fitsDay, fitsMonth {
      return "the dates look like “date: \(pattern(isDayFirst: true))” or “\(pattern(isDayFirst: false))”"
    }
    return "the dates look like “date: \(pattern(isDayFirst: fitsDay))”"
  }

  private static func number(_ samples: [RejectedValue]) -> String? {
    var forms = NumberForms.any
    for sample in samples {
      let found = sample.candidates.lazy.map { bytes in
        bytes.isEmpty ? [] : Array(bytes).withUnsafeBufferPointer { NumberShape($0).forms }
      }.first { !$0.isEmpty }
      guard let found else { return nil }
      forms.formIntersection(found)
    }
    let options = marks(forms)
    return samples.isEmpty || options.isEmpty ? nil : "the numbers look like “{ \(options) }”"
  }

  /// The options for the marks in numbers; none for numbers with a point and nothing else, which are read as they are.
  private static func marks(_ forms: NumberForms) -> String {
    guard !forms.contains(.point), let form = NumberForms.all.first(where: { forms.contains($0.form) }) else {
      return ""
    }
    let names: [UInt8: String] = [0x2E: "point", 0x2C: "comma", 0x20: "space", 0x27: "apostrophe"]
    var options: [String] = []
    if form.decimalMark == 0x2C { options.append("decimal_mark: comma") }
    if let mark = form.groupMark.flatMap({ names[$0] }) { options.append("group_mark: \(mark)") }
    return options.joined(separator: ", ")
  }

  /// A proposal for a unit and the like around all of the numbers.
  private static func dressed(_ samples: [RejectedValue]) -> String? {
    let texts = samples.compactMap { sample in
      sample.candidates.lazy.map { String(decoding: $0, as: UTF8.self) }.first { DressedNumbers([$0]) != nil }
    }
    guard texts.count == samples.count, let found = DressedNumbers(texts), !found.steps.isEmpty else { return nil }
    let options = marks(found.numbers.forms)
    return (found.unit.isEmpty ? "make numbers of them: " : "take “\(found.unit)” away: ")
      + "“do: [\(found.steps.joined(separator: ", "))]”" + (options.isEmpty ? "" : ", and set “\(options)”")
  }

  /// Spellings of true and of false that people use in tables.
  private static let pairs: [(String, String)] = [
    ("yes", "no"), ("y", "n"), ("ja", "nein"), ("j", "n"), ("wahr", "falsch"), ("oui", "non"), ("o", "n"),
    ("vrai", "faux"), ("si", "no"), ("sí", "no"), ("sì", "no"), ("s", "n"), ("verdadero", "falso"), ("vero", "falso"),
    ("sim", "não"), ("tak", "nie"), ("ano", "ne"), ("да", "нет"), ("evet", "hayır"), ("ja", "nej"), ("ja", "nee"),
    ("igen", "nem"), ("x", "-"), ("active", "inactive"), ("enabled", "disabled"), ("t", "f"), ("on", "off"),
    ("true", "false"), ("1", "0"),
  ]

  /// The words that mean true and those that mean false; `nil` when one of them means neither.
  static func truth(_ words: [String]) -> (yes: [String], no: [String])? {
    // More of them are words of another kind.
    guard words.count <= 6 else { return nil }
    if let pair = pairs.first(where: { pair in words.allSatisfy { $0 == pair.0 || $0 == pair.1 } }) {
      return ([pair.0], [pair.1])
    }
    let yes = words.filter { word in pairs.contains { $0.0 == word } }
    let no = words.filter { word in pairs.contains { $0.1 == word } }
    return yes.isEmpty || no.isEmpty || yes.count + no.count < words.count ? nil : (yes, no)
  }

  private static func boolean(_ samples: [RejectedValue]) -> String? {
    var words: [String] = []
    for sample in samples {
      guard let bytes = sample.candidates.last, bytes.count <= 20 else { return nil }
      let word = String(decoding: bytes, as: UTF8.self).lowercased()
      if !words.contains(word) { words.append(word) }
    }
    guard !words.isEmpty else { return nil }
    if let (yes, no) = truth(words) {
      let lists = [yes, no].map { $0.joined(separator: ", ") }
      return "the spellings look like “{ true: [\(lists[0])], false: [\(lists[1])] }”"
    }
    guard words.count <= 4 else { return nil }
    return
      "set which of \(words.map { "“\($0)”" }.joined(separator: ", ")) mean true, and which false: “{ true: […], false: […] }”"
  }
}
