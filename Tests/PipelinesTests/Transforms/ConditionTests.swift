import Foundation
import MergewalkImporting
import MergewalkTestSupport
import Testing

/// `where` and `value`: the predicate language over the columns of records.
@Suite("Conditions and expressions over columns") struct ConditionTests {
  private static let data = """
    key,n,price,d,country,note
    1,5,1.50,2024-01-01,CH,Hello
    2,0,2.50,2024-06-01,DE,
    3,-3,0.10,,AT,hello world
    4,,9.99,2023-01-01,CH,Grüezi
    5,12,100,2025-01-01,fr,x

    """

  @Test(
    "conditions keep the records that satisfy them",
    arguments: [
      ("n > 0", "15"), ("n >= 0 AND country IN {'CH', 'DE'}", "12"), ("n == nil", "4"), ("n != nil", "1235"),
      ("NOT (n > 0)", "234"), ("n BETWEEN {0, 5}", "12"), ("price == 0.1", "3"), ("price > n", "235"),
      ("price + 1 > 10", "45"), ("n IN {5, 12}", "15"), ("country ==[c] 'FR'", "5"), ("country == 'FR'", ""),
      ("note BEGINSWITH 'Hel'", "1"), ("note CONTAINS[cd] 'GRUEZI' OR note CONTAINS[cd] 'gruezi'", "4"),
      ("note ENDSWITH 'world'", "3"), ("note LIKE 'h*'", "3"), ("note MATCHES '[A-Z].*'", "14"), ("note == ''", "2"),
      ("uppercase:(country) == 'FR'", "5"), ("length:(note) > 5", "34"),
      ("d > CAST('2024-03-01', 'NSDate')", "25"), ("d == nil", "3"), ("TERNARY(n > 0, price, 0) > 1", "15"),
      ("TRUEPREDICATE", "12345"), ("country < note", "1345"), ("abs:(n) == 3", "3"), ("n * 2 == 10", "1"),
      ("n / 5 == 2", "5"), ("country != 'CH'", "235"), ("n == 5 OR country MATCHES '[a-z]+'", "15"),
    ])
  func filters(condition: String, expected: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      """
      where: "\(condition)"
      attributes: { number: n, amount: price, day: d, text: country, other: note }
      """, Self.data)
    #expect(try folder.rows("ZKEY").joined() == expected)
    #expect(summary.skipped == 5 - expected.count)
    #expect(summary.read == 5)
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
  }

  @Test(
    "expressions make values",
    arguments: [
      ("text", "uppercase:(note)", "HELLO"), ("text", "lowercase:(country)", "ch"), ("amount", "n * price", "7.5"),
      ("number", "n * 2 + 1", "11"), ("number", "n / 2", "2"), ("amount", "price / 4", "0.375"),
      ("real", "sqrt:(n + 4)", "3.0"), ("number", "length:(note)", "5"),
      ("text", "TERNARY(n > 3, 'many', note)", "many"),
      ("text", "'fixed'", "fixed"), ("number", "2 + 3", "5"), ("day", "CAST('2001-01-02', 'NSDate')", "86400"),
      ("amount", "0.1 + 0.2", "0.3"), ("text", "n", "5"), ("amount", "abs:(0 - price)", "1.5"),
    ])
  func makesValues(attribute: String, expression: String, expected: String) throws {
    let folder = try TransformFolder()
    try folder.run(
      """
      columns: { n: { type: integer }, price: { type: decimal } }
      attributes: { \(attribute): { value: "\(expression)" } }
      """, "key,n,price,country,note\n1,5,1.50,CH,Hello\n")
    #expect(try folder.rejects() == [])
    #expect(try folder.rows("Z" + attribute.uppercased()) == [expected])
  }

  @Test("what a skipped record holds besides is nobody's business, what the condition needs is") func skipsAndRejects()
    throws
  {
    let folder = try TransformFolder()
    let summary = try folder.run(
      """
      columns: { age: { type: integer } }
      where: "age >= 18"
      attributes: { number: n, text: { from: a, do: [{ to: integer }] } }
      """, "key,age,n,a\n1,20,1,1\n2,10,bad,bad\n3,x,3,3\n4,30,4,bad\n")
    #expect((summary.inserted, summary.skipped, summary.rejected) == (1, 1, 2))
    #expect(try folder.rejects().count == 2)
    #expect(try folder.rejects().first == "3 transform.value where, age: \"x\" is not a whole number")
    #expect(try folder.rows("ZKEY") == ["1"])
  }

  @Test(
    "a value that neither the condition nor an attribute can read is one fault, the attribute's",
    arguments: [
      ("", ["value.integer": 1]), ("columns: { n: { type: integer } }\n", ["value.date": 1]),
    ])
  func namesFaultsOnce(columns: String, counts: [String: Int]) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      columns + "where: \"n > 0\"\nattributes: { number: n, day: d }", "key,n,d\na,1,2024-01-01\nb,x,never\n")
    #expect(summary.rejectCounts == counts, "\(folder.rejectsText)")
    let text = try String(contentsOfFile: folder.folder.file("rejects.ndjson"), encoding: .utf8)
    #expect(text.contains(#""attribute":"number""#) && text.contains(#""attribute":"day""#), "\(text)")
    #expect(!text.contains("where, "), "\(text)")
  }

  @Test("targets of relationships are not made for skipped records, nor in mode insert") func skipsTargets() throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "mode: insert\nwhere: \"n > 1\"\nattributes: { number: n }", "key,n\n1,1\n2,2\n")
    #expect((summary.inserted, summary.skipped) == (1, 1))
    #expect(try folder.rows("ZKEY") == ["2"])
  }

  @Test("a column of a derived name is used in the source's place") func shadows() throws {
    let folder = try TransformFolder()
    try folder.run(
      """
      columns: { key: { do: [trim, upper] }, full: { from: first, do: [{ concat: { columns: [last], with: ' ' } }] } }
      where: "full CONTAINS 'a'"
      attributes: { text: full, other: { from: full, do: [upper] } }
      """, "key,first,last\n\" a \",anna,berg\nb,xy,zz\n")
    #expect(try folder.rows("ZKEY,ZTEXT,ZOTHER") == ["A|anna berg|ANNA BERG"])
  }
}
