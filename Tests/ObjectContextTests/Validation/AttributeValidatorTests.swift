import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite struct AttributeValidatorTests {
  private func validator(
    _ type: AttributeType, _ change: (inout AttributeDescription) -> Void = { _ in }
  ) -> AttributeValidator {
    var attribute = AttributeDescription(name: "a", type: type)
    attribute.isOptional = true
    change(&attribute)
    return AttributeValidator(attribute)
  }

  private func check(_ validator: AttributeValidator, _ text: String) -> ValidationFailureCode? {
    // The arena holds other bytes around the text.
    let arena = Array("<<\(text)>>".utf8)
    return arena.withUnsafeBytes {
      validator.check(
        tag: CellTag.text, payload: ByteRange(offset: 2, length: text.utf8.count).payload, arena: $0.baseAddress)
    }
  }

  @Test func mandatoryAttributesNeedAValue() {
    let mandatory = validator(.string) { $0.isOptional = false }
    #expect(mandatory.check(tag: CellTag.null, payload: 0, arena: nil) == .missing)
    #expect(mandatory.check(tag: CellTag.absent, payload: 0, arena: nil) == nil)
    #expect(mandatory.check(tag: CellTag.failed, payload: 0, arena: nil) == nil)
    #expect(check(mandatory, "") == nil)
    #expect(validator(.string).check(tag: CellTag.null, payload: 0, arena: nil) == nil)
    #expect(mandatory.canFail)
    #expect(!validator(.string).canFail)
  }

  @Test(
    arguments: [
      (AttributeType.integer16, Int64(32_767), nil), (.integer16, 32_768, .type), (.integer16, -32_769, .type),
      (.integer32, 1 << 31, .type), (.integer64, .max, nil), (.boolean, 1, nil), (.boolean, 2, .type),
    ] as [(AttributeType, Int64, ValidationFailureCode?)])
  func integersOutsideTheirTypeFail(type: AttributeType, value: Int64, expected: ValidationFailureCode?) {
    let result = validator(type).check(tag: CellTag.integer, payload: UInt64(bitPattern: value), arena: nil)
    #expect(result == expected)
  }

  @Test(
    arguments: [
      (Int64(4), ValidationFailureCode.tooSmall), (5, nil), (9, nil), (10, .tooLarge), (70_000, .type),
    ] as [(Int64, ValidationFailureCode?)])
  func integerBoundsAreInclusive(value: Int64, expected: ValidationFailureCode?) {
    let bounded = validator(.integer16) {
      $0.validation.minimumValue = .integer(5)
      $0.validation.maximumValue = .integer(9)
    }
    #expect(bounded.check(tag: CellTag.integer, payload: UInt64(bitPattern: value), arena: nil) == expected)
  }

  @Test func fractionalBoundsOfDecimalsHoldForIntegersToo() {
    let bounded = validator(.decimal) {
      $0.validation.minimumValue = .decimal(DecimalNumber(significand: 5, exponent: -1))
      $0.validation.maximumValue = .decimal(DecimalNumber(significand: 995, exponent: -2))
    }
    func integer(_ value: Int64) -> ValidationFailureCode? {
      bounded.check(tag: CellTag.integer, payload: UInt64(bitPattern: value), arena: nil)
    }
    func real(_ value: Double) -> ValidationFailureCode? {
      bounded.check(tag: CellTag.real, payload: value.bitPattern, arena: nil)
    }
    #expect(integer(0) == .tooSmall)
    #expect(integer(1) == nil)
    #expect(integer(9) == nil)
    #expect(integer(10) == .tooLarge)
    #expect(real(0.5) == nil)
    #expect(real(0.49) == .tooSmall)
    #expect(real(9.95) == nil)
    #expect(real(9.96) == .tooLarge)
  }

  @Test func boundsBeyondAllIntegersDoNotTrap() {
    let high = validator(.decimal) {
      $0.validation.minimumValue = .decimal(DecimalNumber(significand: 1, exponent: 30))
    }
    #expect(high.check(tag: CellTag.integer, payload: 5, arena: nil) == .tooSmall)
    let low = validator(.integer64) { $0.validation.maximumValue = .double(-1e30) }
    #expect(low.check(tag: CellTag.integer, payload: 5, arena: nil) == .tooLarge)
    let wide = validator(.integer64) {
      $0.validation.minimumValue = .double(-1e30)
      $0.validation.maximumValue = .double(1e30)
    }
    #expect(wide.check(tag: CellTag.integer, payload: UInt64(bitPattern: .min), arena: nil) == nil)
    #expect(wide.check(tag: CellTag.integer, payload: UInt64(bitPattern: .max), arena: nil) == nil)
  }

  @Test func floatBoundsAllowThemselves() {
    let bounded = validator(.float) { $0.validation.maximumValue = .double(0.1) }
    #expect(bounded.check(tag: CellTag.real, payload: Double(Float(0.1)).bitPattern, arena: nil) == nil)
    #expect(bounded.check(tag: CellTag.real, payload: Double(Float(0.11)).bitPattern, arena: nil) == .tooLarge)
  }

  @Test func datesHaveTheirOwnCodes() {
    let bounded = validator(.date) {
      $0.validation.minimumValue = .date(10)
      $0.validation.maximumValue = .date(20)
    }
    func date(_ seconds: Double) -> ValidationFailureCode? {
      bounded.check(tag: CellTag.real, payload: seconds.bitPattern, arena: nil)
    }
    #expect(
      [date(9.9), date(10), date(20), date(20.1), date(.nan), date(.infinity)] == [
        .tooSoon, nil, nil, .tooLate, .invalidDate, .invalidDate,
      ])
    #expect(validator(.double).check(tag: CellTag.real, payload: Double.nan.bitPattern, arena: nil) == .type)
  }

  @Test(
    arguments: [
      ("", .tooShort), ("a", .tooShort), ("ab", nil), ("abcd", nil), ("abcde", .tooLong), ("é", .tooShort), ("éé", nil),
      ("ééééé", .tooLong), ("日本", nil), ("日本語日本", .tooLong), ("😀", nil), ("😀😀", nil), ("😀😀a", .tooLong),
      ("e\u{301}", nil), ("👨‍👩‍👧", .tooLong),
    ] as [(String, ValidationFailureCode?)])
  func lengthsAreUTF16CodeUnits(text: String, expected: ValidationFailureCode?) {
    let bounded = validator(.string) {
      $0.validation.minimumLength = 2
      $0.validation.maximumLength = 4
    }
    #expect(check(bounded, text) == expected)
    let length = text.utf16.count
    #expect((length < 2 ? .tooShort : length > 4 ? .tooLong : nil) == expected)
  }

  @Test(arguments: [UInt64(51), 52])
  func randomLengthsAgreeWithTheStandardLibrary(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters: [Unicode.Scalar] = ["a", "é", "日", "😀", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10FFFF}"]
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        text.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &generator)])
      }
      let least = Int.random(in: 0...12, using: &generator)
      let most = Int.random(in: least...20, using: &generator)
      let bounded = validator(.string) {
        $0.validation.minimumLength = least
        $0.validation.maximumLength = most
      }
      let length = text.utf16.count
      let expected: ValidationFailureCode? = length < least ? .tooShort : length > most ? .tooLong : nil
      #expect(check(bounded, text) == expected, "seed \(seed): \(text) in \(least)...\(most)")
    }
  }

  @Test func otherTagsAreOtherTypes() {
    #expect(validator(.string).check(tag: CellTag.integer, payload: 1, arena: nil) == .type)
    #expect(validator(.integer64).check(tag: CellTag.real, payload: 0, arena: nil) == .type)
    #expect(validator(.date).check(tag: CellTag.integer, payload: 0, arena: nil) == .type)
    #expect(validator(.decimal).check(tag: CellTag.text, payload: 0, arena: nil) == .type)
    #expect(validator(.binary).check(tag: CellTag.text, payload: 0, arena: nil) == .type)
    #expect(
      validator(.uuid).check(tag: CellTag.blob, payload: ByteRange(offset: 0, length: 15).payload, arena: nil) == .type)
    #expect(
      validator(.uuid).check(tag: CellTag.blob, payload: ByteRange(offset: 0, length: 16).payload, arena: nil) == nil)
  }

  @Test func columnsFailAsCellsDo() {
    let mandatory = validator(.decimal) {
      $0.isOptional = false
      $0.validation.minimumValue = .integer(0)
    }
    var column = CellColumn()
    column.reset(count: 6)
    column.tags = [
      CellTag.integer, CellTag.null, CellTag.real, CellTag.absent, CellTag.integer, CellTag.failed,
    ]
    column.payloads = [
      UInt64(bitPattern: -1), 0, (-0.5).bitPattern, 0, 3, 0,
    ]
    var failures = [CellFailure(row: 99, code: .pattern)]
    mandatory.check(column, arena: nil, failures: &failures)
    #expect(
      failures == [
        CellFailure(row: 99, code: .pattern), CellFailure(row: 0, code: .tooSmall), CellFailure(row: 1, code: .missing),
        CellFailure(row: 2, code: .tooSmall),
      ])
  }

  @Test func rulesThatCannotBeCheckedAreProblems() {
    let broken = validator(.string) { $0.validation.regularExpression = "[a" }
    #expect(broken.problems.map(\.code) == [.invalidPattern])
    #expect(check(broken, "a") == .pattern)
    let slow = validator(.string) { $0.validation.regularExpression = "(?=a).*" }
    #expect(slow.problems.map(\.code) == [.slowPattern])
    #expect(slow.problems.map(\.isWarning) == [true])
    #expect(check(slow, "abc") == nil)
    #expect(check(slow, "bc") == .pattern)
    #expect(validator(.integer64) { $0.validation.minimumValue = .string("x") }.problems.map(\.code) == [.invalidBound])
    #expect(validator(.date) { $0.validation.minimumValue = .integer(1) }.problems.map(\.code) == [.invalidBound])
  }

  @Test func codesHaveCoreDatasNumbers() {
    let numbers = ValidationFailureCode.allCases.map(\.coreDataErrorNumber)
    #expect(numbers == [1570, 1550, 1610, 1620, 1630, 1640, 1650, 1660, 1670, 1680])
    #expect(ValidationFailureCode.multipleErrorsNumber == 1560)
  }
}
