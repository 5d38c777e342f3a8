import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Records that say something of one object, as their own and as a target: of each attribute the value of the last
/// record in the input counts.
@Suite("What records say of targets in their own hierarchy") struct SpokenOrderTests {
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
      let place = try ShapeFolder(Self.chain)
      let text = records.joined(separator: "\n")
      try place.run(Self.chained(missing: missing), text, batch: batch)
      #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == values, "\(records)")
      let rows = try place.rows("SELECT ZK, ZV, ZR, Z_OPT FROM ZA ORDER BY 1")
      let again = try place.run(Self.chained(missing: missing), text, batch: batch)
      #expect((again.inserted, again.rejected) == (0, 0))
      #expect(try place.rows("SELECT ZK, ZV, ZR, Z_OPT FROM ZA ORDER BY 1") == rows, "\(records)")
    }
  }

  @Test("they count in the order of the input when the run is stopped and resumed, too", arguments: 1...3)
  func saidOfTargetResumed(stop: Int) throws {
    for (records, values) in Self.said where records.count > stop {
      let place = try ShapeFolder(Self.chain)
      let summary = try place.run(
        Self.chained(missing: "create"), records.joined(separator: "\n"), batch: 1, stop: stop)
      #expect(summary.resumedAfter == stop)
      #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == values, "\(records)")
    }
  }

  @Test("in a replay they count in the order of its lines, whatever files they are from")
  func saidOfTargetReplayed() throws {
    let place = try ShapeFolder(Self.chain)
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
    #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["a x", "b two", "c z"])
  }

  @Test(
    "what a record that is turned away says of its own object hides nothing when the run is stopped and resumed",
    arguments: ["mode: create-missing", "duplicates: first", "duplicates: reject"])
  func unsaidResumed(option: String) throws {
    let place = try ShapeFolder(Self.chain)
    try place.run(Self.chained(missing: "create"), #"{"k":"b","v":"old"}"#)
    let records = [
      #"{"k":"b","v":"first"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own"}"#, #"{"k":"c"}"#,
    ]
    let summary = try place.run(
      Self.chained(missing: "create") + "\n" + option, records.joined(separator: "\n"), batch: 1, stop: 3)
    #expect(summary.resumedAfter == 3)
    let values = try place.rows("SELECT ZK, ZV FROM ZA WHERE ZV NOT NULL ORDER BY 1")
    #expect(values == ["a x", "b one"])
  }

  /// Records that the second pass rejects, at once or for want of one that it rejects, and who else makes their object.
  private static let rejected: [(missing: String, records: [String], count: Int)] = [
    ("create", [#"{"k":"b","v":"own","s":"nowhere"}"#], 1),
    ("create", [#"{"k":"b","v":"own","s":"c"}"#, #"{"k":"c","s":"nowhere"}"#], 2),
    ("reject", [#"{"k":"b","v":"own","s":"nowhere"}"#, #"{"k":"b"}"#], 1),
    ("reject", [#"{"k":"b","v":"own","s":"c"}"#, #"{"k":"c","s":"nowhere"}"#, #"{"k":"b"}"#], 2),
  ]

  @Test(
    "what a record says that the second pass rejects hides nothing of what others say", arguments: [false, true],
    [1, 2, 1000])
  func saidByRejected(isKnown: Bool, batch: Int) throws {
    for (missing, records, count) in Self.rejected {
      let place = try ShapeFolder(ShapeFolder.speakers)
      let part =
        "entity: A\nfind_by: [k]\nattributes: [v]\nrelationships:\n"
        + "  r: { find_by: { k: r }, missing: \(missing), attributes: { v: rv } }\n"
        + "  s: { find_by: { k: s }, missing: reject }"
      if isKnown { try place.run(part, #"{"k":"a","v":"x"}"#) }
      let all = [#"{"k":"a","v":"x","r":"b","rv":"one"}"#] + records
      let summary = try place.run(part, all.joined(separator: "\n"), batch: batch)
      #expect(summary.rejected == count)
      #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["a x", "b one"], "\(records)")
    }
  }

  @Test(
    "what a record says of a target that the store has is written, whether its own object is new or not",
    arguments: ["create", "reject", #""null""#])
  func saidOfKnownTarget(missing: String) throws {
    let place = try ShapeFolder(Self.chain)
    try place.run(Self.chained(missing: missing), #"{"k":"b","v":"old"}"#)
    for value in ["one", "two"] {
      try place.run(Self.chained(missing: missing), #"{"k":"a","v":"x","r":"b","rv":"\#(value)"}"#)
      let values = try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1")
      #expect(values == ["a x", "b \(value)"])
    }
  }

  @Test(
    "a record that says what an overwritten one has said is written",
    arguments: ["create", "reject", #""null""#], [1, 2, 1000])
  func saidTwice(missing: String, batch: Int) throws {
    let place = try ShapeFolder(Self.chain)
    let records = [
      #"{"k":"d","v":"x","r":"a","rv":"t"}"#, #"{"k":"a","v":"own"}"#, #"{"k":"c","v":"y","r":"a","rv":"t"}"#,
    ]
    try place.run(Self.chained(missing: missing), records.joined(separator: "\n"), batch: batch)
    #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["a t", "c y", "d x"])
  }

  @Test("what is said of a target that is there and only to be created hides nothing", arguments: [1, 2, 1000])
  func saidOfOnlyCreated(batch: Int) throws {
    let place = try ShapeFolder(Self.chain)
    let records = [
      #"{"k":"b","v":"own"}"#, #"{"k":"b","v":"again","r":"c","rv":"made"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#,
    ]
    try place.run(
      Self.chained(missing: "create, mode: create-missing"), records.joined(separator: "\n"), batch: batch)
    #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["a x", "b again", "c made"])
  }
}
