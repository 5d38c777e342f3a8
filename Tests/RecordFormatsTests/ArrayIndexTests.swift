import Testing

@testable import MergewalkRecordFormats

/// Elements of arrays as columns, and members with an empty name.
@Suite("Elements by their numbers") struct ArrayIndexTests {
  /// A reader of any format.
  private struct Opened: RecordReader {
    var reader: any RecordReader

    var columns: [String] { reader.columns }
    var bytesRead: Int { reader.bytesRead }

    mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
      try reader.read(into: &batch, limit: limit)
    }
  }

  private func lines(_ text: String, _ format: RecordFormat, _ columns: [String]) -> Reading {
    Reading.of { () throws(ReadError) in
      Opened(
        reader: try format.reader(
          stream: ByteSource(bytes: Array(text.utf8), chunkSize: 5).open(), columns: .named(columns), index: 0))
    }
  }

  @Test("JSON counts from the beginning and from the end, in arrays in arrays, and elements are objects or not")
  func json() {
    let columns = ["ll.0", "ll.-1", "ll.1.k", "ll.-3", "ll", "x.0.0"]
    let cases = [
      (#"{"ll":[1.5,{"k":"é\n"},"s"],"x":[[true]]}"#, #"#1.5|«s»|«é⏎»|#1.5|$[1.5,{"k":"é\n"},"s"]|?true"#),
      (#"{"ll":[{"k":1}],"x":[]}"#, #"${"k":1}|${"k":1}|·|·|$[{"k":1}]|·"#),
      (#"{"ll":[],"x":null}"#, "·|·|·|·|$[]|∅"),
      (#"{"ll":{"0":"a","-1":"b","1":{"k":2}}}"#, ##"«a»|«b»|#2|·|${"0":"a","-1":"b","1":{"k":2}}|·"##),
      (#"{"ll":7}"#, "·|·|·|·|#7|·"), (#"{"ll":[null,[2]],"x":[{"0":3}]}"#, "∅|$[2]|·|·|$[null,[2]]|#3"),
    ]
    for (text, expected) in cases {
      #expect(lines(text, .ndjson(.init()), columns) == Reading(lines: [expected]))
      #expect(lines("[\(text)]", .json(.init()), columns) == Reading(lines: [expected]))
      #expect(lines(text, .jsonSequence(.init()), columns) == Reading(lines: [expected]))
    }
    let broken = lines(#"{"ll":[1,{"a":1,"a":2}]}"#, .ndjson(.init()), ["ll.1.a"])
    #expect(broken.lines == ["duplicateMember@1:17"])
  }

  @Test("each may go through an element")
  func each() {
    var options = NDJSONOptions()
    options.each = "a.-1.l"
    #expect(lines(#"{"a":[{},{"l":[1,2]}]}"#, .ndjson(options), ["a.-1.l"]) == Reading(lines: ["#1", "#2"]))
  }

  @Test("YAML and property lists count from the beginning")
  func trees() {
    let columns = ["ll.0", "ll.1.k", "ll.2.0", "ll", "m.0"]
    let yaml = "- ll: [x, {k: 'y'}, [z]]\n  m: {0: q}\n- ll: []\n- &a {ll: [&b {k: 1}, *b]}\n"
    #expect(
      lines(yaml, .yaml(.init()), columns)
        == Reading(lines: [
          #"x|«y»|z|$["x",{"k":"y"},["z"]]|q"#, "·|·|·|$[]|·", ##"${"k":1}|#1|·|$[{"k":1},{"k":1}]|·"##,
        ]))
    let list = "({ ll = (x, { k = \"y\"; }, (z)); m = { 0 = q; }; })"
    #expect(
      lines(list, .propertyList(.init()), columns) == Reading(lines: [#"x|«y»|z|$["x",{"k":"y"},["z"]]|q"#]))
    for format in [RecordFormat.yaml(.init()), .propertyList(.init())] {
      #expect(lines("", format, ["ll.-1"]).failure == "invalidPath")
    }
    #expect(lines("<r/>", .xml(.init()), ["line.0"]).failure == "invalidPath")
  }

  @Test("a member with an empty name is a column")
  func emptyNames() throws {
    for columns in [["", "a.\\e", "a.\\e.b"], ["\\e", "a.\\e", "a.\\e.b"]] {
      #expect(
        lines(#"{"":1,"a":{"":{"b":2}}}"#, .ndjson(.init()), columns) == Reading(lines: [##"#1|${"b":2}|#2"##]))
      #expect(lines("- '': 1\n  a: {'': {b: 2}}\n", .yaml(.init()), columns) == Reading(lines: [##"#1|${"b":2}|#2"##]))
    }
    let reader = try NDJSONReader(source: ByteSource(bytes: Array(#"{"":1,"a.b":2}"#.utf8)))
    #expect(reader.columns == ["\\e", "a\\.b"])
    for path in ["a..b", "a.", ".a", "\\ex", "x\\e"] {
      #expect(lines("{}", .ndjson(.init()), [path]).failure == "invalidPath", "\(path)")
    }
  }

  @Test("the paths of what occurs in records are told for every format")
  func occurringPaths() {
    func paths(_ raw: String, _ format: RecordFormat) -> [String] {
      var paths = OccurringPaths()
      paths.add(Array(raw.utf8), of: format)
      return paths.paths
    }
    let expected = ["a", "a.b", "l", "l.k", "x\\.y"]
    let json = #"{"a":{"b":1},"l":[{"k":1},{"k":2}],"x.y":[[]]}"#
    #expect(paths(json, .ndjson(.init())) == expected && paths(json, .json(.init())) == expected)
    #expect(paths("a: {b: 1}\nl: [{k: 1}, {k: 2}]\nx.y: 1", .yaml(.init())) == expected)
    #expect(paths("{ a = { b = 1; }; l = ({ k = 1; }, { k = 2; }); \"x.y\" = 1; }", .propertyList(.init())) == expected)
    let dictionary = "<dict><key>a</key><dict><key>b</key><true/></dict></dict>"
    #expect(paths(dictionary, .propertyList(.init())) == ["a", "a.b"])
    var options = XMLOptions()
    options.records = "/p:r/i"
    #expect(paths("<i k='1'><p:a q='2'><b/></p:a></i>", .xml(options)) == ["@k", "p:a", "p:a.@q", "p:a.b"])
    #expect(paths("{\"a\":{\"b\":", .json(.init())) == ["a", "a.b"])
    #expect(paths("a,b", .csv(.init())) == [])
  }
}
