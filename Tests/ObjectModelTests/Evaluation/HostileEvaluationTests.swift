import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// Predicates and values that are meant to make the evaluator hang or trap.
@Suite struct HostileEvaluationTests {
  @Test func patternsThatExplodeAreErrors() throws {
    let text = EvaluatedValue.attribute(.string(String(repeating: "a", count: 100_000) + "!"))
    let start = ProcessorTime.now
    #expect(try !holds("SELF MATCHES '(a+)+$'", text))
    #expect(try !holds("SELF LIKE %@", text, [String(repeating: "*a", count: 10_000) + "b"]))
    #expect(try failure("SELF MATCHES %@", text, ["(a+)+\\b$|(x)\\2"]) == .patternTimeLimit)
    #expect(ProcessorTime.now - start < .seconds(3))
  }

  @Test func megabyteLiterals() throws {
    let big = String(repeating: "aé", count: 500_000)
    let object = EvaluatedValue.attribute(.string(big))
    let start = ProcessorTime.now
    #expect(try holds("SELF == %@ AND SELF ==[cd] %@ AND SELF BEGINSWITH[c] %@", object, [big, big, "AÉ"]))
    #expect(try !holds("SELF CONTAINS[cd] %@", object, [String(repeating: "ae", count: 400_000) + "x"]))
    #expect(try holds("SELF MATCHES '.*é' AND SELF LIKE '*é' AND SELF ==[l] %@", object, [big]))
    #expect(try single("length:(SELF)", object) == .integer(1_000_000))
    #expect(ProcessorTime.now - start < .seconds(5))
  }

  @Test("What nests deep is an error, also on a small stack")
  func deepNestingIsAnError() {
    var sum = ObjectExpression.constant(1)
    var predicate = ObjectPredicate.value(true)
    var path = ObjectExpression.evaluatedObject
    var ternary = ObjectExpression.constant(1)
    var subquery = ObjectExpression.constant([1])
    for _ in 0..<5_000 {
      sum = .function(.add, [sum, .constant(1)])
      predicate = .not(predicate)
      path = .path(path, PropertyPath([.property("a")]))
      ternary = .conditional(
        .comparison(ComparisonPredicate(ternary, .equalTo, .constant(1))), .constant(1), .constant(2))
      subquery = .subquery(subquery, variable: "x", .value(true))
    }
    let comparisons = [sum, path, ternary, subquery].map {
      ObjectPredicate.comparison(ComparisonPredicate($0, .equalTo, .constant(1)))
    }
    for hostile in comparisons + [predicate] {
      var code: PredicateError.Code?
      do throws(PredicateError) {
        _ = try hostile.evaluate(with: EvaluatedValue.null)
      } catch {
        code = error.code
      }
      #expect(code == .tooLarge)
    }
  }

  @Test("The depth that is allowed fits a stack of a megabyte")
  func allowedDepthFitsTheStack() throws {
    let depth = PredicateEvaluator.greatestDepth / 2 - 2
    var ternary = ObjectExpression.constant(1)
    var subquery = ObjectExpression.constant([1])
    for _ in 0..<depth {
      ternary = .conditional(
        .comparison(ComparisonPredicate(ternary, .equalTo, .constant(1))), .constant(1), .constant(2))
      subquery = .subquery(
        .constant([1]), variable: "x",
        .comparison(ComparisonPredicate(subquery, .contains, .constant(1))))
    }
    for expression in [ternary, subquery] {
      let outcome = try OnSmallStack.run { try expression.evaluate(with: .null) }
      #expect(!outcome.isNull)
    }
  }

  @Test func collectionsThatNestDeepAreErrors() throws {
    var value: EvaluatedValue = 1
    for _ in 0..<5_000 { value = .collection([value]) }
    for format in [
      "SELF == SELF", "SELF.a == 1", "SELF IN {SELF}", "distinct:(SELF)[SIZE] == 1", "(SELF UNION {})[SIZE] == 1",
    ] {
      #expect(try failure(format, value) == .tooLarge, "\(format)")
    }
  }

  @Test("Random predicates over random values end with true, false or an error", arguments: Soak.seeds(20, from: 500))
  func randomPredicatesNeverTrap(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values: [EvaluatedValue] = [
      nil, 1, 2.5, "a", true, [1, nil], ["k": 1], [["k": [1, 2]]], .attribute(.double(.nan)),
      .attribute(.integer(.min)),
      .attribute(.integer(.max)), .attribute(.date(-.infinity)), .attribute(.uuid(1, 2)), .attribute(.binary([])),
      .object(Thing(1, ["k": "v"])), .objectID(Thing(2).id), .attribute(.double(.infinity)), [], "[",
      .attribute(.decimal(DecimalNumber(significand: .max, exponent: -165))),
      .attribute(.decimal(DecimalNumber(significand: .min, exponent: .max))),
      .attribute(.decimal(DecimalNumber(significand: 7, exponent: .min))),
    ]
    func expression(_ depth: Int) -> ObjectExpression {
      switch Int.random(in: 0..<(depth > 0 ? 12 : 3), using: &generator) {
      case 0: return .variable("v\(Int.random(in: 0..<values.count, using: &generator))")
      case 1: return .keyPath(PropertyPath([.property("k")]))
      case 2: return .evaluatedObject
      case 3:
        return .path(
          expression(depth - 1),
          PropertyPath([
            .collectionOperator(CollectionOperator.allCases.randomElement(using: &generator) ?? .count), .property("k"),
          ]))
      case 4: return .aggregate([expression(depth - 1), expression(depth - 1)])
      case 5: return .subquery(expression(depth - 1), variable: "v0", predicate(depth - 1))
      case 6:
        return .set(
          SetOperation.allCases.randomElement(using: &generator) ?? .union, expression(depth - 1), expression(depth - 1)
        )
      case 7: return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
      case 8:
        let elements: [CollectionElement] = [.first, .last, .size, .at(expression(depth - 1))]
        return .element(expression(depth - 1), elements.randomElement(using: &generator) ?? .first)
      case 9: return .assignment(variable: "v1", expression(depth - 1))
      default:
        let function = ExpressionFunction.allCases.randomElement(using: &generator) ?? .add
        let count = Int.random(in: 0...2, using: &generator)
        return .function(function, (0..<count).map { _ in expression(depth - 1) })
      }
    }
    func predicate(_ depth: Int) -> ObjectPredicate {
      .comparison(
        ComparisonPredicate(
          expression(depth),
          ComparisonPredicate.Operator.allCases.randomElement(using: &generator) ?? .equalTo,
          expression(depth), modifier: [.direct, .any, .all].randomElement(using: &generator) ?? .direct,
          options: ComparisonPredicate.Options(rawValue: UInt8.random(in: 0..<16, using: &generator))))
    }
    var variables: [String: EvaluatedValue] = [:]
    for (index, value) in values.enumerated() { variables["v\(index)"] = value }
    var answers = 0
    for _ in 0..<400 {
      let hostile = predicate(3)
      for value in values.shuffled(using: &generator).prefix(3) {
        if (try? hostile.evaluate(with: value, variables: variables)) != nil { answers += 1 }
      }
    }
    #expect(answers > 0, "seed \(seed)")
  }
}
