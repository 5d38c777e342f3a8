import MergewalkImporting
import Testing

/// What random shapes of relationships have found, each in its smallest form; see `RelationFuzzTests`.
@Suite("Shapes of relationships, by hand") struct RelationShapeTests {
  private static let pair = """
      A:
        attributes: { k: string!, v: string }
        relationships: { b: { to_one: B, inverse: a1 }, c: { to_one: B, inverse: a2 } }
        unique: [k]
      B:
        attributes: { k: string! }
        relationships: { a1: { to_one: A, inverse: b }, a2: { to_one: A, inverse: c } }
        unique: [k]
    """

  @Test(
    "two one-to-one relationships between the same entities: who had the partner has it no more", arguments: [1, 100])
  func twoBetweenTheSame(batch: Int) throws {
    let place = try ShapeFolder(Self.pair)
    let part = """
      entity: A
      find_by: [k]
      relationships: { b: { find_by: { k: b } }, c: { find_by: { k: c } } }
      """
    try place.run(part, #"{"k":"A6","b":"B2","c":"B3"}"# + "\n" + #"{"k":"A2","b":"B5","c":"B6"}"#, batch: batch)
    try place.run(part, #"{"k":"A2","b":"B2","c":"B2"}"#, batch: batch)
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["A2>B2"])
    #expect(try place.links("ZA", "ZC", to: "ZB") == ["A2>B2", "A6>B3"])
    #expect(try place.links("ZB", "ZA1", to: "ZA") == ["B2>A2"])
  }

  @Test(
    "of two records that name one partner the later one has it, also when it is the older object", arguments: [1, 100])
  func laterRecordHasThePartner(batch: Int) throws {
    let place = try ShapeFolder(Self.pair)
    let part = "entity: A\nfind_by: [k]\nattributes: [v]\nrelationships: { b: { find_by: { k: b } } }"
    try place.run(part, #"{"k":"old","b":"B9"}"#)
    try place.run(part, #"{"k":"new","b":"B1"}"# + "\n" + #"{"k":"old","b":"B1"}"#, batch: batch)
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["old>B1"])
    try place.run(part, #"{"k":"old","b":"B2"}"# + "\n" + #"{"k":"newer","b":"B2"}"#, batch: batch)
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["newer>B2"])
  }

  @Test("two to-one relationships to a subentity of their own entity, in two passes", arguments: [1, 2, 100])
  func toSubentity(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships: { r1: { to_one: A1 }, r2: { to_one: A1 } }
        A1: { parent: A }
      """)
    let summary = try place.run(
      """
      entity: A
      find_by: [k]
      passes: two
      relationships: { r1: { entity: A1, find_by: { k: f_r1 } }, r2: { entity: A1, find_by: { k: f_r2 } } }
      """, #"{"k":"a2","f_r1":"a3"}"# + "\n" + #"{"k":"a3","f_r1":"a2A1"}"# + "\n" + #"{"k":"a4","f_r2":"a3"}"#,
      batch: batch)
    #expect(summary.inserted == 3)
    #expect(try place.links("ZA", "ZR1", to: "ZA") == ["a2>a3", "a3>a2A1"])
    #expect(try place.links("ZA", "ZR2", to: "ZA") == ["a4>a3"])
  }

  @Test("a list that deletes what another relationship of the record refers to", arguments: [1, 2, 100])
  func orphansOfSelf(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships:
            r0: { to_many: A, inverse: q0 }
            q0: { to_one: A, inverse: r0 }
            r1: { to_many: A, inverse: q1 }
            q1: { to_one: A, inverse: r1 }
            alone: { to_one: A }
          unique: [k]
      """)
    let part = """
      entity: A
      find_by: [k]
      relationships:
        r0: { each: r0, find_by: { k: . }, orphans: delete }
        r1: { each: r1, find_by: { k: . }, orphans: delete }
        alone: { find_by: { k: alone } }
      """
    try place.run(part, #"{"k":"a0","r0":["a1","a3"]}"# + "\n" + #"{"k":"a9","alone":"a1"}"#, batch: batch)
    try place.run(part, #"{"k":"a0","r0":[],"r1":["a3"]}"# + "\n" + #"{"k":"a5","r1":["a3"],"r0":[]}"#, batch: batch)
    #expect(try place.links("ZA", "ZALONE", to: "ZA") == [])
    #expect(try place.links("ZA", "ZQ1", to: "ZA") == ["a3>a5"])
  }

  @Test("who takes the partner of a mandatory relationship is rejected", arguments: [1, 100], ["one", "two"])
  func mandatoryPartner(batch: Int, passes: String) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships: { next: { to_one: A, inverse: previous, required: true }, previous: { to_one: A, inverse: next } }
          unique: [k]
      """)
    let part =
      "entity: A\nfind_by: [k]\npasses: \(passes)\nrelationships: { next: { find_by: { k: n }, missing: reject } }"
    let first = try place.run(part, #"{"k":"a1","n":"a2"}"# + "\n" + #"{"k":"a2","n":"a1"}"#)
    #expect(first.inserted == 2)
    let summary = try place.run(part, #"{"k":"a3","n":"a1"}"# + "\n" + #"{"k":"a4","n":"a4"}"#, batch: batch)
    #expect((summary.inserted, summary.rejected) == (1, 1))
    #expect(try place.links("ZA", "ZNEXT", to: "ZA") == ["a1>a2", "a2>a1", "a4>a4"])
  }

  @Test(
    "an object of another subentity with the same unique key rejects a record, in a new store too", arguments: [1, 100])
  func uniqueAmongRelatives(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A: { attributes: { k: string! }, unique: [k] }
        A1: { parent: A, relationships: { r: { to_one: A2 } } }
        A2: { parent: A }
      """)
    let part = "entity: A1\nfind_by: [k]\nrelationships: { r: { entity: A2, find_by: { k: r } } }"
    let summary = try place.run(
      part, #"{"k":"a4","r":"a2"}"# + "\n" + #"{"k":"a5"}"# + "\n" + #"{"k":"a6","r":"a5"}"#, batch: batch)
    #expect((summary.read, summary.rejected) == (3, 1))
    #expect(summary.rejectCounts == ["constraint.unique": 1])
  }

  @Test(
    "a record that gives its target the unique value of another object is rejected, whatever is to become of missing ones",
    arguments: ["create", "reject", #""null""#], [1, 100])
  func takenValueOfTarget(missing: String, batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string!, v: string }
          relationships: { r: { to_one: A, inverse: rs }, rs: { to_many: A, inverse: r } }
          unique: [[k], [v]]
      """)
    let target = "{ find_by: { k: r }, missing: \(missing), attributes: { v: rv } }"
    let records = [#"{"k":"a3","v":"b"}"#, #"{"k":"a9"}"#, #"{"k":"a7","v":"x","r":"a9","rv":"b"}"#]
    let summary = try place.run(
      "entity: A\nfind_by: [k]\nattributes: [v]\nrelationships: { r: \(target) }", records.joined(separator: "\n"),
      batch: batch)
    #expect((summary.inserted, summary.rejected) == (2, 1))
    #expect(summary.rejectCounts == ["constraint.unique": 1])
  }

  @Test(
    "a relationship and the list at its other end, of one object in one batch, keep one order", arguments: [1, 2, 100])
  func bothEndsOrdered(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships: { up: { to_one: A, inverse: down }, down: { to_many: A, inverse: up, ordered: true } }
          unique: [k]
      """)
    let part = """
      entity: A
      find_by: [k]
      passes: one
      relationships: { up: { find_by: { k: up } }, down: { each: down, find_by: { k: . }, orphans: unlink } }
      """
    try place.run(
      part, #"{"k":"a4","up":"a5"}"# + "\n" + #"{"k":"a6","up":"a5"}"# + "\n" + #"{"k":"a5","down":["a7","a4"]}"#,
      batch: batch)
    #expect(try place.links("ZA", "ZUP", to: "ZA") == ["a4>a5", "a7>a5"])
    #expect(try place.rows("SELECT count(DISTINCT Z_FOK_UP) FROM ZA WHERE ZUP IS NOT NULL") == ["2"])
  }

  @Test("members that a list does not speak of, as they are of another entity, keep places of their own")
  func othersKeepTheirPlaces() throws {
    let place = try ShapeFolder(
      """
        A: { attributes: { k: string! }, relationships: { bs: { to_many: B, inverse: a, ordered: true } }, unique: [k] }
        B: { attributes: { k: string! }, relationships: { a: { to_one: A, inverse: bs } } }
        B1: { parent: B }
      """)
    func list(_ entity: String) -> String {
      "entity: A\nfind_by: [k]\nrelationships: { bs: { each: bs, entity: \(entity), find_by: { k: . } } }"
    }
    try place.run(list("B"), #"{"k":"a","bs":["b1","b2"]}"#)
    for keys in ["b3\",\"b4", "b4\",\"b3\",\"b5"] {
      try place.run(list("B1"), "{\"k\":\"a\",\"bs\":[\"\(keys)\"]}")
      #expect(try place.rows("SELECT count(*) - count(DISTINCT Z_FOK_A) FROM ZB WHERE ZA IS NOT NULL") == ["0"])
    }
    #expect(try place.links("ZB", "ZA", to: "ZA") == ["b1>a", "b2>a", "b3>a", "b4>a", "b5>a"])
  }

  @Test("what the list of a record has made goes with the record, and is no record", arguments: [1, 100])
  func listOfLostRecord(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships: { up: { to_one: A, inverse: down }, down: { to_many: A, inverse: up, delete: cascade } }
          unique: [k]
      """)
    let summary = try place.run(
      """
      entity: A
      find_by: [k]
      passes: two
      relationships: { up: { find_by: { k: up }, missing: reject }, down: { each: down, find_by: { k: . } } }
      """, #"{"k":"a3","up":"a9","down":["a4"]}"# + "\n" + #"{"k":"a1"}"#, batch: batch)
    #expect((summary.read, summary.inserted, summary.rejected) == (2, 1, 1))
    #expect(try place.links("ZA", "Z_PK", to: "ZA") == ["a1>a1"])
  }

  @Test("a record that waits for the second pass finds its other targets there", arguments: [1, 100])
  func targetOfWaitingRecord(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A:
          attributes: { k: string! }
          relationships: { up: { to_one: A }, b: { to_one: B, inverse: a, delete: cascade } }
          unique: [k]
        B: { attributes: { k: string! }, relationships: { a: { to_one: A, inverse: b } }, unique: [k] }
      """)
    let summary = try place.run(
      """
      entity: A
      find_by: [k]
      passes: two
      relationships: { up: { find_by: { k: up }, missing: reject }, b: { find_by: { k: b } } }
      """, #"{"k":"a5","up":"a9","b":"b5"}"# + "\n" + #"{"k":"a5","up":"a1","b":"b5"}"# + "\n" + #"{"k":"a1"}"#,
      batch: batch)
    #expect((summary.read, summary.inserted, summary.rejected) == (3, 2, 1))
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["a5>b5"])
    #expect(try place.links("ZB", "ZA", to: "ZA") == ["b5>a5"])
  }

  @Test("in one pass a record is no target of a subentity of its own one", arguments: [1, 100])
  func ownRecordIsOfAnotherEntity(batch: Int) throws {
    let place = try ShapeFolder(
      """
        A: { attributes: { k: string! }, relationships: { r: { to_one: A1, required: true } }, unique: [k] }
        A1: { parent: A }
      """)
    let summary = try place.run(
      "entity: A\nfind_by: [k]\npasses: one\nrelationships: { r: { entity: A1, find_by: { k: r }, missing: reject } }",
      #"{"k":"a2","r":"a3"}"# + "\n" + #"{"k":"a3","r":"a3"}"#, batch: batch)
    #expect((summary.inserted, summary.rejected) == (0, 2))
    #expect(try place.links("ZA", "Z_PK", to: "ZA") == [])
  }
}
