import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How fixed-width text is read; `nil` when its columns are not known.
  func fixedWidth(_ source: ComponentValue) -> FixedWidthOptions? {
    guard let widths = source.pairs("widths") else {
      if !source.brokenFields.contains("widths") {
        findings.add(
          .missingField, at: source.position, "a source of the format fixed-width needs the field “widths”",
          hint: "for example “widths: {id: 5, name: 20}” or “widths: {id: 1-5, name: 8-27}”")
      }
      return nil
    }
    guard let (columns, areRanges) = fixedWidthColumns(widths) else { return nil }
    var options = FixedWidthOptions(columns: columns)
    if let encoding = encoding(source) { options.encoding = encoding }
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    options.skippedLines = source.count(orDefault: "skip_lines")
    options.comment = source.text("comment")?.value
    options.blankLines = source.text("blank_lines")?.value == "record" ? .record : .skip
    options.trim = source.flag("trim").map { $0 ? .both : .none } ?? .trailing
    options.nullTokens = source.texts("null")?.map(\.value) ?? []
    options.padShortLines = source.text("short_records")?.value == "pad"
    // Who says where columns stand leaves out what is not wanted.
    options.truncateLongLines = source.text("long_records").map { $0.value == "truncate" } ?? areRanges
    return options
  }

  /// The columns that widths or places say; `nil` when they say none, which is a finding.
  private func fixedWidthColumns(
    _ widths: [(name: Located<String>, value: Located<String>)]
  ) -> (columns: [FixedWidthOptions.Column], areRanges: Bool)? {
    let areRanges = widths.first.map { $0.value.value.contains("-") } ?? false
    var columns: [FixedWidthOptions.Column] = []
    var start = 1
    var isRight = true
    for (name, value) in widths {
      if columns.contains(where: { $0.name.lowercased() == name.value.lowercased() }) {
        findings.add(.duplicateColumn, at: name.position, "“widths” names “\(name.value)” twice")
        isRight = false
      }
      guard let place = Self.place(value.value, after: start, isRange: areRanges) else {
        let wanted = areRanges ? "the places of its first and last character, such as 1-5" : "a number of characters"
        let mixture =
          value.value.contains("-") == areRanges ? "" : "; either all columns have widths, or all have places"
        findings.add(
          .invalidOption, at: value.position, "“\(value.value)” is not \(wanted)\(mixture)",
          hint: "the first character of a line is 1, and a line has at most \(Self.furthest)")
        return nil
      }
      start = place.upperBound + 1
      let column = FixedWidthOptions.Column(name: name.value, start: place.lowerBound, width: place.count)
      if let other = columns.first(where: { place.overlaps($0.start...$0.start + $0.width - 1) }) {
        findings.add(
          .invalidOption, at: value.position,
          "“\(column.name)” overlaps “\(other.name)”, which occupies \(other.start)-\(other.start + other.width - 1)")
        isRight = false
      }
      columns.append(column)
    }
    return isRight ? (columns, areRanges) : nil
  }

  private static let furthest = 1 << 29

  /// The characters that a text such as `5` or `1-5` stands for.
  private static func place(_ text: String, after start: Int, isRange: Bool) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int? in
      let digits = part.utf8.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed()
      guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      return Int(String(decoding: Array(digits), as: UTF8.self)).flatMap { (1...furthest).contains($0) ? $0 : nil }
    }
    guard numbers.count == parts.count, parts.count == (isRange ? 2 : 1) else { return nil }
    if isRange { return numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : nil }
    let end = start - 1 + numbers[0]
    return end <= furthest ? start...end : nil
  }
}
