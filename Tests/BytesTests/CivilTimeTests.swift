import MergewalkBytes
import Testing

@Suite("Days and times of instants") struct CivilTimeTests {
  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00"), (-1, "2000-12-31T23:59:59"), (-978_307_200, "1970-01-01T00:00:00"),
      (CivilDate.wholeSeconds.lowerBound, "0000-01-01T00:00:00"),
      (CivilDate.wholeSeconds.lowerBound - 1, "-000001-12-31T23:59:59"),
      (CivilDate.wholeSeconds.upperBound, "9999-12-31T23:59:59"),
      (CivilDate.wholeSeconds.upperBound + 1, "+010000-01-01T00:00:00"),
      // The Gregorian calendar repeats every 146,097 days, which are 400 years.
      (86_400 * 146_097 * 2_495, "+1000001-01-01T00:00:00"),
      (-86_400 * 146_097 * 25_000, "-9997999-01-01T00:00:00"),
    ] as [(Int64, String)])
  func instantsHaveTexts(seconds: Int64, text: String) {
    #expect(CivilTime(secondsSince2001: seconds).text == text)
  }

  @Test func daysThatTheCalendarLacksAreNone() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for year in [0, 1, 4, 100, 400, 1900, 1999, 2000, 2001, 2024, 2100, 9999] {
      let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
      for month in -1...14 {
        let length = lengths.indices.contains(month - 1) ? lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) : 0
        for day in -1...33 {
          #expect(CivilDate.isDay(year, month, day) == (day >= 1 && day <= length), "\(year)-\(month)-\(day)")
        }
      }
    }
  }

  @Test func textsHoldInstantsOfFourDigitsAndEighteenPlaces() {
    let (first, last) = (Double(CivilDate.wholeSeconds.lowerBound), Double(CivilDate.wholeSeconds.upperBound))
    for seconds in [first, last, last + 0.5, 0, 1, -1, 1.5] { #expect(CivilTime.hasText(seconds), "\(seconds)") }
    for seconds in [first - 1, last + 1, 0.5, -0.5, .nan, .infinity, -.infinity] {
      #expect(!CivilTime.hasText(seconds), "\(seconds)")
    }
  }
}
