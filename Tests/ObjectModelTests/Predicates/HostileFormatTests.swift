import MergewalkObjectModel
import Synchronization
import MergewalkTestSupport
import Testing
import MergewalkThreads

@Suite struct HostileFormatTests {
  private static func times(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  /// Formats that are too large in one way or another.
  static let tooLarge: [(name: String, format: String)] = [
    ("parentheses", times("(", 100_000)), ("braces", times("{", 100_000)), ("NOT", times("NOT ", 200_000) + "a == 1"),
    ("exclamation marks", times("!", 500_000) + "a == 1"), ("minus signs", times("-", 500_000) + "1 == 1"),
    ("tildes", times("~", 500_000) + "1 == 1"), ("SUBQUERY", times("SUBQUERY(", 50_000)),
    ("TERNARY", times("TERNARY(a == ", 10_000)), ("CAST", times("CAST(", 10_000)),
    ("FUNCTION", times("FUNCTION(", 10_000)),
    ("calls", times("abs:(", 100_000)), ("indexes inside indexes", times("a[", 100_000)),
    ("indexes behind indexes", "a" + times("[0]", 100_000) + " == 1"),
    ("assignments", times("$a := ", 100_000) + "1 == 1"),
    ("steps", "a" + times(".a", 200_000) + " == 1"), ("sums", "a" + times(" + a", 100_000) + " == 1"),
    ("powers", "a" + times("**a", 100_000) + " == 1"), ("sets", "a" + times(" UNION a", 100_000) + " == 1"),
    ("a long number", "a == " + times("9", 1_000_000)), ("a long fraction", "a == 0." + times("0", 1_000_000) + "1"),
    ("elements", "a IN {" + times("1,", 400_000) + "1}"), ("terms", times("a == 1 AND ", 90_000) + "a == 1"),
    ("more than a mebibyte", "a == '" + times("x", 1 << 20) + "'"),
  ]

  @Test(arguments: tooLarge)
  func `what is too large is refused within a second`(name: String, format: String) {
    var code: PredicateError.Code?
    let start = ProcessorTime.now
    do throws(PredicateError) { _ = try ObjectPredicate(format: format) } catch { code = error.code }
    let time = ProcessorTime.now - start
    #expect(code == .tooLarge)
    #expect(time < .seconds(Self.limit), "\(name): \(time)")
  }

  /// Seconds of processor time; a quiet machine takes less than one.
  private static let limit = 2

  @Test(arguments: [
    ("a text", "a == '" + times("x", 1_000_000) + "'"), ("escapes", "a == '" + times("\\n", 500_000) + "'"),
    ("terms", times("a == 1 AND ", 50_000) + "a == 1"),
    ("alternatives", times("a == 1 AND b == 1 OR ", 25_000) + "c == 1"),
    ("elements", "a IN {" + times("1,", 200_000) + "1}"), ("space", times(" \n", 500_000) + "a == 1"),
    ("a name", times("a", 1_000_000) + " == 1"), ("parentheses", times("(", 200) + "a == 1" + times(")", 200)),
    ("steps", "a" + times(".a", 97) + " == 1"), ("NOT", times("NOT ", 97) + "a == 1"),
  ])
  func `what is long but allowed is read within a second`(name: String, format: String) throws {
    let start = ProcessorTime.now
    let predicate = try ObjectPredicate(format: format)
    let time = ProcessorTime.now - start
    #expect(time < .seconds(Self.limit), "\(name): \(time)")
    #expect(try ObjectPredicate(format: predicate.description) == predicate)
  }

  @Test func `a chain of 50,000 terms is one predicate`() throws {
    guard case .and(let terms) = try ObjectPredicate(format: Self.times("a == 1 AND ", 49_999) + "a == 1") else {
      Issue.record("no AND")
      return
    }
    #expect(terms.count == 50_000)
  }

  @Test(arguments: [
    "'", "\"", "a == '\\", "a == \"\\\"", "(", "{", "a[", "a ==[", "a ==[c", "SUBQUERY(", "SUBQUERY(a", "SUBQUERY(a,",
    "SUBQUERY(a, $x",
    "SUBQUERY(a, $x, ", "SUBQUERY(a, $x, b == 1", "TERNARY(a == 1, 1", "CAST(1, 'NSDate'", "FUNCTION(a, 'abs'",
    "a == #", "a == #'",
    "a == @", "a == $", "a == %", "a == %l", "$x :=", "$x :", "a.", "a.b.", "NOT", "ANY", "a AND", "a == 1 AND",
    "a == 1 OR NOT (",
    "{'k' =", "{=", "{'k' = 1,", "-", "~", "a +", "sum:", "sum:(", "sum:(a", "a == 0x", "a == 1.", "a == 1e+", "'\\u",
    "'\\x'", ":", ";", "`",
    "\0", "a == \0", "\u{FEFF}", "a:b", "::::", "a := 1", "..", "#.", "@.@", "[]", "][", ")(", "}{", "= =", "\u{301}",
  ])
  func `what is unfinished or out of place is an error`(format: String) {
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: format) }
    #expect(throws: PredicateError.self) { try ObjectExpression(format: "(" + format) }
  }

  @Test func `each beginning of a format is read or refused`() {
    let format =
      "ANY a.b[FIRST] ==[cd] {1, 'x\\u00e9', $y} OR NOT SUBQUERY(c, $x, $x.@count > %@).@max.d BETWEEN {-1.5e3, 0x1F}"
    let bytes = Array(format.utf8)
    for count in 0...bytes.count {
      let beginning = String(decoding: bytes[..<count], as: UTF8.self)
      if let predicate = try? ObjectPredicate(format: beginning, 1) {
        #expect((try? ObjectPredicate(format: predicate.description)) == predicate, "\(beginning)")
      }
    }
    #expect((try? ObjectPredicate(format: format, 1)) != nil)
  }

  /// The deepest formats of each kind that are allowed.
  private static let deepest: [String] = [
    times("(", 200) + "a == 1" + times(")", 200), times("abs:(", 97) + "a" + times(")", 97) + " == 1",
    times("TERNARY(a == ", 48) + "1" + times(", 1, 2)", 48) + " == 1",
    times("SUBQUERY(a, $x, b == ", 48) + "1" + times(")", 48) + " == 1",
    times("a[", 97) + "1" + times("]", 97) + " == 1",
    times("{", 97) + "a" + times("}", 97) + " == 1", times("$a := ", 97) + "a == 1", times("NOT ", 97) + "a == 1",
    times("CAST(", 96) + "a" + times(", 'NSString')", 96) + " == 1", times("-", 97) + "a == 1",
    times("FUNCTION(", 47) + "a" + times(", 'abs')", 47) + " == 1", times("NOT (", 49) + "a == 1" + times(")", 49),
    "a" + times(" + a", 97) + " == 1",
  ]

  @Test func `the deepest formats are read, printed and compared in a stack of 512 KiB`() throws {
    let good = Atomic(0)
    let worker = Worker(stack: 512 << 10) {
      for format in HostileFormatTests.deepest + HostileFormatTests.tooLarge.map(\.format) {
        guard let predicate = try? ObjectPredicate(format: format) else { continue }
        let again = try? ObjectPredicate(format: predicate.description)
        if again == predicate, predicate.variables.count < 3 { good.add(1, ordering: .relaxed) }
      }
    }
    try #require(worker).join()
    #expect(good.load(ordering: .relaxed) == Self.deepest.count)
  }

  @Test func `arguments are bounded as well`() {
    var nested = ConstantValue.collection([1])
    for _ in 0..<200 { nested = .collection([nested]) }
    let error = #expect(throws: PredicateError.self) { try ObjectPredicate(format: "a IN %@", nested) }
    #expect(error?.code == .tooLarge)
    let path = "a" + Self.times(".a", 1000)
    let second = #expect(throws: PredicateError.self) { try ObjectPredicate(format: "%K == 1", path) }
    #expect(second?.code == .tooLarge)
  }
}
