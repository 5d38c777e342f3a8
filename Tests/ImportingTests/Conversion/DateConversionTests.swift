import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct DateConversionTests {
  @Test(
    arguments: [
      ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00Z", -978_307_200),
      ("2024-02-29", 730_857_600), ("2000-02-29T23:59:59Z", -26_438_401), ("2024-01-31T12:34:56+02:00", 728_390_096),
      ("2024-01-31T12:34:56+0200", 728_390_096), ("2024-01-31T12:34:56+02", 728_390_096),
      ("2024-01-31 12:34:56 +0200", 728_390_096), ("2024-01-31t12:34:56z", 728_397_296),
      ("2024-01-31T12:34", 728_397_240),
      ("2024-01-31T12:34:56.5Z", 728_397_296.5), ("2024-01-31T12:34:56,25Z", 728_397_296.25),
      ("2024-01-31T12:34:56.123456789Z", 728_397_296.123456789), ("2024-01-31T24:00:00Z", 728_438_400),
      ("2024-01-31T12:34:56.00000000000000000000000000000001Z", 728_397_296),
      ("0000-01-01", -63_145_526_400), ("9999-12-31T23:59:59Z", 252_423_993_599), ("0001-01-01", -63_113_904_000),
      // The nearest number is the start of the year 10000.
      ("9999-12-31T23:59:59.999999Z", 252_423_993_600.0.nextDown), ("2024-01-31T12:34-08:00", 728_426_040),
      ("9999-12-31T23:59:59.9999999999Z", 252_423_993_600.0.nextDown),
    ] as [(String, Double)])
  func isoDatesBecomeSecondsSince2001(text: String, expected: Double) throws {
    #expect(try convert(text, .date) == .real(expected))
  }

  @Test(arguments: [
    ("31.02.2024", RejectCode.valueDate), ("2024-1-1", .valueDate), ("2024/01/01", .valueDate),
    ("20240101", .valueDate),
    ("2024-01-31T", .valueDate), ("2024-01-31T12", .valueDate), ("2024-01-31T12:3", .valueDate),
    ("2024-01-31T12:34:5", .valueDate), ("2024-01-31T12:34:56.", .valueDate), ("2024-01-31T12:34:56x", .valueDate),
    ("2024-01-31T12:34:56+", .valueDate), ("2024-01-31T12:34:56+2", .valueDate),
    ("2024-01-31T12:34:56+02:", .valueDate),
    ("2024-01-31T12:34:56+02:0", .valueDate), ("2024-01-31T12:34:56Z ", .valueDate),
    ("2024-01-31T12:34:56 ", .valueDate),
    (" 2024-01-31", .valueDate), ("2024-01-31_12:34", .valueDate), ("now", .valueDate), ("12024-01-31", .valueDate),
    ("2024-0a-01", .valueDate), ("-024-01-01", .valueDate), ("2024-01-31T12-34", .valueDate),
    ("2023-02-29", .valueCalendar), ("1900-02-29", .valueCalendar), ("2100-02-29", .valueCalendar),
    ("2024-02-30", .valueCalendar), ("2024-04-31", .valueCalendar), ("2024-13-01", .valueCalendar),
    ("2024-00-01", .valueCalendar), ("2024-01-00", .valueCalendar), ("2024-01-32", .valueCalendar),
    ("2024-01-31T25:00:00Z", .valueCalendar), ("2024-01-31T24:00:01Z", .valueCalendar),
    ("2024-01-31T24:00:00.1Z", .valueCalendar), ("2024-01-31T12:60:00Z", .valueCalendar),
    ("2016-12-31T23:59:60Z", .valueCalendar), ("2024-01-31T12:34:56+24:00", .valueCalendar),
    ("2024-01-31T12:34:56+02:60", .valueCalendar),
  ])
  func otherTextsAreRejected(text: String, code: RejectCode) throws {
    #expect(try convert(text, .date) == .failed(code))
  }

  @Test(arguments: [
    "9999-12-31T23:59:59-01:00", "9999-12-31T23:00:00-01", "0000-01-01T00:00:00+00:01", "9999-12-31T24:00:00Z",
    "9999-12-31T23:00:00.999999-01",
  ])
  func instantsOfOtherYearsAreRejected(text: String) throws {
    #expect(try convert(text, .date) == .failed(.valueRange))
    #expect(try convert("9999-12-31", .date) { $0.conversion.timeZoneOffset = -3_600 } == .real(252_423_910_800))
    #expect(try convert("0000-01-01", .date) { $0.conversion.timeZoneOffset = 3_600 } == .failed(.valueRange))
    #expect(
      try convert("253402300799.9999999999", .date) { $0.conversion.dateFormat = .secondsSince1970 }
        == .failed(.valueRange))
  }

  @Test func datesWithoutZoneTakeTheFieldsZone() throws {
    let offset = 2 * 3_600
    #expect(try convert("2001-01-01", .date) { $0.conversion.timeZoneOffset = offset } == .real(-7_200))
    #expect(try convert("2001-01-01T02:00", .date) { $0.conversion.timeZoneOffset = offset } == .real(0))
    #expect(try convert("2001-01-01T02:00Z", .date) { $0.conversion.timeZoneOffset = offset } == .real(7_200))
  }

  @Test(arguments: [UInt64(31), 32, 33])
  func randomInstantsAgreeWithFoundationsCalendar(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var texts: [MadeField] = []
    var expected: [Converted] = []
    var patterned: [MadeField] = []
    for _ in 0..<2_000 {
      // From 1583 on, since Foundation's calendar is the Julian one before.
      let seconds = Double(Int64.random(in: -13_191_033_600...252_423_993_599, using: &generator))
      let milliseconds = Int.random(in: 0...999, using: &generator)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSinceReferenceDate: seconds))
      let (year, month, day) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      let (hour, minute, second) = (parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
      texts.append(
        MadeField(
          String(format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month, day, hour, minute, second, milliseconds)))
      patterned.append(
        MadeField(
          String(format: "%02d.%02d.%04d %02d:%02d:%02d,%03d", day, month, year, hour, minute, second, milliseconds)))
      expected.append(.real((seconds * 1_000 + Double(milliseconds)) / 1_000))
    }
    #expect(try convert(texts, .date) == expected, "seed \(seed)")
    let result = try convert(patterned, .date) { $0.conversion.dateFormat = .pattern("dd.MM.yyyy HH:mm:ss,SSS") }
    #expect(result == expected, "seed \(seed)")
  }

  @Test(
    arguments: [
      ("dd.MM.yyyy", "31.01.2024", .real(728_352_000)), ("dd.MM.yyyy", "1.01.2024", .failed(.valueDate)),
      ("d.M.yyyy", "1.1.2024", .real(725_760_000)), ("d.M.yyyy", "31.12.2024", .real(757_296_000)),
      ("yyyyMMdd", "20240131", .real(728_352_000)), ("yyyyMMdd'T'HHmmss", "20240131T123456", .real(728_397_296)),
      ("MM/dd/yyyy hh:mm a", "01/31/2024 12:30 AM", .real(728_353_800)),
      ("MM/dd/yyyy hh:mm a", "01/31/2024 12:30 pm", .real(728_397_000)),
      ("MM/dd/yyyy hh:mm a", "01/31/2024 00:30 AM", .failed(.valueCalendar)),
      ("MM/dd/yyyy hh:mm a", "01/31/2024 13:30 PM", .failed(.valueCalendar)),
      ("dd/MMM/yyyy:HH:mm:ss Z", "31/Jan/2024:12:34:56 +0200", .real(728_390_096)),
      ("EEE, dd MMM yyyy HH:mm:ss Z", "Wed, 31 Jan 2024 12:34:56 +0000", .real(728_397_296)),
      ("EEE, dd MMM yyyy HH:mm:ss Z", "Tue, 31 Jan 2024 12:34:56 +0000", .failed(.valueCalendar)),
      ("EEEE d MMMM yyyy", "Wednesday 31 January 2024", .real(728_352_000)),
      ("d MMMM yyyy", "31 january 2024", .real(728_352_000)), ("d MMMM yyyy", "31 Jan 2024", .failed(.valueDate)),
      ("d MMM yyyy", "30 Feb 2024", .failed(.valueCalendar)),
      ("yyyy-MM-dd'T'HH:mm:ssXXX", "2024-01-31T12:34:56+02:00", .real(728_390_096)),
      ("yyyy-MM-dd'T'HH:mm:ssXXX", "2024-01-31T12:34:56Z", .real(728_397_296)),
      ("yyyy-MM-dd'T'HH:mm:ssXXX", "2024-01-31T12:34:56+0200", .failed(.valueDate)),
      ("yyyy-MM-dd HH:mmX", "2024-01-31 12:34+02", .real(728_390_040)),
      ("yyyy-MM-dd HH:mmxx", "2024-01-31 12:34Z", .failed(.valueDate)),
      ("yyyy-MM-dd HH:mm:ss.SSS", "2024-01-31 12:34:56.125", .real(728_397_296.125)),
      ("yyyy-MM-dd HH:mm:ss.SSS", "2024-01-31 12:34:56.12", .failed(.valueDate)),
      ("yyyy 'o''clock' MM dd", "2024 o'clock 01 31", .real(728_352_000)),
      ("''yyyy-MM-dd", "'2024-01-31", .real(728_352_000)),
      ("yyyy年MM月dd日", "2024年01月31日", .real(728_352_000)), ("dd.MM.yyyy", "31.02.2024", .failed(.valueCalendar)),
      ("dd.MM.yyyy", "31.01.2024 ", .failed(.valueDate)), ("dd.MM.yyyy", "31.01.20", .failed(.valueDate)),
    ] as [(String, String, Converted)])
  func patternsFollowUTS35(pattern: String, text: String, expected: Converted) throws {
    #expect(try convert(text, .date) { $0.conversion.dateFormat = .pattern(pattern) } == expected)
  }

  @Test(arguments: [
    ("YYYY-MM-dd", "calendar year is yyyy"), ("yyyy-mm-dd", "months are MM"), ("dd.MM.yy", "four digits"),
    ("yyyy-MM-DD", "day of the month is dd"), ("yyyy-MM-dd kk:mm", "HH"), ("yyyy-MM-dd hh:mm", "0-23 are HH"),
    ("yyyy-MM-dd HH:mm a", "use hh"), ("yyyy-MM-ddTHH:mm", "'T'"), ("HH:mm", "year is yyyy"), ("yyyy-MM", "day is dd"),
    ("yyyy-MM-dd z", "zones are numbers"), ("yyyy-MM-dd yyyy", "two fields"), ("yyyy-MM-dd 'x", "never closed"),
    ("yyyy-MM-dd Q", "does not support"), ("yyyy-MM-dd HH:mm:ss Z Z", "two zones"),
    ("yyyy-MM-dd HH:mm SSS", "no seconds"), ("%d.%m.%Y", "write “dd.MM.yyyy”"),
    ("%Y-%m-%dT%H:%M:%S.%f%z", "write “yyyy-MM-dd'T'HH:mm:ss.SSSSSSZ”"), ("%F %T", "write “yyyy-MM-dd HH:mm:ss”"),
  ])
  func badPatternsAreFindingsWithAdvice(pattern: String, advice: String) {
    var findings: [DatePattern.Finding] = []
    #expect(DatePattern.compile(pattern, findings: &findings) == nil)
    let words = findings.map { $0.message + "; " + ($0.hint ?? "") }.joined(separator: "\n")
    #expect(words.contains(advice), "\(words)")
  }

  @Test(
    arguments: [
      (.secondsSince1970, "0", .real(-978_307_200)), (.secondsSince1970, "978307200", .real(0)),
      (.secondsSince1970, "978307200.25", .real(0.25)), (.secondsSince1970, "-0.5", .real(-978_307_200.5)),
      (.secondsSince1970, "1.7e9", .real(721_692_800)), (.secondsSince1970, "1700000000123", .failed(.valueRange)),
      (.secondsSince1970, "2024-01-01", .failed(.valueNumber)), (.secondsSince1970, "1e300", .failed(.valueRange)),
      (.millisecondsSince1970, "1700000000123", .real(721_692_800.123)),
      (.millisecondsSince1970, "-1", .real(-978_307_200.001)),
      (.millisecondsSince1970, "0", .real(-978_307_200)), (.millisecondsSince1970, "978307200000.5", .real(0.0005)),
      (.secondsSince2001, "0", .real(0)), (.secondsSince2001, "-1.5", .real(-1.5)), (.secondsSince2001, "-0", .real(0)),
      (.secondsSince2001, "252423993599", .real(252_423_993_599)),
      (.secondsSince2001, "252423993600", .failed(.valueRange)),
      (.secondsSince2001, "x", .failed(.valueNumber)),
    ] as [(ConversionOptions.DateFormat, String, Converted)])
  func countsOfSecondsAreExact(format: ConversionOptions.DateFormat, text: String, expected: Converted) throws {
    #expect(try convert(text, .date) { $0.conversion.dateFormat = format } == expected)
  }
}
