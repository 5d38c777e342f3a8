import Testing

@testable import MergewalkRecordFormats

@Suite struct YAMLAliasTests {
  @Test func `aliases are the nodes of their anchors`() {
    // The anchor in the fifth record is the key's.
    let text = """
      - &first {a: &x 1, b: &list [1, &y two]}
      - {a: *x, b: *list}
      - *first
      - a: *y
        b: {in: *first, again: *x}
      - &x a: *x
      - {*y : 2, a: *x}
      """
    #expect(
      readYAML(text, .named(["a", "b", "two"])).lines == [
        #"#1|$[1,"two"]|·"#, #"#1|$[1,"two"]|·"#, #"#1|$[1,"two"]|·"#,
        #"two|${"in":{"a":1,"b":[1,"two"]},"again":1}|·"#, "a|·|·", "a|·|#2",
      ])
  }

  @Test func `an anchor may be defined anew, and belongs to its document`() {
    let text = "- &a 1\n- {v: *a}\n- {w: &a 2}\n- {v: *a}\n---\n- {v: *a}\n- {v: 3}\n"
    #expect(
      readYAML(text, .named(["v"])).lines == ["notAnObject@1:3", "#1", "·", "#2", "invalidAlias@6:7", "#3"])
  }

  @Test func `a node that stands in itself is refused`() {
    #expect(
      readYAML("- &a {b: *a}\n- &c [*c]\n- {b: 1}\n", .named(["b"])).lines == [
        "invalidAlias@1:10", "notAnObject@2:3", "#1",
      ])
  }

  @Test func `merge keys add what the mapping does not have`() {
    let text = """
      - &base {a: 1, b: 2, c: {d: 3}}
      - &more {b: 20, e: 5}
      - {<<: *base, b: 9}
      - {b: 9, <<: *base}
      - <<: [*more, *base]
        a: x
      - <<: {a: in, z: 0}
      - &chain {<<: *more, f: 6, b: 7}
      - {<<: *chain}
      - {"<<": *base, a: 8}
      - {<<: *base, <<: *more}
      - {q: {<<: *more, e: 0}}
      """
    #expect(
      readYAML(text, .named(["a", "b", "c", "c.d", "e", "f", "q"])).lines == [
        ##"#1|#2|${"d":3}|#3|·|·|·"##, "·|#20|·|·|#5|·|·", ##"#1|#9|${"d":3}|#3|·|·|·"##, ##"#1|#9|${"d":3}|#3|·|·|·"##,
        ##"x|#20|${"d":3}|#3|#5|·|·"##, "in|·|·|·|·|·|·", "·|#7|·|·|#5|#6|·", "·|#7|·|·|#5|#6|·", "#8|·|·|·|·|·|·",
        ##"#1|#2|${"d":3}|#3|#5|·|·"##, ##"·|·|·|·|·|·|${"e":0,"b":20}"##,
      ])
  }

  @Test func `a merge key takes mappings only`() {
    let text =
      "- {<<: 1}\n- {<<: [a]}\n- {<<: *none}\n- &s x\n- {<<: *s}\n- {a: <<}\n- [<<]\n- {<<: [[{a: 1}]]}\n- {<<: []}\n"
    #expect(
      readYAML(text, .named(["a"])).lines == [
        "invalidAlias@1:4", "invalidAlias@2:4", "invalidAlias@3:8", "notAnObject@4:3", "invalidAlias@5:8", "<<",
        "notAnObject@7:3", "invalidAlias@8:4", "·",
      ])
  }

  @Test func `the records may be an alias`() {
    let text = "all: &all\n  - {a: 1}\n  - {a: 2}\nrecords: *all\n"
    #expect(readYAML(text, .named(["a"])) { $0.records = "records" }.lines == ["#1", "#2"])
  }

  @Test func `aliases that stand for too much are refused at once`() {
    func read(_ text: String, _ column: String, records: String? = nil) -> Reading {
      var options = YAMLOptions()
      options.records = records
      options.maxRecordBytes = 1 << 18
      return Reading.of { () throws(ReadError) in
        try YAMLReader(source: ByteSource(bytes: Array(text.utf8)), options: options, columns: .named([column]))
      }
    }
    var laughs = "a0: &a0 {x: 'lol lol lol'}\n"
    for i in 1...20 {
      laughs += "a\(i): &a\(i) [" + Array(repeating: "*a\(i - 1)", count: 10).joined(separator: ",") + "]\n"
    }
    #expect(read(laughs, "a20").lines == ["expansionLimit@21:12"])
    #expect(read(laughs, "a2").lines.count == 1)
    // Where nobody asks for them, they cost nothing.
    #expect(read(laughs, "b").lines == ["·"])
    // An alias of many records may stand for no more than one record.
    var many = "r: &r {x: \(String(repeating: "x", count: 1000))}\nall: &all ["
    many += Array(repeating: "*r", count: 1000).joined(separator: ",") + "]\nrecords: *all\n"
    let all = read(many, "x", records: "all")
    #expect(all.failure == nil && all.lines.count == 1000 && all.lines.allSatisfy { $0.utf8.count == 1000 })
    let reading = read(many, "x", records: "records")
    #expect(reading.failure == "expansionLimit@3:10")
    #expect(reading.lines.count > 200 && reading.lines.count < 300, "\(reading.lines.count)")
    // Merge keys that merge merge keys.
    var merges = "- &m0 {x: 1}\n"
    for i in 1...40 { merges += "- &m\(i) {<<: [*m\(i - 1), *m\(i - 1)], k\(i): 1}\n" }
    #expect(read(merges, "x").lines.contains { $0.hasPrefix("expansionLimit") })
  }

  @Test func `anchors beyond the limit are forgotten`() {
    let long = String(repeating: "x", count: 900)
    let text =
      "- {a: &x 1, b: &y \(long)}\n- {a: *x, b: *y}\n- {a: &z \(long)}\n- {a: *z}\n- {a: &z 2}\n- {a: *z}\n- {a: *x}\n"
    let reading = readYAML(text, .named(["a"])) { $0.maxAnchorBytes = 1_200 }
    #expect(reading.lines[1] == "#1")
    #expect(reading.lines[3].hasPrefix("expansionLimit@4:7"))
    #expect(reading.lines[5...] == ["#2", "#1"])
  }

  @Test func `anchors that are defined anew make room`() {
    var text = ""
    for i in 0..<2_000 { text += "- {a: &x {v: \(i), w: some text}, b: *x}\n" }
    let reading = readYAML(text, .named(["b.v"])) { $0.maxAnchorBytes = 4_096 }
    #expect(reading.lines == (0..<2_000).map { "#\($0)" })
  }
}
