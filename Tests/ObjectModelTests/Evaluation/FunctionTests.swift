import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The function table: behaviours FN1 to FN14 in memory.
@Suite struct FunctionTests {
  @Test("FN1: aggregates of [1, 2, 2, 5]")
  func fn1Aggregates() throws {
    let object: EvaluatedValue = ["list": [1, 2, 2, 5], "rows": [["n": 1], ["n": 2], ["n": 2], ["n": 5]]]
    for path in ["list", "rows.n"] {
      #expect(try single("average:(\(path))", object) == .double(2.5))
      #expect(try single("sum:(\(path))", object) == .integer(10))
      #expect(try single("count:(\(path))", object) == .integer(4))
      #expect(try single("min:(\(path))", object) == .integer(1))
      #expect(try single("max:(\(path))", object) == .integer(5))
      #expect(try single("median:(\(path))", object) == .double(2))
      #expect(try single("mode:(\(path))", object) == .integer(2))
      // Of the population: the root of (2.25 + 0.25 + 0.25 + 6.25) / 4.
      #expect(try single("stddev:(\(path))", object) == .double(1.5))
    }
    #expect(try single("sum:(1, 2.5)") == .double(3.5))
    #expect(try single("max:('a', 'b')") == .string("b"))
    #expect(try single("median:(3, 1, 2)") == .integer(2))
    #expect(try single("median:(1, 2)") == .double(1.5))
    #expect(try single("average:(1, 2)") == .double(1.5))
    #expect(try list("distinct:({1, 2, 1.0, 'a', NULL, 'a'})") == [.integer(1), .integer(2), .string("a")])
    #expect(try single("min:(list)", ["list": [.attribute(.date(5)), .attribute(.date(3))]]) == .date(3))
    for function in ["sum:", "average:", "median:", "stddev:"] {
      #expect(try failure("\(function)({'a'}) == 1") == .typeMismatch)
    }
    #expect(try failure("max:({'a', 1}) == 1") == .typeMismatch)
    #expect(try failure("mode:({'a', 1}) == 1") == .typeMismatch)
    #expect(try failure("sum:({9223372036854775807, 1}) == 1") == .overflow)
    #expect(try single("average:({9223372036854775807, 9223372036854775807})") == .double(0x1p63))
    #expect(try single("sum:({9223372036854775807, 1, -1})") == .integer(.max))
  }

  @Test("FN2: aggregates of nothing; nulls and NaN are left out")
  func fn2EmptyCollection() throws {
    for object: EvaluatedValue in [["list": []], ["list": nil], ["list": [nil, .attribute(.double(.nan))]], [:]] {
      #expect(try single("sum:(list)", object) == .integer(0))
      #expect(try single("count:(list)", object) == .integer(0))
      for function in ["average", "min", "max", "median", "mode", "stddev"] {
        #expect(try single("\(function):(list)", object) == .null)
      }
    }
    #expect(try single("average:(list)", ["list": [nil, 2, 4]]) == .double(3))
    #expect(try single("count:(5)") == .integer(1))
    #expect(try single("count:(NULL)") == .integer(0))
    #expect(try single("list[SIZE]", ["list": [nil, 2, 4]]) == .integer(3))
  }

  @Test("FN3: of values that are equally frequent, mode takes the least")
  func fn3ModeTies() throws {
    #expect(try single("mode:({5, 3, 5, 3, 1})") == .integer(3))
    #expect(try single("mode:({7, 4})") == .integer(4))
    #expect(try single("mode:({'b', 'a'})") == .string("a"))
  }

  @Test("FN4: arithmetic of integers and Doubles, division by zero")
  func fn4Arithmetic() throws {
    let cases: [(String, AttributeValue)] = [
      ("2 + 3", .integer(5)), ("2 - 3", .integer(-1)), ("2 * 3", .integer(6)), ("5 / 2", .integer(2)),
      ("-5 / 2", .integer(-2)), ("2 ** 3", .double(8)), ("2.0 + 3", .double(5)), ("5 / 2.0", .double(2.5)),
      ("5.0 / 2", .double(2.5)), ("add:to:(1, 2)", .integer(3)), ("from:subtract:(5, 3)", .integer(2)),
      ("multiply:by:(5, 3)", .integer(15)), ("divide:by:(6, 3)", .integer(2)), ("1 / 0", .null), ("1.0 / 0", .null),
      ("1 / 0.0", .null), ("0 / 0", .null), ("modulus:by:(1, 0)", .null), ("modulus:by:(1.5, 0)", .null),
      ("NULL + 1", .null), ("1 * NULL", .null), ("TRUE + TRUE", .integer(2)),
      ("9223372036854775807 + 1", .double(0x1p63)), ("9223372036854775807 * 2", .double(0x1p64)),
      ("(-9223372036854775807 - 1) / (-1)", .double(0x1p63)),
      ("modulus:by:(-9223372036854775807 - 1, -1)", .integer(0)), ("raise:toPower:(2, -1)", .double(0.5)),
    ]
    for (expression, expected) in cases { #expect(try single(expression) == expected, "\(expression)") }
    #expect(try single("a + b", ["a": 0.5, "b": nil]) == .null)
    #expect(try single("a + b", ["a": .attribute(.double(.nan)), "b": 1]) == .null)
    #expect(try single("a - a", ["a": .attribute(.double(.infinity))]) == .null)
    let decimals: EvaluatedValue = [
      "a": .attribute(.decimal(DecimalNumber(significand: 25, exponent: -1))),
      "b": .attribute(.decimal(DecimalNumber(significand: 2, exponent: 0))),
    ]
    #expect(try single("a * b", decimals) == .double(5))
    #expect(try single("b * b", decimals) == .integer(4))
    #expect(try failure("'1' + 1 == 2") == .typeMismatch)
    #expect(try failure("'1' + NULL == 2") == .typeMismatch)
    #expect(try failure("{1, 2} + 1 == 2") == .toManyKey)
  }

  @Test("FN4: dates add and subtract seconds")
  func fn4Dates() throws {
    let object: EvaluatedValue = ["d": .attribute(.date(100)), "e": .attribute(.date(40))]
    #expect(try single("d + 1", object) == .date(101))
    #expect(try single("1 + d", object) == .date(101))
    #expect(try single("d - 0.5", object) == .date(99.5))
    #expect(try single("d - e", object) == .double(60))
    #expect(try single("d - NULL", object) == .null)
    for format in ["d + e", "1 - d", "d * 2", "d + 'x'", "abs:(d)"] {
      #expect(try failure(format + " == NULL", object) == .typeMismatch, "\(format)")
    }
  }

  @Test("FN5: modulus has the sign of the first operand")
  func fn5ModulusSign() throws {
    #expect(try single("modulus:by:(-7, 3)") == .integer(-1))
    #expect(try single("modulus:by:(7, -3)") == .integer(1))
    #expect(try single("modulus:by:(-7.5, 3)") == .double(-1.5))
    #expect(try single("modulus:by:(7, 2.5)") == .double(2))
  }

  @Test("FN6: roots, logarithms, powers, and null outside their domain")
  func fn6RootsAndLogarithms() throws {
    let cases: [(String, AttributeValue)] = [
      ("log:(100)", .double(2)), ("ln:(2.718281828459045)", .double(1)), ("exp:(0)", .double(1)),
      ("sqrt:(9)", .double(3)), ("sqrt:(-1)", .null), ("log:(0)", .null), ("log:(-1)", .null), ("ln:(0)", .null),
      ("ln:(-1)", .null), ("raise:toPower:(-8, 0.5)", .null), ("0 ** (-1)", .null), ("sqrt:(NULL)", .null),
      ("exp:(1000)", .double(.infinity)), ("0 ** 0", .double(1)),
    ]
    for (expression, expected) in cases { #expect(try single(expression) == expected, "\(expression)") }
    #expect(try failure("sqrt:('4') == 2") == .typeMismatch)
  }

  @Test("FN7: ceiling, floor, trunc and abs of -2.5; trunc cuts toward zero")
  func fn7Rounding() throws {
    let cases: [(String, AttributeValue)] = [
      ("ceiling:(-2.5)", .double(-2)), ("floor:(-2.5)", .double(-3)), ("trunc:(-2.5)", .double(-2)),
      ("trunc:(2.5)", .double(2)), ("abs:(-2.5)", .double(2.5)), ("ceiling:(3)", .integer(3)),
      ("floor:(3)", .integer(3)), ("trunc:(3)", .integer(3)), ("abs:(-3)", .integer(3)),
      ("abs:(-9223372036854775807 - 1)", .double(0x1p63)), ("ceiling:(NULL)", .null),
    ]
    for (expression, expected) in cases { #expect(try single(expression) == expected, "\(expression)") }
  }

  @Test("FN8: random is in 0..<1, random:(n) in 0..<n, new for each object")
  func fn8Random() throws {
    var evaluator = PredicateEvaluator()
    let plain = try ObjectExpression(format: "random()")
    let below = try ObjectExpression(format: "random:(3)")
    var seen: Set<Double> = []
    var whole: Set<Int64> = []
    for _ in 0..<200 {
      guard case .attribute(.double(let number)) = try evaluator.evaluate(plain, with: .null),
        case .attribute(.integer(let integer)) = try evaluator.evaluate(below, with: .null)
      else {
        Issue.record("random is a Double, random:() an integer")
        return
      }
      #expect((0..<1).contains(number))
      seen.insert(number)
      whole.insert(integer)
    }
    #expect(seen.count > 190)
    #expect(whole == [0, 1, 2])
    #expect(try single("random:(0)") == .null)
    #expect(try single("random:(-4)") == .null)
    #expect(try single("random:(1)") == .integer(0))
    #expect(try single("random:(NULL)") == .null)
  }

  @Test("FN9: now is one value for a whole evaluation")
  func fn9Now() throws {
    let now = try ObjectExpression(format: "now()")
    var evaluator = PredicateEvaluator()
    guard case .attribute(.date(let first)) = try evaluator.evaluate(now, with: .null),
      case .attribute(.date(let second)) = try evaluator.evaluate(now, with: 1)
    else {
      Issue.record("now is a date")
      return
    }
    #expect(first == second)
    // After 2025 and before 2100.
    #expect((757_382_400..<3_124_224_000).contains(first))
    #expect(try ObjectPredicate(format: "now() == %@", AttributeValue.date(5)).evaluate(with: .null, now: 5))
    #expect(try holds("now() - now() == 0"))
  }

  @Test("FN10: uppercase and lowercase are Unicode's, without a locale")
  func fn10Case() throws {
    let cases: [(String, String, String)] = [
      ("straße É ŉ ﬁ", "STRASSE É ʼN FI", "straße é ŉ ﬁ"), ("İI", "İI", "i\u{307}i"), ("ДОМ дом", "ДОМ ДОМ", "дом дом"),
      ("", "", ""), ("😀a", "😀A", "😀a"), ("ǆ", "Ǆ", "ǆ"),
      // A sigma that ends a word.
      ("ΟΔΟΣ σ", "ΟΔΟΣ Σ", "οδος σ"), ("Σ", "Σ", "σ"), ("ΑΣ.Α ΑΣ.", "ΑΣ.Α ΑΣ.", "ασ.α ας."),
    ]
    for (text, upper, lower) in cases {
      let object: EvaluatedValue = ["t": .attribute(.string(text))]
      #expect(try single("uppercase:(t)", object).text?.hasSameBytes(as: upper) == true, "\(text)")
      #expect(try single("lowercase:(t)", object).text?.hasSameBytes(as: lower) == true, "\(text)")
    }
    #expect(try single("uppercase:(NULL)") == .null)
    #expect(try failure("uppercase:(5) == 'x'") == .typeMismatch)
    #expect(try single("length:('aé😀')") == .integer(4))
    #expect(try single("canonical:('ÀÉ ß')") == .string("ae ss"))
  }

  @Test("FN11: bit operations cut their operands to integers")
  func fn11Bits() throws {
    let cases: [(String, AttributeValue)] = [
      ("onesComplement:(0)", .integer(-1)), ("bitwiseAnd:with:(12, 10)", .integer(8)),
      ("bitwiseOr:with:(12, 10)", .integer(14)), ("bitwiseXor:with:(12, 10)", .integer(6)),
      ("leftshift:by:(1, 4)", .integer(16)), ("rightshift:by:(-8, 1)", .integer(-4)),
      ("leftshift:by:(1, 63)", .integer(.min)), ("leftshift:by:(1, 64)", .integer(0)),
      ("rightshift:by:(8, 64)", .integer(0)), ("rightshift:by:(-8, 100)", .integer(-1)),
      ("leftshift:by:(8, -1)", .integer(4)), ("rightshift:by:(8, -1)", .integer(16)),
      ("leftshift:by:(-8, -9223372036854775807 - 1)", .integer(-1)), ("bitwiseAnd:with:(12.9, 10.9)", .integer(8)),
      ("bitwiseAnd:with:(-1.5, 3)", .integer(3)), ("bitwiseAnd:with:(1e300, 3)", .null),
      ("bitwiseOr:with:(NULL, 3)", .null), ("onesComplement:(9.3e18)", .null),
    ]
    for (expression, expected) in cases { #expect(try single(expression) == expected, "\(expression)") }
    #expect(try failure("bitwiseAnd:with:('1', 1) == 1") == .typeMismatch)
  }

  @Test("FN12: noindex has the value of its argument")
  func fn12NoIndex() throws {
    #expect(try single("noindex:(a)", ["a": 3]) == .integer(3))
    #expect(try holds("noindex:(a) == 'x'", ["a": "x"]))
    #expect(try single("noindex:(a)", [:]) == .null)
    #expect(try holds("ANY noindex:(list) == 2", ["list": [1, 2]]))
  }

  @Test("FN13: every function that takes single values gives the same through call and through the evaluator")
  func fn13OneImplementation() throws {
    let samples: [AttributeValue] = [
      .null, .integer(0), .integer(-7), .integer(.max), .integer(.min), .double(2.5), .double(-0.5), .double(1e300),
      .boolean(true), .string("Éa"), .date(10), .uri("u"), .double(.nan),
    ]
    func outcome(_ body: () throws -> AttributeValue) -> String {
      do { return "\(try body())" } catch { return "\((error as? PredicateError)?.code.rawValue ?? "?")" }
    }
    for function in ExpressionFunction.allCases {
      switch function {
      case .random, .randomBelow, .now, .objectWithIndex, .distance, .distinct, .count, .noIndex: continue
      default: break
      }
      for first in samples {
        for second in samples {
          let count = function.rawValue.split(separator: ":").count
          let arguments = count == 2 ? [first, second] : [first]
          let expression = ObjectExpression.function(function, arguments.map { .constant(.attribute($0)) })
          let direct = outcome { try function.call(arguments) }
          let evaluated = outcome {
            guard case .attribute(let value) = try expression.evaluate(with: .null) else { throw NotSingle() }
            return value
          }
          #expect(direct == evaluated, "\(function.rawValue) \(arguments)")
        }
      }
    }
    #expect(throws: PredicateError.self) { _ = try ExpressionFunction.add.call([.integer(1)]) }
    #expect(throws: PredicateError.self) { _ = try ExpressionFunction.now.call([.integer(1)]) }
  }

  @Test("FN14: casts")
  func fn14Casts() throws {
    let cases: [(String, AttributeValue, AttributeValue)] = [
      ("NSNumber", .string("12"), .integer(12)), ("NSNumber", .string("1.5"), .double(1.5)),
      ("NSNumber", .string("x"), .null), ("NSNumber", .date(5), .double(5)), ("NSNumber", .boolean(true), .integer(1)),
      ("integer", .double(-2.7), .integer(-2)), ("int", .string("3.9"), .integer(3)),
      ("integer", .double(1e300), .null),
      ("double", .integer(2), .double(2)), ("float", .string("1e3"), .double(1000)),
      ("NSString", .integer(12), .string("12")), ("NSString", .double(0.5), .string("0.5")),
      ("NSString", .double(3), .string("3")), ("NSString", .date(0), .string("2001-01-01T00:00:00Z")),
      ("NSString", .uuid(1, 2), .string("00000000-0000-0001-0000-000000000002")),
      ("NSDate", .integer(60), .date(60)), ("NSDate", .string("2001-01-01T00:01:00Z"), .date(60)),
      ("NSDate", .string("yesterday"), .null), ("NSDate", .date(1), .date(1)),
      ("NSDecimalNumber", .string("1.10"), .decimal(DecimalNumber(significand: 11, exponent: -1))),
      ("NSDecimalNumber", .double(0.1), .decimal(DecimalNumber(significand: 1, exponent: -1))),
      ("NSDecimalNumber", .integer(5), .decimal(DecimalNumber(significand: 5, exponent: 0))),
      ("BOOL", .integer(3), .boolean(true)), ("boolean", .double(0), .boolean(false)),
      ("NSUUID", .string("00000000-0000-0001-0000-000000000002"), .uuid(1, 2)), ("NSUUID", .string("x"), .null),
      ("NSURL", .string("a:b"), .uri("a:b")), ("NSData", .string("00ff"), .binary([0, 255])),
      ("NSNumber", .null, .null),
      ("NSNumber", .double(.nan), .null),
    ]
    for (type, given, expected) in cases {
      #expect(try ExpressionFunction.cast.call([given, .string(type)]) == expected, "\(given) as \(type)")
    }
    #expect(try holds("CAST(t, 'NSNumber') > 9", ["t": "10"]))
    #expect(try holds("castObject:toType:(t, 'NSNumber') > 9", ["t": "10"]))
    #expect(try failure("CAST(t, 'NSArray') == 1", ["t": "10"]) == .typeMismatch)
    #expect(try failure("CAST(t, 'NSDate') == NULL", ["t": .attribute(.binary([1]))]) == .typeMismatch)
  }

  @Test("FN14: elements by index, distances")
  func fn14ElementsAndDistances() throws {
    let object: EvaluatedValue = ["list": ["a", "b"], "map": ["k": 7]]
    #expect(try single("objectFrom:withIndex:(list, 1)", object) == .string("b"))
    #expect(try single("objectFrom:withIndex:(map, 'k')", object) == .integer(7))
    #expect(try single("list[0]", object) == .string("a"))
    #expect(try single("map['k']", object) == .integer(7))
    #expect(try failure("list[2] == 'c'", object) == .indexOutOfRange)
    #expect(try failure("list[-1] == 'c'", object) == .indexOutOfRange)
    #expect(try failure("list['x'] == 'c'", object) == .typeMismatch)
    #expect(try failure("list[0.5] == 'c'", object) == .typeMismatch)
    // Sofia to London: 2,016 km, give or take what the Earth is no sphere.
    let metres = try single("distanceToLocation:fromLocation:({42.6977, 23.3219}, {51.5074, -0.1278})")
    #expect(abs((metres.number?.asDouble ?? 0) - 2_016_000) < 8_000)
    // A quarter of the circumference of the sphere, and half of it.
    let quarter = try single("distanceToLocation:fromLocation:({0, 0}, {90, 0})").number?.asDouble ?? 0
    let half = try single("distanceToLocation:fromLocation:({0, 0}, {0, 180})").number?.asDouble ?? 0
    #expect(abs(quarter - 10_007_557.2) < 1)
    #expect(abs(half - 2 * quarter) < 0.01)
    #expect(try single("distanceToLocation:fromLocation:({1, 2}, NULL)") == .null)
    #expect(try failure("distanceToLocation:fromLocation:({1}, {1, 2}) == 1") == .typeMismatch)
  }

  @Test("Sums do not depend on the order of their terms", arguments: Soak.seeds(10, from: 11))
  func sumsAreExact(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var terms: [AttributeValue] = (0..<50).map { _ in
      Bool.random(using: &generator)
        ? .integer(Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...60, using: &generator))
        : .double(
          Double.random(in: -1...1, using: &generator)
            * Double(sign: .plus, exponent: Int.random(in: -80...80, using: &generator), significand: 1))
    }
    for function in [ExpressionFunction.sum, .average, .standardDeviation, .median, .mode, .min] {
      let first = try function.call(terms)
      terms.shuffle(using: &generator)
      #expect(try function.call(terms) == first, "seed \(seed): \(function.rawValue)")
    }
    #expect(try ExpressionFunction.sum.call([.double(1e100), .integer(1), .double(-1e100)]) == .double(1))
    #expect(try ExpressionFunction.sum.call(Array(repeating: .double(0.1), count: 10)) == .double(1))
    #expect(try ExpressionFunction.sum.call([.double(.infinity), .double(-.infinity)]) == .null)
    #expect(try ExpressionFunction.sum.call([.double(1e308), .double(1e308)]) == .double(.infinity))
  }

  @Test func distinctConstantsAreThoseThatAreNotEqual() throws {
    let constants: [ConstantValue] = [1, 1.0, nil, "\u{E9}", "e\u{301}", true, "\u{E9}", [1], [1.0]]
    #expect(try ConstantValue.distinct(constants).count == 4)
  }

  @Test func distinctAggregatesCountEqualValuesOnce() throws {
    var sum = AggregateAccumulator(.sum, isDistinct: true)
    var count = AggregateAccumulator(.count, isDistinct: true)
    for value: AttributeValue in [.integer(1), .double(1), .boolean(true), .null, .integer(2), .double(2.5)] {
      try sum.add(value)
      try count.add(value)
    }
    #expect(try sum.result() == .double(5.5))
    #expect(try count.result() == .integer(3))
  }
}
