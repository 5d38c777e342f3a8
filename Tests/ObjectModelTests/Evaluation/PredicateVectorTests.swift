import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// Vectors of other implementations' tests; none contradicts Apple's documentation.
@Suite(.enabled(if: Locations.shared != nil)) struct PredicateVectorTests {
  @Test("Other implementations' vectors hold", arguments: PredicateVector.all)
  func vectorHolds(vector: PredicateVector) throws {
    if vector.expectParse == "error" {
      #expect(throws: PredicateError.self) {
        _ = try ObjectPredicate(format: vector.format, arguments: vector.arguments)
      }
      return
    }
    let parsed = try ObjectPredicate(format: vector.format, arguments: vector.arguments)
    let predicate = try parsed.substituting(vector.substitutions)
    if let format = vector.predicateFormat {
      #expect(parsed.description == format)
      #expect(try ObjectPredicate(format: parsed.description) == parsed)
    }
    if let indexes = vector.expectIndexes {
      let values = try (vector.collection ?? []).map { try EvaluatedValue($0.constant) }
      var found: [Int] = []
      for (index, value) in values.enumerated() where try predicate.evaluate(with: value) { found.append(index) }
      #expect(found == indexes)
      #expect(try values.filtered(by: predicate).count == indexes.count)
    }
    let object = try EvaluatedValue((vector.object ?? .null).constant)
    if let expected = vector.expect { #expect(try predicate.evaluate(with: object) == expected) }
    if vector.expectEval == "error" {
      #expect(throws: PredicateError.self) { _ = try predicate.evaluate(with: object) }
    }
  }

  @Test func thereAreVectors() { #expect(PredicateVector.all.count >= 75) }
}
