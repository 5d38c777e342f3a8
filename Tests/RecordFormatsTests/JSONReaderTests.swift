import MergewalkDiagnostics
import MergewalkRecordFormats
import Testing

/// One JSON document and what must come of it.
struct JSONCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var bytes: [UInt8]
  var records: String?
  var columns: ColumnRequest
  var expected: [String]
  var failure: String?
  var maxRecordBytes: Int

  init(
    _ name: String, _ text: String, at records: String? = nil, _ columns: [String]?, _ expected: [String],
    failure: String? = nil, maxRecordBytes: Int = 1 << 20
  ) {
    testDescription = name
    bytes = Array(text.utf8)
    self.records = records
    self.columns = columns.map { .named($0) } ?? .all
    self.expected = expected
    self.failure = failure
    self.maxRecordBytes = maxRecordBytes
  }

  init(
    _ name: String, bytes: [UInt8], at records: String? = nil, _ columns: [String]?, _ expected: [String],
    failure: String? = nil
  ) {
    self.init(name, "", at: records, columns, expected, failure: failure)
    self.bytes = bytes
  }

  private static func deep(_ count: Int) -> String {
    String(repeating: "[", count: count) + String(repeating: "]", count: count)
  }

  static let all: [JSONCase] = [
    JSONCase(
      "the document is the array", "[{\"a\":1,\"b\":\"x\"},\n {\"b\":null , \"a\":true}]", ["a", "b"],
      ["#1|«x»", "?true|∅"]),
    JSONCase(
      "all members", "\n[ {\"a\":1.50,\"b\":{\"c\":[]}}, {\"a.b\":2} ]\n", nil, ["#1.50|${\"c\":[]}|·", "·|·|#2"]),
    JSONCase("all members of one array of several", #"{"x":[{"q":1}],"y":[{"p":2}]}"#, at: "y", nil, ["#2"]),
    JSONCase("no records", "{\"a\": [ ] }", at: "$.a", ["x"], []),
    JSONCase("no records, for all members", "[]", nil, []),
    JSONCase(
      "an array among other members",
      #"{"m":{"r":[{"a":0}],"n":[[{}],"]}"]},"s":"r","r":[{"a":1},{"a":2}],"z":[1,{"r":[]}]}"#, at: "$.r[*]", ["a"],
      ["#1", "#2"]),
    JSONCase(
      "an array further down", #"{"items":[{"a":0}],"data":{"x":1,"items":[{"a":1}],"y":{}},"y":2}"#,
      at: "data.items", ["a"], ["#1"]),
    JSONCase(
      "names in brackets", #"{"a.b":{"it's":{"c":[{"d":1}]}}}"#, at: #"$['a.b']["it's"].c"#, ["d"], ["#1"]),
    JSONCase("escaped dots", #"{"a.b":[{"d":1}]}"#, at: "a\\.b", ["d"], ["#1"]),
    JSONCase("escaped names", #"{"\u0061b":[{"d":1}]}"#, at: "ab", ["d"], ["#1"]),
    JSONCase(
      "nested members", #"[{"x":{"y":"\u00e9"}},{"x":null},{"x":3}]"#, ["x.y", "x.y"], ["«é»|«é»", "∅|∅", "·|·"]),
    JSONCase("byte order mark", "\u{FEFF}[{\"a\":1},]", ["a"], ["#1"], failure: "invalidDocument@1:10"),
    JSONCase(
      "elements that are no objects are refused alone", "[1, \"a\",\n null,[{}], {\"a\":2}, 3.5e1]", ["a"],
      ["notAnObject@1:2", "notAnObject@1:5", "notAnObject@2:2", "notAnObject@2:7", "#2", "notAnObject@2:22"]),
    JSONCase(
      "duplicate members are refused alone", "[{\"a\":1},\n  {\"a\":1,\n \"a\":2, \"b\":[\"]\"]},{\"a\":3}]", ["a"],
      ["#1", "duplicateMember@3:2", "#3"]),
    JSONCase(
      "halves of surrogate pairs are refused alone, and are nothing outside records",
      #"{"\ud800":"\udc00","r":[{"a":"\ud800"},{"\udc00\u0061":1},"\ud800",{"a":1}]}"#, at: "r", ["a"],
      ["loneSurrogate@1:31", "loneSurrogate@1:42", "notAnObject@1:59", "#1"]),
    JSONCase(
      "bytes that are not UTF-8 are refused alone",
      bytes: Array("[{\"a\":\"".utf8) + [0xC0] + Array("\"},\n[\"".utf8) + [0xFF] + Array("\"],{\"a\":1}]".utf8), ["a"],
      ["invalidText@1:8", "invalidText@2:3", "#1"]),
    JSONCase(
      "bytes that are not UTF-8 outside records end the reading",
      bytes: Array("{\"r\":[{}],\"x\":\"a".utf8) + [0xC0] + Array("\"}".utf8), at: "r", ["a"], ["·"],
      failure: "invalidDocument@1:17"),
    JSONCase(
      "of several faults outside records the first counts",
      bytes: Array("{\"r".utf8) + [0xE1, 0x84, 0xE6, 10, 10, 0xFF, 0xFF],
      at: "$.r", nil, [], failure: "invalidDocument@1:4"),
    JSONCase("NUL ends the reading", "[{\"a\":1},{\"a\":\"\0\"}]", ["a"], ["#1"], failure: "invalidDocument@1:16"),
    JSONCase(
      "UTF-16 with a byte order mark",
      bytes: [0xFF, 0xFE] + "[{\"a\":\"é\"},\n{\"a\":x}]".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
      ["a"], ["«é»"], failure: "invalidDocument@2:6"),
    JSONCase("a fault in a record", "[{\"a\":1},\n{\"a\":x},{}]", ["a"], ["#1"], failure: "invalidDocument@2:6"),
    JSONCase("a fault between records", "[{\"a\":1}\n{\"a\":2}]", ["a"], ["#1"], failure: "invalidDocument@2:1"),
    JSONCase("a comma too many", "[{\"a\":1},]", ["a"], ["#1"], failure: "invalidDocument@1:10"),
    JSONCase("a comma at the start", "[,{\"a\":1}]", ["a"], [], failure: "invalidDocument@1:2"),
    JSONCase(
      "a fault behind records", #"{"r":[{"a":1}],"b":tru}"#, at: "r", ["a"], ["#1"], failure: "invalidDocument@1:20"),
    JSONCase("a fault before records", #"{"b":01,"r":[{"a":1}]}"#, at: "r", ["a"], [], failure: "invalidDocument@1:7"),
    JSONCase("the wrong closing bracket", "[{\"a\":1}}", ["a"], ["#1"], failure: "invalidDocument@1:9"),
    JSONCase("more than one document", "[{\"a\":1}]\n[]", ["a"], ["#1"], failure: "invalidDocument@2:1"),
    JSONCase("the array does not end", "[{\"a\":1},\n", ["a"], ["#1"], failure: "invalidDocument@2:1"),
    JSONCase("a record does not end", "[{\"a\":1},{\"a\":", ["a"], ["#1"], failure: "invalidDocument@1:15"),
    JSONCase("a number is cut", "[{\"a\":1},12", ["a"], ["#1", "notAnObject@1:10"], failure: "invalidDocument@1:12"),
    JSONCase("the document does not end", #"{"r":[{"a":1}],"#, at: "r", ["a"], ["#1"], failure: "invalidDocument@1:16"),
    JSONCase("nothing", " \n ", ["a"], [], failure: "invalidDocument@2:2"),
    JSONCase(
      "the array is not there", #"{"Albums":[],"Artist":{}}"#, at: "Album", ["a"], [], failure: "missingRecords@1:25"),
    JSONCase(
      "the inner array is not there", #"{"d":{"a":1}, "b":[]}"#, at: "d.b", ["a"], [], failure: "missingRecords@1:12"),
    JSONCase("the array is an object", #"{"d":{"a":1}}"#, at: "d", ["a"], [], failure: "missingRecords@1:6"),
    JSONCase("the array is null", #"{"d":null}"#, at: "$.d", ["a"], [], failure: "missingRecords@1:6"),
    JSONCase(
      "the way leads through an array", #"{"d":[{"a":[]}]}"#, at: "d.a", ["a"], [], failure: "missingRecords@1:6"),
    JSONCase("a path is needed", #"{"d":{"a":[]},"e":[{}]}"#, ["a"], [], failure: "missingRecords@1:23"),
    JSONCase("no path would help", #"{"d":{"a":[]}}"#, ["a"], [], failure: "missingRecords@1:14"),
    JSONCase("a document of one number", " 12", ["a"], [], failure: "missingRecords@1:2"),
    JSONCase(
      "the array twice", #"{"d":[{"a":1}],"d":[{"a":2}]}"#, at: "d", ["a"], ["#1"], failure: "invalidDocument@1:16"),
    JSONCase(
      "the way to it twice", #"{"e":{"d":[{"a":1}]},"e":1}"#, at: "e.d", ["a"], ["#1"], failure: "invalidDocument@1:22"),
    JSONCase("a path of several arrays", "[]", at: "$.a[*].b[*]", ["a"], [], failure: "invalidOption"),
    JSONCase("a malformed path", "[]", at: "$a", ["a"], [], failure: "invalidOption"),
    JSONCase("a malformed request", "[]", ["a..b"], [], failure: "invalidPath"),
    JSONCase(
      "elements that are too long are refused alone",
      #"[{"a":1},{"a":"12345678901234567890 ]}\" ,"},{"a":2},"1234567890123456789012345",123456789012345678901,{"a":3}]"#,
      ["a"], ["#1", "recordTooLong@1:10", "#2", "recordTooLong@1:54", "recordTooLong@1:82", "#3"], maxRecordBytes: 20),
    JSONCase(
      "an element that is too long and never ends", #"[{"a":1},{"a":"12345678901234567890"]"#, ["a"],
      ["#1", "recordTooLong@1:10"], failure: "invalidDocument@1:38", maxRecordBytes: 20),
    JSONCase(
      "a fault behind the longest length", #"[{"a":1,"b":123456789 x},{"a":2}]"#, ["a"],
      ["recordTooLong@1:2", "#2"], maxRecordBytes: 20),
    JSONCase(
      "a text that is too long outside the records", #"{"b":"1234567890123456789012345","r":[{"a":1}]}"#, at: "r",
      ["a"],
      [], failure: "recordTooLong@1:6", maxRecordBytes: 20),
    JSONCase(
      "deep", "{\"x\":\(deep(511)),\"r\":[{\"a\":1,\"b\":\(deep(511))},{\"a\":\(deep(512))}]}", at: "r", ["a"],
      ["#1"], failure: "invalidDocument@1:2585"),
    JSONCase("deep outside records", "{\"x\":\(deep(512))}", at: "r", ["a"], [], failure: "invalidDocument@1:517"),
  ]
}

@Suite struct JSONReaderTests {
  @Test("a document is read as expected however it arrives and however large batches are", arguments: JSONCase.all)
  func reads(_ test: JSONCase) {
    var options = JSONOptions()
    options.maxRecordBytes = test.maxRecordBytes
    options.records = test.records
    for sizes in arrivals(test.bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(records: .max, bytes: 1)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try JSONReader(
              source: ByteSource(bytes: test.bytes, chunkSizes: sizes), options: options, columns: test.columns)
          }, limit: limit)
        #expect(reading.lines == test.expected, "pieces of \(sizes), \(limit)")
        #expect(reading.failure == test.failure, "pieces of \(sizes), \(limit)")
        if reading.lines != test.expected || reading.failure != test.failure { return }
      }
    }
  }

  @Test("records and fields know their line, column and offset", arguments: [Int.max, 1, 3])
  func positions(_ size: Int) throws {
    let text =
      "\u{FEFF}{\n  \"x\": 1, \"r\": [\n    {\n      \"a\": \"é\\n\",\n\t\"b\": 2\n    }, {\"b\": \"q\"}\r\n ,{}]}"
    var options = JSONOptions()
    options.records = "r"
    var reader = try JSONReader(
      source: ByteSource(bytes: Array(text.utf8), chunkSize: size), options: options, columns: .named(["a", "b"]))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 3)
    let places = batch.records[..<3].map { [$0.line, $0.column, $0.byteOffset, Int($0.rawLength)] }
    #expect(places == [[3, 5, 26, 34], [6, 8, 62, 10], [7, 3, 76, 2]])
    #expect(batch.position(0, 0) == SourcePosition(line: 4, column: 12, byteOffset: 39))
    #expect(batch.position(0, 1) == SourcePosition(line: 5, column: 7, byteOffset: 53))
    #expect(batch.position(1, 1) == SourcePosition(line: 6, column: 14, byteOffset: 68))
    #expect(batch.position(2, 1) == SourcePosition(line: 7, column: 3, byteOffset: 76))
    #expect(batch.raw(1) == Array("{\"b\": \"q\"}".utf8))
  }

  @Test("what is wrong is said the same however it arrives")
  func sameMessages() {
    // Found by fuzzing: whether a byte is text was not known yet when it was no JSON.
    for (text, records) in [
      (Array("{\"r\":".utf8) + [0xC4, 0xC4, 0x20], "r"), (Array("{\"r\":".utf8) + Array("é}".utf8), "r"),
      (Array("{".utf8) + [0xE2, 0x82], "r"), (Array("[1,".utf8) + [0xF0, 0x9F, 0x98, 0x22], "$"),
    ] {
      var found: [ReadError] = []
      for size in [Int.max, 1, 2, 3, 7] {
        var options = JSONOptions()
        options.records = records
        do throws(ReadError) {
          var reader = try JSONReader(
            source: ByteSource(bytes: text, chunkSize: size), options: options, columns: .named(["a"]))
          var batch = RecordBatch()
          while try reader.read(into: &batch, limit: BatchLimit()) {}
        } catch {
          found.append(error)
        }
      }
      #expect(found.count == 5 && Set(found).count == 1, "\(found)")
    }
  }

  @Test("a member that is missing is named, with the nearest one")
  func messages() throws {
    func message(_ text: String, _ records: String?) -> String? {
      do {
        var options = JSONOptions()
        options.records = records
        _ = try JSONReader(source: ByteSource(bytes: Array(text.utf8)), options: options)
        return nil
      } catch { return error.message }
    }
    #expect(message(#"{"Album":[]}"#, "Albums") == "the document has no member “Albums”; did you mean “Album”?")
    #expect(message(#"{"d":{"x":1,"y":[]}}"#, "d.items") == "“d” has no member “items”; it has “x”, “y”")
    #expect(
      message(#"{"v":1,"Genre":[]}"#, nil)
        == "the document is an object, not an array of records; set their path, such as “records: $.Genre”")
    #expect(
      message(#"{"meta":{"tags":["x",[1]],"v":{}},"data":{"all rows":[{"lines":[]}],"q":1},"z":[]}"#, nil)
        == "the document is an object, not an array of records; set their path, such as “records: $.meta.tags”; "
        + "there are also $.data['all rows'], $.z")
    #expect(message("{}", nil)?.hasPrefix("the document is an object and has no array of records; if each") == true)
    #expect(message(#"{"v":1}"#, "v") == "“v” is not an array, so it has no records")
    #expect(message(#"{"v":[]}"#, "v.w") == "“v” is an array, so it has no member “w”")
  }

  @Test("text around the records takes no memory, and batches do not depend on it")
  func flat() throws {
    let filler = #"{"text":"some text","list":[1,2,{"a":null}]},"#
    let around = "[" + String(repeating: filler, count: 20_000) + "0]"
    let records = (0..<1000).map { "{\"a\":\($0)}" }.joined(separator: ",\n")
    let text = "{\"before\":\(around),\"r\":[\(records)],\"behind\":\(around)}"
    var options = JSONOptions()
    options.records = "r"
    var counts: [[Int]] = []
    for size in [Int.max, 10_007] {
      var reader = try JSONReader(
        source: ByteSource(bytes: Array(text.utf8), chunkSize: size), options: options, columns: .named(["a"]))
      var batch = RecordBatch()
      var found: [Int] = []
      var number = 0
      while try reader.read(into: &batch, limit: BatchLimit(records: .max, bytes: 3000)) {
        found.append(batch.recordCount)
        for record in 0..<batch.recordCount {
          #expect(batch.text(record, 0) == String(number))
          number += 1
        }
      }
      #expect(number == 1000)
      #expect(batch.bytes.count < 1 << 18)
      counts.append(found)
    }
    #expect(counts[0] == counts[1] && counts[0].count > 3)
  }

  @Test("an element that is too long takes no memory", arguments: [Int.max, 10_007])
  func longElement(_ size: Int) throws {
    let long = "{\"a\":[\"" + String(repeating: "]},\\\"", count: 1_000_000) + "\"]}"
    var options = JSONOptions()
    options.maxRecordBytes = 1000
    var reader = try JSONReader(
      source: ByteSource(bytes: Array("[{\"a\":1},\(long),{\"a\":2}]".utf8), chunkSize: size), options: options,
      columns: .named(["a"]))
    var reading = Reading()
    var batch = RecordBatch()
    while try reader.read(into: &batch, limit: BatchLimit()) { reading.append(batch) }
    #expect(reading.lines == ["#1", "recordTooLong@1:10", "#2"])
    #expect(batch.bytes.count < 3 << 20)
  }
}
