import MergewalkDiagnostics
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// One sequence and what must come of it.
struct SequenceCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var bytes: [UInt8]
  var expected: [String]
  var failure: String?
  var scalars: JSONScalars
  var maxRecordBytes: Int

  init(
    _ name: String, _ text: String, _ expected: [String], failure: String? = nil, scalars: JSONScalars = .reject,
    maxRecordBytes: Int = 1 << 20
  ) {
    self.init(name, bytes: Array(text.utf8), expected, failure: failure)
    self.scalars = scalars
    self.maxRecordBytes = maxRecordBytes
  }

  init(_ name: String, bytes: [UInt8], _ expected: [String], failure: String? = nil) {
    testDescription = name
    self.bytes = bytes
    self.expected = expected
    self.failure = failure
    scalars = .reject
    maxRecordBytes = 1 << 20
  }

  static let separated: [SequenceCase] = [
    SequenceCase(
      "separated", "\u{1E}{\"a\":1}\n\u{1E}{\n \"a\":\n  2}\n\u{1E}\u{1E}\n\u{1E}{\"a\":\"\\n\"}", ["#1", "#2", "«⏎»"]),
    SequenceCase("a mark before the first separator", "\u{FEFF} \n\u{1E}{\"a\":1}", ["#1"]),
    SequenceCase(
      "what is cut is refused, and the next is read",
      "\u{1E}{\"a\":1\n\u{1E}{\"a\":2}\n\u{1E}{\"a\":\"x\u{1E}{\"a\":3}",
      ["invalidJSON@1:8", "#2", "invalidJSON@3:7", "#3"]),
    SequenceCase(
      "what is no JSON", "\u{1E}x\n\u{1E} {\"a\":1} {\"a\":2}\n\u{1E}{\"a\":1}x\u{1E}{}",
      ["invalidJSON@1:2", "invalidJSON@2:11", "invalidJSON@3:9", "·"]),
    SequenceCase(
      "what is no object", "\u{1E}[1]\u{1E}\"a\"\u{1E}true\n\u{1E} 1 \u{1E}12\u{1E}null",
      [
        "notAnObject@1:2", "notAnObject@1:6", "notAnObject@1:10", "notAnObject@2:3", "invalidJSON@2:8",
        "invalidJSON@2:13",
      ]),
    SequenceCase(
      "values", "\u{1E}[1]\u{1E}\"a\\n\"\u{1E}true\n\u{1E} 1 \u{1E}12\u{1E}{\"value\":3}",
      ["·|$[1]", "·|«a⏎»", "·|?true", "·|#1", "invalidJSON@2:8", "·|#3"], scalars: .value),
    SequenceCase(
      "faults of text", bytes: Array("\u{1E}{\"a\":\"".utf8) + [0xC0] + Array("\"}\u{1E}{\"a\":\"\0\"}\u{1E}{}".utf8),
      ["invalidText@1:8", "nulByte@1:18", "·"]),
    SequenceCase(
      "members twice, halves of pairs, deep values",
      "\u{1E}{\"a\":1,\"a\":2}\u{1E}{\"b\":\"\\ud800\"}\u{1E}\(String(repeating: "[", count: 513))\u{1E}{}",
      ["duplicateMember@1:9", "loneSurrogate@1:22", "tooDeep@1:543", "·"]),
    SequenceCase(
      "too long",
      "\u{1E}{\"a\":1}\u{1E}{\"a\":\"12345678901234567890\"}\n\u{1E}{\"a\":2}\u{1E}\n\n{\"a\":\"1234567890123456",
      ["#1", "recordTooLong@1:10", "#2", "recordTooLong@4:1"], maxRecordBytes: 20),
    SequenceCase(
      "too long by white space", "\u{1E}{\"a\":1}\(String(repeating: " ", count: 40))\u{1E}{\"a\":2}",
      ["recordTooLong@1:2", "#2"], maxRecordBytes: 20),
  ]

  static let concatenated: [SequenceCase] = [
    SequenceCase("nothing", " \n", []),
    SequenceCase("nothing between", "{\"a\":1}{\"a\":2}{\n\"a\"\n:3\n}", ["#1", "#2", "#3"]),
    SequenceCase("white space between", "\u{FEFF}{\"a\":1} {\"a\":2}\n\n\r\n\t{\"a\":3}\n", ["#1", "#2", "#3"]),
    SequenceCase(
      "what is no object", "[{\"a\":1}]\"a\"1{\"a\":2}true[]null \n12",
      [
        "notAnObject@1:1", "notAnObject@1:10", "notAnObject@1:13", "#2", "notAnObject@1:21", "notAnObject@1:25",
        "notAnObject@1:27", "notAnObject@2:1",
      ]),
    SequenceCase(
      "values", "1\n\"\\t\"[2,\"\\n\"]{\"a\":1,\"value\":null} null",
      ["·|#1", "·|«\t»", "·|$[2,\"\\n\"]", "#1|∅", "·|∅"],
      scalars: .value),
    SequenceCase(
      "words need something between", "{\"a\":1} 1true", ["#1", "notAnObject@1:9"], failure: "invalidDocument@1:10"),
    SequenceCase("signs too", "1-2", ["notAnObject@1:1"], failure: "invalidDocument@1:2"),
    SequenceCase("a comma between", "{\"a\":1},{\"a\":2}", ["#1"], failure: "invalidDocument@1:8"),
    SequenceCase("a separator between", "{\"a\":1}\n\u{1E}{\"a\":2}", ["#1"], failure: "invalidDocument@2:1"),
    SequenceCase("a fault", "{\"a\":1}\n{\"a\":x}{}", ["#1"], failure: "invalidDocument@2:6"),
    SequenceCase("a value that is cut", "{\"a\":1}{\"a\":", ["#1"], failure: "invalidDocument@1:13"),
    SequenceCase(
      "refused alone", "{\"a\":1,\n\"a\":2}{\"b\":\"\\ud800\"}{\"a\":3}",
      ["duplicateMember@2:1", "loneSurrogate@2:13", "#3"]),
    SequenceCase(
      "faults of text", bytes: Array("{\"a\":\"".utf8) + [0xC0] + Array("\"}{\"a\":1}".utf8), ["invalidText@1:7", "#1"]),
    SequenceCase(
      "too long", "{\"a\":1}{\"a\":\"1234567890123}\\\"4567890\"}{\"a\":2}1234567890123456789012345{\"a\":3}",
      ["#1", "recordTooLong@1:8", "#2", "recordTooLong@1:46", "#3"], maxRecordBytes: 20),
    SequenceCase(
      "too long and cut", "{\"a\":1}{\"a\":\"12345678901234567890", ["#1", "recordTooLong@1:8"],
      failure: "invalidDocument@1:34", maxRecordBytes: 20),
  ]
}

@Suite struct JSONSequenceTests {
  @Test(
    "sequences are read as expected however they arrive and however large batches are",
    arguments: SequenceCase.separated + SequenceCase.concatenated)
  func reads(_ test: SequenceCase) {
    var options = JSONSequenceOptions()
    options.maxRecordBytes = test.maxRecordBytes
    options.scalars = test.scalars
    let columns = test.scalars == .value ? ["a", "value"] : ["a"]
    for sizes in arrivals(test.bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(records: .max, bytes: 1)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try JSONSequenceReader(
              source: ByteSource(bytes: test.bytes, chunkSizes: sizes), options: options, columns: .named(columns))
          }, limit: limit)
        #expect(reading.lines == test.expected, "pieces of \(sizes), \(limit)")
        #expect(reading.failure == test.failure, "pieces of \(sizes), \(limit)")
        if reading.lines != test.expected || reading.failure != test.failure { return }
      }
    }
  }

  @Test("all members of the first values", arguments: ["\u{1E}{\"a\":1}\n\u{1E}{\"b.c\":2}", "{\"a\":1}{\"b.c\":2}"])
  func all(_ text: String) throws {
    let reader = try JSONSequenceReader(source: ByteSource(bytes: Array(text.utf8), chunkSize: 2))
    #expect(reader.columns == ["a", "b\\.c"])
    let reading = Reading.of { () throws(ReadError) in
      try JSONSequenceReader(source: ByteSource(bytes: Array(text.utf8), chunkSize: 2))
    }
    #expect(reading.lines == ["#1|·", "·|#2"])
  }

  @Test("records know their line, column and offset", arguments: [Int.max, 1, 3])
  func positions(_ size: Int) throws {
    for text in ["\u{1E}{\"a\":1}\n\u{1E} {\n\"a\":2}\n\u{1E}{}", " {\"a\":1}\n  {\n\"a\":2}\n {}"] {
      var reader = try JSONSequenceReader(
        source: ByteSource(bytes: Array(text.utf8), chunkSize: size), columns: .named(["a"]))
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      let places = batch.records[..<batch.recordCount].map { [$0.line, $0.column, $0.byteOffset, Int($0.rawLength)] }
      #expect(places == [[1, 2, 1, 7], [2, 3, 11, 8], [4, 2, 21, 2]])
      #expect(batch.position(1, 0) == SourcePosition(line: 3, column: 5, byteOffset: 17))
    }
  }

  @Test("a text that is too long takes no memory", arguments: [Int.max, 10_007])
  func long(_ size: Int) throws {
    let long = "{\"a\":[\"" + String(repeating: "]},\\\"", count: 1_000_000) + "\"]}"
    for text in ["{\"a\":1}\(long){\"a\":2}", "\u{1E}{\"a\":1}\u{1E}\(long)\u{1E}{\"a\":2}"] {
      var options = JSONSequenceOptions()
      options.maxRecordBytes = 1000
      var reader = try JSONSequenceReader(
        source: ByteSource(bytes: Array(text.utf8), chunkSize: size), options: options, columns: .named(["a"]))
      var reading = Reading()
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: BatchLimit()) { reading.append(batch) }
      #expect(reading.lines.count == 3 && reading.lines[1].hasPrefix("recordTooLong") && reading.lines[2] == "#2")
      #expect(batch.bytes.count < 3 << 20)
    }
  }

  @Test("damaged sequences give the same however they arrive", arguments: Soak.readerSeeds(40))
  func damage(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\u{1E}", "{\"a\":1}", "\n", " ", "[1,{\"a\":2}]", "\"é\\u00e9\"", "12", "true", "{\"a\":\"\\ud83d\\ude00\"}",
      "{", "]",
      "{\"l\":[{\"a\":1},2]}", "\u{0}", "nul", "\\", "{\"a\":1,\"a\":2}",
    ]
    for _ in 0..<40 {
      var text: [UInt8] = Bool.random(using: &random) ? [0x1E] : []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        text += Array((pieces.randomElement(using: &random) ?? "").utf8)
      }
      if Int.random(in: 0..<4, using: &random) == 0, !text.isEmpty {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      var options = JSONSequenceOptions()
      options.scalars = Bool.random(using: &random) ? .value : .reject
      options.duplicates = Bool.random(using: &random) ? .last : .reject
      options.each = Int.random(in: 0..<3, using: &random) == 0 ? "l" : nil
      options.maxRecordBytes = Int.random(in: 1..<40, using: &random)
      func read(_ chunk: Int, _ limit: Int) -> Reading {
        Reading.of(
          { () throws(ReadError) in
            try JSONSequenceReader(
              source: ByteSource(bytes: text, chunkSize: chunk), options: options,
              columns: .named(["a", "value", "l", "l.a"]))
          }, limit: BatchLimit(records: limit))
      }
      let whole = read(.max, .max)
      for chunk in [1, 2, 3, 7] {
        #expect(read(chunk, chunk) == whole, "seed \(seed): \(String(decoding: text, as: UTF8.self).debugDescription)")
      }
    }
  }
}
