import MergewalkRecordFormats
import Testing

/// What is done with documents that JSON allows and tables do not.
@Suite struct JSONPolicyTests {
  private static func read(
    _ text: String, _ columns: ColumnRequest = .all, records: String? = nil, scalars: JSONScalars = .value,
    duplicates: JSONDuplicates = .reject
  ) -> Reading {
    var options = JSONOptions()
    options.records = records
    options.scalars = scalars
    options.duplicates = duplicates
    func read(_ size: Int, _ limit: Int) -> Reading {
      Reading.of(
        { () throws(ReadError) in
          try JSONReader(
            source: ByteSource(bytes: Array(text.utf8), chunkSize: size), options: options, columns: columns)
        }, limit: BatchLimit(records: limit))
    }
    let whole = read(.max, .max)
    for (size, limit) in [(1, 1), (1, 100), (2, 2), (7, 1)] {
      #expect(read(size, limit) == whole, "\(text) in pieces of \(size)")
    }
    return whole
  }

  @Test(
    "with scalars as values, any document is records",
    arguments: [
      ("[1,\"a\\n\",[2],{\"x\":3},null,true]", ["·|#1", "·|«a⏎»", "·|$[2]", "#3|·", "·|∅", "·|?true"]),
      ("{\"a\":1,\n\"b\":[2]}", ["#1|$[2]"]), (" 12 ", ["#12"]), ("\"x\"", ["«x»"]), ("null", ["∅"]), ("[]", []),
      ("{}", [""]), ("[[]]", ["$[]"]), ("{\"value\":{\"value\":1}}", ["${\"value\":1}"]),
    ])
  func values(_ text: String, _ expected: [String]) {
    #expect(Self.read(text) == Reading(lines: expected))
  }

  @Test(
    "with scalars as values, faults are faults",
    arguments: [
      ("", "invalidDocument@1:1"), (" \n", "invalidDocument@2:1"), ("{} {}", "invalidDocument@1:4"),
      ("1 2", "invalidDocument@1:3"), ("[1] x", "invalidDocument@1:5"), ("{\"a\":}", "invalidDocument@1:6"),
      ("tru", "invalidDocument@1:1"), ("{\"a\":1", "invalidDocument@1:7"), ("*", "invalidDocument@1:1"),
    ])
  func faults(_ text: String, _ failure: String) {
    let reading = Self.read(text, .named(["a"]))
    #expect(reading.failure == failure)
    #expect(Self.read(text).failure != nil)
  }

  @Test func `a document that is one record is too long as a record`() {
    var options = JSONOptions()
    options.scalars = .value
    options.maxRecordBytes = 20
    for size in [1, 3, Int.max] {
      let reading = Reading.of { () throws(ReadError) in
        try JSONReader(
          source: ByteSource(bytes: Array("{\"a\":\"12345678901234567890 }\"}\n".utf8), chunkSize: size),
          options: options,
          columns: .named(["a"]))
      }
      #expect(reading == Reading(lines: ["recordTooLong@1:1"]))
    }
  }

  @Test(
    "of members that stand twice the last one counts, if that is asked for",
    arguments: [
      ("[{\"a\":1,\"b\":2,\"a\":3}]", ["#3|#2"]), ("[{\"a\":\"\\n\",\"a\":3}]", ["#3|·"]),
      ("[{\"b\":{\"c\":\"\\t\"},\"b\":{}},{\"b\":{\"c\":1},\"b\":{\"c\":2}}]", ["·|${}|·", "·|${\"c\":2}|#2"]),
      ("[{\"b\":{\"c\":1,\"c\":2},\"b\":null}]", ["·|∅|∅"]),
    ])
  func duplicates(_ text: String, _ expected: [String]) {
    let columns = expected[0].contains("|$") || expected[0].hasSuffix("∅") ? ["a", "b", "b.c"] : ["a", "b"]
    #expect(Self.read(text, .named(columns), duplicates: .last) == Reading(lines: expected))
    let refused = Self.read(text, .named(columns)).lines
    #expect(refused.count == expected.count && refused.allSatisfy { $0.hasPrefix("duplicateMember") })
  }

  @Test func `numbers are kept as they are spelt, of any size`() {
    let numbers = [
      "123456789012345678901234567890", "-0", "1e400", "0.1000000000000000000000000000000000000001", "1E-999",
      "-0.0e+1",
    ]
    let reading = Self.read("[\(numbers.joined(separator: ","))]", .named(["value"]))
    #expect(reading.lines == numbers.map { "#" + $0 })
  }

  @Test("lines that are no objects are values too, if that is asked for")
  func lines() {
    var options = NDJSONOptions()
    options.scalars = .value
    options.duplicates = .last
    let text = "1\n \"\\t\" \r\n[2, 3]\n{\"value\":4,\"value\":5}\nnull\n1 2\n{\"a\":\"\\ud800\"}"
    for size in [1, 3, Int.max] {
      let reading = Reading.of { () throws(ReadError) in
        try NDJSONReader(source: ByteSource(bytes: Array(text.utf8), chunkSize: size), options: options)
      }
      #expect(reading.lines == ["#1", "«\t»", "$[2, 3]", "#5", "∅", "invalidJSON@6:3", "loneSurrogate@7:7"])
    }
  }

  @Test("a path through the elements of an array says what to do instead")
  func severalArrays() {
    func message(_ records: String) -> String? {
      do throws(ReadError) {
        var options = JSONOptions()
        options.records = records
        _ = try JSONReader(source: ByteSource(bytes: Array("[]".utf8)), options: options)
        return nil
      } catch { return error.message }
    }
    #expect(message("$.orders[*].lines[*]")?.contains("“records: $.orders” and “each: lines”") == true)
    #expect(message("$[*].detail.lines")?.contains("“records: $” and “each: detail.lines”") == true)
    #expect(message("$.a[*].b[*].c[*]")?.contains("is not a path to an array") == true)
    #expect(message("$..lines")?.contains("is not a path to an array") == true)
  }

  @Test("YAML and property lists say the same of such paths")
  func severalArraysOfOtherFormats() {
    func message(_ open: () throws(ReadError) -> Void) -> String? {
      do throws(ReadError) {
        try open()
        return nil
      } catch { return error.message }
    }
    func yaml(_ records: String?, each: String? = nil) -> String? {
      var options = YAMLOptions()
      options.records = records
      options.each = each
      return message { () throws(ReadError) in
        let source = ByteSource(bytes: Array("[]".utf8))
        _ = try YAMLReader(source: source, options: options, columns: .named(["a"]))
      }
    }
    func list(_ records: String?, each: String? = nil) -> String? {
      var options = PropertyListOptions()
      options.records = records
      options.each = each
      return message { () throws(ReadError) in
        let source = ByteSource(bytes: Array("()".utf8))
        _ = try PropertyListReader(source: source, options: options, columns: .named(["a"]))
      }
    }
    for found in [yaml("$.orders[*].lines[*]"), list("$.orders[*].lines[*]")] {
      #expect(found?.contains("“records: $.orders” and “each: lines”") == true)
    }
    #expect(yaml("$..lines")?.contains("is not a path to a sequence") == true)
    #expect(list("$..lines")?.contains("is not a path to an array") == true)
    for found in [yaml(nil, each: "a..b"), list(nil, each: "a..b")] {
      #expect(found == "“a..b” is not a path of member names, such as lines or detail.lines")
    }
  }
}
