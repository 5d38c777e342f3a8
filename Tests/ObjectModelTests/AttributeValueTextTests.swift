import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct AttributeValueTextTests {
  @Test(
    arguments: [
      ("5", .integer16, .integer(5)), ("-9223372036854775808", .integer64, .integer(.min)),
      ("9223372036854775807", .integer64, .integer(.max)), ("9223372036854775808", .integer64, nil),
      ("0.0", .integer32, .integer(0)), ("12.000", .integer32, .integer(12)), ("1e3", .integer32, .integer(1000)),
      ("1.5", .integer32, nil), ("", .integer32, nil), ("one", .integer32, nil),
      ("1.50", .decimal, .decimal(DecimalNumber(significand: 15, exponent: -1))), ("x", .decimal, nil),
      ("0.1", .double, .double(0.1)), ("0.1", .float, .double(Double(Float(0.1)))), ("inf", .double, nil),
      ("nan", .double, nil), ("YES", .boolean, .boolean(true)), ("NO", .boolean, .boolean(false)),
      ("2", .boolean, nil), ("", .string, .string("")), ("https://a.b", .uri, .uri("https://a.b")),
      (
        "00112233-4455-6677-8899-AAbbCCddEEff", .uuid,
        .uuid(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF)
      ),
      ("00112233-4455-6677-8899-AAbbCCddEEf", .uuid, nil), ("0011223344556677-8899-AAbbCCddEEff", .uuid, nil),
      ("00112233-4455-6677-8899-AAbbCCddEEf\u{E9}", .uuid, nil), ("2001-01-01", .date, .date(0)), ("x", .binary, nil),
      ("x", .transformable, nil), ("x", .objectID, nil), ("x", .composite, nil), ("x", .undefined, nil),
    ] as [(String, AttributeType, AttributeValue?)])
  func `the text of a value is read by type`(text: String, type: AttributeType, expected: AttributeValue?) {
    #expect(AttributeValue(text: text, type: type) == expected)
  }

  @Test(
    arguments: [
      ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2013-04-23 12:00:00 +0000", 388_411_200),
      ("2010-01-01 01:00", 284_000_400), ("1970-01-01T00:00:00Z", -978_307_200),
      ("2000-02-29T23:59:59.5Z", -26_438_400.5),
      ("2001-01-01T01:00:00+01:00", 0), ("2000-12-31T22:30:00-0130", 0), ("0001-01-01", -63_113_904_000),
      ("0000-01-01", -63_145_526_400), ("0000-01-01T00:00:00+00:01", nil), ("9999-12-31T23:59:59-01:00", nil),
      ("9999-12-31T23:59:59.999999Z", 252_423_993_600.0.nextDown), ("9999-12-31T23:59:59Z", 252_423_993_599),
      ("2001-02-29", nil), ("1900-02-29", nil), ("2001-13-01", nil), ("2001-00-01", nil), ("2001-01-32", nil),
      ("2001-01-01T24:00", 86_400), ("2001-01-01T24:01", nil), ("2001-01-01t01:00:00,5+01", 0.5),
      // Seconds and fraction are rounded once, together.
      ("2000-12-31T23:59:59.7Z", -0.3), ("2001-01-01T01:00:00.1+01:00", 0.1),
      ("0000-01-01T00:00+01:00", nil), ("9999-12-31T23:59-00:01", nil),
      ("2001-01-01T00:60", nil), ("2001-01-01T", nil), ("2001-01-01T00:00:00 UTC", nil),
      ("2001-1-1", nil), ("today", nil), ("", nil), ("2001-01-01T00:00:00.", nil), ("2001-01-01Z", nil),
    ] as [(String, Double?)])
  func `dates are read exactly or not at all`(text: String, expected: Double?) {
    #expect(DateText.seconds(text) == expected)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `dates survive writing and reading, as Foundation reads them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let seconds = Double(Int.random(in: -63_113_904_000..<252_423_993_600, using: &random))
    let text = try #require(DateText.text(seconds))
    #expect(DateText.seconds(text) == seconds, "seed \(seed): \(text)")
    let formatter = ISO8601DateFormatter()
    // Foundation's calendar is the Julian one before 1582.
    if seconds > -13_197_600_000 {
      #expect(formatter.date(from: text)?.timeIntervalSinceReferenceDate == seconds, "seed \(seed): \(text)")
    }
  }

  @Test func `a date that the text cannot hold has no text`() {
    #expect(DateText.text(0.5) == nil)
    #expect(DateText.text(1e300) == nil)
    #expect(DateText.text(.nan) == nil)
    #expect(DateText.text(.infinity) == nil)
    #expect(DateText.text(252_423_993_600) == nil)
    #expect(DateText.text(252_423_993_599) == "9999-12-31T23:59:59Z")
    #expect(DateText.text(-63_113_904_000) == "0001-01-01T00:00:00Z")
    #expect(DateText.text(-63_145_526_400) == "0000-01-01T00:00:00Z" && DateText.text(-63_145_526_401) == nil)
  }
}
