import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Columns that stand one behind the other.
private func contiguous(_ widths: [(name: String, width: Int)]) -> [FixedWidthOptions.Column] {
  var start = 1
  return widths.map { name, width in
    defer { start += width }
    return FixedWidthOptions.Column(name: name, start: start, width: width)
  }
}

@Suite struct FixedWidthTests {
  static let people = FixedWidthOptions(
    columns: contiguous([("id", 4), ("name", 6), ("sum", 5)]))

  private static func read(
    _ bytes: [UInt8], _ options: FixedWidthOptions = people, _ request: ColumnRequest = .all,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> [String] {
    var readings: [Reading] = []
    for sizes in arrivals(bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(bytes: 5)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try FixedWidthReader(
              source: ByteSource(bytes: bytes, chunkSizes: sizes), options: options, columns: request)
          }, limit: limit)
        if readings.isEmpty { readings.append(reading) }
        #expect(reading == readings[0], "pieces of \(sizes), \(limit)", sourceLocation: sourceLocation)
      }
    }
    return readings.flatMap { reading in reading.lines + (reading.failure.map { ["failed: " + $0] } ?? []) }
  }

  private static func read(
    _ text: String, _ options: FixedWidthOptions = people, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [String] {
    read(Array(text.utf8), options, sourceLocation: sourceLocation)
  }

  @Test("columns are cut at their characters, and spaces behind the text are not part of it") func columnsAreCutAt() {
    #expect(
      Self.read("1   Ada    1.50\n2   Grace 22.00\r\n3 a Li n \t 3   \r4   Édé   99.99")
        == ["1|Ada| 1.50", "2|Grace|22.00", "3 a|Li n| 3", "4|Édé|99.99"])
  }

  @Test("a character is a code point, however many bytes it takes") func aCharacterIsA() {
    #expect(Self.read("1   日本語日本語12.00\n😀😀😀😀e\u{301}€😀  12345\n") == ["1|日本語日本語|12.00", "😀😀😀😀|e\u{301}€😀|12345"])
  }

  @Test("the mark of a file that was put behind another moves no column") func markInside() throws {
    #expect(Self.read("1   Ada    1.50\n\u{FEFF}2   Grace 22.00\n") == ["1|Ada| 1.50", "2|Grace|22.00"])
    var reader = try FixedWidthReader(
      source: ByteSource(bytes: Array("1   Ada    1.50\n\u{FEFF}2   Grace 22.00\n".utf8)), options: Self.people)
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.account.skipped[.byteOrderMark].bytes == 3 && batch.account.isBalanced)
  }

  @Test("other encodings are cut at their characters too") func otherEncodingsAreCut() {
    var options = Self.people
    options.encoding = .latin1
    #expect(Self.read([0x31, 32, 32, 32, 0xC9, 0x64, 0xE9, 32, 32, 32, 0x31, 0x2E], options) == ["1|Édé|1."])
    options.encoding = .utf16LittleEndian
    #expect(
      Self.read("1   Édé   99.99\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, options) == ["1|Édé|99.99"])
  }

  @Test("spaces are kept or removed on both sides by option") func spacesAreKeptOr() {
    var options = Self.people
    options.trim = .both
    #expect(Self.read(" 1   Ada \t 1.5 \n", options) == ["1|Ada|1.5"])
    options.trim = .none
    #expect(Self.read(" 1   Ada \t 1.5 \n", options) == [" 1  | Ada \t| 1.5 "])
  }

  @Test("a line that ends inside a column is whole, one that ends before a column is not") func aLineThatEnds() {
    #expect(Self.read("1   Ada   1\n1   Ada   \n12\n") == ["1|Ada|1", "fieldCount@2:11", "fieldCount@3:3"])
    var options = Self.people
    options.padShortLines = true
    #expect(Self.read("1   Ada   1\n1   Ada   \n12\n", options) == ["1|Ada|1", "1|Ada|·", "12|·|·"])
  }

  @Test("text after the last column is refused, or passed over by option") func textBehindTheLast() {
    #expect(Self.read("1   Ada   1.50   \t\n2   Ada   1.50   x\n") == ["1|Ada|1.50", "fieldCount@2:18"])
    #expect(Self.read("é   Ada   1.50 é\n") == ["fieldCount@1:17"])
    var options = Self.people
    options.truncateLongLines = true
    #expect(Self.read("2   Ada   1.50   x\n", options) == ["2|Ada|1.50"])
  }

  @Test("columns may stand anywhere, with gaps, and be asked for in any order") func columnsMayStandAnywhere() {
    var options = FixedWidthOptions(columns: [
      .init(name: "last", start: 9, width: 2), .init(name: "first", start: 2, width: 3),
    ])
    options.truncateLongLines = true
    let text = Array("xabcyyyyde more\nÄÖÜ\n".utf8)
    #expect(Self.read(text, options) == ["de|abc", "fieldCount@2:7"])
    #expect(Self.read(text, options, .named(["first"])) == ["abc", "fieldCount@2:7"])
    #expect(Self.read(text, options, .named(["first", "last", "first"])) == ["abc|de|abc", "fieldCount@2:7"])
  }

  @Test("lines are skipped, and blank ones are nothing or a record") func linesAreSkippedAnd() {
    var options = Self.people
    options.skippedLines = 2
    options.comment = "#"
    #expect(Self.read("\u{1}\n\n\n#x\n1   Ada   1\n\n# 2\n2   Li    2", options) == ["1|Ada|1", "2|Li|2"])
    options.blankLines = .record
    #expect(Self.read("a\nb\n\n1   Ada   1\n", options) == ["fieldCount@3:1", "1|Ada|1"])
    options.padShortLines = true
    #expect(Self.read("a\nb\n\n", options) == ["·|·|·"])
  }

  @Test("null tokens are compared with the trimmed text") func nullTokensAreCompared() {
    var options = Self.people
    options.nullTokens = ["", "NIL"]
    #expect(Self.read("    NIL   0\nNIL  NIL  0\n", options) == ["∅|∅|0", "∅| NIL|0"])
  }

  @Test("bytes that are no text refuse their line") func bytesThatAreNo() {
    #expect(
      Self.read(Array("1   A".utf8) + [0xFF] + Array("\n2   Li    2\n3   ".utf8) + [0] + Array("\n".utf8))
        == ["invalidText@1:6", "2|Li|2", "nulByte@3:5"])
  }

  @Test("a byte order mark is no character") func aByteOrderMark() {
    #expect(Self.read("\u{FEFF}1   Ada   1\n") == ["1|Ada|1"])
    // Nor of a line of a file that was put behind another.
    var options = Self.people
    options.maxRecordBytes = 11
    #expect(
      Self.read("1   Ada   1\n\u{FEFF}2   Li    2\n\u{FEFF}3   Li    33\n", options)
        == ["1|Ada|1", "2|Li|2", "recordTooLong@3:1"])
  }

  @Test("a line that is too long is refused alone") func aLineThatIs() {
    var options = Self.people
    options.maxRecordBytes = 20
    let long = String(repeating: "x", count: 200)
    #expect(
      Self.read("1   Ada   1\n\(long)\r\n2   Li    2\r\(long)", options)
        == ["1|Ada|1", "recordTooLong@2:1", "2|Li|2", "recordTooLong@4:1"])
  }

  @Test("a field knows where it stands") func aFieldKnowsWhere() throws {
    var reader = try FixedWidthReader(
      source: ByteSource(bytes: Array("é   Ada   1\n2   Li    2\n".utf8)), options: Self.people)
    var batch = RecordBatch()
    let isThere = try reader.read(into: &batch, limit: BatchLimit())
    #expect(isThere)
    #expect(batch.column(0, 1) == 6)
    #expect(batch.position(1, 2).byteOffset == 23)
    #expect(batch.position(1, 2).line == 2)
    #expect(String(decoding: batch.raw(1), as: UTF8.self) == "2   Li    2")
  }

  @Test(
    "columns that cannot be are refused",
    arguments: [
      ([], "no columns"), ([("", 1, 1)], "no name"), ([("a", 1, 2), ("A", 3, 1)], "two columns"),
      ([("a", 0, 1)], "before the line"), ([("a", 1, 0)], "no width"), ([("a", 1, 5), ("b", 5, 1)], "overlap"),
      ([("a", .max, .max)], "too far right"),
    ] as [([(String, Int, Int)], String)])
  func columnsThatCannotBe(_ columns: [(String, Int, Int)], _ message: String) {
    let options = FixedWidthOptions(columns: columns.map { .init(name: $0.0, start: $0.1, width: $0.2) })
    let error = #expect(throws: ReadError.self) {
      try FixedWidthReader(source: ByteSource(bytes: []), options: options)
    }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains(message) == true)
  }

  @Test("a column that is not there is named with its neighbour") func aColumnThatIs() {
    let error = #expect(throws: ReadError.self) {
      try FixedWidthReader(source: ByteSource(bytes: []), options: Self.people, columns: .named(["nam"]))
    }
    #expect(error?.code == .missingColumn)
    #expect(error?.message.contains("name") == true)
  }

  @Test("random lines are cut as the obvious way cuts them", arguments: Soak.readerSeeds(100))
  func matchesTheObviousWay(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let widths = (0..<Int.random(in: 1..<5, using: &random)).map { ("c\($0)", Int.random(in: 1..<5, using: &random)) }
    var options = FixedWidthOptions(columns: contiguous(widths))
    options.padShortLines = Bool.random(using: &random)
    options.truncateLongLines = Bool.random(using: &random)
    options.trim = [.none, .trailing, .both].randomElement(using: &random) ?? .none
    let total = widths.reduce(0) { $0 + $1.1 }
    let letters: [Unicode.Scalar] = Bool.random(using: &random) ? ["a", "b", " "] : ["a", "é", "€", "😀", " ", "\t"]
    var text = ""
    var expected: [String] = []
    for line in 1...Int.random(in: 1..<20, using: &random) {
      let length = Int.random(in: 1..<(total + 3), using: &random)
      let scalars = (0..<length).map { _ in letters.randomElement(using: &random) ?? "a" }
      text.unicodeScalars.append(contentsOf: scalars + ["\n"])
      func column(_ place: Int) -> Int { scalars[..<place].reduce(0) { $0 + UTF8.width($1) } + 1 }
      var fields: [String] = []
      var fault: String?
      var start = 0
      for (_, width) in widths {
        if start >= length {
          fields.append("·")
          if !options.padShortLines { fault = fault ?? "fieldCount@\(line):\(column(length))" }
        } else {
          var value = Array(scalars[start..<min(start + width, length)])
          while options.trim != .none, let last = value.last, " \t".unicodeScalars.contains(last) { value.removeLast() }
          while options.trim == .both, let first = value.first, " \t".unicodeScalars.contains(first) {
            value.removeFirst()
          }
          var field = ""
          field.unicodeScalars.append(contentsOf: value)
          fields.append(field)
        }
        start += width
      }
      if fault == nil, !options.truncateLongLines, length > total {
        let surplus = (total..<length).first { !" \t".unicodeScalars.contains(scalars[$0]) }
        fault = surplus.map { "fieldCount@\(line):\(column($0))" }
      }
      expected.append(fault ?? fields.joined(separator: "|"))
    }
    let found = Self.read(text, options)
    #expect(found == expected, "seed \(seed): \(text)")
  }
}
