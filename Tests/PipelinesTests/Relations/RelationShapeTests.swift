import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// What random shapes of relationships have found, each in its smallest form; see `RelationFuzzTests`.
@Suite("Shapes of relationships, by hand") struct RelationShapeTests {
  /// A folder with a model, into whose store records are imported.
  private struct Place {
    let folder = TemporaryFolder()

    init(_ entities: String) throws {
      try folder.write("model: Shape\nentities:\n" + entities + "\n", to: "model.yaml")
    }

    func definition(_ part: String, _ records: String, batch: Int) throws -> ImportDefinition {
      try folder.write(records + "\n", to: "in.ndjson")
      let lines = part.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
      try folder.write(
        "model: model.yaml\nstore: s.sqlite\nsource: in.ndjson\nimport:\n\(lines)\nrejects: rejects.ndjson\n",
        to: "pipeline.yaml")
      var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
      definition.batchLimit.records = batch
      return definition
    }

    /// Imports records and looks at the store.
    @discardableResult
    func run(_ part: String, _ records: String, batch: Int = 1000) throws -> ImportSummary {
      let definition = try definition(part, records, batch: batch)
      let summary = try ImportSession(definition).run()
      let report = try StoreVerifier.verify(path: folder.file("s.sqlite"), model: definition.model)
      #expect(report.isSound, "\(report.findings)")
      return summary
    }

    /// What a to-one relationship refers to: `owner>target`, by keys.
    func links(_ table: String, _ column: String, to other: String) throws -> [String] {
      let connection = try Connection(path: folder.file("s.sqlite"), mode: .readOnly)
      defer { try? connection.close() }
      let select = try connection.prepare(
        "SELECT a.ZK || '>' || b.ZK FROM \(table) AS a JOIN \(other) AS b ON b.Z_PK = a.\(column) ORDER BY 1")
      var found: [String] = []
      while try select.step() { found.append(select.text(0)) }
      return found
    }
  }

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
    let place = try Place(Self.pair)
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
    let place = try Place(Self.pair)
    let part = "entity: A\nfind_by: [k]\nattributes: [v]\nrelationships: { b: { find_by: { k: b } } }"
    try place.run(part, #"{"k":"old","b":"B9"}"#)
    try place.run(part, #"{"k":"new","b":"B1"}"# + "\n" + #"{"k":"old","b":"B1"}"#, batch: batch)
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["old>B1"])
    try place.run(part, #"{"k":"old","b":"B2"}"# + "\n" + #"{"k":"newer","b":"B2"}"#, batch: batch)
    #expect(try place.links("ZA", "ZB", to: "ZB") == ["newer>B2"])
  }

  @Test("two to-one relationships to a subentity of their own entity, in two passes", arguments: [1, 2, 100])
  func toSubentity(batch: Int) throws {
    let place = try Place(
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
    let place = try Place(
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
    let place = try Place(
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
    let place = try Place(
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
    let place = try Place(
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

  private static let chain = """
      A:
        attributes: { k: string!, v: string }
        relationships: { r: { to_one: A, inverse: rs }, rs: { to_many: A, inverse: r } }
        unique: [k]
    """

  private static func chained(missing: String) -> String {
    "entity: A\nfind_by: [k]\nattributes: [v]\n"
      + "relationships: { r: { find_by: { k: r }, missing: \(missing), attributes: { v: rv } } }"
  }

  /// Records that say something of one object, as their own and as a target, and what the last of them leave.
  private static let said: [(records: [String], values: [String])] = [
    ([#"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own"}"#], ["a x", "b own"]),
    (
      [#"{"k":"b","v":"own"}"#, #"{"k":"b","v":"again"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#],
      ["a x", "b one"]
    ),
    (
      [
        #"{"k":"b","v":"own"}"#, #"{"k":"a","v":"x"}"#, #"{"k":"a","v":"y","r":"b","rv":"one"}"#,
        #"{"k":"b","v":"again"}"#,
      ], ["a y", "b again"]
    ),
    (
      [
        #"{"k":"b","v":"own"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"a","v":"y","r":"b","rv":"two"}"#,
        #"{"k":"c","v":"z","r":"b","rv":"three"}"#,
      ], ["a y", "b three", "c z"]
    ),
  ]

  @Test(
    "what records say of a target in their own hierarchy counts in their order, and once more changes nothing",
    arguments: ["create", "reject", #""null""#], [1, 3, 1000])
  func saidOfTarget(missing: String, batch: Int) throws {
    for (records, values) in Self.said {
      let place = try Place(Self.chain)
      let text = records.joined(separator: "\n")
      try place.run(Self.chained(missing: missing), text, batch: batch)
      #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == values, "\(records)")
      let rows = try place.folder.rows("SELECT ZK, ZV, ZR, Z_OPT FROM ZA ORDER BY 1", of: "s.sqlite")
      let again = try place.run(Self.chained(missing: missing), text, batch: batch)
      #expect((again.inserted, again.rejected) == (0, 0))
      #expect(
        try place.folder.rows("SELECT ZK, ZV, ZR, Z_OPT FROM ZA ORDER BY 1", of: "s.sqlite") == rows, "\(records)")
    }
  }

  @Test("they count in the order of the input when the run is stopped and resumed, too", arguments: 1...3)
  func saidOfTargetResumed(stop: Int) throws {
    for (records, values) in Self.said where records.count > stop {
      let place = try Place(Self.chain)
      let definition = try place.definition(
        Self.chained(missing: "create"), records.joined(separator: "\n"), batch: 1)
      var seen = 0
      let stopped = try ImportSession(definition).run(
        progress: { if $0.stage == .records { seen += 1 } }, shouldStop: { seen >= stop })
      #expect(stopped.status == .interrupted)
      #expect(try ImportSession(definition).run().resumedAfter == stop)
      #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == values, "\(records)")
    }
  }

  @Test("in a replay they count in the order of its lines, whatever files they are from")
  func saidOfTargetReplayed() throws {
    let place = try Place(Self.chain)
    let lines = [
      #"{"file":"1.ndjson","raw":"{\"k\":\"a\",\"v\":\"x\",\"r\":\"b\",\"rv\":\"one\"}"}"#,
      #"{"file":"2.ndjson","raw":"{\"k\":\"b\",\"v\":\"own\"}"}"#,
      #"{"file":"1.ndjson","raw":"{\"k\":\"c\",\"v\":\"z\",\"r\":\"b\",\"rv\":\"two\"}"}"#,
    ]
    try place.folder.write(lines.joined(separator: "\n") + "\n", to: "old.ndjson")
    let definition = try place.definition(Self.chained(missing: "create"), #"{"k":"none"}"#, batch: 1000)
    let replay = definition.replaying(
      ByteSource(path: place.folder.file("old.ndjson")), rejectsPath: place.folder.file("again.ndjson"))
    #expect(try ImportSession(replay).run().inserted == 3)
    #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == ["a x", "b two", "c z"])
  }

  @Test(
    "what a record that is turned away says of its own object hides nothing when the run is stopped and resumed",
    arguments: ["mode: create-missing", "duplicates: first", "duplicates: reject"])
  func unsaidResumed(option: String) throws {
    let place = try Place(Self.chain)
    try place.run(Self.chained(missing: "create"), #"{"k":"b","v":"old"}"#)
    let records = [
      #"{"k":"b","v":"first"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own"}"#, #"{"k":"c"}"#,
    ]
    let definition = try place.definition(
      Self.chained(missing: "create") + "\n" + option, records.joined(separator: "\n"), batch: 1)
    var seen = 0
    let stopped = try ImportSession(definition).run(
      progress: { if $0.stage == .records { seen += 1 } }, shouldStop: { seen >= 3 })
    #expect(stopped.status == .interrupted)
    #expect(try ImportSession(definition).run().resumedAfter == 3)
    let values = try place.folder.rows("SELECT ZK, ZV FROM ZA WHERE ZV NOT NULL ORDER BY 1", of: "s.sqlite")
    #expect(values == ["a x", "b one"])
  }

  @Test(
    "what a record says of its own object goes with the object, and hides nothing of what others say when they make it",
    arguments: [false, true], [1, 1000])
  func saidOfTakenOut(isKnown: Bool, batch: Int) throws {
    let place = try Place(
      """
        A:
          attributes: { k: string!, v: string }
          relationships:
            r: { to_one: A, inverse: rs }
            rs: { to_many: A, inverse: r }
            s: { to_one: A, inverse: ss }
            ss: { to_many: A, inverse: s }
          unique: [k]
      """)
    let part =
      "entity: A\nfind_by: [k]\nattributes: [v]\nrelationships:\n"
      + "  r: { find_by: { k: r }, attributes: { v: rv } }\n  s: { find_by: { k: s }, missing: reject }"
    if isKnown { try place.run(part, #"{"k":"a","v":"x"}"#) }
    let records = [#"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own","s":"nowhere"}"#]
    let summary = try place.run(part, records.joined(separator: "\n"), batch: batch)
    #expect(summary.rejected == 1)
    #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == ["a x", "b one"])
  }

  @Test(
    "what a record says of a target that the store has is written, whether its own object is new or not",
    arguments: ["create", "reject", #""null""#])
  func saidOfKnownTarget(missing: String) throws {
    let place = try Place(Self.chain)
    try place.run(Self.chained(missing: missing), #"{"k":"b","v":"old"}"#)
    for value in ["one", "two"] {
      try place.run(Self.chained(missing: missing), #"{"k":"a","v":"x","r":"b","rv":"\#(value)"}"#)
      let values = try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite")
      #expect(values == ["a x", "b \(value)"])
    }
  }

  @Test(
    "a record that says what an overwritten one has said is written",
    arguments: ["create", "reject", #""null""#], [1, 2, 1000])
  func saidTwice(missing: String, batch: Int) throws {
    let place = try Place(Self.chain)
    let records = [
      #"{"k":"d","v":"x","r":"a","rv":"t"}"#, #"{"k":"a","v":"own"}"#, #"{"k":"c","v":"y","r":"a","rv":"t"}"#,
    ]
    try place.run(Self.chained(missing: missing), records.joined(separator: "\n"), batch: batch)
    #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == ["a t", "c y", "d x"])
  }

  @Test("what a record says that the second pass rejects does not hide what others say", arguments: [1, 2, 1000])
  func saidByRejected(batch: Int) throws {
    let place = try Place(Self.chain)
    let records = [
      #"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own","r":"nobody"}"#, #"{"k":"b"}"#,
    ]
    let summary = try place.run(Self.chained(missing: "reject"), records.joined(separator: "\n"), batch: batch)
    #expect((summary.inserted, summary.rejected) == (2, 1))
    #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == ["a x", "b one"])
  }

  @Test("what is said of a target that is there and only to be created hides nothing", arguments: [1, 2, 1000])
  func saidOfOnlyCreated(batch: Int) throws {
    let place = try Place(Self.chain)
    let records = [
      #"{"k":"b","v":"own"}"#, #"{"k":"b","v":"again","r":"c","rv":"made"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#,
    ]
    try place.run(
      Self.chained(missing: "create, mode: create-missing"), records.joined(separator: "\n"), batch: batch)
    #expect(try place.folder.rows("SELECT ZK, ZV FROM ZA ORDER BY 1", of: "s.sqlite") == ["a x", "b again", "c made"])
  }

  @Test(
    "a relationship and the list at its other end, of one object in one batch, keep one order", arguments: [1, 2, 100])
  func bothEndsOrdered(batch: Int) throws {
    let place = try Place(
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
    let connection = try Connection(path: place.folder.file("s.sqlite"), mode: .readOnly)
    defer { try? connection.close() }
    let count = try connection.integer("SELECT count(DISTINCT Z_FOK_UP) FROM ZA WHERE ZUP IS NOT NULL")
    #expect(count == 2)
  }

  @Test("members that a list does not speak of, as they are of another entity, keep places of their own")
  func othersKeepTheirPlaces() throws {
    let place = try Place(
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
      let connection = try Connection(path: place.folder.file("s.sqlite"), mode: .readOnly)
      defer { try? connection.close() }
      #expect(try connection.integer("SELECT count(*) - count(DISTINCT Z_FOK_A) FROM ZB WHERE ZA IS NOT NULL") == 0)
    }
    #expect(try place.links("ZB", "ZA", to: "ZA") == ["b1>a", "b2>a", "b3>a", "b4>a", "b5>a"])
  }

  @Test("what the list of a record has made goes with the record, and is no record", arguments: [1, 100])
  func listOfLostRecord(batch: Int) throws {
    let place = try Place(
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
    let place = try Place(
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
    let place = try Place(
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
