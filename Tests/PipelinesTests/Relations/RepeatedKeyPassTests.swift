import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Records with the key of one that a second pass rejects.
@Suite("Repeated keys in two passes") struct RepeatedKeyPassTests {
  /// Things that may have parents, and where they are imported from.
  private func folder(
    _ policy: String, lists: String = "", missing: String = "reject", attributes: String = "text"
  ) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { key: string!, text: string, serial: string }
          relationships:
            parent: { to_one: Thing, inverse: children }
            children: { to_many: Thing, inverse: parent }
            tags: { to_many: Tag, inverse: things }
          unique: [[key], [serial]]
        Tag:
          attributes: { name: string }
          relationships: { things: { to_many: Thing, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      source: data.csv
      import:
        entity: Thing
        find_by: [key]
        \(policy)
        attributes: [\(attributes)]
        relationships: { \(lists)parent: { find_by: { key: up }, missing: \(missing) } }
      """, to: "pipeline.yaml")
    return folder
  }

  private func run(_ folder: TemporaryFolder, batch: Int, _ data: String) throws -> ImportSummary {
    try folder.write(data, to: "data.csv")
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    return try ImportSession(definition).run()
  }

  private func rows(_ folder: TemporaryFolder) throws -> [String] {
    let connection = try Connection(path: folder.file("things.sqlite"), mode: .readOnly)
    let select = try connection.prepare("SELECT ZKEY || ' ' || ZTEXT FROM ZTHING WHERE ZTEXT IS NOT NULL ORDER BY ZKEY")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows
  }

  private static let policies = ["duplicates: first", "duplicates: reject", "mode: create-missing", "mode: insert"]

  /// Whether records are rejected that are turned away, and not skipped.
  private func rejects(_ policy: String) -> Bool { policy == "duplicates: reject" || policy == "mode: insert" }

  @Test(
    "a record takes the place of an earlier one with its key that the second pass rejects", arguments: policies,
    [1, 2, 100])
  func placeTaken(policy: String, batch: Int) throws {
    let folder = try folder(policy)
    let summary = try run(
      folder, batch: batch, "key,text,up\na,lost,nowhere\na,kept,\na,late,\nb,x,b\nb,y,\nb,z,nowhere\n")
    let turnedAway = rejects(policy) ? (0, 4) : (3, 1)
    #expect((summary.read, summary.inserted) == (6, 2))
    #expect((summary.skipped, summary.rejected) == turnedAway)
    #expect(summary.entities["Thing"]?.duplicates == 3)
    #expect(try rows(folder) == ["a kept", "b x"])
  }

  @Test(
    "a record takes the place of an earlier one with its key whose list the second pass rejects", arguments: policies,
    [1, 2, 100])
  func listRejected(policy: String, batch: Int) throws {
    let folder = try folder(policy, lists: "tags: { split: \";\", find_by: { name: tags }, missing: reject }, ")
    let data = "key,text,up,tags\nr,root,,\na,lost,r,nothing\na,kept,r,\na,late,r,nothing\n"
    let summary = try run(folder, batch: batch, data)
    #expect((summary.read, summary.inserted) == (4, 2))
    #expect((summary.skipped, summary.rejected) == (rejects(policy) ? (0, 2) : (1, 1)))
    #expect(try rows(folder) == ["a kept", "r root"])
  }

  @Test(
    "a record takes the place of an earlier one that was to change the object and is rejected",
    arguments: ["duplicates: first", "duplicates: reject"], [1, 2, 100])
  func changeRejected(policy: String, batch: Int) throws {
    let folder = try folder(policy)
    _ = try run(folder, batch: batch, "key,text,up\na,old,\nb,old,\n")
    let summary = try run(folder, batch: batch, "key,text,up\na,lost,nowhere\na,kept,\na,late,\nb,x,b\nb,y,nowhere\n")
    #expect((summary.read, summary.inserted, summary.updated) == (5, 0, 2))
    #expect((summary.skipped, summary.rejected) == (rejects(policy) ? (0, 3) : (2, 1)))
    #expect(try rows(folder) == ["a kept", "b x"])
  }

  @Test(
    "what refers to a record that is rejected refers to the one that takes its place",
    arguments: policies + ["duplicates: last"], [1, 2, 100])
  func referrersStay(policy: String, batch: Int) throws {
    let folder = try folder(policy)
    let summary = try run(
      folder, batch: batch, "key,text,up\na,lost,nowhere\na,kept,\nb,refers,a\nc,refers,b\nd,refers,nowhere\ne,e,d\n")
    #expect((summary.read, summary.inserted, summary.rejected) == (6, 3, 3))
    #expect(try rows(folder) == ["a kept", "b refers", "c refers"])
  }

  @Test(
    "a unique value of a record that the second pass rejects is free for the next one, and what refers to that stays",
    arguments: ["duplicates: last", "duplicates: first", "mode: insert", "mode: sync"], [1, 2, 100])
  func valueIsFree(policy: String, batch: Int) throws {
    let folder = try folder(policy, attributes: "text, serial")
    let data = """
      key,text,serial,up
      a,lost,s1,nowhere
      b,kept,s1,
      c,late,s1,
      d,refers,,b
      e,refers too,,c

      """
    let summary = try run(folder, batch: batch, data)
    #expect((summary.read, summary.inserted, summary.rejected) == (5, 2, 3))
    #expect(
      summary.rejectCounts.map { "\($0.key) \($0.value)" }.sorted() == [
        "constraint.unique 1", "relationship.missingTarget 2",
      ])
    #expect(try rows(folder) == ["b kept", "d refers"])
  }

  @Test("of two records with a key that wait for a unique value the last one counts", arguments: [1, 2, 100])
  func orderStays(batch: Int) throws {
    let folder = try folder("duplicates: last", attributes: "text, serial")
    let summary = try run(
      folder, batch: batch, "key,text,serial,up\na,lost,s1,nowhere\nb,first,s1,\nb,second,s2,\n")
    #expect((summary.inserted, summary.updated, summary.rejected) == (1, 1, 1))
    #expect(try rows(folder) == ["b second"])
  }

  @Test(
    "a record takes the place of one whose list rejects it before another record makes its object",
    arguments: policies + ["duplicates: last"], [1, 2, 100])
  func beforeReferences(policy: String, batch: Int) throws {
    // A parent that is made may be refused, because a value must be unique beside its key.
    let folder = try folder(
      policy, lists: "tags: { split: \";\", find_by: { name: tags }, missing: reject }, ", missing: "create")
    let summary = try run(
      folder, batch: batch, "key,text,up,tags\na,lost,x,nothing\na,kept,x,\nb,refers,a,\n")
    #expect((summary.inserted, summary.updated, summary.skipped, summary.rejected) == (2, 0, 0, 1))
    #expect(try rows(folder) == ["a kept", "b refers"])
  }
}
