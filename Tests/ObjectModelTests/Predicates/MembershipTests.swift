@testable import MergewalkObjectModel
import Testing

/// What means `IN` in other words, and sets of constants that are compared with options.
@Suite struct MembershipTests {
  static let numbers = (0..<70).map(String.init)

  private func gathered(_ format: String) throws -> ObjectPredicate {
    switch try ObjectPredicate(format: format) {
    case .or(let parts): .or(ObjectPredicate.gathered(parts, ofOr: true))
    case .and(let parts): .and(ObjectPredicate.gathered(parts, ofOr: false))
    case let other: other
    }
  }

  @Test(
    "many comparisons of one value in a row become a list",
    arguments: [
      ("a == #", " OR ", "a IN {#}"), ("# == a", " OR ", "a IN {#}"), ("NOT (a != #)", " OR ", "a IN {#}"),
      ("a ==[c] #", " OR ", "a IN[c] {#}"), ("a != #", " AND ", "NOT a IN {#}"),
      ("NOT a == #", " AND ", "NOT a IN {#}"),
    ])
  func chains(part: String, word: String, list: String) throws {
    let chain = Self.numbers.map { part.replacing("#", with: $0) }.joined(separator: word)
    let one = list.replacing("#", with: Self.numbers.joined(separator: ", "))
    for (before, after) in [("", ""), ("b == 1\(word)", ""), ("", "\(word)c > 2"), ("b == 1\(word)", "\(word)c > 2")] {
      let isAlone = before.isEmpty && after.isEmpty
      let wanted = try ObjectPredicate(format: before + "(\(one))" + after)
      let parts = try gathered(before + chain + after)
      if isAlone {
        #expect(parts == (word == " OR " ? .or([wanted]) : .and([wanted])))
      } else {
        #expect(parts == wanted)
      }
    }
  }

  @Test(
    "what is no chain stays as it is",
    arguments: [
      "a == 1 OR a == 2", Self.numbers.map { "a == \($0)" }.joined(separator: " AND "),
      Self.numbers.map { "a != \($0)" }.joined(separator: " OR "),
      Self.numbers.map { "a == \($0) OR b == \($0)" }.joined(separator: " OR "),
      Self.numbers.map { "ANY a == \($0)" }.joined(separator: " OR "),
      Self.numbers.map { "a == {\($0)}" }.joined(separator: " OR "),
      Self.numbers.map { "1 == \($0)" }.joined(separator: " OR "),
    ])
  func otherChains(format: String) throws {
    #expect(try gathered(format) == ObjectPredicate(format: format))
  }

  @Test(
    "quantified lists are other words for IN",
    arguments: [
      ("ANY {1, 2} == a", "a IN {1, 2}"), ("{1, 2} CONTAINS[c] a", "a IN[c] {1, 2}"),
      ("ALL {1, 2} != a", "NOT a IN {1, 2}"), ("ANY {1, 2} != a", nil), ("ALL {1, 2} == a", nil),
      ("ANY {1, {2}} == a", nil), ("ANY b == a", nil), ("a IN {1, 2}", nil), ("'ab' CONTAINS a", nil),
    ])
  func quantifiers(format: String, list: String?) throws {
    guard case .comparison(let comparison) = try ObjectPredicate(format: format) else {
      Issue.record("\(format) is no comparison")
      return
    }
    #expect(try comparison.membership == list.map { try ObjectPredicate(format: $0) })
  }

  @Test(
    "long lists find the same texts as short ones, whatever the options",
    arguments: ["", "[c]", "[d]", "[cd]", "[l]", "[cl]", "[dl]", "[cdl]", "[cdn]"])
  func options(options: String) throws {
    let texts = ["a", "A", "\u{E4}", "A\u{308}", "ss", "\u{DF}", "\u{130}", "i", "I", "\u{FB01}", "fi", "-a", "", "1"]
    let others = (0..<9).map { "'other \($0)'" } + ["5", "NULL"]
    var found = 0
    for text in texts {
      let long = ["%@"] + others
      for probe in texts {
        let object: EvaluatedValue = ["t": .attribute(.string(probe))]
        let isEqual = try holds("t ==\(options) %@", object, [text])
        found += isEqual ? 1 : 0
        for format in ["t IN\(options) {#}", "ANY {#} ==\(options) t", "{#} CONTAINS\(options) t"] {
          let format = format.replacing("#", with: long.joined(separator: ", "))
          #expect(try holds(format, object, [text]) == isEqual, "\(format) with \(text) and \(probe)")
        }
        let opposite = "ALL {\(long.joined(separator: ", "))} !=\(options) t"
        #expect(try holds(opposite, object, [text]) == !isEqual, "\(opposite) with \(text) and \(probe)")
      }
    }
    #expect(found >= texts.count)
    let list = (0..<9).map { ConstantValue.attribute(.string("\($0)")) }
    let comparison: ComparisonPredicate.Options = options.contains("l") ? .localeSensitive : .caseInsensitive
    #expect(try ConstantSet(list, comparison, .stored) != nil)
  }

  @Test func aListOfListsIsStillRefusedBesideAValue() throws {
    let list = "{{1}, " + (0..<9).map(String.init).joined(separator: ", ") + "}"
    #expect(try failure("ANY \(list) == 1") == .toManyKey)
    #expect(try holds("\(list) CONTAINS 3 AND NOT \(list) CONTAINS 9"))
  }
}
