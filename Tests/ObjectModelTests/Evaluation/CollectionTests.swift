import MergewalkObjectModel
import Testing

/// The rules of `docs/predicates.md` for collections, key paths, subqueries and variables, in memory.
@Suite struct CollectionTests {
  static var company: EvaluatedValue {
    [
      "name": "Acme", "boss": nil,
      "departments": [
        [
          "name": "A",
          "people": [["name": "Ann", "age": 30, "tags": ["x", "y"]], ["name": "Bob", "age": nil, "tags": []]],
        ],
        ["name": "B", "people": [["name": "Cid", "age": 50, "tags": ["x"]]]], ["name": "C", "people": []],
      ],
    ]
  }

  @Test func quantifiersOfNothing() throws {
    for object: EvaluatedValue in [["list": []], ["list": nil], [:]] {
      #expect(try !holds("ANY list == 1", object))
      #expect(try !holds("SOME list == 1", object))
      #expect(try holds("ALL list == 1", object))
      #expect(try holds("NONE list == 1", object))
      #expect(try !holds("ANY list != 1", object))
    }
    let object: EvaluatedValue = ["list": [1, 2, nil]]
    #expect(try holds("ANY list == 2 AND ANY list == NULL AND NONE list == 3 AND NOT ALL list > 0", object))
    #expect(try holds("ANY list IN {2, 9} AND ANY list BETWEEN {2, 3} AND ALL list != 7", object))
    #expect(try failure("ANY name == 'x'", ["name": "x"]) == .typeMismatch)
    #expect(try failure("ANY list == list", object) == .toManyKey)
  }

  @Test func pathsOverCollectionsFlatten() throws {
    #expect(try list("departments.people.name", Self.company) == [.string("Ann"), .string("Bob"), .string("Cid")])
    #expect(try list("departments.people.tags", Self.company) == [.string("x"), .string("y"), .string("x")])
    #expect(try holds("ANY departments.people.age > 40 AND ANY departments.people.age == NULL", Self.company))
    #expect(try single("departments.people.@count", Self.company) == .integer(3))
    #expect(try single("count:(departments.people.age)", Self.company) == .integer(2))
    #expect(try single("departments.people.age[SIZE]", Self.company) == .integer(3))
    #expect(try single("departments.people.@sum.age", Self.company) == .integer(80))
    #expect(try single("departments.@sum.people.age", Self.company) == .integer(80))
    #expect(try single("departments.people.@avg.age", Self.company) == .double(40))
    #expect(try single("departments.people.@min.age", Self.company) == .integer(30))
    #expect(try single("departments.people.@max.name", Self.company) == .string("Cid"))
    #expect(try list("departments.people.@distinctUnionOfObjects.tags", Self.company) == [.string("x"), .string("y")])
    #expect(
      try list("departments.people.@unionOfArrays.tags", Self.company) == [.string("x"), .string("y"), .string("x")])
    #expect(try list("departments.people.@distinctUnionOfArrays.tags", Self.company) == [.string("x"), .string("y")])
    #expect(
      try list("departments.@unionOfObjects.people.@count", Self.company) == [.integer(2), .integer(1), .integer(0)])
  }

  @Test func pathsThroughNullAreNull() throws {
    #expect(try single("boss.boss.name", Self.company) == .null)
    #expect(try single("boss.friends.@count", Self.company) == .integer(0))
    #expect(try single("boss.friends.@sum.age", Self.company) == .integer(0))
    #expect(try single("boss.friends.@max.age", Self.company) == .null)
    #expect(try failure("name.width == 1", Self.company) == .unknownKey)
    #expect(try holds("name.length == 4", Self.company))
    #expect(try failure("SELF.foo == 1", 5) == .unknownKey)
    #expect(try holds("SELF.foo == NULL", .null))
    #expect(try holds("SELF == 5", 5))
  }

  @Test func collectionsBesideComparisons() throws {
    let object: EvaluatedValue = ["list": [1, 2], "same": [1.0, 2], "other": [2, 1]]
    #expect(try holds("list == same AND list != other AND list == {1, 2} AND {} == {}", object))
    #expect(try holds("{1, 'a', {2}} == {1, 'a', {2}} AND {1} != {{1}}"))
    for format in [
      "list == 1", "list != 1", "1 == list", "list < 1", "list BETWEEN {1, 2}", "list IN {1, 2}",
      "same CONTAINS list",
    ] {
      #expect(try failure(format, object) == .toManyKey, "\(format)")
    }
    #expect(try holds("list IN {{1, 2}, {3}} AND NOT other IN {{1, 2}, {3}}", object))
    #expect(try holds("1 IN list AND list CONTAINS 2 AND NOT list CONTAINS 3", object))
    #expect(try holds("7 IN map AND map CONTAINS 7 AND NOT 8 IN map", ["map": ["k": 7]]))
  }

  @Test func subqueriesBindTheirVariable() throws {
    #expect(try holds("SUBQUERY(departments, $d, $d.name > 'A').@count == 2", Self.company))
    #expect(
      try holds(
        "SUBQUERY(departments, $d, SUBQUERY($d.people, $p, $p.age > 20 AND $d.name == 'A').@count > 0).@count == 1",
        Self.company))
    // Key paths without the variable start from the object.
    #expect(try single("SUBQUERY(departments, $d, name == 'Acme')[SIZE]", Self.company) == .integer(3))
    #expect(try single("SUBQUERY(departments, $d, ANY $d.people.name == 'Cid')[0].name", Self.company) == .string("B"))
    #expect(try list("SUBQUERY(departments, $d, $d.people.@count == 0).name", Self.company) == [.string("C")])
    #expect(try holds("SUBQUERY(missing, $x, $x == 1)[SIZE] == 0", Self.company))
    // The inner variable hides the outer one, which comes back.
    let nested = "SUBQUERY({1, 2}, $x, SUBQUERY({2, 3}, $x, $x == 3)[SIZE] == 1 AND $x == 1)[SIZE] == 1"
    #expect(try holds(nested))
    #expect(try holds("SUBQUERY({1}, $x, $x == 1)[SIZE] == 1 AND $x == 9", variables: ["x": 9]))
    #expect(try failure("SUBQUERY(name, $x, $x == 1)[SIZE] == 1", Self.company) == .typeMismatch)
  }

  @Test func variablesAndAssignments() throws {
    #expect(try holds("a == $x AND $o.b == 2", ["a": 1], variables: ["x": 1, "o": ["b": 2]]))
    #expect(try failure("a == $x", ["a": 1]) == .missingVariable)
    #expect(try holds("($x := 5) == 5 AND $x == 5"))
    #expect(try failure("$x == 5 AND ($x := 5) == 5") == .missingVariable)
  }

  @Test func setOperationsCompareAsEqualsDoes() throws {
    let object: EvaluatedValue = ["a": [1, 2, 2, nil], "b": [2.0, 3, nil]]
    #expect(try list("a UNION b", object) == [.integer(1), .integer(2), .null, .integer(3)])
    #expect(try list("a INTERSECT b", object) == [.integer(2), .null])
    #expect(try list("a MINUS b", object) == [.integer(1)])
    #expect(try list("a UNION missing", object) == [.integer(1), .integer(2), .null])
    #expect(try failure("(a UNION 5)[SIZE] == 1", object) == .typeMismatch)
  }

  @Test func conditionalsAndElements() throws {
    #expect(try single("TERNARY(a > 1, 'many', 'one')", ["a": 2]) == .string("many"))
    #expect(try single("TERNARY(a > 1, missing.x, 'one')", ["a": 0]) == .string("one"))
    let object: EvaluatedValue = ["list": [3, 4, 5], "empty": []]
    #expect(try single("list[FIRST]", object) == .integer(3))
    #expect(try single("list[LAST]", object) == .integer(5))
    #expect(try single("empty[FIRST]", object) == .null)
    #expect(try single("empty[LAST]", object) == .null)
    #expect(try single("missing[SIZE]", object) == .integer(0))
    #expect(try single("missing[0]", object) == .null)
    #expect(try single("list[list[SIZE] - 1]", object) == .integer(5))
    #expect(try failure("list[3] == 1", object) == .indexOutOfRange)
    #expect(try failure("list[FIRST][FIRST] == 1", object) == .typeMismatch)
  }

  @Test func constantsBecomeValues() throws {
    #expect(try holds("%@.a.b == 3", .null, [ConstantValue.dictionary(["a": ["b": 3]])]))
    var deep = ConstantValue.null
    for _ in 0..<300 { deep = [deep] }
    #expect(throws: PredicateError.self) { _ = try EvaluatedValue(deep) }
  }

  @Test func closuresJudge() throws {
    let predicate = ObjectPredicate.closure(PredicateClosure { !$0.isNull })
    #expect(try predicate.evaluate(with: 1))
    #expect(try [1, nil, 2].filtered(by: predicate).count == 2)
    #expect(try ObjectPredicate.and([]).evaluate(with: .null))
    #expect(try !ObjectPredicate.or([]).evaluate(with: .null))
  }
}
