import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Numbers in expressions are exact or refused, whichever way an expression is computed.
@Suite("Numbers in expressions") struct ExactExpressionTests {
  private static let columns = "columns: { n: { type: integer }, p: { type: decimal }, x: { type: double } }"
  private static let data = """
    key,n,p,x,note
    1,0,0.10,0.1,a
    2,2,5.00,2.5,
    3,,7,9007199254740992,b

    """

  @Test(
    "what has no result rejects the record, also inside functions",
    arguments: [
      ("p / n", "transform.division"), ("ceiling:(p / n)", "transform.division"),
      ("modulus:by:(n, n)", "transform.division"), ("abs:(modulus:by:(p, n))", "transform.division"),
      ("sum:(p / n, 1)", "transform.division"), ("0 ** (n - 1)", "transform.division"),
      ("TERNARY(note LIKE 'a', p / n, 1)", "transform.division"),
      ("TERNARY(ANY {n, 1} == 0, p / n, 1)", "transform.division"), ("sqrt:(n - 1)", "transform.expression"),
      ("ln:(n)", "transform.expression"), ("exp:(n + 1000)", "transform.overflow"),
      ("9223372036854775807 + n + 1", "transform.overflow"),
      ("floor:(9223372036854775807 + n + 1)", "transform.overflow"),
      ("sum:(9223372036854775807, n, 1)", "transform.overflow"),
      ("p * 99999999999999999999999999999999999999 * 9", "transform.overflow"),
      ("99999999999999999999999999999999999999 + p - p + 99999999999999999999999999999999999999", "transform.overflow"),
      ("CAST('1e300', 'integer') + n", "transform.overflow"),
    ])
  func rejects(expression: String, code: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "\(Self.columns)\nwhere: \"key == '1'\"\nattributes: { real: { value: \"\(expression)\" } }", Self.data)
    #expect(summary.rejectCounts == [code: 1], "\(folder.rejectsText)")
    let condition = try TransformFolder()
    let filtered = try condition.run(
      "\(Self.columns)\nwhere: \"key == '1' AND \(expression) == 1\"\nattributes: { text: note }", Self.data)
    #expect(filtered.rejectCounts == [code: 1], "\(condition.rejectsText)")
  }

  @Test(
    "decimals are exact, also inside functions",
    arguments: [
      ("p + 0.2 == 0.3", "1"), ("p + 0.2 IN {0.3, 7}", "1"), ("sum:(p, 0.2) == 0.3", "1"),
      ("p + 0.2 IN {1, 2, 3, 4, 5, 6, 7, 8, 0.3}", "1"), ("p + 0.2 BETWEEN {0.3, 0.3}", "1"),
      ("ANY {p + 0.2, 100} == 0.3", "1"), ("p IN {0.1, 7}", "13"), ("x IN {0.1, 2.5}", "12"), ("x == 0.1", "1"),
      ("x == p", "1"), ("ceiling:(p / 2) == 3", "2"), ("p / 2 == 2.5", "2"), ("average:(p, n) == 3.5", "2"),
      ("average:(n, n, 1) == 0.3333333333", "1"), ("median:(p, n, 6) == 5", "2"), ("max:(p, n) == 7", "3"),
      ("x + 1 == 9007199254740993", ""), ("9007199254740993 == x", ""), ("9007199254740992 == x", "3"),
      ("p - p + 12345678901234567.8 == 12345678901234567.8", "123"),
      ("p - p + 12345678901234567.8 == 12345678901234567.9", ""), ("CAST('0.3', 'NSNumber') == p + 0.2", "1"),
      ("count:(distinct:({p, 0.1, 0.10})) == 1", "1"), ("p == NULL", ""), ("n IN {0, NULL}", "13"),
      ("NOT (n + 1 > 0)", "3"), ("n BETWEEN {1, 10 / 5}", "2"),
    ])
  func computes(condition: String, expected: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "\(Self.columns)\nwhere: \"\(condition)\"\nattributes: { text: note }", Self.data)
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(try folder.rows("ZKEY").joined() == expected)
  }

  @Test(
    "a result has one type and one spelling, whatever it is made from",
    arguments: [
      ("TERNARY(n == 0, n, 0.5) / 4", "0|0.125|0.125"), ("ceiling:(TERNARY(n == 2, n, p) / 4)", "1|1|2"),
      ("TERNARY(n == 0, p, NULL)", "0.1|-|-"), ("TERNARY(note == 'a', 'x', NULL)", "x|-|-"),
      ("p * 3", "0.3|15|21"), ("abs:(p) * 3", "0.3|15|21"), ("TERNARY(ANY {n, 7} == 2, p * 3, p)", "0.1|15|7"),
      ("p", "0.10|5.00|7"), ("CAST(p, 'NSString')", "0.1|5|7"), ("TERNARY(n == 0, p, note)", "0.10||b"),
    ])
  func spells(expression: String, expected: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run("\(Self.columns)\nattributes: { text: { value: \"\(expression)\" } }", Self.data)
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(try folder.rows().joined(separator: "|") == expected)
  }

  @Test("truth values are the numbers 1 and 0") func booleans() throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "columns: { f: { type: boolean }, g: { type: boolean } }\nattributes: { number: { value: \"f + g\" } }",
      "key,f,g\n1,true,true\n2,true,false\n3,,true\n")
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(try folder.rows("ZNUMBER") == ["2", "1", "-"])
  }

  @Test(
    "a column that cannot be read fails what looks at it, and nothing else",
    arguments: ["TERNARY(note == 'a', n, 7)", "TERNARY(ANY {note, 'b'} == 'a', n, 7)", "max:(n, n)", "n + 0"])
  func lazy(expression: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "columns: { n: { type: integer } }\nattributes: { number: { value: \"\(expression)\" } }",
      "key,n,note\n1,1,a\n2,x,a\n3,x,c\n")
    let isLazy = expression.hasPrefix("TERNARY")
    #expect(summary.rejectCounts == ["transform.value": isLazy ? 1 : 2], "\(folder.rejectsText)")
    #expect(try folder.rows("ZNUMBER") == (isLazy ? ["1", "7"] : ["1"]))
  }

  @Test(
    "an expression over an absent column is absent, else its nothing is null",
    arguments: ["n + 1", "ceiling:(n + 1)", "sum:(n + 1, NULL) + n", "TERNARY(ANY {n, m} == 1, NULL, n * m)"])
  func absence(expression: String) throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      "{\"key\":\"1\",\"n\":null,\"m\":\"2\"}\n{\"key\":\"2\",\"m\":\"2\"}\n", to: "data.ndjson")
    let text = TransformFolder.text(
      """
      columns: { n: { type: integer }, m: { type: integer } }
      attributes: { number: { value: "\(expression)", null_value: 8, absent_value: 9 } }
      """, source: "data.ndjson")
    _ = try ImportSession(folder.read(text)).run()
    #expect(try folder.rows("ZNUMBER") == ["8", "9"])
  }

  @Test("what can never be computed is found before anything runs") func finds() throws {
    let folder = try TransformFolder()
    for expression in ["TERNARY(n == 1, uppercase:(n), 'a')", "TERNARY(n == 2, note * 2, 1)", "CAST(note, 'NSData')"] {
      let findings = try folder.lint(
        "columns: { n: { type: integer } }\nattributes: { text: { value: \"\(expression)\" } }",
        "key,n,note\n1,1,a\n")
      #expect(findings.count == 1 && findings[0].contains("[expressionType]"), "\(expression): \(findings)")
    }
  }
}
