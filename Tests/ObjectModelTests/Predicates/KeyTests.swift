import MergewalkObjectModel
import Testing

@Suite struct KeyTests {
  /// Predicates built in Swift and their texts.
  private static let built: [(ObjectPredicate, String)] = [
    (Key("age") > 5 && Key("name").beginsWith("x", .caseInsensitive), "age > 5 AND name BEGINSWITH[c] \"x\""),
    (Key("a") == nil || Key("b") != nil || !(Key("c") <= 1.5), "a == nil OR b != nil OR (NOT c <= 1.5)"),
    (
      Key("customer.name").contains("é", [.caseInsensitive, .diacriticInsensitive]), "customer.name CONTAINS[cd] \"é\""
    ),
    (Key("a").isIn([1, "x", nil]), "a IN {1, \"x\", nil}"), (Key("a").isIn(Key("b.c")), "a IN b.c"),
    (Key("a").between(1, 5), "a BETWEEN {1, 5}"), (Key("a").between(Key("b"), 5), "a BETWEEN {b, 5}"),
    (
      Key("a").endsWith("x") && Key("a").isLike("x*") && Key("a").matches("\\d"),
      "a ENDSWITH \"x\" AND a LIKE \"x*\" AND a MATCHES \"\\\\d\""
    ),
    (Key("a") + 1 * 2 < Key("b") / 2 - Key("c"), "a + 2 < (b / 2) - c"), (Key("a") % 2 == 0, "modulus:by:(a, 2) == 0"),
    (Key("orders").count >= 3, "orders.@count >= 3"), (Key("orders.amount").sum > 10, "sum:(orders.amount) > 10"),
    (Key("orders").any { $0["amount"] > 5 }, "ANY orders.amount > 5"),
    (Key("orders").none { $0["amount"] > 5 }, "NOT ANY orders.amount > 5"),
    (Key("orders").all { $0["amount"] > 5 }, "ALL orders.amount > 5"),
    (
      Key("orders").any { $0["amount"] > 5 && $0["isPaid"] == true },
      "SUBQUERY(orders, $element1, $element1.amount > 5 AND $element1.isPaid == 1).@count > 0"
    ),
    (
      Key("orders").all { $0["a"] > $0["b"] },
      "SUBQUERY(orders, $element1, NOT $element1.a > $element1.b).@count == 0"
    ),
    (
      Key("orders").any { order in order["lines"].any { line in line["a"] > order["b"] } },
      "SUBQUERY(orders, $element2, SUBQUERY($element2.lines, $element1, $element1.a > $element2.b).@count > 0).@count > 0"
    ),
    (Key("orders").elements { $0["a"] == 1 }["b"].max > 3, "max:(SUBQUERY(orders, $element1, $element1.a == 1).b) > 3"),
    (Key.object == Key.variable("X") && Key("d") < Key.now, "SELF == $X AND d < now()"),
    ((Key("a") > 1).choosing("x", else: Key("b")).uppercased == "X", "uppercase:(TERNARY(a > 1, \"x\", b)) == \"X\""),
    (Key("a").first == Key("a").last && Key("a").length.power(2) > 4, "a[FIRST] == a[LAST] AND length:(a) ** 2 > 4"),
    (
      Key("a").function(.bitwiseAnd, 4) != 0 && Key("b").absolute.lowercased == "1",
      "a & 4 != 0 AND lowercase:(abs:(b)) == \"1\""
    ),
    (Key("a.b")["c.@count"] == Optional(5), "a.b.c.@count == 5"),
    (Key.value("x").isIn(["x", "y"]), "\"x\" IN {\"x\", \"y\"}"),
  ]

  @Test(arguments: built)
  func `a predicate built of keys is the one that its text makes`(predicate: ObjectPredicate, text: String) throws {
    #expect(predicate.description == text)
    #expect(try ObjectPredicate(format: text) == predicate.asRead)
  }

  @Test func `chains make one predicate of all terms`() {
    guard case .and(let terms) = Key("a") == 1 && Key("b") == 2 && Key("c") == 3 else {
      Issue.record("no AND")
      return
    }
    #expect(terms.count == 3)
  }
}
