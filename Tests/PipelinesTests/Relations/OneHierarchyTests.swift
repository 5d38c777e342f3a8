import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Relationships that meet: several between the same entities, within one hierarchy, to subentities.
///
/// Found by generated models, records and batch sizes; every run is held against `store verify`.
@Suite("Relationships that meet") struct OneHierarchyTests {
  let folder = TemporaryFolder()

  private func importing(
    _ relationships: String, entities: String, records: [[String]], more: String = "", batch: Int? = nil
  ) throws -> ImportSummary {
    try folder.write("model: M\nentities:\n" + entities, to: "m.yaml")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: { files: in.ndjson, format: ndjson }
      import:
        entity: A
        find_by: [k]
        \(more)
        relationships: { \(relationships) }
      """, to: "p.yaml")
    var summary = ImportSummary()
    for lines in records {
      try folder.write(lines.joined(separator: "\n") + "\n", to: "in.ndjson")
      var definition = try Pipeline.read(folder.file("p.yaml")).definition
      if let batch { definition.batchLimit.records = batch }
      summary = try ImportSession(definition).run()
      let report = try StoreVerifier.verify(path: folder.file("s.sqlite"), model: definition.model)
      #expect(report.isSound, "\(report.findings)")
    }
    return summary
  }

  private func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "s.sqlite") }

  @Test(
    "mode update changes what a record before has made as its target, whatever the batch",
    arguments: [1, 2, 3, 9], ["k", "other"])
  func updatesTargets(batch: Int, key: String) throws {
    let entities = """
        A:
          attributes: { k: string!, n: integer64, other: string }
          relationships: { up: { to_one: A, inverse: downs }, downs: { to_many: A, inverse: up } }
          unique: [k]
      """
    let up = key == "k" ? "up: { find_by: { k: up } }" : "up: { find_by: { other: up }, attributes: { k: up } }"
    _ = try importing(up, entities: entities, records: [[#"{"k": "a", "n": 1}"#]], more: "attributes: [n]")
    let summary = try importing(
      up, entities: entities,
      records: [
        [#"{"k": "b", "n": 5}"#, #"{"k": "a", "n": 2, "up": "b"}"#, #"{"k": "b", "n": 3}"#, #"{"k": "c", "n": 4}"#]
      ], more: "attributes: [n]\n  mode: update", batch: batch)
    #expect((summary.updated, summary.skipped) == (2, 2))
    #expect(try rows("SELECT ZK, ZN FROM ZA ORDER BY 1") == ["a 2", "b 3"])
  }

  @Test(
    "a run is one save to others: what it makes has version 1, what it changes one more, however often it comes back to it",
    arguments: [1, 2, 9],
    [
      #"children: { each: c, find_by: { k: . }, find_in: everywhere }"#, #"parent: { find_by: { k: p } }"#,
      #"twin: { find_by: { k: p } }"#,
    ])
  func newRowsAreSavedOnce(batch: Int, relationship: String) throws {
    let entities = """
        A:
          attributes: { k: string!, n: integer64 }
          relationships:
            children: { to_many: A, inverse: parent, ordered: true }
            parent: { to_one: A, inverse: children }
            twin: { to_one: A, inverse: twin_of }
            twin_of: { to_one: A, inverse: twin }
          unique: [k]
      """
    let first = [
      #"{"k": "a", "n": 1, "c": ["b", "c"]}"#, #"{"k": "b", "n": 2, "c": ["d", "e"], "p": "a"}"#,
      #"{"k": "c", "n": 3, "c": ["f"], "p": "a"}"#, #"{"k": "d", "n": 4, "c": ["e", "g"], "p": "c"}"#,
      #"{"k": "b", "n": 5, "c": ["e"], "p": "d"}"#,
    ]
    _ = try importing(relationship, entities: entities, records: [first], more: "attributes: [n]", batch: batch)
    #expect(try rows("SELECT DISTINCT Z_OPT FROM ZA") == ["1"])
    // Into a store that is there: the first run's rows move, those of the second do not.
    let second = [
      #"{"k": "x", "n": 1, "c": ["y"]}"#, #"{"k": "a", "n": 7}"#, #"{"k": "y", "n": 2, "p": "x"}"#,
      #"{"k": "a", "n": 8}"#, #"{"k": "a", "n": 9}"#,
    ]
    _ = try importing(relationship, entities: entities, records: [second], more: "attributes: [n]", batch: batch)
    #expect(try rows("SELECT ZK, Z_OPT FROM ZA WHERE ZK IN ('a', 'x', 'y') ORDER BY 1") == ["a 2", "x 1", "y 1"])
  }

  @Test("a store that says that all keys are given out is refused with the cure", arguments: ["up", "self"])
  func noKeysLeft(column: String) throws {
    let entities = """
        A:
          attributes: { k: string! }
          relationships: { up: { to_one: A, inverse: downs }, downs: { to_many: A, inverse: up } }
          unique: [k]
      """
    let up = "up: { find_by: { k: \(column) } }"
    _ = try importing(up, entities: entities, records: [[#"{"k": "a"}"#]])
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807")
    try connection.close()
    let error = try #require(throws: ImportError.self) {
      try importing(up, entities: entities, records: [[#"{"k": "b", "self": "c"}"#]])
    }
    #expect(error.code == .database && error.message.contains("correct Z_MAX"))
    #expect(try rows("SELECT ZK FROM ZA") == ["a"])
  }

  @Test("of two one-to-one relationships with one target each keeps its own other end")
  func twoOneToOnes() throws {
    let summary = try importing(
      "b: { find_by: { k: b } }, c: { find_by: { k: c } }",
      entities: """
          A:
            attributes: { k: string! }
            relationships: { b: { to_one: B, inverse: a }, c: { to_one: B, inverse: a2 } }
            unique: [k]
          B:
            attributes: { k: string! }
            relationships: { a: { to_one: A, inverse: b }, a2: { to_one: A, inverse: c } }
            unique: [k]
        """,
      records: [[#"{"k":"A6","b":"B2"}"#], [#"{"k":"A2","b":"B2","c":"B2"}"#]])
    #expect(summary.inserted == 1)
    #expect(
      try rows("SELECT a.ZK, b.ZK, c.ZK FROM ZA a LEFT JOIN ZB b ON a.ZB = b.Z_PK LEFT JOIN ZB c ON a.ZC = c.Z_PK")
        == ["A6 - -", "A2 B2 B2"])
  }

  @Test("a row that is refused in a second pass takes nothing else along") func refusedInSecondPass() throws {
    // “a0” is an A, so that no A1 of that key can be made.
    let summary = try importing(
      "f: { entity: A1, find_by: { k: f } }, g: { find_by: { k: g }, missing: 'null' }",
      entities: """
          A:
            attributes: { k: string! }
            relationships:
              f: { to_one: A1, inverse: fi }
              g: { to_one: A, inverse: gi }
              gi: { to_many: A, inverse: g }
            unique: [k]
          A1:
            parent: A
            relationships: { fi: { to_one: A, inverse: f } }
        """,
      records: [
        [#"{"k":"a3","g":"a1"}"#, #"{"k":"a1","f":"a0","g":"a2"}"#, #"{"k":"a0","f":"a0","g":"a1"}"#]
      ], more: "passes: two")
    #expect((summary.inserted, summary.rejected) == (1, 2))
    #expect(summary.read == summary.inserted + summary.rejected)
  }

  private static let list = """
      A:
        attributes: { k: string! }
        relationships: { f: { to_many: A1, inverse: fi } }
        unique: [k]
      A1:
        parent: A
        relationships: { fi: { to_one: A, inverse: f } }
    """

  @Test("lists are imported anew after an attempt that failed within them") func repeatedLists() throws {
    let summary = try importing(
      "f: { split: ';', find_by: { k: f }, find_in: everywhere }", entities: Self.list,
      records: [[#"{"k":"a1","f":"a3"}"#, #"{"k":"a1","f":"a4"}"#, #"{"k":"a3","f":"a4"}"#]])
    #expect(summary.rejected == 0)
    #expect(try rows("SELECT ZK, ZFI FROM ZA ORDER BY ZK") == ["a1 -", "a3 -", "a4 2"])
  }

  @Test(
    "a list that leaves out an object does not delete it for good when another record stands for it", arguments: [1, 9])
  func namedOrphans(batch: Int) throws {
    let summary = try importing(
      "f: { split: ';', find_by: { k: f }, find_in: everywhere, orphans: delete }",
      entities: """
          A:
            attributes: { k: string! }
            relationships:
              f: { to_many: A, inverse: fi, delete: nullify }
              fi: { to_one: A, inverse: f }
            unique: [k]
        """,
      records: [
        [#"{"k":"a0","f":"a1"}"#, #"{"k":"a2","f":"a2"}"#],
        [#"{"k":"a0","f":""}"#, #"{"k":"a1","f":"a4"}"#, #"{"k":"a2","f":"a0"}"#],
      ], batch: batch)
    #expect(summary.rejected == 0)
    #expect(
      try rows("SELECT a.ZK, o.ZK FROM ZA a LEFT JOIN ZA o ON a.ZFI = o.Z_PK ORDER BY a.ZK")
        == ["a0 a2", "a1 -", "a2 -", "a4 a1"])
  }

  @Test(
    "a list that waits for the second pass stays away from an object that a list has deleted in the first one",
    arguments: [1, 9])
  func lostOwners(batch: Int) throws {
    let summary = try importing(
      "up: { find_by: { k: up }, missing: create }, "
        + "f: { split: ';', find_by: { k: f }, find_in: everywhere, links: replace, orphans: delete }",
      entities: """
          Top:
            attributes: { k: string! }
            unique: [k]
          A:
            parent: Top
            relationships:
              f: { to_many: A, inverse: up, ordered: true }
              up: { to_one: A, inverse: f }
        """,
      records: [[#"{"k":"a3","up":"a1","f":"a4"}"#, #"{"k":"a4","f":"a3"}"#, #"{"k":"a4","f":""}"#]],
      more: "passes: two", batch: batch)
    #expect(summary.lists.map(\.skipped) == [1])
    #expect(try rows("SELECT ZK, ZUP FROM ZTOP ORDER BY ZK") == ["a1 -", "a4 -"])
  }
}
