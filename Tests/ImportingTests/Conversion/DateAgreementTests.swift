import MergewalkBytes
@testable import MergewalkImporting
import MergewalkObjectModel
@testable import MergewalkRecordFormats
import MergewalkSystem
import MergewalkTestSupport
import Testing

/// Every writer and reader of dates against the calendar of the C library.
@Suite("All writers and readers of dates agree") struct DateAgreementTests {
  /// The days on which calendars go wrong: ends of the range, of months and of centuries, the epochs.
  private static let borders: [Int] =
    [
      CivilDate.daysSince1970(1, 1, 1), CivilDate.daysSince1970(9999, 12, 31), 0, CivilDate.daysTo2001,
      CivilDate.daysSince1970(1582, 10, 4), CivilDate.daysSince1970(1582, 10, 15),
    ]
    + [1, 4, 100, 400, 999, 1000, 1600, 1900, 1999, 2000, 2001, 2024, 2100, 9996].flatMap { year in
      [(1, 1), (2, 28), (3, 1), (12, 31)].map { CivilDate.daysSince1970(year, $0.0, $0.1) }
    }

  /// What the C library says of an instant in seconds since 1970, as `strftime` writes it.
  private static func expected(_ seconds: Int, _ format: String) -> (text: String, year: Int) {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, 64, format, &parts)
    return (
      String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self), Int(parts.tm_year) + 1900
    )
  }

  /// `YYYY-MM-DDThh:mm:ss`; the year by hand, because C libraries disagree about its zeros.
  private static func expectedText(_ seconds: Int) -> String {
    let (rest, year) = expected(seconds, "-%m-%dT%H:%M:%S")
    let digits = String(year)
    return String(repeating: "0", count: 4 - digits.count) + digits + rest
  }

  private static func bytes<R>(_ text: String, _ body: (FieldBytes) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBufferPointer { try body($0) }
  }

  /// ISO 8601, as a pattern.
  private static func pattern() throws -> DatePattern {
    var findings: [DatePattern.Finding] = []
    return try #require(DatePattern.compile("yyyy-MM-dd'T'HH:mm:ssXXX", findings: &findings))
  }

  /// The text in a column that a date in a transform becomes.
  private static func columnText(_ seconds: Double) -> String? {
    var sink = TextBuffer()
    guard ValueText.append(date: seconds, to: &sink) else { return nil }
    return sink.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: Soak.seeds(4))
  func `days of the years 1 to 9999 have one text, which all read`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pattern = try Self.pattern()
    let range = CivilDate.daysSince1970(1, 1, 1)...CivilDate.daysSince1970(9999, 12, 31)
    let days = Self.borders + (0..<500).map { _ in Int.random(in: range, using: &random) }
    for day in days {
      for time in [0, Int.random(in: 0..<86_400, using: &random), 86_399] {
        let since1970 = day * 86_400 + time
        let seconds = Double(since1970 - 978_307_200)
        let stem = Self.expectedText(since1970)
        let text = stem + "Z"
        #expect(DateText.text(seconds) == text, "seed \(seed)")
        #expect(Timestamp(secondsSinceReferenceDate: seconds).description == text, "seed \(seed)")
        #expect(InstantText.text(seconds) == text, "seed \(seed)")
        #expect(Self.columnText(seconds) == text, "seed \(seed)")
        if since1970.magnitude < 100_000_000_000 {
          #expect(RunIdentity.timestamp(Double(since1970)) == stem + ".000Z", "seed \(seed)")
        }
        #expect(DateText.seconds(text) == seconds, "seed \(seed): \(text)")
        #expect(
          try Self.bytes(text) { try ISODateText.parse($0, defaultOffset: 0) } == seconds, "seed \(seed): \(text)")
        #expect(try Self.bytes(text) { try pattern.parse($0, defaultOffset: 0) } == seconds, "seed \(seed): \(text)")
        #expect(Self.bytes(text) { PropertyListScalars.isDate(UnsafeRawBufferPointer($0)) }, "seed \(seed): \(text)")
      }
    }
  }

  @Test(arguments: Soak.seeds(4))
  func `weeks and days of the year are those of the C library`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let range = CivilDate.daysSince1970(1, 1, 1)...CivilDate.daysSince1970(9999, 12, 31)
    // The turns of years have the weeks that are not of their year.
    let turns = (0..<200).map { _ in
      CivilDate.daysSince1970(Int.random(in: 2...9999, using: &random), 1, 1) + Int.random(in: -4...3, using: &random)
    }
    for day in Self.borders + turns + (0..<300).map({ _ in Int.random(in: range, using: &random) }) {
      let seconds = Double(day * 86_400 - 978_307_200)
      let time = try #require(ZonedTime(seconds.bitPattern, zone: 0))
      let (text, _) = Self.expected(day * 86_400, "%V %u %j")
      let numbers = text.split(separator: " ").map { Int($0) }
      #expect([time.week, time.weekday, time.dayOfYear] == numbers, "seed \(seed): day \(day)")
    }
  }

  @Test(arguments: Soak.seeds(4))
  func `fractions come back as the same number`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Close to 2001 a number has more digits behind the point than anywhere else.
    for magnitude in [3, 100, 86_400, 978_307_200, 60_000_000_000] as [Double] {
      for _ in 0..<200 {
        let seconds = Double.random(in: 1..<magnitude, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        let text = InstantText.text(seconds)
        #expect(DateText.seconds(text) == seconds, "seed \(seed): \(text)")
        #expect(
          try Self.bytes(text) { try ISODateText.parse($0, defaultOffset: 0) } == seconds, "seed \(seed): \(text)")
        if let column = Self.columnText(seconds), column.hasSuffix("Z") {
          #expect(DateText.seconds(column) == seconds, "seed \(seed): \(column)")
        }
      }
    }
  }

  @Test(arguments: [
    "2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-10", "2024-01-00", "2024-01-32",
  ])
  func `a day that the calendar lacks is one to no reader`(day: String) throws {
    let text = day + "T00:00:00Z"
    let pattern = try Self.pattern()
    #expect(DateText.seconds(text) == nil && Timestamp(text) == nil)
    #expect(throws: ConversionFailureCode.calendar) {
      try Self.bytes(text) { try ISODateText.parse($0, defaultOffset: 0) }
    }
    #expect(throws: ConversionFailureCode.calendar) { try Self.bytes(text) { try pattern.parse($0, defaultOffset: 0) } }
    #expect(!Self.bytes(text) { PropertyListScalars.isDate(UnsafeRawBufferPointer($0)) })
  }
}
