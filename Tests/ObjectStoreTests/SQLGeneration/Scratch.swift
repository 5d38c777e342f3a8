import ObjectModel
import ObjectStore
import Testing

@Test("scratch") func scratch() throws {
  let shop = try Shop()
  let forms = [
    "code == 'a'", "code != 'a'", "code == nil", "code != nil", "NOT (code == 'a')", "amount > 3",
    "amount == 9007199254740993",
    "count == 2.5", "count == 2.0", "count < 2.5", "NOT (amount > 3)", "code ==[cd] 'a'", "code <[l] 'a'",
    "code BEGINSWITH 'ab'",
    "code BEGINSWITH[c] 'ab'", "code ENDSWITH 'x'", "code CONTAINS 'x'", "code CONTAINS[d] 'x'", "code LIKE 'ab*'",
    "code LIKE 'ab*c?'",
    "code LIKE 'abc'", "code MATCHES 'a.c'", "code IN {'a', 'b', nil}", "size IN {1, 2.0, 'a', 3.5}",
    "size BETWEEN {1, 3}",
    "NOT (size IN {1,2})", "'x' IN code", "customer.name == 'Bo'", "customer == nil",
    "customer.name == nil AND customer.name > 'c'",
    "ANY lines.title == 'x'", "ALL lines.quantity > 3", "NONE lines.quantity > 3", "ANY lines.product.name == 'x'",
    "lines.@count > 3",
    "lines.@sum.quantity > 3", "count:(lines) == 0", "max:(lines.quantity) > size", "ANY tags.name IN {'a', 'b'}",
    "tags.@count == 2",
    "ANY marks.text == 'x'", "SUBQUERY(lines, $l, $l.quantity > 2 AND $l.product.price > SELF.amount).@count > 1",
    "SUBQUERY(customer.orders, $o, SUBQUERY($o.lines, $l, $l.quantity > $o.size).@count > 0).@count > 1",
    "ANY customer.orders.lines.product.name LIKE 'a*'", "lines[FIRST].title == 'x'", "lines[LAST].product.name == 'x'",
    "lines[2].quantity == 3",
    "lines[SIZE] == 2", "ANY customer.friends.name == 'x'", "ANY customer.friends == SELF.customer",
    "amount + count * 2 > 3", "(amount + count) * 2 > 3",
    "count / 2 == 1", "-count < 3", "modulus:by:(count, 3) == 1", "modulus:by:(amount, 3) == 1",
    "placed > CAST('2020-01-01', 'NSDate')",
    "placed + 5 < now()", "sum:({count, amount, 3}) > 4", "TERNARY(amount > 3, 'a', 'b') == code",
    "uppercase:(code) == 'A'", "length:(code) > 3",
    "noindex:(code) == 'a'", "sqrt:(amount) > 2", "random() < 0.5", "bitwiseAnd:with:(count, 3) == 1", "isOpen == YES",
    "TRUEPREDICATE", "FALSEPREDICATE",
    "code == 'a' AND (amount > 3 OR size < 2)", "SELF == nil", "customer == customer.orders[FIRST].customer",
    "code == 5", "amount == code", "{1,2,3} CONTAINS size",
    "ANY {1, size} == count", "TRUEPREDICATE AND code == 'b'", "ANY tags.orders.code == 'x'", "price > 3.5",
    "price == 5", "link == 'http://x'",
    "amount < 'a'", "extra == nil", "extra == 'a'", "lines.quantity > 3", "codee == 'a'", "customer.age > 3",
    "max:(amount) > 3", "lines == tags", "code UTI-EQUALS 'a'",
    "code UTI-CONFORMS-TO 'public.data'", "mode:(lines.quantity) == 3", "average:(lines.quantity) > 1",
    "median:(lines.product.price) > 3", "count:(distinct:(lines.product)) > 1",
    "lines.@count + tags.@count > 3", "SELF IN customer.orders", "customer.orders CONTAINS SELF",
    "lines.product.name CONTAINS 'x'", "5 IN lines.quantity", "code MATCHES '('",
    "ANY code == 'a'", "customer.name.foo == 1", "lines.@distinctUnionOfObjects.title == 3", "lines UNION tags == 3",
    "count == {1}", "code == $X", "CAST(count, 'NSString') == '3'",
  ]
  for form in forms {
    do {
      let predicate = try Predicate(format: form)
      let fetch = try shop.compiler.compile(
        FetchRequest("Order", where: predicate), selecting: .primaryKeys(withSortKeys: false))
      print("•", form, "\n   ", try shop.filter("Order", predicate), "   ", fetch.bindings)
      do { _ = try shop.keys(FetchRequest("Order", where: predicate)) } catch { print("   RUN", error) }
    } catch { print("•", form, "\n    !", error) }
  }
}
