import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct FormatPrintingTests {
  @Test(arguments: Soak.seeds(600))
  func `reading the text of any predicate gives it again`(seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    let predicate = random.predicate()
    let text = predicate.description
    let again = try #require(try? ObjectPredicate(format: text), "seed \(seed): \(text)")
    #expect(again == predicate.asRead, "seed \(seed): \(text)")
    #expect(again.description == text, "seed \(seed)")
  }

  @Test(arguments: Soak.seeds(400))
  func `reading the text of any expression gives it again`(seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    let expression = random.expression(4)
    let text = expression.description
    let again = try #require(try? ObjectExpression(format: text), "seed \(seed): \(text)")
    #expect(again == expression.asRead, "seed \(seed): \(text)")
  }

  @Test(arguments: Soak.seeds(200))
  func `any constant given as an argument comes back from the text`(seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    let predicate = try ObjectPredicate(format: "a == %@", random.constant(3))
    #expect(try ObjectPredicate(format: predicate.description) == predicate, "seed \(seed): \(predicate)")
  }

  /// Formats and the text that Apple's `predicateFormat` has for them.
  @Test(arguments: [
    ("isMale == YES", "isMale == 1"), ("isMale == no", "isMale == 0"), ("name = NULL", "name == nil"),
    ("firstName like 'Adam'", "firstName LIKE \"Adam\""),
    ("SELF like[c] \"prefix*suffix\"", "SELF LIKE[c] \"prefix*suffix\""),
    ("a[SIZE] == 3", "a[SIZE] == 3"), ("a.@count == 3", "a.@count == 3"), ("$a == 1", "$a == 1"),
    ("$a.$b == 1", "$a.$b == 1"), ("a.$b.c == $d", "a.$b.c == $d"),
    ("a IN {1, 2}", "a IN {1, 2}"), ("d < CAST(600000.25, 'NSDate')", "d < CAST(600000.250000, \"NSDate\")"),
    ("NONE a.b == 1", "NOT ANY a.b == 1"), ("a = 1 and b = 2 or c = 3", "(a == 1 AND b == 2) OR c == 3"),
    ("age + 1 * 2 == 3", "age + (1 * 2) == 3"), ("-x == 1", "0 - x == 1"), ("now() > d", "now() > d"),
    ("sum({1, 2, 3}) == 6", "sum:({1, 2, 3}) == 6"), ("a BETWEEN { 0 , 33 }", "a BETWEEN {0, 33}"),
    ("wight >= 55.8", "wight >= 55.8"), ("FALSEPREDICATE", "FALSEPREDICATE"), ("a ==[dc] 'x'", "a ==[cd] \"x\""),
  ])
  func `predicates print as Apple's do`(format: String, text: String) throws {
    #expect(try ObjectPredicate(format: format).description == text)
  }

  @Test func `closures and objects print what they are`() throws {
    let closure = PredicateClosure { _ in true }
    let text = ObjectPredicate.and([.closure(closure), .value(true)]).description
    #expect(text.hasPrefix("BLOCKPREDICATE(0x"))
    #expect(text.hasSuffix(") AND TRUEPREDICATE"))
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: text) }
  }
}
