import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The rules of `docs/predicates.md` for comparisons, in memory.
@Suite struct ComparisonTests {
  static var nan: EvaluatedValue { .attribute(.double(.nan)) }

  @Test func nullIsEqualToNullOnly() throws {
    for object: EvaluatedValue in [["a": nil], [:], ["a": Self.nan]] {
      #expect(try holds("a == NULL", object))
      #expect(try !holds("a != NULL", object))
      #expect(try holds("a != 'x'", object))
      #expect(try !holds("a == 'x'", object))
      #expect(try holds("NOT a < 5", object))
      for comparison in [
        "< 5", "<= 5", "> 5", ">= 5", "BETWEEN {1, 2}", "LIKE '*'", "MATCHES '.*'", "BEGINSWITH ''",
        "ENDSWITH ''", "CONTAINS ''", "IN 'abc'", "< NULL", "<= NULL", ">= NULL",
      ] {
        #expect(try !holds("a \(comparison)", object), "\(comparison)")
      }
      #expect(try holds("a IN {1, NULL}", object))
      #expect(try !holds("a IN {1, 2}", object))
    }
    #expect(try !holds("1 BETWEEN {NULL, 2}"))
    #expect(try !holds("1 BETWEEN NULL"))
    #expect(try !holds("1 IN NULL"))
    #expect(try !holds("'a' IN NULL"))
    #expect(try holds("list CONTAINS NULL", ["list": [1, nil]]))
    #expect(try !holds("list CONTAINS NULL", ["list": [1]]))
    #expect(try holds("a == 1", ["a": 1]))
    #expect(try holds("a > 5", ["a": .attribute(.double(.infinity))]))
  }

  @Test func numbersCompareByTheirExactValue() throws {
    let cases: [(AttributeValue, AttributeValue, Int)] = [
      (.integer(1), .double(1), 0), (.boolean(true), .integer(1), 0), (.boolean(false), .double(0), 0),
      (.double(-0.0), .integer(0), 0), (.integer(.max), .double(0x1p63), -1), (.integer(.min), .double(-0x1p63), 0),
      (.integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), 1), (.integer(1), .double(1.5), -1),
      (.integer(-1), .double(-1.5), 1), (.integer(2), .double(1.5), 1), (.integer(.max), .double(.infinity), -1),
      (.integer(.min), .double(-.infinity), 1),
      (.decimal(DecimalNumber(significand: 1, exponent: -1)), .double(0.1), 0),
      (.decimal(DecimalNumber(significand: 5, exponent: 2)), .integer(500), 0),
      (.decimal(DecimalNumber(significand: 1, exponent: 30)), .double(1e30), 0),
      (.decimal(DecimalNumber(significand: 123_456_789_012_345_678, exponent: -17)), .double(1.23456789012345678), 0),
      (.decimal(DecimalNumber(significand: 1, exponent: -150)), .double(1e-150), 0),
    ]
    for (left, right, order) in cases {
      #expect(try ValueComparison.order(left, right) == order, "\(left) \(right)")
      #expect(try ValueComparison.order(right, left) == -order, "\(right) \(left)")
      #expect(ValueComparison.areEqual(left, right) == (order == 0))
    }
  }

  @Test func valuesOfOtherFamiliesAreNotEqualAndHaveNoOrder() throws {
    let samples: [AttributeValue] = [
      .integer(1), .string("1"), .date(1), .binary([1]), .uuid(0, 1),
    ]
    for (index, left) in samples.enumerated() {
      for (other, right) in samples.enumerated() where other != index {
        #expect(!ValueComparison.areEqual(left, right))
        #expect(throws: PredicateError.self) { _ = try ValueComparison.order(left, right) }
        let object: EvaluatedValue = ["l": .attribute(left), "r": .attribute(right)]
        #expect(try failure("l < r", object) == .typeMismatch)
        #expect(try failure("l BETWEEN {r, r}", object) == .typeMismatch)
        #expect(try holds("l != r AND NOT l IN {r} AND NOT {l} CONTAINS r", object))
      }
    }
    #expect(try holds("a == b", ["a": .attribute(.uri("x")), "b": "x"]))
    #expect(try holds("a < b", ["a": .attribute(.binary([1, 2])), "b": .attribute(.binary([1, 3]))]))
    #expect(try holds("a < b", ["a": .attribute(.uuid(1, 9)), "b": .attribute(.uuid(2, 0))]))
    #expect(try holds("a < b", ["a": .attribute(.date(1)), "b": .attribute(.date(2))]))
  }

  @Test func textsCompareByBytes() throws {
    let object: EvaluatedValue = ["c": "\u{E9}", "d": "e\u{301}"]
    #expect(try holds("c != d AND c > d AND c > 'f' AND d < 'f'", object))
    #expect(try holds("NOT c IN {'x', %@}", object, ["e\u{301}"]))
    #expect(try holds("c ==[c] d AND c ==[d] d AND c ==[cd] 'E' AND c !=[c] 'E' AND c ==[d] 'e'", object))
    #expect(try holds("c IN[cd] {'x', 'E'} AND {'E'} CONTAINS[cd] c AND 'xÉy' CONTAINS[cd] d", object))
    #expect(try holds("c !=[n] d AND c !=[cn] 'É'", object))
    #expect(try holds("'B' <[c] 'c' AND 'B' < 'a' AND NOT 'B' <[c] 'a' AND 'b' BETWEEN[c] {'A', 'C'}"))
    #expect(try holds("'Straße' ==[c] 'STRASSE' AND 'ﬁ' BEGINSWITH[c] 'F'"))
    // The root collation: no bytes, no locale.
    #expect(try holds("'Z' >[l] 'a' AND 'é' <[l] 'f' AND c ==[l] d AND 'a' <[l] 'A'", object))
    #expect(try holds("'a' ==[cl] 'A' AND 'a' !=[cl] 'á' AND 'a' ==[dl] 'á' AND 'a' !=[dl] 'A' AND 'a' ==[cdl] 'Á'"))
    #expect(try holds("'b' BETWEEN[l] {'A', 'C'} AND 'É' IN[cdl] {'x', 'e'}"))
    #expect(try holds("NOT c CONTAINS[l] d", object))
    #expect(try holds("1 ==[cd] 1.0 AND NULL ==[cd] NULL"))
  }

  @Test func emptyTextIsPartOfEveryText() throws {
    #expect(try holds("'' IN 'a' AND 'a' CONTAINS '' AND 'a' BEGINSWITH '' AND '' ENDSWITH '' AND '' LIKE '*'"))
    #expect(try holds("'a' CONTAINS[cd] '' AND '' CONTAINS[c] ''"))
    #expect(try holds("'abc' CONTAINS 'bc' AND 'bc' IN 'abc' AND NOT 'abc' IN 'bc' AND 'abc' ENDSWITH 'c'"))
  }

  @Test func textOperatorsTakeTexts() throws {
    for comparison in ["LIKE", "MATCHES", "BEGINSWITH", "ENDSWITH", "CONTAINS", "IN"] {
      #expect(try failure("a \(comparison) 'x'", ["a": 5]) == .typeMismatch, "\(comparison)")
      #expect(try failure("a \(comparison) b", ["a": "x", "b": 5]) == .typeMismatch, "\(comparison)")
    }
    #expect(try failure("a LIKE NULL", ["a": 5]) == .typeMismatch)
    #expect(try failure("NULL LIKE a", ["a": 5]) == .typeMismatch)
    #expect(try failure("list LIKE 'x'", ["list": ["x"]]) == .toManyKey)
    #expect(try holds("a BEGINSWITH 'http'", ["a": .attribute(.uri("http://x"))]))
  }

  @Test func likeAndMatches() throws {
    #expect(try holds("'image.png' LIKE '*.p?g' AND NOT 'image.PNG' LIKE '*.p?g' AND 'image.PNG' LIKE[c] '*.p?g'"))
    #expect(try holds("'a*b' LIKE %@ AND NOT 'axb' LIKE %@", .null, ["a\\*b", "a\\*b"]))
    #expect(try holds("'caf\u{E9}' LIKE[d] 'c?fe' AND 'Crème' MATCHES[cd] 'cr.me'"))
    #expect(try holds("'ABC' MATCHES[c] 'a.c' AND NOT 'ABC' MATCHES 'a.c' AND NOT 'ABCD' MATCHES[c] 'a.c'"))
    #expect(try holds("a MATCHES b", ["a": "aa", "b": "(a)\\1"]))
    #expect(try failure("'a' MATCHES '('") == .pattern)
    #expect(try failure("'a' MATCHES '*a'") == .pattern)
  }

  @Test func uniformTypesConform() throws {
    #expect(try holds("'public.jpeg' UTI-CONFORMS-TO 'public.image' AND 'public.jpeg' UTI-CONFORMS-TO 'public.item'"))
    #expect(try holds("NOT 'public.jpeg' UTI-CONFORMS-TO 'public.text' AND 'a.b' UTI-CONFORMS-TO 'A.B'"))
    #expect(try holds("'Public.JPEG' UTI-EQUALS 'public.jpeg' AND NOT 'public.jpeg' UTI-EQUALS 'public.image'"))
    #expect(try !holds("NULL UTI-EQUALS 'public.jpeg'"))
  }

  @Test func objectsCompareByID() throws {
    let (a, b) = (Thing(1), Thing(2))
    let object: EvaluatedValue = ["a": .object(a), "b": .object(b), "list": [.object(a)]]
    #expect(try ObjectPredicate(format: "self == %@", a.id).evaluate(with: a))
    #expect(try !ObjectPredicate(format: "self == %@", a.id).evaluate(with: b))
    #expect(try ObjectPredicate(format: "self IN %@", [a.id, b.id]).evaluate(with: b))
    #expect(
      try ObjectPredicate(format: "a == %@ AND b != %@ AND list CONTAINS %@", a.id, a.id, a.id).evaluate(with: object))
    #expect(try holds("a == a AND a != b AND a != NULL AND a != 'x' AND a IN list AND NOT b IN list", object))
    #expect(try holds("m == n AND m != a", ["m": ["x": 1], "n": ["x": 1.0], "a": ["x": 2]]))
    #expect(try failure("a < b", object) == .typeMismatch)
    #expect(try failure("a.missing == 1", object) == .unknownKey)
    #expect(try failure("self.x == 1", .objectID(a.id)) == .unknownKey)
    let many = (0..<1_000).map { Thing(Int64($0)).id }
    let inMany = try ObjectPredicate(format: "self IN %@", many)
    #expect(try [Thing(999), Thing(1_000)].filtered(by: inMany).map(\.id.primaryKey) == [999])
  }

  @Test func longListsAreLookedUpAsShortOnes() throws {
    var generator = SeededGenerator(seed: 9)
    let pool: [ConstantValue] = [
      1, 1.0, 2.5, "a", "\u{E9}", "e\u{301}", nil, true, [1, 2], [1.0, 2], .attribute(.date(1)),
      .attribute(.double(-0.0)), 0, .attribute(.binary([1])), .attribute(.double(.nan)), .attribute(.uri("a")),
      .attribute(.decimal(DecimalNumber(significand: 25, exponent: -1))), .attribute(.double(1e300)),
    ]
    var evaluator = PredicateEvaluator()
    for _ in 0..<300 {
      let list = (0..<Int.random(in: 6...12, using: &generator)).map { _ in pool.randomElement(using: &generator) ?? 1 }
      guard let value = pool.randomElement(using: &generator) else { continue }
      if case .collection = value { continue }
      let predicate = ObjectPredicate.comparison(
        ComparisonPredicate(.constant(value), .isIn, .constant(.collection(list))))
      var expected = false
      for element in list {
        guard case .attribute(let first) = value, case .attribute(let second) = element else { continue }
        expected = expected || ValueComparison.areEqual(first, second)
      }
      #expect(try evaluator.evaluate(predicate, with: .null) == expected, "\(value) \(list)")
    }
  }

  @Test func betweenTakesTwoValues() throws {
    #expect(try holds("2 BETWEEN {1, 3} AND 1 BETWEEN {1, 3} AND 3 BETWEEN {1, 3} AND NOT 4 BETWEEN {1, 3}"))
    #expect(try !holds("2 BETWEEN {3, 1}"))
    #expect(try failure("2 BETWEEN a", ["a": [1, 2, 3]]) == .typeMismatch)
    #expect(try failure("2 BETWEEN a", ["a": 1]) == .typeMismatch)
  }
}
