import MergewalkBytes
import MergewalkDiagnostics
package import MergewalkRecordFormats

/// A profile of the values of one column, counted value by value; only the first odd ones are made strings.
package struct ColumnProfile: Sendable {
  // MARK: Cells

  package internal(set) var records = 0
  /// Records without the column.
  package internal(set) var absent = 0
  package internal(set) var nulls = 0
  /// Empty texts without quotes.
  package internal(set) var empty = 0
  /// Empty texts in quotes, as JSON and CSV have them.
  package internal(set) var emptyQuoted = 0
  /// Texts of nothing but blanks.
  var blank = 0
  /// Everything else.
  package internal(set) var values = 0

  /// How often each of `NullTokenEvidence.plainWords` stands without quotes.
  package internal(set) var plainNulls: [String: Int] = [:]

  // MARK: Values

  var booleans = 0
  /// Objects and lists.
  var structures = 0
  var lists = 0
  /// Strings of a format that has numbers and Booleans, too; they are texts whatever they look like, but for dates and
  /// UUIDs.
  var strings = 0
  var uuids = 0
  /// Values with blanks around them.
  var padded = 0
  /// How often each of ``nullSpellings`` occurs.
  var nullCounts = [Int](repeating: 0, count: ColumnProfile.nullSpellings.count)

  var numbers = 0
  /// The forms that all numbers fit.
  var forms = NumberForms.any
  /// The forms in which all numbers are whole.
  var wholeForms = NumberForms.any
  /// The first number that has marks.
  var markedExample = ""
  var leadingZeros = 0
  var leadingZeroExample = ""
  var plusSigns = 0
  var exponents = 0
  /// Numbers whose digits are more than 64 bits hold.
  var tooLarge = 0
  var mostDigits = 0
  /// The fewest digits behind a point, and the most of those behind which a 0 is last, as in the version 1.10.
  var shortestFraction = Int.max
  var longestFractionWithZero = 0
  /// The fewest and the most points in one of the numbers.
  var fewestPoints = Int.max
  var mostPoints = 0
  /// Whether a double would lose digits of one of the numbers.
  var losesDigits = false
  var least = Int64.max
  var most = Int64.min

  var dates = 0
  var dateFamily: DateShape?
  var hasDateFamilies = false
  var dayFirst = 0
  var monthFirst = 0
  var hasShortDates = false
  var hasShortHours = false
  /// Dates in ISO 8601 with a time.
  var timed = 0

  /// Values that are nothing of the kind.
  var others = 0
  var otherExample = ""
  var shortest = Int.max
  var longest = 0

  /// Spellings that often mean null where a column has values of another type.
  static let nullSpellings = [
    "\\N", "NULL", "null", "Null", "N/A", "n/a", "NA", "#N/A", "-", "None", "none", "nil", "NaN", "nan", "?", "--", ".",
    "(null)", "<null>", "na", "#NA", "NAN", "NONE", "NIL", "Nil",
  ]
  private static let nullBytes = nullSpellings.map { Array($0.utf8) }

  /// Counts nothing yet.
  package init() {}

  /// Counts one field.
  ///
  /// - Parameter isTyped: whether the format has numbers and Booleans of its own, so that a quoted text is text.
  package mutating func add(_ state: FieldState, _ text: UnsafeRawBufferPointer, isTyped: Bool) {
    records += 1
    switch state {
    case .absent: absent += 1
    case .null: nulls += 1
    case .true, .false:
      values += 1
      booleans += 1
    case .json:
      values += 1
      structures += 1
      if text.first == UInt8(ascii: "[") { lists += 1 }
    case .text, .quoted, .number:
      text.withMemoryRebound(to: UInt8.self) { add($0, state, isTyped: isTyped && state == .quoted) }
    }
  }

  private mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ state: FieldState, isTyped: Bool) {
    if text.isEmpty {
      if state == .quoted { emptyQuoted += 1 } else { empty += 1 }
      return
    }
    var start = 0
    var end = text.count
    while start < end, text[start].isBlank { start += 1 }
    while end > start, text[end - 1].isBlank { end -= 1 }
    if start == end {
      blank += 1
      return
    }
    values += 1
    shortest = min(shortest, text.count)
    longest = max(longest, text.count)
    if end - start < text.count { padded += 1 }
    let inner = UnsafeBufferPointer(rebasing: text[start..<end])
    if inner.count <= 6, let known = Self.nullBytes.firstIndex(where: { $0.elementsEqual(inner) }) {
      nullCounts[known] += 1
      let word = Self.nullSpellings[known]
      if state == .text, NullTokenEvidence.plainWords.contains(word) { plainNulls[word, default: 0] += 1 }
      return
    }
    if isTyped { strings += 1 }
    if !isTyped, Self.isBoolean(inner) {
      booleans += 1
    } else if UUIDText.halves(inner) != nil {
      uuids += 1
    } else if let date = DateShape(inner) {
      add(date)
    } else if !isTyped {
      add(NumberShape(inner), inner, isTyped: state == .number)
    } else {
      note(inner)
    }
  }

  private mutating func add(_ number: NumberShape, _ text: UnsafeBufferPointer<UInt8>, isTyped: Bool) {
    guard !number.forms.isEmpty else { return note(text) }
    var number = number
    if isTyped {
      // A number of the format itself has a decimal point.
      number.forms.formIntersection(.point)
      number.wholeForms.formIntersection(.point)
    }
    numbers += 1
    forms.formIntersection(number.forms)
    wholeForms.formIntersection(number.wholeForms)
    // A zero has a digit, too.
    mostDigits = max(mostDigits, number.significantDigits, 1)
    // A double holds 15 digits of any number.
    if !losesDigits, number.significantDigits > 15 { losesDigits = !number.survivesDouble(text) }
    if markedExample.isEmpty, text.contains(where: { !$0.isDigit && $0 != 0x2D }) { markedExample = Self.excerpt(text) }
    if number.hasLeadingZero {
      leadingZeros += 1
      if leadingZeros == 1 { leadingZeroExample = Self.excerpt(text) }
    }
    if !isTyped, !number.hasExponent, let point = text.lastIndex(of: 0x2E), point < text.count - 1 {
      let digits = text.count - point - 1
      shortestFraction = min(shortestFraction, digits)
      if digits > 1, text[text.count - 1] == 0x30 { longestFractionWithZero = max(longestFractionWithZero, digits) }
    }
    let points = text.count { $0 == 0x2E }
    fewestPoints = min(fewestPoints, points)
    mostPoints = max(mostPoints, points)
    if number.hasPlus { plusSigns += 1 }
    if number.hasExponent { exponents += 1 }
    if let whole = number.whole {
      least = min(least, whole)
      most = max(most, whole)
    } else {
      tooLarge += 1
    }
  }

  private mutating func add(_ date: DateShape) {
    dates += 1
    if let dateFamily {
      if dateFamily != date.family { hasDateFamilies = true }
    } else {
      dateFamily = date.family
    }
    if date.fitsDayFirst { dayFirst += 1 }
    if date.fitsMonthFirst { monthFirst += 1 }
    if date.hasShortNumbers { hasShortDates = true }
    if date.hasShortHour { hasShortHours = true }
    if date.order == .iso, date.timeSeparator != nil { timed += 1 }
  }

  private mutating func note(_ text: UnsafeBufferPointer<UInt8>) {
    others += 1
    if others == 1 { otherExample = Self.excerpt(text) }
  }

  /// The beginning of a value on one line, for comments.
  static func excerpt(_ text: UnsafeBufferPointer<UInt8>) -> String {
    let start = String(decoding: text.prefix(32), as: UTF8.self)
    // A character that was cut is no loss; one without a look may be what is wrong with the value.
    let shown = start.unicodeScalars.filter { $0 != "\u{FFFD}" }
    return PrintableText.of(String(String.UnicodeScalarView(shown))) + (text.count > 32 ? "…" : "")
  }

  private static func isBoolean(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    func equals(_ word: StaticString) -> Bool {
      text.count == word.utf8CodeUnitCount
        && (0..<text.count).allSatisfy { text[$0] | 0x20 == word.utf8Start[$0] }
    }
    return equals("true") || equals("false")
  }
}
