/// Columns that runs of blanks align, as in fixed-width text and in what programs print for people.
package struct AlignedColumns: Sendable, Hashable {
  /// A column from its first character to that of the next one.
  package struct Column: Sendable, Hashable {
    /// The text above it; empty if there is none.
    package var name: String
    package var width: Int
  }

  /// The columns, one behind the other; none where lines are of one length and nothing tells where columns begin.
  package let columns: [Column]
  /// The lines above the first record, the names and what is drawn below them included.
  package let linesAbove: Int
  /// The number of lines that were looked at.
  package let lines: Int
  /// The length of each line, where all have one.
  package let length: Int?

  private static let mostLines = 1_000
  private static let mostBytes = 1 << 16

  /// Looks at the first lines of a text; nil where nothing is aligned.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    let part = bytes.prefix(Self.mostBytes)
    // A tab has no width of its own.
    if part.contains(9) { return nil }
    var texts = part.split(omittingEmptySubsequences: false) { $0 == 10 }
    // The last one is cut, or nothing.
    texts.removeLast()
    var lines: [(number: Int, text: [Unicode.Scalar])] = []
    var rules: [Int] = []
    for (index, text) in texts.prefix(Self.mostLines).enumerated() {
      let text = text.last == 13 ? text.dropLast() : text
      if RuleLine.isRule(text, delimiter: 32) {
        rules.append(index + 1)
      } else if text.contains(where: { $0 != 32 }) {
        lines.append((index + 1, Array(String(decoding: text, as: UTF8.self).unicodeScalars)))
      }
    }
    let padded = lines.count { line in zip(line.text, line.text.dropFirst()).contains { $0 == " " && $1 == " " } }
    guard lines.count >= 3, padded * 2 >= lines.count, let first = lines.first else { return nil }
    self.lines = lines.count
    let starts = Self.starts(lines.map(\.text))
    let longest = lines.map(\.text.count).max() ?? 0
    length = lines.allSatisfy { $0.text.count == longest } ? longest : nil
    guard starts.count > 1 else {
      guard length != nil, longest >= 8, padded == lines.count || padded * 4 >= lines.count * 3 else { return nil }
      (columns, linesAbove) = ([], 0)
      return
    }
    let ranges = starts.indices.map { starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : longest) }
    let words = ranges.map { range in
      String(
        String.UnicodeScalarView(
          first.text[min(range.lowerBound, first.text.count)..<min(range.upperBound, first.text.count)])
      )
      .split(separator: " ").joined(separator: " ")
    }
    let isHeader =
      words.allSatisfy { word in
        var bytes = Array(word.utf8)
        return bytes.withUnsafeMutableBufferPointer { word in
          let kind = CellKind(UnsafeBufferPointer(word), 0, word.count)
          return kind != .empty && kind != .missing && !kind.isTyped
        }
      } && Set(words.map { $0.lowercased() }).count == words.count
    columns = zip(ranges, words).map { Column(name: isHeader ? $1 : "", width: $0.count) }
    let ruleBelow = rules.first { $0 > first.number && $0 < lines[1].number }
    linesAbove = isHeader ? ruleBelow ?? first.number : first.number - 1
  }

  /// The places at which columns begin: behind blanks that nearly all lines have.
  private static func starts(_ lines: [[Unicode.Scalar]]) -> [Int] {
    let longest = lines.map(\.count).max() ?? 0
    // A remark or a footer crosses the columns.
    let strangers = lines.count / 20
    var starts: [(place: Int, gap: Int)] = []
    var isGap = true
    var gap = 0
    for place in 0..<longest {
      let filled = lines.count { place < $0.count && $0[place] != " " }
      if filled <= strangers {
        gap += 1
        isGap = true
        continue
      }
      // One blank between words of nearly all lines may be there by chance; that of short lines is none.
      let isSeen =
        gap > 1 || lines.count { place <= $0.count && (place == 0 || $0[place - 1] == " ") } * 10 >= lines.count * 8
      if isGap, isSeen || starts.isEmpty { starts.append((place, gap)) }
      (isGap, gap) = (false, 0)
    }
    // What hardly any line has is no column.
    let kept = starts.enumerated().filter { index, start in
      let end = index + 1 < starts.count ? starts[index + 1].place : longest
      return lines.count { line in line.indices.contains { $0 >= start.place && $0 < end && line[$0] != " " } } * 2
        >= lines.count
    }.map(\.element)
    guard let first = kept.first else { return [] }
    return [0]
      + kept.filter { $0.place > first.place }.map { start in
        lines.reduce(start.place) { min($0, numberStart($1, start.place, behind: start.place - start.gap)) }
      }
  }

  /// Where the number begins that goes on at a place: the sign or the digits that few numbers of a column have stand in
  /// the gap before it, and are no part of the column before.
  private static func numberStart(_ line: [Unicode.Scalar], _ place: Int, behind gap: Int) -> Int {
    guard place < line.count, line[place] != " " else { return place }
    var start = place
    while start > gap, isNumeric(line[start - 1]) { start -= 1 }
    return start > 0 && line[start - 1] != " " ? place : start
  }

  private static func isNumeric(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "+", "-", ".", ",": true
    default: false
    }
  }
}
