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
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.ndjson
      rejects: rejects.ndjson
      batch: { records: 1 }
      import:
        entity: Article
        find_by: [number]
        \(options)
        relationships: { \(relationships) }
      """, to: "pipeline.yaml")
    return try folder.run(records.joined(separator: "\n"), stop: stop).entities
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
}
