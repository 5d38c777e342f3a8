import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct NumberConversionTests {
  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("+7", .integer(7)), ("007", .integer(7)),
      ("12345678", .integer(12_345_678)),
      ("123456789012345678", .integer(123_456_789_012_345_678)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("0000000000000000000000000000000012", .integer(12)),
      ("9223372036854775808", .failed(.valueRange)), ("-9223372036854775809", .failed(.valueRange)),
      ("18446744073709551616", .failed(.valueRange)), ("99999999999999999999999999999", .failed(.valueRange)),
      ("12.0", .failed(.valueInteger)), ("1e3", .failed(.valueInteger)), ("1,000", .failed(.valueInteger)),
      ("-", .failed(.valueInteger)), ("+", .failed(.valueInteger)), ("--1", .failed(.valueInteger)),
      (" 1", .failed(.valueInteger)), ("1 ", .failed(.valueInteger)), ("0x10", .failed(.valueInteger)),
      ("1234567x", .failed(.valueInteger)), ("1234567:", .failed(.valueInteger)), ("12345678/", .failed(.valueInteger)),
      ("99999999999999999999x", .failed(.valueInteger)), ("٣", .failed(.valueInteger)), ("１２", .failed(.valueInteger)),
      ("NaN", .failed(.valueInteger)), ("true", .failed(.valueInteger)),
    ] as [(String, Converted)])
  func integersAreExactOrRejected(text: String, expected: Converted) throws {
    #expect(try convert(text, .integer64) == expected)
  }

  @Test(
    arguments: [
      (.integer16, "32767", .integer(32_767)), (.integer16, "-32768", .integer(-32_768)),
      (.integer16, "32768", .failed(.valueRange)), (.integer16, "-32769", .failed(.valueRange)),
      (.integer32, "2147483647", .integer(2_147_483_647)), (.integer32, "2147483648", .failed(.valueRange)),
      (.integer32, "-2147483649", .failed(.valueRange)),
    ] as [(AttributeType, String, Converted)])
  func smallerIntegersKeepTheirRange(type: AttributeType, text: String, expected: Converted) throws {
    #expect(try convert(text, type) == expected)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func integersAgreeWithTheStandardLibrary(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<2_000).map { _ in
      Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator)
    }
    let converted = try convert(values.map { MadeField(String($0)) }, .integer64)
    #expect(converted == values.map { .integer($0) }, "seed \(seed)")
  }

  @Test(
    arguments: [
      ("1,234", .integer(1_234)), ("-1,234,567", .integer(-1_234_567)), ("12,34,567", .integer(1_234_567)),
      ("1234", .integer(1_234)), ("1,23", .failed(.valueInteger)), ("1,2345", .failed(.valueInteger)),
      (",123", .failed(.valueInteger)), ("1,,234", .failed(.valueInteger)), ("1234,567", .failed(.valueInteger)),
      ("1,5", .failed(.valueInteger)), ("123,", .failed(.valueInteger)), ("1,2,345", .failed(.valueInteger)),
    ] as [(String, Converted)])
  func groupMarksAreCheckedBeforeTheyAreRemoved(text: String, expected: Converted) throws {
    #expect(try convert(text, .integer64) { $0.conversion.groupMark = UInt8(ascii: ",") } == expected)
  }

  @Test(
    arguments: [
      ("1.234,5", .real(1_234.5)), ("1234,5", .real(1_234.5)), ("-1.234.567,25", .real(-1_234_567.25)),
      ("1.5", .failed(.valueNumber)), ("1,234.5", .failed(.valueNumber)), ("1,5.000", .failed(.valueNumber)),
      ("1.234e2", .real(123_400)),
    ] as [(String, Converted)])
  func decimalCommasWithGroupPoints(text: String, expected: Converted) throws {
    let result = try convert(text, .double) {
      $0.conversion.decimalMark = UInt8(ascii: ",")
      $0.conversion.groupMark = UInt8(ascii: ".")
    }
    #expect(result == expected)
  }

  @Test(
    arguments: [
      ("0", .real(0)), ("-0.0", .real(0)), ("1.5", .real(1.5)), (".5", .real(0.5)), ("5.", .real(5)),
      ("+2e3", .real(2_000)),
      ("1E-2", .real(0.01)), ("9007199254740993", .real(9_007_199_254_740_992)),
      ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)), ("5e-324", .real(.leastNonzeroMagnitude)),
      ("2.2250738585072011e-308", .real(Double(bitPattern: 0x000F_FFFF_FFFF_FFFF))),
      ("0e999999999", .real(0)), ("0.000000000000000000000000000000000001", .real(1e-36)),
      ("1e400", .failed(.valueRange)), ("-1e309", .failed(.valueRange)), ("1e-400", .failed(.valueRange)),
      ("inf", .failed(.valueNumber)), ("nan", .failed(.valueNumber)), ("Infinity", .failed(.valueNumber)),
      ("0x1p3", .failed(.valueNumber)), ("1e", .failed(.valueNumber)), ("1e+", .failed(.valueNumber)),
      (".", .failed(.valueNumber)), ("-", .failed(.valueNumber)), ("1.2.3", .failed(.valueNumber)),
      ("1 2", .failed(.valueNumber)), ("1,5", .failed(.valueNumber)), ("1_000", .failed(.valueNumber)),
    ] as [(String, Converted)])
  func doublesAreNearestOrRejected(text: String, expected: Converted) throws {
    #expect(try convert(text, .double) == expected)
  }

  @Test func minusZeroBecomesPlusZero() throws {
    for text in ["-0", "-0.0", "-0e5", "-0.00000000000000000000000000000"] {
      guard case .real(let value) = try convert(text, .double) else {
        Issue.record("\(text) did not convert")
        continue
      }
      #expect(value.sign == .plus, "\(text)")
    }
  }

  @Test func veryLongNumbersAreRejected() throws {
    let digits = String(repeating: "1", count: 2_049)
    #expect(try convert(digits, .double) == .failed(.valueLength))
    #expect(try convert("0." + digits, .decimal) == .failed(.valueLength))
    let longest = "0." + String(repeating: "3", count: 2_046)
    #expect(try convert(longest, .double) == .real(1.0 / 3))
  }

  @Test(arguments: [UInt64(11), 12, 13, 14])
  func doublesAgreeWithTheCLibrary(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var texts: [String] = []
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: texts.append(String(Double(bitPattern: generator.next())))
      case 1: texts.append(String(Double(Int.random(in: 0...10_000_000, using: &generator)) / 100))
      case 2:
        let digits = Int.random(in: 1...25, using: &generator)
        let text = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
        texts.append("\(text).\(text)e\(Int.random(in: -40...40, using: &generator))")
      case 3:
        // Halfway between two neighbours: the hardest case of all.
        let value = Double(Int.random(in: 1 << 52..<1 << 53, using: &generator))
        texts.append(String(Int64(value)) + ".5")
      default:
        texts.append("\(UInt32(truncatingIfNeeded: generator.next()))e\(Int.random(in: -30...30, using: &generator))")
      }
    }
    texts.removeAll { !(Double($0)?.isFinite ?? false) }
    let converted = try convert(texts.map { MadeField($0) }, .double)
    for (text, result) in zip(texts, converted) {
      #expect(result == .real(strtod(text, nil)), "seed \(seed): \(text)")
    }
    let floats = try convert(texts.map { MadeField($0) }, .float)
    for (text, result) in zip(texts, floats) {
      let expected = strtof(text, nil)
      let isLost = !expected.isFinite || (expected == 0 && strtod(text, nil) != 0)
      #expect(result == (isLost ? .failed(.valueRange) : .real(Double(expected))), "seed \(seed): \(text)")
    }
  }

  @Test(
    arguments: [
      ("0.1", .real(Double(Float(0.1)))), ("16777217", .real(16_777_216)),
      ("3.4028235e38", .real(Double(Float.greatestFiniteMagnitude))),
      ("3.5e38", .failed(.valueRange)), ("1e-46", .failed(.valueRange)),
      ("1e-45", .real(Double(Float.leastNonzeroMagnitude))),
      // Rounded to a Double first, this would tie and round to the wrong Float.
      ("1.00000017881393432617187499", .real(Double(Float(1.0000001)))),
      ("1.00000017881393432617187501", .real(Double(Float(1.0000002)))),
    ] as [(String, Converted)])
  func floatsAreRoundedOnce(text: String, expected: Converted) throws {
    #expect(try convert(text, .float) == expected)
  }

  @Test(
    arguments: [
      ("12", .integer(12)), ("12.00", .integer(12)), ("-12.50", .real(-12.5)), ("1e3", .integer(1_000)),
      ("0.000", .integer(0)),
      ("-0", .integer(0)), ("12e-1", .real(1.2)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .failed(.valuePrecision)),
      ("99.99", .real(99.99)), ("123456789012.345", .real(123_456_789_012.345)),
      ("0.123456789012345", .real(0.123456789012345)),
      ("0.1234567890123456", .failed(.valuePrecision)), ("123456789.12345678", .failed(.valuePrecision)),
      ("100000000000000000000", .real(1e20)), ("123456789012345678901", .failed(.valuePrecision)),
      ("0.00000000000000000000001", .real(1e-23)), ("1e-128", .real(1e-128)), ("1e-129", .failed(.valueRange)),
      ("1e164", .real(1e164)), ("1e165", .failed(.valueRange)), ("1e999", .failed(.valueRange)), ("0e999", .integer(0)),
      ("1234567890123456789012345678901234567890", .failed(.valuePrecision)),
      ("10.000000000000000000000000000000000000000000000", .integer(10)),
      ("abc", .failed(.valueNumber)), ("1.2.3", .failed(.valueNumber)), ("", .null),
    ] as [(String, Converted)])
  func decimalsAreKeptExactlyOrRejected(text: String, expected: Converted) throws {
    #expect(try convert(text, .decimal) == expected)
  }

  @Test(arguments: [UInt64(21), 22])
  func decimalsSurviveFifteenDigits(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let digits = Int64.random(in: 1..<1_000_000_000_000_000, using: &generator)
      let power = Int.random(in: -20...0, using: &generator)
      let number = DecimalNumber(significand: Int128(digits), exponent: power)
      switch try convert(number.description, .decimal) {
      case .integer(let value):
        #expect(DecimalNumber(significand: Int128(value), exponent: 0) == number, "seed \(seed)")
      case .real(let value):
        // What a reader gets who asks for 15 digits, as Core Data does.
        let text = String(format: "%.15g", value)
        #expect(DecimalNumber(text) == number, "seed \(seed): \(number)")
      case let other: Issue.record("seed \(seed): \(number) became \(other)")
      }
    }
  }
}
