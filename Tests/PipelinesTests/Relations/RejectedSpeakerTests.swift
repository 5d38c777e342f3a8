import MergewalkImporting
import Testing

/// Records that say something of a target in their own hierarchy and are rejected in the second pass: nothing is left of
/// what they have said.
@Suite("What rejected records say of targets in their own hierarchy") struct RejectedSpeakerTests {
  private static let part = """
    entity: A
    find_by: [k]
    attributes: [v]
    relationships:
      r: { find_by: { k: r }, missing: reject, attributes: { v: rv } }
      s: { find_by: { k: s }, missing: reject }
      ts: { each: ts, find_by: { k: . }, missing: reject }
    """

  /// Records of objects that the store has before the run, as many as are asked for.
  private static let known = [#"{"k":"b","v":"own"}"#, #"{"k":"a"}"#]

  /// Records with one that is rejected behind what it says of `b`, and how many are rejected.
  private static let rejected: [(records: [String], count: Int)] = [
    // Another target is missing.
    ([#"{"k":"b","v":"own"}"#, #"{"k":"a","v":"x","r":"b","rv":"one","s":"nowhere"}"#], 1),
    // An element of a list is.
    ([#"{"k":"b","v":"own"}"#, #"{"k":"a","v":"x","r":"b","rv":"one","ts":["nothing"]}"#], 1),
    // Another target is rejected itself, for either reason.
    (
      [
        #"{"k":"b","v":"own"}"#, #"{"k":"c","v":"z","s":"nowhere"}"#,
        #"{"k":"a","v":"x","r":"b","rv":"one","s":"c"}"#,
      ], 2
    ),
    (
      [
        #"{"k":"b","v":"own"}"#, #"{"k":"c","v":"z","s":"b","ts":["nothing"]}"#,
        #"{"k":"a","v":"x","r":"b","rv":"one","s":"c"}"#,
      ], 2
    ),
  ]

  @Test(
    "what a record says of its target is not written when anything rejects the record, and does not count",
    arguments: [0, 1, 2], [1, 2, 1000])
  func rejectedSpeaker(known: Int, batch: Int) throws {
    for (records, count) in Self.rejected {
      let place = try ShapeFolder(ShapeFolder.speakers)
      if known > 0 { try place.run(Self.part, Self.known[..<known].joined(separator: "\n")) }
      let summary = try place.run(Self.part, records.joined(separator: "\n"), batch: batch)
      #expect(summary.rejected == count, "\(records)")
      #expect(summary.rejectCounts == ["relationship.missingTarget": count], "\(records)")
      #expect(summary.entities["A"]?.updated == 0, "\(records)")
      #expect(try place.rows("SELECT ZV FROM ZA WHERE ZK = 'b'") == ["own"], "\(records)")
      #expect(try place.rows("SELECT count(*) FROM ZA") == ["\(max(known, 1))"], "\(records)")
    }
  }

  /// Records with some that stay, the value of `b` that is left, and how often it changes.
  private static let staying: [(records: [String], value: String, updates: Int, rejected: Int)] = [
    ([#"{"k":"b","v":"own"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#], "one", 1, 0),
    ([#"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"b","v":"own"}"#], "own", 0, 0),
    (
      [
        #"{"k":"b","v":"own"}"#, #"{"k":"c","v":"z","r":"b","rv":"two"}"#,
        #"{"k":"a","v":"x","r":"b","rv":"one","s":"nowhere"}"#,
      ], "two", 1, 1
    ),
  ]

  @Test(
    "what a record says that stays is written, in the order of the input", arguments: [0, 1], [1, 2, 1000])
  func stayingSpeaker(known: Int, batch: Int) throws {
    for (records, value, updates, rejected) in Self.staying {
      let place = try ShapeFolder(ShapeFolder.speakers)
      if known > 0 { try place.run(Self.part, Self.known[..<known].joined(separator: "\n")) }
      let summary = try place.run(Self.part, records.joined(separator: "\n"), batch: batch)
      #expect(summary.rejected == rejected, "\(records)")
      #expect(summary.entities["A"]?.updated == updates, "\(records)")
      #expect(try place.rows("SELECT ZV FROM ZA WHERE ZK = 'b'") == [value], "\(records)")
    }
  }

  @Test(
    "the same holds for what a record says of the relationships of its target, whatever was there before",
    arguments: [0, 1, 2], [1, 2, 1000])
  func relationshipsOfTarget(known: Int, batch: Int) throws {
    let part = """
      entity: A
      find_by: [k]
      relationships:
        r: { find_by: { k: r }, missing: reject, relationships: { o: { find_by: { k: ro } } } }
        s: { find_by: { k: s }, missing: reject }
      """
    let cases: [(reference: String, count: Int, links: [String])] = [(#","s":"nowhere""#, 1, []), ("", 0, ["b>t"])]
    for (reference, count, links) in cases {
      let place = try ShapeFolder(ShapeFolder.speakers)
      if known > 0 { try place.run(part, Self.known[..<known].joined(separator: "\n")) }
      let records = [#"{"k":"b"}"#, #"{"k":"a","r":"b","ro":"t"\#(reference)}"#]
      let summary = try place.run(part, records.joined(separator: "\n"), batch: batch)
      #expect(summary.rejected == count)
      #expect(try place.links("ZA", "ZO", to: "ZT") == links)
    }
  }

  private static func twice(missing: String) -> String {
    """
    entity: A
    find_by: [k]
    attributes: [v]
    relationships:
      r: { find_by: { k: r }, missing: \(missing), attributes: { v: rv } }
      s: { find_by: { k: s }, missing: \(missing), attributes: { v: sv } }
    """
  }

  @Test(
    "what one relationship says another one may say otherwise, also when it was so before",
    arguments: ["create", "reject", #""null""#], [1, 2, 1000])
  func saidByTwoRelationships(missing: String, batch: Int) throws {
    let place = try ShapeFolder(ShapeFolder.speakers)
    let records = [
      #"{"k":"b","v":"old"}"#, #"{"k":"a","v":"x","r":"b","rv":"one"}"#, #"{"k":"c","v":"z","s":"b","sv":"old"}"#,
    ]
    try place.run(Self.twice(missing: missing), records.joined(separator: "\n"), batch: batch)
    #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["a x", "b old", "c z"])
  }

  @Test("a value of one target that is refused takes back what is said of another one", arguments: [1, 2, 1000])
  func refusedValue(batch: Int) throws {
    let place = try ShapeFolder(ShapeFolder.speakers.replacing("unique: [k]\n  T:", with: "unique: [[k], [v]]\n  T:"))
    let records = [
      #"{"k":"b","v":"own"}"#, #"{"k":"c","v":"taken"}"#, #"{"k":"d","v":"z"}"#,
      #"{"k":"a","v":"x","r":"b","rv":"one","s":"d","sv":"taken"}"#,
    ]
    let summary = try place.run(Self.twice(missing: "reject"), records.joined(separator: "\n"), batch: batch)
    #expect(summary.rejectCounts == ["constraint.unique": 1])
    #expect(summary.entities["A"]?.updated == 0)
    #expect(try place.rows("SELECT ZK, ZV FROM ZA ORDER BY 1") == ["b own", "c taken", "d z"])
  }
}
