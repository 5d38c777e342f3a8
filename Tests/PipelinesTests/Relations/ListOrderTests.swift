import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Lists of several records that are about the same objects: they take effect one after the other, whatever the batches.
@Suite("Lists that meet") struct ListOrderTests {
  private let folder: RelationFolder

  private static let batches = [1, 2, 100]

  init() throws {
    folder = try RelationFolder(
      model: """
        model: Orders
        entities:
          Article:
            attributes: { number: integer64! }
            relationships: { lines: { to_many: Line, inverse: article, delete: cascade } }
            unique: [number]
          Line:
            attributes: { number: integer32! }
            relationships:
              article: { to_one: Article, inverse: lines }
              returns: { to_many: Return, inverse: line, delete: deny }
            unique: [number]
          Return:
            attributes: { code: string! }
            relationships: { line: { to_one: Line, inverse: returns } }
            unique: [code]
        """)
  }

  /// Imports records under the usual pipeline, and then others under one with these options of the list.
  private func run(_ first: String, _ second: String, _ options: String, batch: Int) throws -> ImportSummary {
    func pipeline(_ options: String) throws {
      try folder.pipeline(
        """
        lines:
          each: lines
          find_by: [number]
          relationships: { returns: { each: returns, find_by: [code] } }
          \(options)
        """)
    }
    try pipeline("orphans: delete")
    try folder.run(first)
    try pipeline(options)
    return try folder.run(second, batch: batch)
  }

  private func lines() throws -> [String] {
    try folder.rows(
      "SELECT a.ZNUMBER, l.ZNUMBER FROM ZLINE AS l LEFT JOIN ZARTICLE AS a ON a.Z_PK = l.ZARTICLE ORDER BY 1, 2")
  }

  private static let first = #"{"number":1,"lines":[{"number":1}]}"#

  @Test(
    "what a record makes that takes the place of a rejected one is there for those behind it",
    arguments: ["create-missing", "insert", "upsert, duplicates: first", "upsert, duplicates: reject"], batches)
  func takesPlace(mode: String, batch: Int) throws {
    let folder = try RelationFolder(
      model: """
        model: Blog
        entities:
          Article:
            attributes: { number: integer64! }
            relationships: { tags: { to_many: Tag, inverse: articles }, known: { to_many: Tag, inverse: others } }
            unique: [number]
          Tag:
            attributes: { name: string! }
            relationships:
              articles: { to_many: Article, inverse: tags }
              others: { to_many: Article, inverse: known }
            unique: [name]
        """)
    let tags = "tags: { each: tags, find_by: { name: . } }"
    let known = "known: { each: known, find_by: { name: . }, missing: reject }"
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.ndjson
      import: { entity: Article, find_by: [number], mode: \(mode), relationships: { \(tags), \(known) } }
      """, to: "pipeline.yaml")
    let summary = try folder.run(
      """
      {"number":1,"known":["y"]}
      {"number":1,"tags":["x"]}
      {"number":2,"known":["x"]}
      """, batch: batch)
    #expect(summary.inserted == 2 && summary.rejected == 1)
    #expect(try folder.rows("SELECT ZNUMBER FROM ZARTICLE ORDER BY 1") == ["1", "2"])
  }

  @Test("what one lets go a later one makes anew", arguments: batches) func madeAnew(batch: Int) throws {
    let summary = try run(
      Self.first,
      """
      {"number":1,"lines":[]}
      {"number":2,"lines":[{"number":1}]}
      """, "orphans: delete", batch: batch)
    #expect(summary.inserted == 1 && summary.updated == 1 && summary.deleted == 1)
    #expect(summary.entities["Line"]?.inserted == 1)
    #expect(try lines() == ["2 1"])
    #expect(try folder.rows("SELECT Z_PK FROM ZLINE") == ["2"])
  }

  @Test("what one lets go a later one does not find", arguments: batches) func notFound(batch: Int) throws {
    let summary = try run(
      Self.first,
      """
      {"number":1,"lines":[]}
      {"number":2,"lines":[{"number":1}]}
      """, "orphans: delete\n  missing: reject", batch: batch)
    #expect(summary.updated == 1 && summary.rejectCounts == ["relationship.missingTarget": 1])
    #expect(summary.deleted == 1)
    #expect(try lines() == [])
  }

  @Test("what an earlier one has taken is not left out", arguments: batches) func taken(batch: Int) throws {
    let summary = try run(
      Self.first,
      """
      {"number":2,"lines":[{"number":1}]}
      {"number":1,"lines":[]}
      """, "orphans: delete", batch: batch)
    #expect(summary.inserted == 1 && summary.unchanged == 1 && summary.deleted == 0)
    #expect(try lines() == ["2 1"])
  }

  @Test("what an earlier one has taken is taken back", arguments: batches) func takenBack(batch: Int) throws {
    let summary = try run(
      Self.first,
      """
      {"number":2,"lines":[{"number":1}]}
      {"number":1,"lines":[{"number":1}]}
      """, "orphans: unlink", batch: batch)
    // The article that takes its line back ends as it was.
    #expect(summary.inserted == 1 && summary.updated == 0 && summary.unchanged == 1)
    #expect(summary.entities["Line"]?.updated == 0)
    #expect(try lines() == ["1 1"])
  }

  @Test("what a later one takes away does not help an earlier one", arguments: batches)
  func denied(batch: Int) throws {
    let summary = try run(
      #"{"number":1,"lines":[{"number":1,"returns":[{"code":"r"}]}]}"#,
      """
      {"number":1,"lines":[]}
      {"number":2,"lines":[{"number":2,"returns":[{"code":"r"}]}]}
      """, "orphans: delete", batch: batch)
    #expect(summary.inserted == 1 && summary.rejectCounts == ["delete.denied": 1] && summary.deleted == 0)
    #expect(try lines() == ["1 1", "2 2"])
  }

  @Test("what a record does that is rejected is no reason to reject another one", arguments: batches)
  func rejected(batch: Int) throws {
    // The first record's list lets go line 1, which may, and line 2, which may not.
    let summary = try run(
      #"{"number":1,"lines":[{"number":1},{"number":2,"returns":[{"code":"r"}]}]}"#,
      """
      {"number":1,"lines":[]}
      {"number":2,"lines":[{"number":1}]}
      """, "orphans: delete\n  missing: reject", batch: batch)
    #expect(summary.inserted == 1 && summary.rejectCounts == ["delete.denied": 1] && summary.deleted == 0)
    #expect(try lines() == ["1 2", "2 1"])
  }
}
