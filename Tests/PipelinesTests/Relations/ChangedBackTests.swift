import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Files that say different things about one object, as a target, an element or the owner of a list: they change it and
/// change it back whenever they come again.
@Suite("Objects that are changed and changed back") struct ChangedBackTests {
  /// Relationships of an article, records about them, and the entity that both are about with its objects.
  struct Case: Sendable {
    var relationships: String
    var records: [String]
    var entity: String
    var objects: Int
  }

  private static let cases = [
    Case(
      relationships: "author: { find_by: { name: author }, attributes: { level: level } }",
      records: [#"{"number":1,"author":"Ada","level":1}"#, #"{"number":2,"author":"Ada","level":2}"#],
      entity: "Person", objects: 1),
    // Two relationships to one entity.
    Case(
      relationships: """
        author: { find_by: { name: author }, attributes: { level: a } }
        editor: { find_by: { name: editor }, attributes: { level: e } }
        """,
      records: [
        #"{"number":1,"author":"Ada","a":1,"editor":"Ada","e":2}"#,
        #"{"number":2,"author":"Ada","a":1,"editor":"Ada","e":2}"#,
      ], entity: "Person", objects: 1),
    Case(
      relationships: "tags: { each: tags, find_by: [name], attributes: [rank] }",
      records: [
        #"{"number":1,"tags":[{"name":"x","rank":1},{"name":"y","rank":1}]}"#,
        #"{"number":2,"tags":[{"name":"x","rank":2}]}"#,
      ], entity: "Tag", objects: 2),
    // The list of one article.
    Case(
      relationships: "tags: { each: tags, find_by: { name: . } }",
      records: [#"{"number":1,"tags":["x"]}"#, #"{"number":1,"tags":["y"]}"#], entity: "Tag", objects: 2),
    // Members that lists take from each other.
    Case(
      relationships: "notes: { each: notes, find_by: [code] }",
      records: [#"{"number":1,"notes":[{"code":"n"}]}"#, #"{"number":2,"notes":[{"code":"n"}]}"#],
      entity: "Note", objects: 1),
  ]

  private func folder() throws -> RelationFolder {
    try RelationFolder(
      model: """
        model: Blog
        entities:
          Article:
            attributes: { number: integer64!, title: string }
            relationships:
              parent: { to_one: Article, inverse: children }
              children: { to_many: Article, inverse: parent }
              author: { to_one: Person, inverse: written }
              editor: { to_one: Person, inverse: edited }
              tags: { to_many: Tag, inverse: articles }
              notes: { to_many: Note, inverse: article }
            unique: [number]
          Person:
            attributes: { name: string!, level: integer32 }
            relationships:
              written: { to_many: Article, inverse: author }
              edited: { to_many: Article, inverse: editor }
            unique: [name]
          Tag:
            attributes: { name: string!, rank: integer32 }
            relationships: { articles: { to_many: Article, inverse: tags } }
            unique: [name]
          Note:
            attributes: { code: string! }
            relationships: { article: { to_one: Article, inverse: notes } }
            unique: [code]
        """)
  }

  @Test("a file that comes again updates nothing and writes no row, whatever the batch", arguments: cases, [1, 2, 100])
  func again(_ test: Case, batch: Int) throws {
    let folder = try folder()
    try folder.pipeline(test.relationships)
    let records = test.records.joined(separator: "\n")
    try folder.run(records, batch: batch)
    let before = try folder.everything()
    for _ in 0..<2 {
      let summary = try folder.run(records, batch: batch)
      #expect(summary.unchanged == test.records.count)
      for (name, counts) in summary.entities {
        #expect(counts.inserted == 0 && counts.updated == 0, "\(name): \(counts)")
      }
      #expect(summary.entities[test.entity]?.unchanged == test.objects)
      #expect(summary.lists.allSatisfy { $0.linked == 0 && $0.isBalanced }, "\(summary.lists)")
      #expect(try folder.everything() == before)
    }
  }

  @Test(
    "a second pass, and imports that change back what others have changed, count their changes and write no row",
    arguments: [
      """
      source: in.ndjson
      import:
        entity: Article
        find_by: [number]
        passes: two
        attributes: [title]
        relationships: { parent: { find_by: { number: parent } } }
      """,
      """
      imports:
        - { name: one, source: one.csv, import: { entity: Article, find_by: [number], attributes: [title] } }
        - { name: two, source: two.csv, import: { entity: Article, find_by: [number], attributes: [title] } }
      """,
    ])
  func counted(pipeline: String) throws {
    let folder = try folder()
    try folder.folder.write("model: model.yaml\nstore: blog.sqlite\n" + pipeline + "\n", to: "pipeline.yaml")
    try folder.folder.write("number,title\n1,a\n", to: "one.csv")
    try folder.folder.write("number,title\n1,b\n", to: "two.csv")
    let records = #"{"number":1,"title":"a"}"# + "\n" + #"{"number":1,"title":"b"}"#
    try folder.run(records, batch: 1)
    let before = try folder.everything()
    let summary = try folder.run(records, batch: 1)
    #expect(summary.updated == 2)
    #expect(try folder.everything() == before)
    #expect(try changes(folder, batch: 1).isEmpty)
  }

  /// The changes that another run of the pipeline shows.
  private func changes(_ folder: RelationFolder, batch: Int, count: Int = 10) throws -> [ObjectChange] {
    var definition = try Pipeline.read(folder.folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    definition.sampledChanges = count
    return try ImportSession(definition).run().changes
  }

  @Test("an object that comes back to what it was has the time again at which it was saved", arguments: [1, 2])
  func savedTime(batch: Int) throws {
    let folder = try RelationFolder(
      model: """
        model: Blog
        entities:
          Article:
            attributes: { number: integer64!, title: string, saved: { type: date, derived: "now()" } }
            unique: [number]
        """)
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.ndjson
      import: { entity: Article, find_by: [number], attributes: [title] }
      """, to: "pipeline.yaml")
    let records = #"{"number":1,"title":"a"}"# + "\n" + #"{"number":1,"title":"b"}"#
    try folder.run(#"{"number":1,"title":"c"}"#)
    #expect(try folder.run(records, batch: batch).updated == 2)
    #expect(try folder.rows("SELECT ZSAVED > 0 FROM ZARTICLE") == ["1"])
    let before = try folder.everything()
    let summary = try folder.run(records, batch: batch)
    #expect(summary.updated == 0 && summary.unchanged == 2)
    #expect(try folder.everything() == before)
  }

  @Test("a run stores the same whether its changes are shown or not", arguments: [0, 10])
  func shownChanges(count: Int) throws {
    let folder = try RelationFolder(
      model: """
        model: Blog
        entities:
          Article:
            attributes: { number: integer64!, title: string, saved: { type: date, derived: "now()" } }
            relationships: { tags: { to_many: Tag, inverse: articles } }
            unique: [number]
          Tag:
            attributes: { name: string! }
            relationships: { articles: { to_many: Article, inverse: tags } }
            unique: [name]
        """)
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.ndjson
      import:
        entity: Article
        find_by: [number]
        attributes: [title]
        relationships: { tags: { each: tags, find_by: { name: . } } }
      """, to: "pipeline.yaml")
    try folder.run(#"{"number":1,"title":"b"}"#)
    // The title is what it was in the end; the tags are not.
    let records = #"{"number":1,"title":"a"}"# + "\n" + #"{"number":1,"title":"b","tags":["t"]}"#
    try folder.folder.write(records, to: "in.ndjson")
    // The sample has the tag only.
    let kinds = try changes(folder, batch: 1, count: count).map(\.kind)
    #expect(kinds == (count == 0 ? [] : [.inserted]))
    #expect(try folder.rows("SELECT Z_OPT FROM ZARTICLE") == ["2"])
    #expect(try folder.rows("SELECT ZSAVED > 0 FROM ZARTICLE") == ["1"])
  }

  @Test("members of lists that only make them do not change when they come back to their owner", arguments: [1, 2])
  func createdMembers(batch: Int) throws {
    let folder = try folder()
    try folder.pipeline("notes: { each: notes, mode: create-missing, find_by: [code] }")
    let records = [#"{"number":1,"notes":[{"code":"n"}]}"#, #"{"number":2,"notes":[{"code":"n"}]}"#]
    try folder.run(records.joined(separator: "\n"), batch: batch)
    #expect(try changes(folder, batch: batch).isEmpty)
    let summary = try folder.run(records.joined(separator: "\n"), batch: batch)
    #expect(summary.lists.map(\.linked) == [0] && summary.lists.map(\.alreadyLinked) == [2])
  }

  @Test("what differs at the end is updated", arguments: [1, 2, 100])
  func different(batch: Int) throws {
    let folder = try folder()
    try folder.pipeline("author: { find_by: { name: author }, attributes: { level: level } }")
    func records(_ levels: [Int]) -> String {
      levels.map { #"{"number":\#($0),"author":"Ada","level":\#($0)}"# }.joined(separator: "\n")
    }
    try folder.run(records([1, 2]), batch: batch)
    let summary = try folder.run(records([1, 2, 3]), batch: batch)
    #expect(summary.entities["Person"]?.updated == 3 && summary.entities["Person"]?.unchanged == 0)
    #expect(try folder.rows("SELECT ZLEVEL FROM ZPERSON") == ["3"])
  }
}
