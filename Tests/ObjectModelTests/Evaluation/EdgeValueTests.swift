import MergewalkObjectModel
import Testing

/// Values at the ends of what types hold.
@Suite struct EdgeValueTests {
  @Test("decimals of 38 digits with zeros behind them are numbers, not overflows", arguments: 0...18)
  func longDecimals(exponent: Int) throws {
    let digits: Int128 = 12_345_678_901_234_567_890_123_456_789_012_345_679
    let number = DecimalNumber(significand: digits, exponent: exponent)
    guard case .double(let value) = number.number else {
      Issue.record("\(number.number) is no binary64 number")
      return
    }
    #expect(value == Double("\(digits)e\(exponent)"))
    let text = "CAST('\(digits)e\(exponent)', 'NSNumber') > 1"
    #expect(try ObjectPredicate(format: text).evaluate(with: .null))
  }

  @Test(
    "decimals beyond all bounds are numbers, not traps",
    arguments: [Int128.min, .max, -1, 0, 10], [Int.min, -165, 0, 1_000_000, .max])
  func extremeDecimals(digits: Int128, exponent: Int) throws {
    let number = DecimalNumber(significand: digits, exponent: exponent)
    #expect((number.significand < 0) == (digits < 0))
    #expect(number.description.isEmpty == false)
    #expect(number.exponent.magnitude <= 1_000_039)
    let constant = ["a": ConstantValue.attribute(.decimal(number))]
    for text in ["$a + 1 == 2", "0 - $a > 1", "abs:($a) > 1", "$a * $a > 1", "$a / 3 == 7", "$a - $a == 0"] {
      // An overflow is an error.
      _ = try? ObjectPredicate(format: text).substituting(constant).evaluate(with: .null)
    }
    #expect(try ObjectPredicate(format: "$a == $a").substituting(constant).evaluate(with: .null))
  }

  @Test("texts are the same value when their bytes are, so composed and decomposed accents are two")
  func textsByBytes() throws {
    let (composed, decomposed) = (AttributeValue.string("\u{E9}"), AttributeValue.string("e\u{301}"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, .string("\u{E9}")]).count == 2)
    #expect(AttributeValue.uri("a") != .string("a"))
    #expect(
      ObjectPredicate.comparison(ComparisonPredicate(.evaluatedObject, .equalTo, .constant(.attribute(composed))))
        != ObjectPredicate.comparison(
          ComparisonPredicate(.evaluatedObject, .equalTo, .constant(.attribute(decomposed)))))
  }

  @Test("sums beyond the greatest number are infinite and never become null")
  func greatSums() throws {
    for text in ["sum:({1e308, 1e308, 5}) > 1e308", "sum:({5, 1e308, 1e308}) > 1e308", "sum:({1e308, -1e308, 5}) == 5"]
    {
      #expect(try ObjectPredicate(format: text).evaluate(with: .null), "\(text)")
    }
  }

  @Test("a variable of SUBQUERY is gone after an error in its predicate")
  func subqueryVariable() throws {
    var evaluator = PredicateEvaluator()
    let failing = try ObjectPredicate(format: "SUBQUERY({1, 2}, $x, $x < 'a')[SIZE] > 0")
    #expect(throws: PredicateError.self) { try evaluator.evaluate(failing, with: .null) }
    let after = #expect(throws: PredicateError.self) {
      try evaluator.evaluate(try ObjectPredicate(format: "$x == 1"), with: .null)
    }
    #expect(after?.code == .missingVariable)
  }
}
