import MergewalkDiagnostics
import MergewalkPropertyLists
import MergewalkRecordFormats
import Testing

/// What a reader says of a property list.
func readList(
  _ bytes: [UInt8], _ columns: [String]? = nil, records: String? = nil, each: String? = nil, chunks: [Int] = [.max],
  limit: BatchLimit = BatchLimit(), maxRecordBytes: Int = 16 << 20
) -> Reading {
  var options = PropertyListOptions()
  options.records = records
  options.each = each
  options.maxRecordBytes = maxRecordBytes
  return Reading.of(
    { () throws(ReadError) in
      try PropertyListReader(
        source: ByteSource(bytes: bytes, chunkSizes: chunks), options: options,
        columns: columns.map { .named($0) } ?? .all)
    }, limit: limit)
}

private func xml(_ body: String) -> [UInt8] { Array("<plist version=\"1.0\">\(body)</plist>".utf8) }

/// A list, what is asked for, and what the reader says.
struct PropertyListCase: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var columns: [String]?
  var records: String?
  var each: String?
  var expected: [String]
  var failure: String?

  init(
    _ name: String, _ bytes: [UInt8], _ columns: [String]? = nil, records: String? = nil, each: String? = nil,
    _ expected: [String], failure: String? = nil
  ) {
    self.name = name
    self.bytes = bytes
    self.columns = columns
    self.records = records
    self.each = each
    self.expected = expected
    self.failure = failure
  }

  init(
    _ name: String, text: String, _ columns: [String]? = nil, records: String? = nil, each: String? = nil,
    _ expected: [String], failure: String? = nil
  ) {
    self.init(name, Array(text.utf8), columns, records: records, each: each, expected, failure: failure)
  }

  var testDescription: String { name }
}

private let xmlCases = [
  PropertyListCase(
    "all kinds",
    xml(
      """
      <array><dict><key>s</key><string>a&amp;b</string><key>i</key><integer> -0x1f </integer><key>r</key><real>+1.50</real>
      <key>d</key><date>2024-01-31T12:00:00Z</date><key>b</key><data> AQ
      ID </data><key>t</key><true/><key>f</key><false></false><key>n</key><dict><key>x</key><array/></dict></dict></array>
      """),
    ["s", "i", "r", "d", "b", "t", "f", "n", "n.x", "no"],
    ["«a&b»|#-31|#1.50|2024-01-31T12:00:00Z|AQID|?true|?false|${\"x\":[]}|$[]|·"]),
  PropertyListCase("one dictionary", xml("<dict><key>a</key><string>1</string></dict>"), nil, ["«1»"]),
  PropertyListCase("no records", xml("<array/>"), nil, []),
  PropertyListCase("scalars", xml("<array><string>a</string><integer>007</integer></array>"), nil, ["«a»", "#7"]),
  PropertyListCase(
    "scalars that nobody asked for", xml("<array><string>a</string><dict/></array>"), ["a"],
    ["notAnObject@1:29", "·"]),
  PropertyListCase(
    "records at a path",
    xml(
      "<dict><key>x</key><array><dict/></array><key>a</key><dict><key>b</key><array><dict><key>c</key><string>1</string>"
        + "</dict></array></dict></dict>"), ["c"], records: "a.b", ["«1»"]),
  PropertyListCase(
    "no records at a path", xml("<dict><key>a</key><string>1</string></dict>"), ["c"], records: "a.b", [],
    failure: "missingRecords"),
  PropertyListCase(
    "child records",
    xml(
      "<array><dict><key>o</key><string>1</string><key>l</key><array><dict><key>k</key><true/></dict>"
        + "<dict><key>k</key><false/></dict></array></dict></array>"), ["o", "l.k"], each: "l",
    ["«1»|?true", "«1»|?false"]),
  PropertyListCase(
    "a number that is none", xml("<array><dict><key>a</key><integer>1x</integer></dict><dict/></array>"), ["a"],
    ["invalidScalar@1:47", "·"]),
  PropertyListCase(
    "days and times that there are not",
    xml(
      "<array>"
        + ["2024-02-29T23:59:60", "2023-02-29T00:00:00", "2024-04-31T00:00:00", "2024-00-01T00:00:00"]
        .map { "<dict><key>a</key><date>\($0)Z</date></dict>" }.joined() + "</array>"), ["a"],
    ["2024-02-29T23:59:60Z", "invalidScalar@1:105", "invalidScalar@1:163", "invalidScalar@1:221"]),
  PropertyListCase(
    "the same key twice",
    xml(
      "<array><dict><key>a</key><true/><key>a</key><true/></dict><dict><key>b</key><true/><key>b</key><true/></dict></array>"
    ),
    ["a"], ["duplicateMember@1:54", "·"]),
  PropertyListCase(
    "a key without a value", xml("<array><dict/><dict><key>a</key></dict></array>"), ["a"], ["·"],
    failure: "invalidDocument@1:61"),
  PropertyListCase(
    "a value without a key", xml("<array><dict><true/></dict></array>"), ["a"], [], failure: "invalidDocument@1:35"),
  PropertyListCase("a strange element", xml("<list/>"), ["a"], [], failure: "invalidDocument@1:22"),
  PropertyListCase("two values", xml("<dict/><dict/>"), ["a"], ["·"], failure: "invalidDocument@1:29"),
  PropertyListCase("no value", xml(""), ["a"], [], failure: "invalidDocument@1:30"),
  PropertyListCase("text between", xml("<array>x</array>"), ["a"], [], failure: "invalidDocument@1:29"),
  PropertyListCase(
    "attributes", xml("<array><dict id='1'/></array>"), ["a"], [], failure: "invalidDocument@1:29"),
  PropertyListCase("cut", text: "<plist><array><dict/>", ["a"], ["·"], failure: "invalidDocument@1:22"),
  PropertyListCase("no plist", text: "<?xml version='1.0'?><dict/>", ["a"], [], failure: "invalidDocument@1:22"),
  PropertyListCase(
    "an entity of its own", text: "<!DOCTYPE plist [<!ENTITY x 'y'>]><plist><string>&x;</string></plist>", ["a"], [],
    failure: "invalidDocument@1:32"),
  PropertyListCase(
    "an entity of Apple's file",
    text: "<!DOCTYPE plist PUBLIC '-//Apple//DTD PLIST 1.0//EN' 'file:///etc/passwd'><plist><array><dict><key>a</key>"
      + "<string>&x;</string></dict></array></plist>",
    ["a"], [], failure: "invalidDocument@1:118"),
]

private let textCases = [
  PropertyListCase(
    "all kinds",
    text: """
      // records
      ( { s = "a\\n\\U00e9\\344\\\\"; p = a/b.c:$_-1; b = <01 02 03>; i = <*I-5>; r = <*R0.50>; t = <*BY>; f = <*BN>;
      d = <*D2002-03-22 11:30:00 +0100>; n = { x = (); }; e = <[AQID]>; q = 'it"s'; }, )
      """,
    ["s", "p", "b", "i", "r", "t", "f", "d", "n", "n.x", "e", "q"],
    [
      "«a⏎éî\\»|a/b.c:$_-1|AQID|#-5|#0.50|?true|?false|2002-03-22T11:30:00+01:00|${\"x\":[]}|$[]|AQID|«it\"s»"
    ]),
  PropertyListCase("one dictionary", text: "{ a = 1; }", nil, ["1"]),
  PropertyListCase(
    "pairs", text: "/* x */ \"a b\" = \"1\";\nc = { d = 2; };\ne;", nil, ["«a b»|«1»", "«c»|${\"d\":\"2\"}", "«e»|«e»"]),
  PropertyListCase("a key that is its value", text: "({ a; })", nil, ["«a»"]),
  PropertyListCase("surrogates", text: "({ a = \"\\Ud83d\\Ude00\"; })", nil, ["«😀»"]),
  PropertyListCase(
    "half a pair", text: "({ a = \"\\Ud83dx\"; }, { a = \"\\Ude00\"; }, { a = b; })",
    nil, ["loneSurrogate@1:15", "loneSurrogate@1:29", "b"]),
  PropertyListCase(
    "bytes that are no text", Array("({ a = \"x".utf8) + [0xFF] + Array("\"; }, { a = \"\0\"; }, { a = b; })".utf8),
    ["a"],
    ["invalidText@1:8", "nulByte@1:24", "b"]),
  PropertyListCase(
    "no end of a string", text: "({ a = b; }, { a = \"b; })", ["a"], ["b"], failure: "invalidDocument@1:20"),
  PropertyListCase("no end of a comment", text: "({ a = b; }, /* x", ["a"], ["b"], failure: "invalidDocument@1:14"),
  PropertyListCase("no comma", text: "({ a = b; } { a = c; })", ["a"], ["b"], failure: "invalidDocument@1:13"),
  PropertyListCase("no semicolon", text: "({ a = b c = d; })", ["a"], [], failure: "invalidDocument@1:10"),
  PropertyListCase("no semicolon at the end", text: "({ a = b })", ["a"], ["b"]),
  PropertyListCase("something behind", text: "({ a = b; }) x", ["a"], ["b"], failure: "invalidDocument@1:14"),
  PropertyListCase("odd data", text: "({ a = <012>; })", ["a"], [], failure: "invalidDocument@1:8"),
  PropertyListCase(
    "a day that there is not", text: "({ a = <*D2024-02-30 11:30:00 +0100>; }, { a = <*D2024-02-29 11:30:00 +0000>; })",
    ["a"], ["invalidScalar@1:8", "2024-02-29T11:30:00Z"]),
  PropertyListCase("nothing", text: " // nothing\n", ["a"], [], failure: "invalidDocument@2:1"),
]

@Suite("Property lists: what readers say") struct PropertyListReaderTests {
  @Test("XML, however it arrives", arguments: xmlCases) func xmlCase(_ item: PropertyListCase) { check(item) }

  @Test("OpenStep text, however it arrives", arguments: textCases) func textCase(_ item: PropertyListCase) {
    check(item)
  }

  private func check(_ item: PropertyListCase) {
    let whole = readList(item.bytes, item.columns, records: item.records, each: item.each)
    #expect(whole.lines == item.expected)
    #expect(whole.failure == item.failure)
    for chunks in arrivals(item.bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2, bytes: 30)] {
        let other = readList(
          item.bytes, item.columns, records: item.records, each: item.each, chunks: chunks, limit: limit)
        #expect(other == whole, "pieces of \(chunks), batches of \(limit)")
      }
    }
  }

  @Test("other encodings, with a mark and without")
  func encodings() throws {
    let text = "<plist><array><dict><key>ä</key><string>日本</string></dict></array></plist>"
    for (lowFirst, isMarked) in [(true, true), (false, true), (true, false), (false, false)] {
      let units = (isMarked ? [0xFEFF] : []) + Array(text.utf16)
      let bytes = units.flatMap { lowFirst ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
      #expect(readList(bytes, ["ä"]).lines == ["«日本»"])
    }
    let latin = "<?xml version='1.0' encoding='iso-8859-1'?><plist><dict><key>a</key><string>ä</string></dict></plist>"
    #expect(readList(latin.unicodeScalars.map { UInt8($0.value) }, ["a"]).lines == ["«ä»"])
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(readList(mark + Array(text.utf8), ["ä"]).lines == ["«日本»"])
    #expect(readList(mark + Array("{ ä = b; }".utf8).filter { $0 < 0x80 }, ["a..b"]).failure == "invalidPath")
    #expect(readList(mark + Array("{ \"ä\" = b; }".utf8), ["ä"]).lines == ["b"])
    let wide = Array("({ a = \"é\"; })".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    #expect(readList([0xFE, 0xFF] + wide, ["a"]).lines == ["«é»"])
  }

  @Test("raw texts and positions are those of the file")
  func positions() throws {
    let text = "<plist>\n<array>\n <dict><key>a</key><string>é</string></dict>\n\n  <dict/></array></plist>"
    for chunk in [1, 5, Int.max] {
      var reader = try PropertyListReader(source: ByteSource(bytes: Array(text.utf8), chunkSize: chunk))
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      #expect(batch.records[0].line == 3 && batch.records[0].column == 2 && batch.records[0].byteOffset == 17)
      #expect(batch.raw(0) == Array("<dict><key>a</key><string>é</string></dict>".utf8))
      #expect(batch.position(0, 0) == SourcePosition(line: 3, column: 20, byteOffset: 35))
      #expect(batch.records[1].line == 5 && batch.records[1].column == 3)
      #expect(batch.raw(1) == Array("<dict/>".utf8))
    }
    let list = BinaryPropertyListWriter.write(.array([.dictionary([]), .dictionary([.init("a", .integer(7))])]))
    var reader = try PropertyListReader(source: ByteSource(bytes: list))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    // A binary list has no lines: the line is the record's number, and the offset is its object's.
    try #require(batch.recordCount == 2)
    #expect(batch.records[0].line == 1)
    #expect(batch.records[1].line == 2 && batch.records[1].byteOffset == 12)
    #expect(batch.raw(1) == Array("{\"a\":7}".utf8))
  }

  @Test("records that are too long are refused alone", arguments: [1, 1000, Int.max])
  func longRecords(_ chunk: Int) {
    let long = String(repeating: "x", count: 200_000)
    let lists = [
      xml("<array><dict><key>a</key><string>\(long)</string></dict><dict><key>a</key><true/></dict></array>"),
      Array("({ a = \(long); }, { a = <*BY>; })".utf8),
      BinaryPropertyListWriter.write(
        .array([.dictionary([.init("a", .string(long))]), .dictionary([.init("a", .boolean(true))])])),
    ]
    for list in lists {
      let reading = readList(list, ["a"], chunks: [chunk], maxRecordBytes: 100_000)
      #expect(reading.failure == nil && reading.lines.count == 2 && reading.lines.last == "?true")
      #expect(reading.lines.first?.hasPrefix("recordTooLong") == true)
    }
  }

  @Test("what stands around the records may be long")
  func longSurroundings() {
    let long = String(repeating: "x", count: 200_000)
    let lists = [
      xml("<dict><key>o</key><string>\(long)</string><key>r</key><array><dict/></array></dict>"),
      Array("{ o = \(long); r = ({}); }".utf8),
    ]
    for list in lists {
      let reading = readList(list, ["a"], records: "r", maxRecordBytes: 100_000)
      #expect(reading.lines == ["·"] && reading.failure == nil)
    }
  }

  @Test("OpenStep's octal escapes are NeXTSTEP's characters")
  func octal() {
    let expected: [(Int, String)] = [
      (0o200, "\u{A0}"), (0o256, "ﬁ"), (0o341, "Æ"), (0o365, "ı"), (0o375, "ÿ"), (0o101, "A"),
    ]
    for (byte, character) in expected {
      #expect(readList(Array("({ a = \"\\\(String(byte, radix: 8))\"; })".utf8), ["a"]).lines == ["«\(character)»"])
    }
    #expect(readList(Array("({ a = \"\\376\"; })".utf8), ["a"]).lines == ["invalidText@1:9"])
  }
}
