@testable import MergewalkImporting
import MergewalkObjectModel
@testable import MergewalkRecordFormats
import Testing

/// From the text of a YAML file to the value of an attribute: the Norway problem and its relatives.
@Suite struct YAMLConversionTests {
  /// What the scalar behind `v:` becomes.
  private func value(_ scalar: String, _ type: AttributeType) throws -> Converted {
    var reader = try YAMLReader(
      source: ByteSource(bytes: Array("- v: \(scalar)\n".utf8)), columns: .named(["v"]))
    var batch = RecordBatch()
    guard try reader.read(into: &batch, limit: BatchLimit()), batch.recordCount == 1 else { return .absent }
    return try convert([MadeField(batch.text(0, 0) ?? "", batch.state(0, 0))], type)[0]
  }

  @Test(arguments: [
    "no", "NO", "yes", "on", "y", "010", "1e3", "0x1F", "0o17", "1.0", "1.10", "+3", ".5", "True", "FALSE",
    "2001-01-01", "1_000",
    "12:30:45", ".inf", ".NaN", "0b1", "1.2.3", "-0", "00", "é",
  ])
  func `text keeps its spelling`(_ spelling: String) throws {
    #expect(try value(spelling, .string) == .text(spelling))
    #expect(try value("'\(spelling)'", .string) == .text(spelling))
    #expect(try value("!!str \(spelling)", .string) == .text(spelling))
  }

  @Test(
    arguments: [
      ("~", .string, .null), ("null", .string, .null), ("'null'", .string, .text("null")), ("''", .string, .text("")),
      ("0x1F", .integer64, .integer(31)), ("0o17", .integer32, .integer(15)), ("010", .integer64, .integer(10)),
      ("+3", .integer64, .integer(3)), ("0xFFFF", .integer16, .failed(.valueRange)),
      ("0x7FFFFFFFFFFFFFFF", .integer64, .integer(.max)), ("0x8000000000000000", .integer64, .failed(.valueRange)),
      ("0x10000000000000000", .integer64, .failed(.valueRange)), ("'0x1F'", .integer64, .failed(.valueInteger)),
      ("1e3", .integer64, .failed(.valueInteger)), ("1.0", .integer64, .failed(.valueInteger)),
      ("0x10", .double, .real(16)), ("1e3", .double, .real(1000)), (".5", .double, .real(0.5)),
      ("5.", .double, .real(5)),
      (".inf", .double, .failed(.valueNumber)), (".nan", .double, .failed(.valueNumber)),
      ("true", .boolean, .integer(1)), ("True", .boolean, .integer(1)), ("FALSE", .boolean, .integer(0)),
      ("True", .integer64, .failed(.valueType)), ("2001-01-01", .date, .real(0)), ("[1]", .string, .text("[1]")),
      ("!!binary aGk=", .binary, .blob(Array("hi".utf8))),
    ] as [(String, AttributeType, Converted)])
  func `values convert by the core schema`(_ scalar: String, _ type: AttributeType, _ expected: Converted) throws {
    #expect(try value(scalar, type) == expected)
  }

  @Test func `hexadecimal and octal digits are numbers only where a reader says so`() throws {
    #expect(
      try convert([MadeField("0x10", .text), MadeField("0x10", .quoted)], .integer64) == [
        .failed(.valueInteger), .failed(.valueInteger),
      ])
    #expect(
      try convert([MadeField("0x10", .number), MadeField("0o8", .number)], .integer64) == [
        .integer(16), .failed(.valueNumber),
      ])
  }
}
