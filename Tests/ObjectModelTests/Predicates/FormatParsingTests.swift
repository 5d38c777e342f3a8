import MergewalkObjectModel
import Testing

/// A path of plain property names.
func path(_ names: String...) -> ObjectExpression { .keyPath(PropertyPath(names.map(PropertyPath.Component.property))) }

private func equals(_ right: ObjectExpression) -> ObjectPredicate {
  .comparison(ComparisonPredicate(path("a"), .equalTo, right))
}

private func number(_ value: Int64) -> ObjectExpression { .constant(.attribute(.integer(value))) }

@Suite struct FormatParsingTests {
  // MARK: Literals

  @Test(arguments: [
    ("0", AttributeValue.integer(0)), ("42", .integer(42)), ("-7", .integer(-7)), ("- 7", .integer(-7)),
    ("0x1F", .integer(31)), ("0XfF", .integer(255)), ("0o17", .integer(15)), ("0b101", .integer(5)),
    ("007", .integer(7)), ("-0x10", .integer(-16)), ("1.5", .double(1.5)), (".5", .double(0.5)),
    ("-.5", .double(-0.5)), ("9.2e-5", .double(9.2e-5)), ("1E3", .double(1000)), ("2e+2", .double(200)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .double(0x1p63)), ("0xFFFFFFFFFFFFFFFF", .double(0x1p64)),
    ("-0x8000000000000000", .integer(.min)), ("123456789012345678901234567890", .double(1.2345678901234568e29)),
  ])
  func `numbers are integers, or binary64 with a point, an exponent or more than 64 bits`(
    text: String, value: AttributeValue
  ) throws {
    #expect(try ObjectExpression(format: text) == .constant(.attribute(value)))
    #expect(try ObjectPredicate(format: "a == \(text)") == equals(.constant(.attribute(value))))
  }

  @Test(arguments: [
    (#"'plain'"#, "plain"), (#""plain""#, "plain"), (#"'"'"#, "\""), (#""'""#, "'"), (#"''"#, ""),
    (#"'\n\t\r\\\'\"'"#, "\n\t\r\\'\""), (#"'\a\b\f\v'"#, "\u{7}\u{8}\u{C}\u{B}"), (#"'\x41\x4'"#, "A\u{4}"),
    (#"'\u00e9'"#, "é"), (#"'\uD83D\uDE00'"#, "😀"), (#"'\U0001F600'"#, "😀"), (#"'\101\0\18'"#, "A\0\u{1}8"),
    (#"'\w+\\d'"#, #"w+\d"#), (#"'naïve 日本'"#, "naïve 日本"), ("'two\nlines'", "two\nlines"), (#"'%@ %K'"#, "%@ %K"),
  ])
  func `texts have either quotation mark and C's escapes`(text: String, value: String) throws {
    #expect(try ObjectExpression(format: text) == .constant(.attribute(.string(value))))
  }

  @Test(arguments: [
    ("TRUE", ObjectExpression.constant(1)), ("yes", .constant(1)), ("False", .constant(0)), ("NO", .constant(0)),
    ("NULL", .constant(.null)), ("nil", .constant(.null)), ("SELF", .evaluatedObject), ("self", .evaluatedObject),
    ("$NAME", .variable("NAME")), ("{}", .constant([])), ("{1, 'a', {2}}", .constant([1, "a", [2]])),
    ("{a, 1}", .aggregate([path("a"), .constant(1)])), (#"{"k" = 1, 'l' = {2}}"#, .constant(["k": 1, "l": [2]])),
    ("{=}", .constant([:])),
  ])
  func `words and braces make constants, lists and dictionaries`(text: String, value: ObjectExpression) throws {
    #expect(try ObjectExpression(format: text) == value)
  }

  @Test(arguments: [
    ("CAST(86400, 'NSDate')", AttributeValue.date(86_400)), ("CAST(-0.5, 'NSDate')", .date(-0.5)),
    ("CAST('2001-01-02', 'NSDate')", .date(86_400)), ("CAST('2001-01-01T01:00:00+01:00', 'NSDate')", .date(0)),
    ("CAST('00000000-0000-0001-8000-00000000000F', 'NSUUID')", .uuid(1, 0x8000_0000_0000_000F)),
    ("CAST('https://a.b/c', 'NSURL')", .uri("https://a.b/c")), ("CAST('00ff10', 'NSData')", .binary([0, 255, 16])),
    ("CAST('-inf', 'NSNumber')", .double(-.infinity)),
    ("CAST('1.50', 'NSDecimalNumber')", .decimal(DecimalNumber(significand: 15, exponent: -1))),
  ])
  func `casts of texts and numbers are the constants without a literal`(text: String, value: AttributeValue) throws {
    #expect(try ObjectExpression(format: text) == .constant(.attribute(value)))
  }

  @Test(arguments: ["CAST(a, 'NSString')", "CAST('x', 'NSUUID')", "CAST('0', 'NSData')", "CAST(1, type)"])
  func `other casts are left to the evaluation`(text: String) throws {
    guard case .function(.cast, let arguments) = try ObjectExpression(format: text) else {
      Issue.record("\(text) is no cast")
      return
    }
    #expect(arguments.count == 2)
  }

  // MARK: Comparisons

  @Test(arguments: [
    ("=", ComparisonPredicate.Operator.equalTo), ("==", .equalTo), ("!=", .notEqualTo), ("<>", .notEqualTo),
    ("<", .lessThan), (">", .greaterThan), ("<=", .lessThanOrEqualTo), ("=<", .lessThanOrEqualTo),
    (">=", .greaterThanOrEqualTo), ("=>", .greaterThanOrEqualTo), ("BETWEEN", .between), ("in", .isIn),
    ("Contains", .contains), ("beginsWith", .beginsWith), ("ENDSWITH", .endsWith), ("like", .like),
    ("MATCHES", .matches), ("UTI-CONFORMS-TO", .conformsTo), ("uti-equals", .equalsType),
  ])
  func `comparison operators have all their spellings, in any case`(
    text: String, comparison: ComparisonPredicate.Operator
  ) throws {
    let expected = ObjectPredicate.comparison(ComparisonPredicate(path("a"), comparison, path("b")))
    #expect(try ObjectPredicate(format: "a \(text) b") == expected)
    #expect(try ObjectPredicate(format: "(a)\(text)(b)") == expected)
    #expect(try ObjectPredicate(format: " \t\n(a)\u{A0}\(text)\r\n( b )") == expected)
  }

  private static let options: [(String, ComparisonPredicate.Options)] = [
    ("[c]", .caseInsensitive), ("[d]", .diacriticInsensitive), ("[cd]", [.caseInsensitive, .diacriticInsensitive]),
    ("[DC]", [.caseInsensitive, .diacriticInsensitive]), ("[n]", .normalized), (" [ l ] ", .localeSensitive),
    ("[cl]", [.caseInsensitive, .localeSensitive]),
  ]

  @Test(arguments: options)
  func `options stand in brackets behind any comparison operator`(
    text: String, options: ComparisonPredicate.Options
  ) throws {
    for comparison in ComparisonPredicate.Operator.allCases {
      #expect(
        try ObjectPredicate(format: "a \(comparison.rawValue)\(text) b")
          == .comparison(ComparisonPredicate(path("a"), comparison, path("b"), options: options)))
    }
  }

  @Test func `modifiers stand before a comparison`() throws {
    func modified(_ modifier: ComparisonPredicate.Modifier) -> ObjectPredicate {
      .comparison(ComparisonPredicate(path("a", "b"), .greaterThan, number(1), modifier: modifier))
    }
    #expect(try ObjectPredicate(format: "ANY a.b > 1") == modified(.any))
    #expect(try ObjectPredicate(format: "some a.b > 1") == modified(.any))
    #expect(try ObjectPredicate(format: "ALL (a.b > 1)") == modified(.all))
    #expect(try ObjectPredicate(format: "NONE a.b > 1") == .not(modified(.any)))
    #expect(try ObjectPredicate(format: "NOT ANY a.b > 1 AND c == 1").description == "(NOT ANY a.b > 1) AND c == 1")
  }

  // MARK: Logic

  @Test(arguments: [
    ("a == 1 OR b == 2 AND NOT c == 3", "a == 1 OR (b == 2 AND (NOT c == 3))"),
    ("a == 1 || b == 2 && !c == 3", "a == 1 OR (b == 2 AND (NOT c == 3))"),
    ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
    ("NOT a == 1 AND b == 2", "(NOT a == 1) AND b == 2"), ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
    ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
    ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
    ("TRUEPREDICATE and falsepredicate", "TRUEPREDICATE AND FALSEPREDICATE"), ("!!a == 1", "NOT (NOT a == 1)"),
    ("((((a))==(((1)))))", "a == 1"), ("(a + 1) * 2 > 3", "(a + 1) * 2 > 3"),
    ("((a) > 1) AND b < 2", "a > 1 AND b < 2"),
  ])
  func `NOT binds more tightly than AND, and AND than OR`(text: String, canonical: String) throws {
    #expect(try ObjectPredicate(format: text).description == canonical)
  }

  @Test func `a chain of equal operators is one predicate`() throws {
    guard case .and(let terms) = try ObjectPredicate(format: "a == 1 AND b == 2 && c == 3 and d == 4") else {
      Issue.record("no AND")
      return
    }
    #expect(terms.count == 4)
  }

  // MARK: Expressions

  @Test(arguments: [
    ("a + b * c", "a + (b * c)"), ("a - b - c", "(a - b) - c"), ("a / b * c", "(a / b) * c"),
    ("a ** b ** c", "(a ** b) ** c"), ("a * b ** c", "a * (b ** c)"), ("-a ** b", "(0 - a) ** b"),
    ("-2 ** 2", "-2 ** 2"),
    ("a - -1", "a - -1"), ("(a + b) * c", "(a + b) * c"), ("a & b | c ^ d", "(a & b) | (c ^ d)"),
    ("1 << 2 + 3", "1 << (2 + 3)"), ("~a + 1", "~a + 1"), ("8 >> 2", "8 >> 2"),
    ("a UNION b MINUS c", "(a UNION b) MINUS c"),
    ("a INTERSECT b", "a INTERSECT b"), ("- (a + 1)", "0 - (a + 1)"), ("SELF- 1", "SELF - 1"),
    ("SELF** 3", "SELF ** 3"),
    ("SELF +1", "SELF + 1"), ("$x := a + 1", "$x := a + 1"), ("multiply:by:(5,3)", "5 * 3"), ("sum(a)", "sum:(a)"),
    ("now()", "now()"), ("random ( )", "random()"), ("random:(9)", "random:(9)"), ("sum:(1, 2)", "sum:(1, 2)"),
    ("noindex:(a.b)", "noindex:(a.b)"), ("TERNARY(a > 1 OR b == 2, 'x', c)", "TERNARY(a > 1 OR b == 2, \"x\", c)"),
    ("a.b[0]", "a.b[0]"), ("a[FIRST].b", "a[FIRST].b"), ("a[ last ]", "a[LAST]"), ("a[Size]", "a[SIZE]"),
    ("a[count:(a) - 1]", "a[count:(a) - 1]"), ("a['key']", "a[\"key\"]"), ("a[b][c]", "a[b][c]"),
    ("SUBQUERY(a.b, $x, $x.c == 1 AND d == $y).@count", "SUBQUERY(a.b, $x, $x.c == 1 AND d == $y).@count"),
    ("$x.name", "$x.name"), ("@count", "@count"), ("@avg.a", "@avg.a"), ("a.@sum.self", "a.@sum"),
    ("a.@distinctUnionOfObjects.b", "a.@distinctUnionOfObjects.b"), ("SELF.a", "a"), ("(a.b).c", "a.b.c"),
    ("'abc'.length", "\"abc\".length"), ("first", "#first"), ("#first", "#first"), ("#select", "select"),
    ("a.in.like", "a.#in.#like"), ("#\"two words\".x", "#\"two words\".x"), ("cast", "#cast"),
    ("FUNCTION(a, 'uppercaseString')", "uppercase:(a)"), ("FUNCTION(a, 'lowercase')", "lowercase:(a)"),
    ("FUNCTION(a, 'length')", "length:(a)"), ("FUNCTION(a, 'add:to:', 1)", "a + 1"),
    ("FUNCTION(a, 'valueForKeyPath:', 'b.@count')", "a.b.@count"), ("FUNCTION(a, 'objectAtIndex:', 0)", "a[0]"),
    ("FUNCTION(a, 'stringValue')", "CAST(a, \"NSString\")"), ("FUNCTION(a, 'dateByAddingTimeInterval:', 60)", "a + 60"),
  ])
  func `expressions follow Foundation's precedence and print canonically`(text: String, canonical: String) throws {
    let expression = try ObjectExpression(format: text)
    #expect(expression.description == canonical)
    #expect(try ObjectExpression(format: canonical) == expression)
  }

  @Test(arguments: ExpressionFunction.allCases)
  func `each function is called by its name`(function: ExpressionFunction) throws {
    let count = function.rawValue.utf8.count { $0 == UInt8(ascii: ":") }
    let names = ["a", "b"].prefix(count)
    let expected = ObjectExpression.function(function, names.map { path($0) })
    #expect(try ObjectExpression(format: "\(function.rawValue)(\(names.joined(separator: ", ")))") == expected)
    #expect(try ObjectExpression(format: expected.description) == expected)
  }

  @Test func `parts of an expression are as its text says`() throws {
    #expect(
      try ObjectExpression(format: "SUBQUERY(a, $x, $x.b == 1).@count")
        == .path(
          .subquery(
            path("a"), variable: "x",
            .comparison(
              ComparisonPredicate(.path(.variable("x"), PropertyPath([.property("b")])), .equalTo, number(1)))),
          PropertyPath([.collectionOperator(.count)])))
    #expect(
      try ObjectExpression(format: "a.b[LAST].c")
        == .path(.element(path("a", "b"), .last), PropertyPath([.property("c")])))
    #expect(try ObjectExpression(format: "$x := 1") == .assignment(variable: "x", number(1)))
    #expect(try ObjectExpression(format: "a MINUS {1}") == .set(.minus, path("a"), .constant([1])))
    #expect(
      try ObjectExpression(format: "TERNARY(TRUEPREDICATE, 1, a)") == .conditional(.value(true), number(1), path("a")))
  }

  // MARK: Arguments

  @Test func `arguments stand where the placeholders are`() throws {
    #expect(
      try ObjectPredicate(format: "age > %@ AND %K == %@", 5, "name", "x").description == "age > 5 AND name == \"x\"")
    #expect(
      try ObjectPredicate(format: "%K IN %@ OR %@ IN %K", "a.b", [1, 2], 3, "@max.c").description
        == "a.b IN {1, 2} OR 3 IN @max.c")
    #expect(try ObjectPredicate(format: "SELF.%K == $x.%K.%K", "a", "b.c", "d").description == "a == $x.b.c.d")
    // Not a variable; its text would be one.
    let marked = try ObjectPredicate(format: "%K LIKE %@ + $b + $c", "$single", "b\"")
    #expect(marked.description == #"$single LIKE ("b\"" + $b) + $c"#)
    #expect(marked.variables == ["b", "c"])
    #expect(
      try marked.substituting(["b": .constant("x"), "c": .constant("y"), "single": .constant("z")]).description
        == #"$single LIKE ("b\"" + "x") + "y""#)
    #expect(try ObjectPredicate(format: "a.%K == 1", "$b").description == "a.$b == 1")
    #expect(try ObjectPredicate(format: "%K == %@", "SELF", nil as String?).description == "SELF == nil")
    #expect(try ObjectPredicate(format: "%K.@count > 0", "self.a").description == "a.@count > 0")
    let values: [any PredicateArgument] = [
      true, 1.5, Float(0.5), UInt64.max, ["k": 1], Set(["x"]), DecimalNumber("2.50"),
    ]
    #expect(
      try ObjectExpression(format: "{%@, %@, %@, %@, %@, %@, %@}", arguments: values).description
        == "{1, 1.5, 0.5, 1.8446744073709552e+19, {\"k\" = 1}, {\"x\"}, CAST(\"2.5\", \"NSDecimalNumber\")}")
  }

  @Test(arguments: [
    ("SELF.a", "a"), ("self.a.b", "a.b"), ("Self.a.@count", "a.@count"), ("sElF.@max.b", "@max.b"),
    ("a.@sum.self", "a.@sum"), ("a.SELF.b", "a.b"),
  ])
  func `SELF is no step of a path, in whatever text the path stands`(text: String, plain: String) throws {
    #expect(PropertyPath(text) == PropertyPath(plain))
    #expect(Key(text).expression == Key(plain).expression)
    #expect(try ObjectExpression(format: text).description == plain)
    #expect(try ObjectExpression(format: "%K", text).description == plain)
    #expect(try ObjectExpression(format: "FUNCTION(x, 'valueForKeyPath:', '\(text)')").description == "x." + plain)
  }

  @Test func `SELF alone is the object`() throws {
    for text in ["SELF", "self", "Self"] {
      #expect(Key(text).expression == .evaluatedObject)
      #expect(try ObjectExpression(format: "%K", text) == .evaluatedObject)
      #expect(try ObjectExpression(format: "a.%K", text) == path("a"))
    }
  }

  @Test func `printf's conversions take values of their kind`() throws {
    let integers = [
      "%d", "%i", "%u", "%ld", "%li", "%lld", "%lu", "%llu", "%hd", "%hhu", "%x", "%X", "%lx", "%o", "%zd", "%qu",
    ]
    for conversion in integers {
      #expect(try ObjectExpression(format: conversion, 7) == number(7), "\(conversion)")
      #expect(try ObjectExpression(format: conversion, true) == number(1), "\(conversion)")
    }
    for conversion in ["%f", "%lf", "%Lf", "%g", "%e", "%G", "%E", "%a"] {
      #expect(try ObjectExpression(format: conversion, 7) == .constant(7.0), "\(conversion)")
      #expect(try ObjectExpression(format: conversion, 0.5) == .constant(0.5), "\(conversion)")
    }
    for conversion in ["%s", "%S"] { #expect(try ObjectExpression(format: conversion, "x y") == .constant("x y")) }
    #expect(try ObjectExpression(format: "%c", 65) == .constant("A"))
    #expect(try ObjectExpression(format: "%C", "é") == .constant("é"))
  }

  @Test func `a placeholder inside quotation marks is plain text`() throws {
    #expect(try ObjectPredicate(format: "a == '%@' AND b == \"%K\"").description == "a == \"%@\" AND b == \"%K\"")
    // Arguments for such placeholders are ignored, as in Cocoa.
    #expect(try ObjectPredicate(format: "a == '%@' AND b == %@", 1, 2).description == "a == \"%@\" AND b == 1")
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: "a == '%@'", 1, 2) }
  }
}
