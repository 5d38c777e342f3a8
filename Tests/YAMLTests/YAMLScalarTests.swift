import Testing
import MergewalkYAML

@Suite struct YAMLScalarTests {
  @Test(
    arguments: [
      ("null", .null), ("~", .null), ("", .null), ("true", .boolean(true)), ("FALSE", .boolean(false)),
      ("no", .string("no")), ("NO", .string("NO")), ("on", .string("on")), ("y", .string("y")),
      ("tRue", .string("tRue")),
      ("12", .integer(12)), ("-0", .integer(0)), ("+7", .integer(7)), ("007", .integer(7)), ("0x1F", .integer(31)),
      ("0o17", .integer(15)), ("0x-1", .string("0x-1")), ("1_000", .string("1_000")), ("1:30", .string("1:30")),
      ("1.", .double(1)), (".5", .double(0.5)), ("-1.5e3", .double(-1500)), ("1e2", .double(100)), (".", .string(".")),
      ("1e", .string("1e")), ("-", .string("-")), (".inf", .double(.infinity)), ("-.INF", .double(-.infinity)),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
      ("2024-01-02", .string("2024-01-02")), ("inf", .string("inf")), ("nan", .string("nan")),
    ] as [(String, YAMLScalar)])
  func `plain text follows the core schema`(text: String, expected: YAMLScalar) {
    #expect(YAMLScalar(plain: text) == expected)
  }

  @Test func `quoted and tagged text is always text`() throws {
    let root = try YAMLDocument.parse("[\"1\", '2', !!str 3, !!int 4, \"\", !x 5]", path: "x")
    #expect(
      root.items?.map(\.scalar) == [
        .string("1"), .string("2"), .string("3"), .integer(4), .string(""), .string("5"),
      ])
  }
}
