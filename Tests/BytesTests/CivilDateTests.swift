import MergewalkBytes
import Testing

@Suite("Days of the calendar") struct CivilDateTests {
  @Test func everyDayOfFourHundredYearsFollowsTheOneBefore() {
    var previous = CivilDate.daysSince1970(1999, 12, 31)
    for year in 2000..<2400 {
      for month in 1...12 {
        for day in 1...CivilDate.length(ofMonth: month, year: year) {
          let days = CivilDate.daysSince1970(year, month, day)
          let date = CivilDate.date(daysSince1970: days)
          #expect(days == previous + 1 && date.year == year && date.month == month && date.day == day)
          previous = days
        }
      }
    }
    #expect(previous - CivilDate.daysSince1970(1999, 12, 31) == 146_097)
  }

  @Test func datesBeforeTheYearZeroHaveNames() {
    #expect(CivilDate.daysSince1970(2001, 1, 1) == CivilDate.daysTo2001)
    let date = CivilDate.date(daysSince1970: CivilDate.daysSince1970(0, 1, 1) - 1)
    #expect(date.year == -1 && date.month == 12 && date.day == 31)
  }
}
