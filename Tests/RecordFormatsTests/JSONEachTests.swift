import MergewalkDiagnostics
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// A record, what its elements are as records, and that it is the same in all forms of JSON.
struct EachCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// Objects, one after the other.
  var records: [String]
  var each: String
  var columns: [String]?
  var expected: [String]

  init(_ name: String, _ records: [String], each: String, _ columns: [String]?, _ expected: [String]) {
    testDescription = name
    self.records = records
    self.each = each
    self.columns = columns
    self.expected = expected
  }

  static let all: [EachCase] = [
    EachCase(
      "elements with members of the record before and behind them",
      [#"{"id":1,"lines":[{"sku":"a","n":1},{"n":2,"sku":"b"}],"at":"x"}"#, #"{"lines":[{"sku":"c"}],"id":2}"#],
      each: "lines", ["id", "lines.sku", "at", "lines.n"], ["#1|«a»|«x»|#1", "#1|«b»|«x»|#2", "#2|«c»|·|·"]),
    EachCase(
      "no elements", [#"{"id":1,"lines":[]}"#, #"{"id":2,"lines":null}"#, #"{"id":3}"#, #"{"id":4,"lines":[ { } ]}"#],
      each: "lines", ["id", "lines.sku"], ["#4|·"]),
    EachCase(
      "scalars", [#"{"id":1,"tags":["a", "b\n",3, null,true,[1],{"x":[]}]}"#], each: "tags", ["tags", "id", "tags.x"],
      [
        "«a»|#1|·", "«b⏎»|#1|·", "#3|#1|·", "∅|#1|∅", "?true|#1|·", "$[1]|#1|·", #"${"x":[]}|#1|$[]"#,
      ]),
    EachCase(
      "no array is an array of one",
      [#"{"id":1,"l":{"x":5}}"#, #"{"l":"t\t","id":2}"#, #"{"l":7}"#, #"{"l":false}"#, #"{"l":{}}"#], each: "l",
      ["id", "l.x", "l"], [#"#1|#5|${"x":5}"#, "#2|·|«t\t»", "·|·|#7", "·|·|?false", "·|·|${}"]),
    EachCase(
      "through objects", [#"{"d":{"l":[{"x":1}],"k":"v"},"l":9}"#, #"{"d":null}"#, #"{"d":[{"l":[1]}]}"#], each: "d.l",
      ["d.l.x", "d.k", "l", "d"], [##"#1|«v»|#9|${"l":[{"x":1}],"k":"v"}"##]),
    EachCase(
      "escapes and repeated columns", [#"{"n":"\u0041\n","l":[{"\u0078":"\ud83d\ude00"},{"x":"y"},{"x":"\t"}]}"#],
      each: "l", ["n", "l.x", "n", "l.x"], ["«A⏎»|«😀»|«A⏎»|«😀»", "«A⏎»|«y»|«A⏎»|«y»", "«A⏎»|«\t»|«A⏎»|«\t»"]),
    EachCase("names with dots", [#"{"a.b":[{"c.d":1}]}"#], each: "a\\.b", ["a\\.b.c\\.d"], ["#1"]),
    EachCase(
      "all columns", [#"{"id":1,"l":[{"a":1},{"b":2},3],"z":4}"#, #"{"l":[],"y":5}"#], each: "l", nil,
      [##"#1|${"a":1}|#1|·|#4|·"##, ##"#1|${"b":2}|·|#2|#4|·"##, "#1|#3|·|·|#4|·"]),
    EachCase(
      "all columns on a longer way", [#"{"d":{"l":[{"a":1}],"k":2}}"#], each: "d.l", nil,
      [##"${"l":[{"a":1}],"k":2}|#1"##]),
    EachCase(
      "a fault of one element refuses the record",
      [#"{"id":1,"l":[{"a":1}]}"#, #"{"id":2,"l":[{"a":1},{"a":2,"a":3}]}"#, #"{"id":3,"l":[{"b":1,"b":2}]}"#],
      each: "l", ["id", "l.a"], ["#1|#1", "duplicateMember", "#3|·"]),
    EachCase(
      "a fault of the record", [#"{"id":1,"l":[1],"id":2}"#, #"{"id":1,"l":["\ud800"]}"#, #"{"l":[1],"l":[2]}"#],
      each: "l", ["id", "l"], ["duplicateMember", "loneSurrogate", "duplicateMember"]),
  ]
}

@Suite struct JSONEachTests {
  /// The text of the records in one form, and how it is read.
  private static func forms(_ test: EachCase) -> [(text: String, format: RecordFormat)] {
    var json = JSONOptions()
    json.each = test.each
    var lines = NDJSONOptions()
    lines.each = test.each
    var sequence = JSONSequenceOptions()
    sequence.each = test.each
    return [
      ("[\n" + test.records.joined(separator: " ,\n") + "]", .json(json)),
      (test.records.joined(separator: "\r\n"), .ndjson(lines)),
      (test.records.joined(separator: "\n") + " \n", .ndjson(lines)),
      (test.records.joined(separator: ""), .jsonSequence(sequence)),
      (test.records.map { "\u{1E}" + $0 + "\n" }.joined(), .jsonSequence(sequence)),
    ]
  }

  private static func read(
    _ text: String, _ format: RecordFormat, _ columns: [String]?, _ sizes: [Int], _ limit: BatchLimit
  ) throws -> [String] {
    var reader = try format.reader(
      source: ByteSource(bytes: Array(text.utf8), chunkSizes: sizes), columns: columns.map { .named($0) } ?? .all,
      index: 0)
    var batch = RecordBatch()
    var reading = Reading()
    var records = 0
    while try reader.read(into: &batch, limit: limit) {
      #expect(batch.recordCount + batch.errors.count <= limit.records)
      records += batch.recordCount + batch.errors.count
      reading.append(batch)
    }
    #expect(records == reading.lines.count)
    return reading.lines.map { String($0.prefix { $0 != "@" }) }
  }

  @Test("elements are records in every form of JSON, however they arrive", arguments: EachCase.all)
  func reads(_ test: EachCase) throws {
    for (text, format) in Self.forms(test) {
      for sizes in [[Int.max], [1], [3], [7], [1, 2, 5, 3], [text.utf8.count / 2, .max]] {
        for limit in [
          BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(records: .max, bytes: 1),
        ] {
          let lines = try Self.read(text, format, test.columns, sizes, limit)
          #expect(lines == test.expected, "\(text), pieces of \(sizes), \(limit)")
          if lines != test.expected { return }
        }
      }
    }
  }

  @Test("all records of one element have its text, its place and numbers of their own", arguments: [1, 2, 100])
  func positions(_ limit: Int) throws {
    let text = "[ {\"id\":\"\\u0041\",\n \"l\":[{\"x\":\"\\n\"},{\"x\":2}, 3]},\n1, {\"l\":[4]}]"
    var options = JSONOptions()
    options.each = "l"
    var reader = try JSONReader(
      source: ByteSource(bytes: Array(text.utf8), chunkSize: 3), options: options, columns: .named(["id", "l.x"]))
    var batch = RecordBatch()
    var places: [[Int]] = []
    var fields: [[Int]] = []
    var raws: [String] = []
    var refused: [Int] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: limit)) {
      for (record, place) in batch.records[..<batch.recordCount].enumerated() {
        places.append([place.index, place.line, place.column, place.byteOffset])
        fields.append((0..<2).map { batch.position(record, $0).byteOffset })
        raws.append(String(decoding: batch.raw(record), as: UTF8.self))
      }
      refused += batch.errors.map(\.recordIndex)
    }
    #expect(places == [[0, 1, 3, 2], [1, 1, 3, 2], [2, 1, 3, 2], [4, 3, 4, 52]])
    #expect(fields == [[8, 29], [8, 40], [8, 2], [52, 52]])
    #expect(
      Set(raws[..<3]) == ["{\"id\":\"\\u0041\",\n \"l\":[{\"x\":\"\\n\"},{\"x\":2}, 3]}"] && raws[3] == "{\"l\":[4]}")
    #expect(refused == [3])
  }

  @Test("a null of the whole record has its place, or that of the record, in every encoding", arguments: [false, true])
  func placesOfNulls(isUTF16: Bool) throws {
    let text = #"{"l":[{"x":1}],"id":5}"# + "\n" + #"{"id":null,"d":null,"l":[{"x":2},{"x":3}]}"# + "\n"
    var options = NDJSONOptions()
    options.each = "l"
    let bytes = isUTF16 ? [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } : Array(text.utf8)
    var reader = try NDJSONReader(
      source: ByteSource(bytes: bytes), options: options, columns: .named(["id", "d.k", "l.x"]))
    var batch = RecordBatch()
    var places: [[Int]] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 2)) {
      for record in 0..<batch.recordCount { places.append((0..<3).map { batch.position(record, $0).column }) }
    }
    #expect(places == [[21, 1, 12], [7, 1, 31], [7, 1, 39]])
  }

  @Test("a refused element is one reject with the text of the whole")
  func rejects() throws {
    var options = NDJSONOptions()
    options.each = "l"
    let text = "{\"l\":[{\"a\":1},{\"a\":1,\n"
    let line = #"{"l":[{"a":1},{"a":2},{"a":3,"a":4}]}"#
    var reader = try NDJSONReader(
      source: ByteSource(bytes: Array((line + "\n" + text).utf8)), options: options, columns: .named(["l.a"]))
    var batch = RecordBatch()
    // The rows before the fault do not come, even if they would fill a batch.
    #expect(try reader.read(into: &batch, limit: BatchLimit(records: 1)))
    #expect(batch.recordCount == 0)
    #expect(batch.errors.map(\.code) == [.duplicateMember] && batch.errors[0].raw == Array(line.utf8))
    #expect(batch.errors[0].position == SourcePosition(line: 1, column: 30, byteOffset: 29))
    #expect(try reader.read(into: &batch, limit: BatchLimit(records: 1)))
    #expect(batch.errors.map(\.code) == [.invalidJSON] && batch.errors[0].recordIndex == 1)
    #expect(try !reader.read(into: &batch, limit: BatchLimit(records: 1)))
  }

  @Test("many elements of one record come in batches that take little memory")
  func flat() throws {
    let count = 200_000
    let lines = (0..<count).map { "{\"n\":\($0)}" }.joined(separator: ",")
    let text = "{\"id\":\"\\u0041\",\"l\":[\(lines)]}"
    var options = JSONSequenceOptions()
    options.each = "l"
    var reader = try JSONSequenceReader(
      source: ByteSource(bytes: Array(text.utf8), chunkSize: 100_003), options: options,
      columns: .named(["l.n", "id"]))
    var batch = RecordBatch()
    var next = 0
    while try reader.read(into: &batch, limit: BatchLimit(records: .max, bytes: 1 << 20)) {
      #expect(batch.recordCount <= 1 << 16)
      for record in 0..<batch.recordCount {
        guard batch.records[record].index == next, batch.text(record, 0) == String(next), batch.text(record, 1) == "A"
        else {
          Issue.record("record \(next)")
          return
        }
        next += 1
      }
    }
    #expect(next == count)
  }

  @Test("random records with elements are what a reading of each element says", arguments: Soak.readerSeeds(20))
  func random(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let values = [#""a""#, #""\n\u00e9""#, "1.50", "null", "true", "[1, {}]", #"{"y":"é"}"#, "{}"]
    func value() -> String { values.randomElement(using: &random) ?? "" }
    for _ in 0..<20 {
      var records: [String] = []
      var expected: [String] = []
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let own = value()
        var elements: [String] = []
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
          let x = value()
          elements.append(Bool.random(using: &random) ? "{\"x\" : \(x)}" : "{\"y\":[],\"x\":\(x),\"z\":{}}")
          let element = "{\"o\":\(own),\"x\":\(x)}"
          expected += try Self.read(element, .ndjson(NDJSONOptions()), ["o", "x"], [.max], BatchLimit())
        }
        let list = "\"l\": [\(elements.joined(separator: " ,"))]"
        records.append(Bool.random(using: &random) ? "{\"o\":\(own),\(list)}" : "{\(list) , \"o\":\(own)}")
      }
      let test = EachCase("", records, each: "l", ["o", "l.x"], expected)
      for (text, format) in Self.forms(test) {
        for (size, limit) in [(Int.max, Int.max), (1, 1), (5, 3)] {
          let lines = try Self.read(text, format, test.columns, [size], BatchLimit(records: limit))
          #expect(lines == expected, "seed \(seed): \(text)")
        }
      }
    }
  }
}
