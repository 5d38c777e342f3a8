import MergewalkDiagnostics
import Testing

@testable import MergewalkRecordFormats

/// Reads YAML in many ways of arriving, which must all give the same.
func readYAML(
  _ text: String, _ columns: ColumnRequest = .all, limit: BatchLimit = BatchLimit(),
  _ change: (inout YAMLOptions) -> Void = { _ in }
) -> Reading {
  var options = YAMLOptions()
  change(&options)
  func read(_ sizes: [Int], _ limit: BatchLimit) -> Reading {
    Reading.of(
      { () throws(ReadError) in
        try YAMLReader(
          source: ByteSource(bytes: Array(text.utf8), chunkSizes: sizes), options: options, columns: columns)
      }, limit: limit)
  }
  let whole = read([Int.max], limit)
  for sizes in arrivals(Array(text.utf8)) where text.utf8.count < 5_000 { #expect(read(sizes, limit) == whole) }
  for records in [1, 3] { #expect(read([Int.max], BatchLimit(records: records)) == whole) }
  return whole
}

@Suite struct YAMLReaderTests {
  @Test func `the items of a sequence are records`() {
    let reading = readYAML("- a: 1\n  b: x\n- a: 2\n- b: 'y z'\n  c: [1, 2]\n", .named(["a", "b", "c"]))
    #expect(reading == Reading(lines: ["#1|x|·", "#2|·|·", "·|«y z»|$[1,2]"]))
  }

  @Test func `a mapping is one record, and each document of a stream gives its own`() {
    let reading = readYAML("a: 1\n---\na: 2\n...\n---\n- a: 3\n- a: 4\n---\n---\na: 5\n", .named(["a"]))
    #expect(reading == Reading(lines: ["#1", "#2", "#3", "#4", "#5"]))
  }

  @Test func `an empty stream has no records`() {
    for text in ["", "# nothing\n", "---\n", "---\n...\n", "~", "[]", "\u{FEFF}", "\u{FEFF}# x"] {
      #expect(readYAML(text, .named(["a"])) == Reading(lines: []))
    }
  }

  @Test func `plain scalars keep their spelling and have the states of the core schema`() {
    let text = """
      - [~, null, Null, NULL, '', nULL, "null"]
      - [true, True, TRUE, tRUE, false, False, FALSE, yes, no, NO, on, off, y]
      - [0, 010, -12, +12, 0x1F, 0o17, 0b1, 1_000, 1e3, 1.0, .5, 5., -.5e-3, +.inf, .NaN, -.nan, ., +, 1.2.3, 0x, 0x1g]
      - [2001-01-01, 12:30, 1,000]
      - [!!str 12, ! 12, !!int "12", !!null x, !!bool true, !foo 12, !!binary aGk=, !!float 3]
      """
    let lines = readYAML(text) { $0.takesScalars = true }.lines
    #expect(
      lines == [
        #"$[null,null,null,null,"","nULL","null"]"#,
        #"$[true,true,true,"tRUE",false,false,false,"yes","no","NO","on","off","y"]"#,
        #"$[0,10,-12,12,31,15,"0b1","1_000",1e3,1.0,0.5,5.0,-0.5e-3,"+.inf",".NaN","-.nan",".","+","1.2.3","0x","0x1g"]"#,
        #"$["2001-01-01","12:30",1,0]"#,
        #"$["12","12",12,"x",true,"12","aGk=",3]"#,
      ])
    let columns = readYAML(
      "- {a: no, b: 010, c: 0x1F, d: True, e: 1e3, f: 2001-01-01, g: ~, h: '1', i: !!str 1, j: .inf}\n",
      .named(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]))
    #expect(columns.lines == ["no|#010|#0x1F|?True|#1e3|2001-01-01|∅|«1»|«1»|#.inf|·"])
  }

  @Test func `scalars of every style are the text that YAML means`() {
    let text = """
      - plain: two
          lines
        single: 'it''s'
        double: "a\\tb\\x41\\u00e9\\N"
        literal: |
          one
           two

        folded: >-
          one
          two
        keep: |+
          x

        strip: |-
          y
      - plain: last

      """
    let reading = readYAML(text, .named(["plain", "single", "double", "literal", "folded", "keep", "strip"]))
    #expect(
      reading.lines == [
        "two lines|«it's»|«a\tbAé\u{85}»|«one⏎ two⏎»|«one two»|«x⏎⏎»|«y»", "last|·|·|·|·|·|·",
      ])
  }

  @Test func `columns are paths, and a dot in a name is escaped`() {
    let reading = readYAML(
      "- {a: {b: {c: 1}}, a.b: 2}\n- {a: {b: 3}}\n- {a: 4}\n",
      .named(["a.b.c", "a.b", #"a\.b"#, "a"]))
    #expect(reading.lines == [#"#1|${"c":1}|#2|${"b":{"c":1}}"#, #"·|#3|·|${"b":3}"#, "·|·|·|#4"])
  }

  @Test func `records have their positions and their text`() throws {
    let text = "# x\n- a: é\n  b: 'ü\"'\n-   {a: 2,\n    b: 3}\n- a: |\n    x\n  # behind\n- 5\n"
    var reader = try YAMLReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["b", "a"]))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 3 && batch.errors.count == 1)
    #expect((0..<3).map { batch.records[$0].line } == [2, 4, 6])
    #expect((0..<3).map { batch.records[$0].column } == [3, 5, 3])
    #expect(
      (0..<3).map { String(decoding: batch.raw($0), as: UTF8.self) } == [
        "a: é\n  b: 'ü\"'", "{a: 2,\n    b: 3}", "a: |\n    x",
      ])
    for record in 0..<3 {
      let offset = batch.records[record].byteOffset
      #expect(Array(text.utf8)[offset...].starts(with: batch.raw(record)))
    }
    #expect(batch.position(0, 0) == SourcePosition(line: 3, column: 6, byteOffset: 17))
    #expect(batch.position(1, 0) == SourcePosition(line: 5, column: 8, byteOffset: 41))
    #expect(batch.errors[0].position.line == 9 && batch.errors[0].position.column == 3)
    #expect(batch.errors[0].code == .notAnObject && batch.errors[0].raw == [UInt8(ascii: "5")])
  }

  @Test func `all columns are the members of the first records`() {
    let reading = readYAML("- b: 1\n  a: {x: 1}\n- c.d: 2\n  b: 3\n")
    #expect(reading.lines == [#"#1|${"x":1}|·"#, "#3|·|#2"])
  }

  @Test func `records stand at a path`() {
    let text = "meta: {items: [9]}\ndata:\n  note: x\n  items:\n    - a: 1\n    - a: 2\nrest: [1, {a: 3}]\n"
    #expect(readYAML(text, .named(["a"])) { $0.records = "data.items" } == Reading(lines: ["#1", "#2"]))
    #expect(readYAML(text, .named(["a"])) { $0.records = "$.data.items[*]" } == Reading(lines: ["#1", "#2"]))
    #expect(readYAML(text, .named(["note"])) { $0.records = "data" } == Reading(lines: ["x"]))
    #expect(readYAML(text, .named(["a"])) { $0.records = "data.none" } == Reading(failure: "missingRecords"))
    #expect(readYAML("[1]", .named(["a"])) { $0.records = "a..b" } == Reading(failure: "invalidOption"))
    #expect(readYAML("---\nx: 1\n---\nr: [{a: 1}]\n", .named(["a"])) { $0.records = "r" } == Reading(lines: ["#1"]))
  }

  @Test func `a scalar where the records of another document stand is refused`() {
    let refused = "notAnObject@1:8"
    func read(_ text: String) -> Reading { readYAML(text, .named(["a"])) { $0.records = "items" } }
    #expect(read("items: text\n---\nitems: [{a: 1}]\n") == Reading(lines: [refused, "#1"]))
    #expect(read("items: [{a: 1}]\n---\nitems: 5\n") == Reading(lines: ["#1", "notAnObject@3:8"]))
    #expect(read("items: ~\n---\nitems: [{a: 1}]\n") == Reading(lines: ["#1"]))
    // Where no document has records, the path is wrong.
    #expect(read("items: text\n").failure == "missingRecords")
  }

  @Test func `what is no mapping is refused, or is a column`() {
    let text = "- 1\n- [a]\n- a: 2\n- x y\n-\n"
    #expect(
      readYAML(text, .named(["a"])).lines == [
        "notAnObject@1:3", "notAnObject@2:3", "#2", "notAnObject@4:3", "notAnObject@5:2",
      ])
    #expect(
      readYAML(text, .named(["value", "a"])) { $0.takesScalars = true }.lines == [
        "#1|·", #"$["a"]|·"#, "·|#2", "x y|·", "∅|·",
      ])
    #expect(readYAML("plain", .named(["a"])).lines == ["notAnObject@1:1"])
  }

  @Test func `a requested member that stands twice refuses its record`() {
    let reading = readYAML("- {a: 1, b: 2, a: 3}\n- {a: 1, b: 2, b: 3}\n- a: 1\n  \"a\": 2\n", .named(["a"]))
    #expect(reading.lines == ["duplicateMember@1:16", "#1", "duplicateMember@4:3"])
  }

  @Test func `each child of a record is a record with the columns of both`() {
    let text = """
      - id: 1
        lines: [{sku: a, n: 1}, {sku: b}]
        note: x
      - {id: 2, lines: []}
      - {id: 3, lines: {sku: c}}
      - {id: 4, lines: ~}
      - {id: 5}
      - {id: 6, lines: [7, [8]], note: y}
      """
    let reading = readYAML(text, .named(["id", "lines.sku", "lines.n", "lines", "note"])) { $0.each = "lines" }
    #expect(
      reading.lines == [
        ##"#1|a|#1|${"sku":"a","n":1}|x"##, ##"#1|b|·|${"sku":"b"}|x"##, ##"#3|c|·|${"sku":"c"}|·"##,
        "#6|·|·|#7|y", "#6|·|·|$[8]|y",
      ])
  }

  @Test func `keys that are no scalars are named by their JSON text`() {
    let text = "- ? [a, {b: 1}]\n  : 1\n  ? {x: y}\n  : 2\n  ~: 3\n  1: 4\n"
    let columns = [#"["a",{"b":1}]"#, #"{"x":"y"}"#, "~", "1"]
    #expect(readYAML(text, .named(columns)).lines == ["#1|#2|#3|#4"])
    #expect(readYAML("? [a]\n: {a: 1}\n", .named(["a"])).lines == ["·"])
  }

  @Test func `a fault of the syntax ends the reading behind the records before it`() {
    #expect(
      readYAML("- a: 1\n- a: 2\n- a: [\n", .named(["a"]))
        == Reading(lines: ["#1", "#2"], failure: "invalidDocument@4:1"))
    #expect(readYAML("a: b: c\n", .named(["a"])) == Reading(failure: "invalidDocument@1:5"))
    #expect(readYAML("é: é: c\n", .named(["a"])) == Reading(failure: "invalidDocument@1:7"))
  }

  @Test func `bytes that are no text refuse their record`() {
    func read(_ bytes: [UInt8]) -> Reading {
      Reading.of { () throws(ReadError) in
        try YAMLReader(source: ByteSource(bytes: bytes), columns: .named(["a"]))
      }
    }
    let good = Array("- a: é\n".utf8)
    for (bad, code) in [
      ([0xFF], "invalidText"), ([0xA9], "invalidText"), ([0], "nulByte"), ([7], "invalidText"),
      ([0xC2, 0x80], "invalidText"), ([0xEF, 0xBF, 0xBF], "invalidText"), ([0xE2, 0x82], "invalidText"),
    ]
      as [([UInt8], String)]
    {
      let bytes = good + Array("- a: é".utf8) + bad + Array("y\n".utf8) + good
      #expect(read(bytes) == Reading(lines: ["é", "\(code)@2:8", "é"]))
      #expect(read(good + Array("# ".utf8) + bad + [10] + good).failure == "invalidDocument@2:3")
    }
  }

  @Test func `text in UTF-16 is read by its mark, with offsets of the file`() throws {
    let text = "- a: é\n- a: 😀\n  b: [x, {}]\n- 7\n"
    let bytes: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for size in [1, 7, Int.max] {
      var reader = try YAMLReader(source: ByteSource(bytes: bytes, chunkSize: size), columns: .named(["a", "b"]))
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      #expect((0..<2).map { batch.text($0, 0) } == ["é", "😀"])
      #expect((0..<2).map { batch.records[$0].byteOffset } == [6, 20])
      #expect(batch.errors.map(\.position.byteOffset) == [62])
    }
  }
}
