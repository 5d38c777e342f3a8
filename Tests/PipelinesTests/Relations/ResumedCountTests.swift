import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Counts of targets and elements when a run resumes: those of an undisturbed run, wherever it was stopped.
@Suite("Counts of resumed runs") struct ResumedCountTests {
  /// Imports articles with these relationships and options into a store that has the articles 1 and 2 and the tags a, b
  /// and c, in batches of one record.
  ///
  /// - Parameter stop: The batch behind which the run is stopped, and then resumed; `nil` for none.
  private func counts(
    _ relationships: String, _ options: String, _ records: [String], stop: Int?
  ) throws -> [String: ImportSummary.EntityCounts] {
    let folder = try RelationFolder()
    try folder.pipeline("tags: { each: tags, find_by: { name: . } }")
    try folder.run(#"{"number":1,"tags":["a","b","c"]}"# + "\n" + #"{"number":2}"#)
    return try run(folder, relationships, options, records, stop: stop).entities
  }

  /// Imports articles in batches of one record; see `counts`.
  private func run(
    _ folder: RelationFolder, _ relationships: String, _ options: String, _ records: [String], stop: Int?
  ) throws -> ImportSummary {
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.ndjson
      rejects: rejects.ndjson
      batch: { records: 1 }
      import: { entity: Article, find_by: [number], \(options), relationships: { \(relationships) } }
      """, to: "pipeline.yaml")
    return try folder.run(records.joined(separator: "\n"), stop: stop)
  }

  @Test(
    "records that were turned away or found nothing have named no elements",
    arguments: [
      (
        "mode: update",
        [
          #"{"number":9,"tags":["a"]}"#, #"{"number":1,"tags":["a","b"]}"#, #"{"number":9,"tags":["c"]}"#,
          #"{"number":2,"tags":["c"]}"#,
        ]
      ),
      (
        "mode: create-missing",
        [
          #"{"number":1,"tags":["a"]}"#, #"{"number":8,"tags":["a","b"]}"#, #"{"number":1,"tags":["c"]}"#,
          #"{"number":7,"tags":["c"]}"#,
        ]
      ),
      (
        "mode: insert",
        [#"{"number":1,"tags":["a"]}"#, #"{"number":8,"tags":["a","b"]}"#, #"{"number":7,"tags":["c"]}"#]
      ),
      (
        "duplicates: first",
        [#"{"number":1,"tags":["a"]}"#, #"{"number":1,"tags":["b"]}"#, #"{"number":2,"tags":["b","c"]}"#]
      ),
      (
        "duplicates: reject",
        [#"{"number":1,"tags":["a"]}"#, #"{"number":1,"tags":["b"]}"#, #"{"number":2,"tags":["b","c"]}"#]
      ),
    ])
  func turnedAway(options: String, records: [String]) throws {
    let list = "tags: { each: tags, find_by: { name: . } }"
    let wanted = try counts(list, options, records, stop: nil)
    #expect(wanted["Tag"]?.unchanged == 3)
    for stop in 1..<records.count {
      #expect(try counts(list, options, records, stop: stop) == wanted, "stopped behind batch \(stop)")
    }
  }

  @Test("elements that are changed and changed back are unchanged, whoever has changed them")
  func changedBack() throws {
    let list = "tags: { each: tags, find_by: [name], attributes: [rank] }"
    let records = [
      #"{"number":1,"tags":[{"name":"a","rank":1}]}"#, #"{"number":2,"tags":[{"name":"b","rank":2}]}"#,
      #"{"number":1,"tags":[{"name":"a","rank":null}]}"#, #"{"number":2,"tags":[{"name":"b","rank":3}]}"#,
    ]
    let wanted = try counts(list, "duplicates: last", records, stop: nil)
    #expect(wanted["Tag"]?.updated == 2 && wanted["Tag"]?.unchanged == 1)
    for stop in 1..<records.count {
      #expect(try counts(list, "duplicates: last", records, stop: stop) == wanted, "stopped behind batch \(stop)")
    }
  }

  @Test(
    "an object that goes and comes again is another one",
    arguments: ["mode: update, duplicates: reject", "mode: update, duplicates: first", "duplicates: last"])
  func goneAndBack(options: String) throws {
    let list = "prequels: { each: prequels, find_by: { number: . }, orphans: delete }"
    let records = [
      #"{"number":2,"title":"a"}"#, #"{"number":1,"prequels":[3]}"#, #"{"number":3,"prequels":[2]}"#,
      #"{"number":2,"title":"b"}"#,
    ]
    var outcomes: [String] = []
    for stop in [nil, 1, 2, 3] as [Int?] {
      let folder = try RelationFolder()
      try folder.pipeline(list)
      try folder.run(#"{"number":1,"prequels":[2,3]}"#)
      let summary = try run(folder, list, options + ", attributes: [title]", records, stop: stop)
      let entities = summary.entities.map { "\($0.key) \($0.value)" }.sorted()
      let titles = try folder.rows("SELECT ZNUMBER, ZTITLE FROM ZARTICLE ORDER BY 1")
      outcomes.append("\(summary.counts) \(entities) \(titles)")
    }
    let all = outcomes.joined(separator: "; ")
    #expect(Set(outcomes).count == 1, "\(all)")
  }
}
