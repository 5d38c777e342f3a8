import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct SubstitutionTests {
  private func code(_ body: () throws(PredicateError) -> ObjectPredicate) -> PredicateError.Code? {
    do throws(PredicateError) {
      _ = try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("FE15: a format is parsed once and its variables are bound for every use, which is cheaper")
  func fe15SubstitutionIsCheaperThanParsing() throws {
    let format =
      "customer.name BEGINSWITH[cd] $NAME AND total > $LEAST AND country IN {'BG', 'GB', 'FR'} AND NOT note CONTAINS[cd] 'x'"
    let template = try ObjectPredicate(format: format)
    var bound: [ObjectPredicate] = []
    var start = ProcessorTime.now
    for i in 0..<2000 {
      bound.append(try template.substituting(["NAME": "x", "LEAST": .attribute(.integer(Int64(i)))]))
    }
    let binding = ProcessorTime.now - start
    var parsed: [ObjectPredicate] = []
    start = ProcessorTime.now
    for i in 0..<2000 {
      let text = format.replacing("$NAME", with: "'x'").replacing("$LEAST", with: "\(i)")
      parsed.append(try ObjectPredicate(format: text))
    }
    let parsing = ProcessorTime.now - start
    #expect(bound == parsed)
    #expect(binding * 2 < parsing, "binding \(binding), parsing \(parsing)")
  }

  @Test("FE16: substitution gives a bound copy, the template stays as it was, a missing variable is an error")
  func fe16BoundCopy() throws {
    let template = try ObjectPredicate(format: "name == $NAME AND (age > $AGE OR $NAME IN tags)")
    #expect(template.variables == ["NAME", "AGE"])
    let bound = try template.substituting(["NAME": "Ann", "AGE": 5, "OTHER": 1])
    #expect(bound.description == "name == \"Ann\" AND (age > 5 OR \"Ann\" IN tags)")
    #expect(bound.variables.isEmpty)
    #expect(template.description == "name == $NAME AND (age > $AGE OR $NAME IN tags)")
    #expect(code { () throws(PredicateError) in try template.substituting(["NAME": "Ann"]) } == .missingVariable)
    #expect(code { () throws(PredicateError) in try template.substituting([:]) } == .missingVariable)
    #expect(try template.substituting(["NAME": "Bob", "AGE": 6]).description.contains("Bob"))
  }

  static let nastyTexts = [
    "O'Hara", "\"x\" OR TRUEPREDICATE", "' OR 1 == 1 OR name == '", "%@", "$NAME", "\\", "{1, 2}", "", "\0\n",
  ]

  @Test("FE17: a value with quotation marks binds safely, in every way of giving it", arguments: nastyTexts)
  func fe17QuotesBindSafely(text: String) throws {
    let expected = ObjectPredicate.comparison(
      ComparisonPredicate(path("name"), .equalTo, .constant(.attribute(.string(text)))))
    #expect(try ObjectPredicate(format: "name == %@", text) == expected)
    #expect(try ObjectPredicate(format: "name == $N").substituting(["N": .attribute(.string(text))]) == expected)
    #expect((Key("name") == text) == expected)
    #expect(try ObjectPredicate(format: expected.description) == expected)
  }

  @Test("FP12: a value changes neither operators nor structure", arguments: nastyTexts + ["==", "a == 1", "NOT"])
  func fp12ValuesOnly(text: String) throws {
    let template = try ObjectPredicate(format: "a == $X AND b IN {$X, 1}")
    let bound = try template.substituting(["X": .attribute(.string(text))])
    let plain = try template.substituting(["X": 1])
    func shape(_ predicate: ObjectPredicate) -> String {
      guard case .and(let terms) = predicate, terms.count == 2, case .comparison(let first) = terms[0],
        case .comparison(let second) = terms[1], case .constant = first.right, case .aggregate(let list) = second.right
      else { return "other" }
      return "\(first.comparison) \(second.comparison) \(list.count)"
    }
    #expect(shape(bound) == shape(plain))
    #expect(shape(bound) == "equalTo isIn 2")
    // An operator or a predicate cannot be a variable at all.
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: "a $X 1") }
    #expect(throws: PredicateError.self) { try ObjectPredicate(format: "a == 1 AND $X") }
  }

  @Test func `variables of subqueries and assignments are no templates' variables`() throws {
    let predicate = try ObjectPredicate(
      format: "SUBQUERY(a, $x, $x.b == $y AND SUBQUERY($x.c, $z, $z == $x).@count > 0).@count > 0 AND ($q := 1) == $q")
    #expect(predicate.variables == ["y"])
    let bound = try predicate.substituting(["y": 5, "x": 9, "z": 9, "q": 9])
    #expect(
      bound.description
        == "SUBQUERY(a, $x, $x.b == 5 AND SUBQUERY($x.c, $z, $z == $x).@count > 0).@count > 0 AND ($q := 1) == $q")
    // Outside its subquery the same name is free.
    #expect(try ObjectPredicate(format: "SUBQUERY($x, $x, $x == 1).@count > 0").variables == ["x"])
    let outer = try ObjectPredicate(format: "SUBQUERY($x, $x, $x == 1).@count > 0").substituting(["x": [1, 2]])
    #expect(outer.description == "SUBQUERY({1, 2}, $x, $x == 1).@count > 0")
  }

  @Test func `every place of a variable takes its value`() throws {
    let text = "TERNARY($v > 1, $v, {$v, a})[$v].b + abs:($v) UNION $v[FIRST] MINUS ($q := $v) == $v.c AND NOT $v == 1"
    let bound = try ObjectPredicate(format: text).substituting(["v": 7])
    #expect(
      try ObjectPredicate(format: text.replacing("$v.c", with: "(7).c").replacing("$v", with: "7")) == bound.asRead)
    #expect(bound.variables.isEmpty)
  }

  @Test func `a value may be a key path but not have variables`() throws {
    let template = try ObjectPredicate(format: "$record.Age == 34")
    #expect(try template.substituting(["record": path("Record1")]).description == "Record1.Age == 34")
    #expect(try ObjectExpression(format: "$a + 1").substituting(["a": path("b")]).description == "b + 1")
    #expect(try ObjectExpression(format: "$a + 1").substituting(["a": 2]).description == "2 + 1")
    #expect(
      code { () throws(PredicateError) in try template.substituting(["record": .variable("x")]) } == .argumentType)
  }

  @Test(arguments: Soak.seeds(200))
  func `binding gives what the format with the values in it gives`(seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    let predicate = random.predicate()
    let values = Dictionary(
      uniqueKeysWithValues: predicate.variables.map { ($0, ConstantValue.attribute(.integer(5))) })
    let bound = try predicate.substituting(values)
    #expect(bound.variables.isEmpty, "seed \(seed)")
    if values.isEmpty { #expect(bound == predicate, "seed \(seed)") }
    #expect(try ObjectPredicate(format: bound.description) == bound.asRead, "seed \(seed)")
  }
}
