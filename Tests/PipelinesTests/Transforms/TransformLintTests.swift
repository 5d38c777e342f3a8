import Testing

/// Each mistake is one finding at its place.
@Suite("Lint of transforms") struct TransformLintTests {
  private static let header = "key,name,price,n,day\n1,a,1,1,2024-01-01\n"

  /// The lines of an import and the start of the finding about them; the first of the lines is line 9.
  static let mistakes: [(String, String)] = [
    (
      "attributes: { text: { from: name, do: [trimm] } }",
      "9:42: error: there is no step “trimm”; did you mean “trim”? [unknownField]"
    ),
    ("attributes: { text: { from: name, do: [pad] } }", "9:42: error: the step “pad” needs more options"),
    (
      "attributes: { text: { from: name, do: [{ padd: 3 }] } }",
      "9:44: error: “step” has no field “padd”; did you mean “pad”?"
    ),
    (
      "attributes: { text: { from: name, do: [{ trim: true, upper: true }] } }",
      "9:42: error: “do” takes words and mappings of one step each"
    ),
    ("attributes: { text: { from: name, do: [{ pad: { with: x } }] } }", "9:49: error: “pad” needs the field “to”"),
    (
      "attributes: { text: { from: name, do: [{ round: x }] } }",
      "9:51: error: “round” takes a whole number, but here is “x”"
    ),
    (
      "attributes: { text: { from: day, do: [{ start_of: days }, upper] } }",
      "9:61: error: “upper” takes a text, but the value before it is a date"
    ),
    (
      "attributes: { number: { from: day, do: [{ start_of: days }] } }",
      "9:17: error: “number” takes a whole number, but the value before it is a date"
    ),
    (
      "attributes: { text: { from: day, do: [{ start_of: days }, { add: 1 }] } }",
      "9:63: error: “add” takes a number, but the value before it is a date"
    ),
    (
      "attributes: { text: { from: n, do: [{ add: 1 }, { date_part: year }] } }",
      "9:53: error: “date_part” takes a date, but the value before it is a decimal number"
    ),
    (
      "attributes: { text: { from: name, do: [{ extract: '(' }] } }",
      "9:44: error: the regular expression cannot be used"
    ),
    (
      "attributes: { text: { from: name, do: [{ extract: { pattern: 'a', group: 1 } }] } }",
      "9:44: error: “extract”: there is no group 1"
    ),
    (
      "attributes: { text: { from: name, do: [{ replace: { pattern: 'a', with: '$2' } }] } }",
      "9:44: error: the regular expression cannot be used: the replacement names group 2"
    ),
    (
      "attributes: { text: { from: name, do: [{ replace: { with: x } }] } }",
      "9:53: error: “replace” takes either “text” or “pattern”"
    ),
    (
      "attributes: { text: { from: name, do: [{ divide: 0 }] } }",
      "9:44: error: “divide”: nothing can be divided by zero"
    ),
    ("attributes: { text: { from: name, do: [{ add: x }] } }", "9:44: error: “add”: “x” is not a number"),
    ("attributes: { text: { from: name, do: [{ format: 'QQ' }] } }", "9:44: error: the date pattern does not support"),
    (
      "attributes: { text: { from: name, do: [{ lookup: { entity: Cuntry, find_by: code, take: name } }] } }",
      "9:44: error: the model has no entity “Cuntry”; did you mean “Country”?"
    ),
    (
      "attributes: { text: { from: name, do: [{ lookup: { entity: Country, find_by: cod, take: name } }] } }",
      "9:44: error: “Country” has no attribute “cod”; did you mean “code”?"
    ),
    (
      "attributes: { text: { from: name, do: [{ map: { file: nowhere.csv } }] } }",
      "9:57: error: the table “nowhere.csv” cannot be read"
    ),
    (
      "attributes: { text: { from: name, do: [{ map: { values: {} } }] } }",
      "9:59: error: “values” takes names with a text each, but here is an empty mapping"
    ),
    ("attributes: { text: { from: name, do: [{ map: {} }] } }", "9:49: error: “map” needs “values” or “file”"),
    ("attributes: { text: { from: name, do: [{ concat: [nmae] }] } }", "9:44: error: “data.csv” has no column “nmae”"),
    ("attributes: { text: { from: nmae, do: [trim] } }", "9:31: error: “data.csv” has no column “nmae”"),
    (
      "attributes: { text: { from: name, value: \"name\" } }", "9:25: error: “from” has no effect together with “value”"
    ),
    ("where: \"name == \"\nattributes: { text: name }", "9:18: error: "),
    ("where: \"nmae == 'a'\"\nattributes: { text: name }", "9:11: error: “data.csv” has no column “nmae”"),
    (
      "where: \"price > 1 AND nme == 'x'\"\nattributes: { amount: price }",
      "9:25: error: “data.csv” has no column “nme”; did you mean “name”?"
    ),
    (
      "where: 'name == ''a'' AND nme == ''x'''\nattributes: { text: name }",
      "9:29: error: “data.csv” has no column “nme”"
    ),
    (
      "where: \"n > 1\"\nattributes: { text: name }",
      "9:11: error: a text cannot be compared with a number; “n” is text unless “columns” gives it a type"
    ),
    ("where: \"n == 1\"\nattributes: { text: name }", "9:11: error: a text is never equal to a whole number"),
    ("where: \"n IN {1, 2}\"\nattributes: { text: name }", "9:11: error: a text is never equal to a whole number"),
    ("where: \"n IN {'1', 2}\"\nattributes: { text: name }", "9:11: error: a text is never equal to a whole number"),
    ("where: \"ANY {1, 2} == n\"\nattributes: { text: name }", "9:25: error: a whole number is never equal to a text"),
    (
      "where: \"{1, 2} CONTAINS n\"\nattributes: { text: name }",
      "9:27: error: a whole number is never equal to a text"
    ),
    (
      "where: \"TERNARY(NOT n IN {1}, 1, 0) == 1\"\nattributes: { text: name }",
      "9:23: error: a text is never equal to a whole number"
    ),
    ("where: \"SELF == 1\"\nattributes: { text: name }", "9:10: error: SELF is not a column"),
    (
      "where: \"SUBQUERY(a, $x, $x == 1).@count > 0\"\nattributes: { text: name }",
      "9:10: error: a record has single values"
    ),
    ("where: \"name == $x\"\nattributes: { text: name }", "9:10: error: there is no value for the variable “$x”"),
    ("where: \"name MATCHES '('\"\nattributes: { text: name }", "9:10: error: the regular expression cannot be used"),
    ("columns: { a: { from: b }, b: { from: a } }\nattributes: { text: a }", "9:41: "),
    ("columns: { n: { type: whole } }\nattributes: { text: n }", "9:25: error: “type” cannot be"),
    ("columns: { t: { value: \"uppercase:(price * 2)\" } }\nattributes: { text: t }", "9:38: error: "),
    ("attributes: { number: { from: n, absent_value: x } }", "9:50: error: "),
    (
      "attributes: { number: { from: n, absent: reject, absent_value: 1 } }",
      "9:52: error: “absent_value” has no effect together with “absent”"
    ),
    ("process: { gives: [x] }\nattributes: { text: name }", "9:12: error: “process” needs the field “command”"),
    (
      "process: { command: [cat], timeout: soon }\nattributes: { text: name }",
      "9:39: error: “timeout” takes a time"
    ),
    ("process: { command: [cat], columns: [nmae] }\nattributes: { text: name }", "9:14: "),
    (
      "attributes: { text: { from: name, do: [{ when: [{ give: a }] }] } }",
      "9:51: error: this case of “when” needs the field “if”"
    ),
    (
      "attributes: { text: { from: name, do: [{ when: [{ if: \"nam == 'a'\", give: a }] }] } }",
      "9:58: error: “data.csv” has no column “nam”"
    ),
  ]

  @Test("a mistake is one finding at its place", arguments: mistakes)
  func finds(lines: String, expected: String) throws {
    let folder = try TransformFolder()
    let findings = try folder.lint(
      lines, Self.header, source: "{ files: data.csv, ignore: [key, name, price, n, day] }")
    #expect(findings.count == 1, "\(findings)")
    #expect(findings.first?.hasPrefix("pipeline.yaml:\(expected)") == true, "\(findings)")
  }

  @Test("pipelines without mistakes have no findings") func isSilent() throws {
    let folder = try TransformFolder()
    let findings = try folder.lint(
      """
      where: "price > 0.5 AND n IN {1, 2} AND label BEGINSWITH 'A'"
      columns:
        label: { from: name, do: [trim, upper] }
        n: { type: integer }
        month: { from: day, do: [{ date_part: month }] }
      process: { command: [cat], columns: [label, n], gives: { score: decimal } }
      attributes:
        text: label
        number: { value: "n * 100 + month" }
        amount: price
        real: score
        day: { from: day, do: [{ start_of: months }], null_value: "2024-01-01" }
      """, Self.header)
    #expect(findings == [])
  }
}
