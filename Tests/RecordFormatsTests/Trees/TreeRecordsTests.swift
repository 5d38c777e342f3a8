import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// An event of a tree, for tests.
private indirect enum Node: ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  case list([Node])
  case map([(String, Node)])
  case scalar(String, FieldState)

  init(arrayLiteral elements: Node...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, Node)...) { self = .map(elements) }
  init(integerLiteral value: Int) { self = .scalar(String(value), .number) }
  init(stringLiteral value: String) { self = .scalar(value, .quoted) }
  init(nilLiteral: ()) { self = .scalar("", .null) }
}

/// Feeds nodes to ``TreeRecordBuilder`` and shows what comes out.
private struct Feeder {
  var tree: TreeRecordBuilder
  var batch = RecordBatch()
  /// Each event takes ten bytes of text.
  var offset = 0

  init(
    _ columns: [String], records: String? = nil, each: String? = nil, limit: Int = 1 << 20, takesScalars: Bool = false,
    collectsNames: Bool = false
  ) {
    tree = TreeRecordBuilder(
      records: records.flatMap { JSONRecordsPath($0) } ?? JSONRecordsPath(), each: each.flatMap { EachPath($0) },
      paths: columns.compactMap { JSONPaths.split($0) }, maxRecordBytes: limit, collectsNames: collectsNames)
    tree.takesScalars = takesScalars
    batch.start(columnCount: columns.count, source: 0)
  }

  private mutating func emit(_ isComplete: Bool) {
    guard isComplete, let start = tree.keptFrom else { return }
    let raw = [UInt8](repeating: UInt8(ascii: "r"), count: offset - start)
    raw.withUnsafeBytes { raw in
      tree.emit(raw: raw, into: &batch) { SourcePosition(line: 1, column: $0 + 1, byteOffset: $0) }
    }
  }

  mutating func feed(_ node: Node) {
    let start = offset
    offset += 10
    switch node {
    case .scalar(let text, let state):
      let isComplete = Array(text.utf8).withUnsafeBytes { tree.scalar($0, state, at: start) }
      emit(isComplete)
    case .list(let items):
      tree.beginSequence(at: start)
      for item in items { feed(item) }
      offset += 10
      emit(tree.end(at: offset))
    case .map(let members):
      tree.beginMapping(at: start)
      for (name, value) in members {
        Array(name.utf8).withUnsafeBytes { tree.key($0, at: offset) }
        offset += 10
        feed(value)
      }
      offset += 10
      emit(tree.end(at: offset))
    }
  }

  /// The records of documents.
  static func lines(
    _ documents: Node..., columns: [String], records: String? = nil, each: String? = nil, limit: Int = 1 << 20,
    takesScalars: Bool = false
  ) -> [String] {
    var feeder = Feeder(columns, records: records, each: each, limit: limit, takesScalars: takesScalars)
    for document in documents {
      feeder.tree.beginDocument()
      feeder.feed(document)
    }
    var reading = Reading()
    reading.append(feeder.batch)
    return reading.lines
  }
}

@Suite struct TreeRecordsTests {
  @Test func `columns are found in any order, and absent ones are absent`() {
    let lines = Feeder.lines(
      [["a": 1, "b": 2, "c": 3], ["c": 3, "a": 1], ["x": 0, "b": nil], [:]], columns: ["b", "a", "c"])
    #expect(lines == ["#2|#1|#3", "·|#1|#3", "∅|·|·", "·|·|·"])
  }

  @Test func `a column that is asked for twice is there twice`() {
    #expect(Feeder.lines([["a": 1, "b": "x"], [:]], columns: ["a", "b", "a", "b"]) == ["#1|«x»|#1|«x»", "·|·|·|·"])
  }

  @Test func `mappings and sequences are JSON text, also inside each other`() {
    let record: Node = ["a": ["b": ["c": [1, nil, "x\"\n", [[:], []]], "d": 2], "e": 3], "f": []]
    #expect(
      Feeder.lines([record], columns: ["a", "a.b", "a.b.c", "a.b.d", "a.e", "f"]) == [
        ##"${"b":{"c":[1,null,"x\"\n",[{},[]]],"d":2},"e":3}|${"c":[1,null,"x\"\n",[{},[]]],"d":2}|"##
          + ##"$[1,null,"x\"\n",[{},[]]]|#2|#3|$[]"##
      ])
  }

  @Test func `what is null makes null what would be inside of it`() {
    #expect(
      Feeder.lines([["a": nil], ["a": ["b": nil]], ["a": 1]], columns: ["a.b.c", "a.d"]) == ["∅|∅", "∅|·", "·|·"])
  }

  @Test func `names of paths do not match inside sequences or at other depths`() {
    #expect(
      Feeder.lines([["a": [["b": 1]], "b": 2, "c": ["a": ["b": 3]]]], columns: ["a.b", "b"]) == ["·|#2"])
  }

  @Test func `records stand at a path, in any document`() {
    let document: Node = [
      "x": ["r": [["a": 9]]], "d": ["q": [["a": 8]], "r": [["a": 1], ["a": 2]], "s": 1], "r": [["a": 7]],
    ]
    #expect(Feeder.lines(document, 1, document, columns: ["a"], records: "d.r") == ["#1", "#2", "#1", "#2"])
    #expect(Feeder.lines(["d": ["r": ["a": 3]]], columns: ["a"], records: "d.r") == ["#3"])
    #expect(Feeder.lines(["d": ["r": nil]], columns: ["a"], records: "d.r") == [])
    #expect(Feeder.lines(["d": [["r": [["a": 3]]]]], columns: ["a"], records: "d.r") == [])
    var feeder = Feeder(["a"], records: "d.r")
    feeder.feed(["d": ["q": 1]])
    #expect(!feeder.tree.foundRecords)
    feeder.tree.beginDocument()
    feeder.feed(["d": ["r": []]])
    #expect(feeder.tree.foundRecords)
  }

  @Test func `what is no mapping is refused or becomes a column`() {
    #expect(
      Feeder.lines([1, ["a": 2], [["a": 3]], nil], columns: ["a"]) == [
        "notAnObject@1:11", "#2", "notAnObject@1:61", "notAnObject@1:121",
      ])
    #expect(
      Feeder.lines([1, ["a": 2], [["a": 3]], nil], columns: ["a", "value"], takesScalars: true) == [
        "·|#1", "#2|·", ##"·|$[{"a":3}]"##, "·|∅",
      ])
    #expect(Feeder.lines(nil, [], columns: ["a"]) == [])
    #expect(Feeder.lines("x", columns: ["value"], takesScalars: true) == ["«x»"])
  }

  @Test func `a requested member that stands twice refuses its record alone`() {
    #expect(
      Feeder.lines(
        [["a": 1, "b": 1, "a": 2], ["b": 1, "b": 2, "a": 1], ["c": ["d": 1], "c": ["e": 1]], ["a": 4]],
        columns: ["a", "c.d"])
        == ["duplicateMember@1:61", "#1|·", "duplicateMember@1:231", "#4|·"])
  }

  @Test func `a record that is too long is refused, and the next one is read`() {
    let long: Node = .map((0..<100).map { ("k\($0)", .scalar("v", .quoted)) })
    let nested: Node = ["a": .list((0..<100).map { .scalar("\($0)", .number) })]
    #expect(
      Feeder.lines([long, ["a": 1], nested, ["a": 2]], columns: ["a"], limit: 500) == [
        "recordTooLong@1:11", "#1", "recordTooLong@1:2071", "#2",
      ])
  }

  @Test func `nesting has a limit`() {
    var deep: Node = 1
    for _ in 0..<(JSONScanner.deepest - 1) { deep = .list([deep]) }
    #expect(Feeder.lines([["a": deep]], columns: ["b"]) == ["·"])
    #expect(Feeder.lines([["a": .list([deep])], ["b": 2]], columns: ["b"]).map { $0.prefix(7) } == ["tooDeep", "#2"])
  }

  @Test func `each child is a record with the columns of the whole before and behind it`() {
    let record: Node = ["id": 1, "l": [["s": "x", "n": ["m": 1]], ["s": "y"], ["n": 2]], "z": 9]
    #expect(
      Feeder.lines([record], columns: ["id", "z", "l.s", "l.n.m", "l.n"], each: "l") == [
        ##"#1|#9|«x»|#1|${"m":1}"##, "#1|#9|«y»|·|·", "#1|#9|·|·|#2",
      ])
  }

  @Test func `children may stand inside mappings, be scalars, and be one instead of many`() {
    #expect(
      Feeder.lines(
        [["d": ["l": [1, "b", nil, [3]], "e": 0]], ["d": ["l": "x"]], ["d": ["l": ["s": 1]]]],
        columns: ["d.l", "d.e", "d.l.s"], each: "d.l")
        == [
          "#1|#0|·", "«b»|#0|·", "∅|#0|·", "$[3]|#0|·", "«x»|·|·", ##"${"s":1}|·|#1"##,
        ])
  }

  @Test func `a record without children gives no record`() {
    #expect(
      Feeder.lines([["l": []], ["l": nil], [:], ["d": ["l": [1]]], ["l": [5]]], columns: ["l"], each: "l") == ["#5"])
  }

  @Test func `the JSON text around children is whole`() {
    #expect(
      Feeder.lines(
        [["d": ["l": [1, ["s": 2]], "e": nil]], ["d": ["l": nil, "f": 1]]], columns: ["d", "d.l"], each: "d.l") == [
          ##"${"l":[1,{"s":2}],"e":null}|#1"##, ##"${"l":[1,{"s":2}],"e":null}|${"s":2}"##,
        ])
  }

  @Test func `records with very many children are read in linear time`() {
    let start = ProcessorTime.now
    let lines = Feeder.lines(
      [["l": .list((0..<20_000).map { .map([("s", .scalar("\($0)", .number))]) })]], columns: ["l.s"], each: "l")
    #expect(lines == (0..<20_000).map { "#\($0)" })
    #expect(ProcessorTime.now - start < .seconds(30))
  }

  @Test func `names of members are collected in their order`() {
    var feeder = Feeder([], collectsNames: true)
    feeder.feed([["b": ["x": 1], "a": 1], ["c": 1, "a": 2], [["q": 1]]])
    #expect(feeder.tree.memberNames.map { String(decoding: $0, as: UTF8.self) } == ["b", "a", "c"])
  }

  @Test func `numbers are spelt as JSON demands, with the same value`() {
    func text(_ number: String) -> String {
      var json: [UInt8] = []
      Array(number.utf8).withUnsafeBytes { JSONColumn.append(number: $0, to: &json) }
      return String(decoding: json, as: UTF8.self)
    }
    let cases = [
      ("0", "0"), ("-0", "-0"), ("1e3", "1e3"), ("+12", "12"), ("007", "7"), ("-007.50", "-7.50"), (".5", "0.5"),
      ("5.", "5.0"), ("-.5E+3", "-0.5E+3"), ("5.e3", "5.0e3"), ("00", "0"), ("00.1", "0.1"), ("0x1F", "31"),
      ("0o17", "15"), ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"),
      ("0x10000000000000000", "\"0x10000000000000000\""),
      (".inf", "\".inf\""), ("-.Inf", "\"-.Inf\""), (".nan", "\".nan\""), ("0x+1", "\"0x+1\""),
      ("123456789012345678901234567890", "123456789012345678901234567890"),
    ]
    for (number, expected) in cases { #expect(text(number) == expected) }
  }
}
