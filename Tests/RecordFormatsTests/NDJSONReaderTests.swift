import MergewalkRecordFormats
import Testing

/// One input and what must come of it.
struct NDJSONCase: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var columns: ColumnRequest
  var expected: [String]
  var failure: String?
  var maxRecordBytes: Int

  init(
    _ name: String, _ text: String, _ columns: [String]?, _ expected: [String], failure: String? = nil,
    maxRecordBytes: Int = 1 << 20
  ) {
    self.init(name, Array(text.utf8), columns, expected, failure: failure, maxRecordBytes: maxRecordBytes)
  }

  init(
    _ name: String, _ bytes: [UInt8], _ columns: [String]?, _ expected: [String], failure: String? = nil,
    maxRecordBytes: Int = 1 << 20
  ) {
    self.name = name
    self.bytes = bytes
    self.columns = columns.map { .named($0) } ?? .all
    self.expected = expected
    self.failure = failure
    self.maxRecordBytes = maxRecordBytes
  }

  var testDescription: String { name }

  static let all: [NDJSONCase] = [
    NDJSONCase(
      "kinds", #"{"a":1.50,"b":"x","c":null,"d":true,"e":false,"f":[1, 2],"g":{"h":0}}"#, nil,
      ["#1.50|«x»|∅|?true|?false|$[1, 2]|${\"h\":0}"]),
    NDJSONCase("absent", "{\"a\":1}\n{\"b\":\"\"}\n{}", ["b", "a"], ["·|#1", "«»|·", "·|·"]),
    NDJSONCase(
      "all members of the first records", "{\"a\":1}\n{\"b\":2,\"a\\u0062\":3}\n{\"a.b\":1}", nil,
      ["#1|·|·|·", "·|#2|#3|·", "·|·|·|#1"]),
    NDJSONCase(
      "nested", #"{"x":{"y":{"z":"1"},"w":2},"y":3}"#, ["x.y.z", "x.w", "x.y", "y", "x.q"],
      ["«1»|#2|${\"z\":\"1\"}|#3|·"]),
    NDJSONCase(
      "null and others on the way", "{\"x\":null}\n{\"x\":3}\n{\"x\":[{\"y\":1}]}\n{\"x\":{}}", ["x.y", "x"],
      ["∅|∅", "·|#3", "·|$[{\"y\":1}]", "·|${}"]),
    NDJSONCase(
      "dots and backslashes in names", #"{"a.b":1,"a":{"b":2},"c\\d":3}"#, ["a\\.b", "a.b", "c\\\\d"],
      ["#1|#2|#3"]),
    NDJSONCase(
      "marks of files that were put one behind the other",
      "\u{FEFF}{\"a\":1}\n\u{FEFF}{\"a\":2}\n\u{FEFF}\n\u{FEFF}{\"a\":\"\u{FEFF}\"}", ["a"], ["#1", "#2", "«\u{FEFF}»"]),
    NDJSONCase("one member for two columns", #"{"a":"x\ty"}"#, ["a", "a"], ["«x\ty»|«x\ty»"]),
    NDJSONCase(
      "escapes", #"{"a":"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00"}"#, ["a"],
      ["«\"\\/\u{8}\u{c}⏎␍\té€😀»"]),
    NDJSONCase("escaped names", #"{"\u0061":1,"\u00e9":2,"\ud83d\ude00":3}"#, ["a", "é", "😀"], ["#1|#2|#3"]),
    NDJSONCase(
      "numbers keep their spelling",
      #"{"a":-0,"b":1e400,"c":123456789012345678901234567890.10,"d":0.1E-7}"#, nil,
      ["#-0|#1e400|#123456789012345678901234567890.10|#0.1E-7"]),
    NDJSONCase(
      "white space", " \t{ \"a\" : 1 , \"b\" : [ ] }\t\r\n\n  \n\r\n{\"a\":2}", ["a", "b"], ["#1|$[ ]", "#2|·"]),
    NDJSONCase("a CR alone is white space", "{\"a\":\r1}\n{\"a\"\r:x}", ["a"], ["#1", "invalidJSON@2:7"]),
    NDJSONCase("nothing", "", ["a"], []),
    NDJSONCase("nothing, for all members", "\n", nil, []),
    NDJSONCase("byte order mark", [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}\n[".utf8), ["a"], ["#1", "invalidJSON@2:2"]),
    NDJSONCase(
      "no objects", "[1]\n\"a\"\n1\nnull\n {} \n", ["a"],
      ["notAnObject@1:1", "notAnObject@2:1", "notAnObject@3:1", "notAnObject@4:1", "·"]),
    NDJSONCase(
      "a bad line refuses only itself", "{\"a\":1}\n{\"a\":}\n{\"a\":2", ["a"],
      ["#1", "invalidJSON@2:6", "invalidJSON@3:7"]),
    NDJSONCase(
      "more than one value", "{\"a\":1} {\"a\":2}\n{\"a\":1},\n{\"a\":3}", ["a"],
      ["invalidJSON@1:9", "invalidJSON@2:8", "#3"]),
    NDJSONCase("an object over two lines", "{\n\"a\":1}\n", ["a"], ["invalidJSON@1:2", "invalidJSON@2:4"]),
    NDJSONCase(
      "duplicate members", #"{"a":1,"b":{"c":1},"a":2}"# + "\n" + #"{"b":{},"b":{}}"# + "\n" + #"{"z":1,"z":2}"#,
      ["a", "b.c"],
      ["duplicateMember@1:20", "duplicateMember@2:9", "·|·"]),
    NDJSONCase("duplicates by escape", #"{"a":1,"\u0061":2}"#, ["a"], ["duplicateMember@1:8"]),
    NDJSONCase(
      "lone surrogates", "{\"a\":\"\\ud800\"}\n{\"b\":\"\\udc00\"}\n{\"a\":\"\\ud800\\u0041\"}\n{\"\\ud800x\":1}",
      ["a"],
      ["loneSurrogate@1:7", "loneSurrogate@2:7", "loneSurrogate@3:7", "loneSurrogate@4:3"]),
    NDJSONCase(
      "control characters", [UInt8]("{\"a\":\"x\ty\"}\n{\"a\":\"".utf8) + [0] + Array("\"}\n{}".utf8), ["a"],
      ["invalidJSON@1:8", "nulByte@2:7", "·"]),
    NDJSONCase(
      "invalid UTF-8", [UInt8]("{\"a\":\"".utf8) + [0xC0, 0x80] + Array("\"}\n{\"a\":\"é\"}\n".utf8), ["a"],
      ["invalidText@1:7", "«é»"]),
    NDJSONCase("unterminated string", "{\"a\":\"x\n{\"a\":\"y\"}", ["a"], ["invalidJSON@1:6", "«y»"]),
    NDJSONCase(
      "too long", "{\"a\":1}\n{\"a\":\"12345678901234567890\"}\n{\"a\":2}\n{\"a\":\"12345678901234567890", ["a"],
      ["#1", "recordTooLong@2:1", "#2", "recordTooLong@4:1"], maxRecordBytes: 20),
    NDJSONCase(
      "as long as is allowed", "{\"a\":1}\r\n{\"a\":22}\r\n{\"a\":3}\r\n{\"a\":4}", ["a"],
      ["#1", "recordTooLong@2:1", "#3", "#4"], maxRecordBytes: 7),
    NDJSONCase(
      "marks do not count for the length",
      "\u{FEFF}{\"a\":100}\n\u{FEFF}{\"a\":200}\n\u{FEFF}\u{FEFF}{\"a\":3000}\n\u{FEFF}\u{FEFF}{\"a\":400}", ["a"],
      ["#100", "#200", "recordTooLong@3:1", "#400"], maxRecordBytes: 9),
    NDJSONCase("malformed paths", "{}", ["a..b"], [], failure: "invalidPath"),
    NDJSONCase("malformed escapes in paths", "{}", ["a\\b"], [], failure: "invalidPath"),
    NDJSONCase(
      "deep",
      String(repeating: "[", count: 511) + String(repeating: "]", count: 511) + "\n"
        + "{\"a\":" + String(repeating: "[", count: 511) + String(repeating: "]", count: 511) + "}\n"
        + "{\"a\":" + String(repeating: "[", count: 512) + String(repeating: "]", count: 512) + "}\n", ["b"],
      ["notAnObject@1:1", "·", "tooDeep@3:517"]),
  ]
}

@Suite struct NDJSONReaderTests {
  @Test("NDJSON is read as expected however it arrives and however large batches are", arguments: NDJSONCase.all)
  func reads(_ test: NDJSONCase) {
    var options = NDJSONOptions()
    options.maxRecordBytes = test.maxRecordBytes
    for sizes in arrivals(test.bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(records: .max, bytes: 1)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try NDJSONReader(
              source: ByteSource(bytes: test.bytes, chunkSizes: sizes), options: options, columns: test.columns)
          }, limit: limit)
        #expect(reading.lines == test.expected, "pieces of \(sizes), \(limit)")
        #expect(reading.failure == test.failure, "pieces of \(sizes), \(limit)")
        if reading.lines != test.expected || reading.failure != test.failure { return }
      }
    }
  }

  @Test func `a path that names a member is the member again`() throws {
    let reader = try NDJSONReader(source: ByteSource(bytes: Array(#"{"a.b":1,"c\\":2}"#.utf8)))
    #expect(reader.columns == ["a\\.b", "c\\\\"])
    let again = Reading.of { () throws(ReadError) in
      try NDJSONReader(source: ByteSource(bytes: Array(#"{"a.b":1,"c\\":2}"#.utf8)), columns: .named(reader.columns))
    }
    #expect(again.lines == ["#1|#2"])
  }

  @Test(
    "a file that is one array names the format that reads it",
    arguments: ["[{\"a\":1}]\n", "[\n{\"a\":1}\n]\n", " [1]"])
  func arrayHint(_ text: String) throws {
    var reader = try NDJSONReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["a"]))
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    #expect(batch.errors.first?.message.contains("format json") == true)
    #expect(batch.errors.dropFirst().allSatisfy { !$0.message.contains("format json") })
  }
}
