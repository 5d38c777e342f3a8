/// Lines that draw a rule below the names of a table, as Markdown, psql, mysql and sqlcmd do: `|---|:--:|`, `----+----`,
/// `----,----`.
enum RuleLine {
  /// Whether a line is nothing but strokes with something between them: several strokes, one of three signs at least.
  ///
  /// - Parameter mayBeOne: whether a single stroke of ten signs is a rule, too, as below names it is.
  static func isRule(_ line: some Sequence<UInt8>, delimiter: UInt8, mayBeOne: Bool = false) -> Bool {
    var (strokes, run, longest, last) = (0, 0, 0, UInt8(0))
    // Box drawing characters (U+2500 to U+257F) have three bytes: E2, 94 or 95, and another one.
    var box: [UInt8] = []
    for byte in line {
      if !box.isEmpty || byte == 0xE2 {
        box.append(byte)
        if box.count == 2, byte != 0x94, byte != 0x95 { return false }
        guard box.count == 3 else { continue }
        let isLine = box[1] == 0x94 ? [0x80, 0x81, 0x84, 0x85].contains(byte) : byte == 0x90
        box = []
        if isLine, run == 0 { strokes += 1 }
        run = isLine ? run + 1 : 0
        longest = max(longest, run)
        last = 0xE2
        continue
      }
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "="):
        if run == 0 || last != byte { strokes += 1 }
        run = last == byte ? run + 1 : 1
        longest = max(longest, run)
      case UInt8(ascii: "+"), UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\t"), delimiter:
        run = 0
      default: return false
      }
      last = byte
    }
    return box.isEmpty && (strokes > 1 ? longest >= 3 : mayBeOne && longest >= 10)
  }
}

extension CSVParser {
  /// Whether a record draws a rule below the names: over all of them, or in one piece that no delimiter divides.
  func isRule(_ record: [UInt8], below names: [String]) -> Bool {
    guard RuleLine.isRule(record, delimiter: delimiter, mayBeOne: true) else { return false }
    return record.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      var isDrawn: [Bool] = []
      eachField(base, 0, bytes.count) { from, to in
        isDrawn.append((from..<to).contains { base[$0] != 32 && base[$0] != 9 })
        return true
      }
      if isDrawn.count == 1 { return true }
      return isDrawn.count == names.count && zip(isDrawn, names).allSatisfy { $0 || $1.isEmpty || Int($1) != nil }
    }
  }

  /// Whether the line of a record is the rule below the header again.
  @inline(__always)
  func isRuleAgain(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    stop - start == rule.count && UnsafeBufferPointer(start: base + start, count: rule.count).elementsEqual(rule)
  }
}

extension StreamingReader where Parser == CSVParser {
  /// Skips the lines before the next record that draw a rule.
  ///
  /// - Parameter names: The names of the columns, above the rule; `nil` where they are still to come.
  /// - Returns: The last such line; empty when there is none.
  mutating func passRules(below names: [String]?) throws(ReadError) -> [UInt8] {
    var rule: [UInt8] = []
    while true {
      var batch = RecordBatch()
      let limit = BatchLimit(records: 1, bytes: 1 << 20)
      guard try peek(into: &batch, limit: limit) != nil, batch.recordCount == 1 else { return rule }
      let record = batch.raw(0)
      let isRule =
        names.map { parser.isRule(record, below: $0) } ?? RuleLine.isRule(record, delimiter: parser.delimiter)
      guard isRule else { return rule }
      rule = record
      let place = passedLines
      _ = try read(into: &batch, limit: limit)
      pass(batch.account, as: .rule, since: place)
      parser.recordIndex = 0
    }
  }
}
