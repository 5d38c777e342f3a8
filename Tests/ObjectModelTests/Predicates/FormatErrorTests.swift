import MergewalkDiagnostics
import MergewalkObjectModel
import Testing

/// A format that is refused: where, and what is said.
struct RefusedFormat: Sendable, CustomTestStringConvertible {
  let format: String
  let code: PredicateError.Code
  let line: Int
  let column: Int
  let message: String
  let hint: String?

  init(
    _ format: String, _ line: Int, _ column: Int, _ message: String, _ code: PredicateError.Code = .syntax,
    hint: String? = nil
  ) {
    (self.format, self.code, self.line, self.column) = (format, code, line, column)
    (self.message, self.hint) = (message, hint)
  }

  var testDescription: String { format }
}

@Suite struct FormatErrorTests {
  @Test(arguments: [
    RefusedFormat("", 1, 1, "expected a value or a name, found the end"),
    RefusedFormat("a", 1, 2, "expected a comparison operator, found the end"),
    RefusedFormat("a ==", 1, 5, "expected a value or a name, found the end"),
    RefusedFormat("a ==\n  == b", 2, 3, "expected a value or a name, found “==”"),
    RefusedFormat("a == 1 b", 1, 8, "expected AND, OR or the end, found “b”"),
    RefusedFormat("a == 1)", 1, 7, "expected AND, OR or the end, found “)”"),
    RefusedFormat("(a == 1", 1, 8, "expected an operator or ), found the end"),
    RefusedFormat("a IN {1, 2", 1, 11, "expected an operator, a comma or }, found the end"),
    RefusedFormat("a IN {1 2}", 1, 9, "expected an operator, a comma or }, found “2”"),
    RefusedFormat("a[0 == 1", 1, 5, "expected ], found “==”"),
    RefusedFormat("a. == 1", 1, 4, "expected the name of a property, found “==”"),
    RefusedFormat("a.0 == 1", 1, 3, "expected the name of a property, found “0”"),
    RefusedFormat("a == 'x", 1, 6, "expected ' at the end of the text that begins here, found the end"),
    RefusedFormat("a == '\\ud800'", 1, 7, "expected a Unicode scalar, found the code d800"),
    RefusedFormat("a == '\\u12'", 1, 7, "expected 4 hexadecimal digits after the escape, found 2"),
    RefusedFormat("a == 5x", 1, 7, "expected an operator or a space after a number, found “x”"),
    RefusedFormat("a == 0x", 1, 8, "expected a digit of base 16, found the end"),
    RefusedFormat("a == 1e", 1, 8, "expected the digits of an exponent, found the end"),
    RefusedFormat("a == 1e999", 1, 6, "expected a number below 1.8e308, found “1e999”"),
    RefusedFormat("a == ?", 1, 6, "expected a value, a name or an operator, found “?”", hint: "write %@ for a value"),
    RefusedFormat("a == %", 1, 6, "expected @, K or one of printf's conversions after %, found the end"),
    RefusedFormat("a %% 2 == 1", 1, 3, "expected @, K or one of printf's conversions after %, found “%”"),
    RefusedFormat("a == $", 1, 6, "expected the name of a variable after $, found the end"),
    RefusedFormat("a == “x”", 1, 6, "expected a straight quote (' or \"), found a typographic one"),
    RefusedFormat("in == 1", 1, 1, "expected a value or a name, found “in”"),
    RefusedFormat("a ==[x] 1", 1, 6, "expected the options c, d, n or l, found “x”"),
    RefusedFormat(
      "a IN [1, 2]", 1, 7, "expected the options c, d, n or l, found “1”", hint: "write lists in braces: {1, 2}"),
    RefusedFormat(
      "a == 'it''s'", 1, 10, "expected AND, OR or the end, found “'s'”",
      hint: "write \\' for a quotation mark inside text: 'it\\'s'"),
    RefusedFormat(
      "a == +1", 1, 6, "expected a value or a name, found “+”", hint: "a number has no plus before it: 1"),
    RefusedFormat("a ==[] 1", 1, 6, "expected the options c, d, n or l, found “]”"),
    RefusedFormat("1 < a < 3", 1, 1, "expected a value, found a predicate"),
    RefusedFormat("(a > 1) + 2 == 3", 1, 1, "expected a value, found a predicate"),
    RefusedFormat("ANY NOT a == 1", 1, 5, "expected a comparison after ANY, found another predicate"),
    RefusedFormat("ANY ALL a == 1", 1, 5, "expected a comparison after ANY, found another predicate"),
    RefusedFormat("TRUE", 1, 5, "expected a comparison operator, found the end", hint: "write TRUEPREDICATE"),
    RefusedFormat(
      "name BEGINWITH 'x'", 1, 6, "expected a comparison operator, found “BEGINWITH”", hint: "did you mean BEGINSWITH?"),
    RefusedFormat(
      "a NOT IN b", 1, 3, "expected a comparison operator, found “NOT”",
      hint: "put NOT before the whole comparison: NOT a IN b"),
    RefusedFormat(
      "a IS NULL", 1, 3, "expected a comparison operator, found “IS”", hint: "compare with null by ==: name == NULL"),
    RefusedFormat(
      "a == @summ.b", 1, 6, "expected an operator on a collection, found “@summ”", hint: "did you mean @sum?"),
    RefusedFormat(
      "a ==\n\n summ:(b)", 3, 2, "expected the name of a function, found “summ:”", .unknownFunction,
      hint: "did you mean “sum:”?"),
    RefusedFormat("sqrt:(a, b) == 1", 1, 1, "expected one argument for “sqrt:”, found 2", .unknownFunction),
    RefusedFormat("now(1) == a", 1, 1, "expected no argument for “now”, found 1", .unknownFunction),
    RefusedFormat("sum:() == 1", 1, 1, "expected at least one argument for “sum:”, found 0", .unknownFunction),
    RefusedFormat(
      "FUNCTION(a, 'pow:', 2) == 1", 1, 13, "expected the name of a function, found “pow:”", .unknownFunction),
    RefusedFormat("FUNCTION(a, b) == 1", 1, 13, "expected the name of a function as text, found another expression"),
    RefusedFormat(
      "SUBQUERY(a, x, b == 1).@count > 0", 1, 13, "expected a variable such as $x, found another expression"),
    RefusedFormat(
      "SUBQUERY(a, $x).@count > 0", 1, 1, "expected SUBQUERY(collection, $variable, predicate), found 2 parts"),
    RefusedFormat("TERNARY(a, 1, 2) == 1", 1, 9, "expected a predicate, found a value"),
    RefusedFormat("SUBQUERY(a, $x, $x).@count > 0", 1, 17, "expected a predicate, found a value"),
    RefusedFormat("BLOCKPREDICATE(0x1)", 1, 1, "expected a predicate, found a closure, which has no text"),
    RefusedFormat("{'a' = b} == c", 1, 8, "expected a constant for the key, found another expression"),
    RefusedFormat("{'a' = 1, 2} == c", 1, 1, "expected a dictionary such as {\"key\" = 1}, found lone elements in it"),
  ])
  func `errors say where, what was expected and what was found`(refused: RefusedFormat) {
    let error = #expect(throws: PredicateError.self) { try ObjectPredicate(format: refused.format) }
    #expect(error?.code == refused.code)
    #expect(error?.position.line == refused.line)
    #expect(error?.position.column == refused.column)
    #expect(error?.message == refused.message)
    if let hint = refused.hint { #expect(error?.hint == hint) }
  }

  @Test func `an expression is no predicate and a predicate no expression`() {
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: "12.8 * x") }
    #expect(throws: PredicateError.self) { try ObjectExpression(format: "12.8 == 12.8") }
    #expect(throws: PredicateError.self) { try ObjectExpression(format: "TRUEPREDICATE") }
    #expect(throws: PredicateError.self) { try ObjectExpression(format: "12.845 * x.0 + x.1") }
  }

  private func code(_ format: String, _ arguments: any PredicateArgument...) -> PredicateError.Code? {
    do throws(PredicateError) {
      _ = try ObjectPredicate(format: format, arguments: arguments)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `arguments are counted and their kinds are checked`() {
    #expect(code("a == %@") == .missingArgument)
    #expect(code("a == %@ AND b == %d", 1) == .missingArgument)
    #expect(code("a == 1", 1) == .unusedArgument)
    #expect(code("a == %@", 1, 2) == .unusedArgument)
    #expect(code("a == %d", "1") == .argumentType)
    #expect(code("a == %d", 1.5) == .argumentType)
    #expect(code("a == %f", "1") == .argumentType)
    #expect(code("a == %s", 1) == .argumentType)
    #expect(code("a == %c", "ab") == .argumentType)
    #expect(code("a == %c", 0xD800) == .argumentType)
    #expect(code("%K == 1", 5) == .argumentType)
    #expect(code("%K == 1", "") == .argumentType)
    #expect(code("%K == 1", "a..b") == .argumentType)
    #expect(code("%K == 1", "a.@wrong") == .argumentType)
    #expect(code("a.%@ == 1", "b") == .syntax)
    #expect(code("a %@ 1", "==") == .syntax)
    #expect(code("%k == 1", "a") == .syntax)
    #expect(code("%ll@ == 1", "a") == .syntax)
  }

  @Test func `the description is one line with the place, the message, the hint and the code`() {
    let error = #expect(throws: PredicateError.self) { try ObjectPredicate(format: "a ==\n?") }
    #expect(
      "\(error!)"
        == "2:1: expected a value, a name or an operator, found “?”; write %@ for a value [syntax]")
  }
}
