import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Records of one batch that name the same objects in references, in lists and in the second pass.
///
/// They take effect one after the other, whatever the batch; found by `BatchFuzzTests`.
@Suite("Records that meet in different ways") struct RecordOrderTests {
  struct Meeting: Sendable, CustomTestStringConvertible {
    var name: String
    var model = RecordOrderTests.family
    var more = "attributes: [v]"
    var relationships: [String]
    /// The records of one run after the other.
    var inputs: [[String]]
    var query = RecordOrderTests.books(people: "ZTHING")
    var rows: [String]
    var rejected = [0]
    var testDescription: String { name }
  }

  /// Books and people of one hierarchy.
  private static let family = """
      Thing: { abstract: true }
      Book:
        parent: Thing
        attributes: { k: string!, v: string }
        relationships:
          author: { to_one: Person, inverse: books }
          editor: { to_one: Person, inverse: edited }
          sequel: { to_one: Book, inverse: prequels }
          prequels: { to_many: Book, inverse: sequel }
          fans: { to_many: Person, inverse: favourite }
        unique: [k]
      Person:
        parent: Thing
        attributes: { e: string!, name: string }
        relationships:
          books: { to_many: Book, inverse: author, delete: cascade }
          edited: { to_many: Book, inverse: editor }
          favourite: { to_one: Book, inverse: fans }
          boss: { to_one: Person, inverse: staff }
          staff: { to_many: Person, inverse: boss }
        unique: [e]

    """

  /// The same with people of a hierarchy of their own.
  private static let apart = family.replacingAll("Person:\n    parent: Thing\n", with: "Person:\n")

  /// Lines and figures of one hierarchy.
  private static let lines = """
      Thing: { abstract: true }
      Book:
        attributes: { k: string!, v: string }
        relationships: { lines: { to_many: Line, inverse: book }, fans: { to_many: Person, inverse: favourite } }
        unique: [k]
      Line:
        parent: Thing
        attributes: { no: integer16! }
        relationships:
          book: { to_one: Book, inverse: lines }
          person: { to_one: Person, inverse: lines }
          figures: { to_many: Figure, inverse: line, delete: cascade }
          next: { to_one: Line, inverse: before }
          before: { to_many: Line, inverse: next }
      Figure:
        parent: Thing
        attributes: { l: string!, c: string }
        relationships: { line: { to_one: Line, inverse: figures } }
      Person:
        attributes: { e: string! }
        relationships: { favourite: { to_one: Book, inverse: fans }, lines: { to_many: Line, inverse: person } }
        unique: [e]

    """

  /// People with their names, and books with their values, authors and editors.
  private static func books(people: String) -> String {
    """
    SELECT 'person ' || ZE, ZNAME, NULL, NULL FROM \(people) WHERE ZE IS NOT NULL
      UNION ALL SELECT b.ZK, b.ZV, a.ZE, d.ZE FROM ZTHING AS b LEFT JOIN \(people) AS a ON a.Z_PK = b.ZAUTHOR
        LEFT JOIN \(people) AS d ON d.Z_PK = b.ZEDITOR WHERE b.ZK IS NOT NULL
      ORDER BY 1
    """
  }

  private static let author = "author: { find_by: { e: author }, attributes: { name: an } }"
  private static let editor = "editor: { find_by: { e: editor }, attributes: { name: dn } }"
  private static let fans = "fans: { each: fans, find_by: { e: e }, attributes: { name: n } }"

  static let meetings: [Meeting] = [
    Meeting(
      name: "a record that waits refers to what the list of an earlier one has made",
      relationships: [#"author: { missing: "null", find_by: { e: author } }"#, fans],
      inputs: [
        [#"{"k":"a"}"#, #"{"k":"b"}"#, #"{"k":"a","author":"z","fans":[{"e":"x"}]}"#, #"{"k":"b","author":"x"}"#]
      ], rows: ["a - - -", "b - x -", "person x - - -"]),
    Meeting(
      name: "a record that waits refers to what another reference of an earlier one has made",
      relationships: [#"author: { missing: "null", find_by: { e: author } }"#, editor],
      inputs: [
        [#"{"k":"a"}"#, #"{"k":"b"}"#, #"{"k":"b","author":"z","editor":"x"}"#, #"{"k":"a","author":"x"}"#]
      ], rows: ["a - x -", "b - - x", "person x - - -"]),
    Meeting(
      name: "a record that waits misses what a later one makes",
      relationships: [author, "fans: { each: fans, missing: reject, find_by: { e: e } }"],
      inputs: [
        [#"{"k":"a"}"#, #"{"k":"b"}"#, #"{"k":"a","author":"z","fans":[{"e":"x"}]}"#, #"{"k":"b","author":"x"}"#]
      ], rows: ["a - - -", "b - x -", "person x - - -"], rejected: [1]),
    Meeting(
      name: "two references of records that wait", relationships: [author, editor],
      inputs: [
        [#"{"k":"a"}"#, #"{"k":"b"}"#, #"{"k":"a","editor":"x","dn":"one"}"#, #"{"k":"b","author":"x","an":"two"}"#]
      ], rows: ["a - - x", "b - x -", "person x two - -"]),
    Meeting(
      name: "two references that are set in the second pass", relationships: [author, editor],
      inputs: [[#"{"k":"a","editor":"x","dn":"one"}"#, #"{"k":"b","author":"x","an":"two"}"#]],
      rows: ["a - - x", "b - x -", "person x two - -"]),
    Meeting(
      name: "a list and a reference of records that wait", relationships: [author, fans],
      inputs: [
        [
          #"{"k":"a"}"#, #"{"k":"b"}"#, #"{"k":"a","author":"z","fans":[{"e":"x","n":"one"}]}"#,
          #"{"k":"b","author":"x","an":"two"}"#,
        ]
      ], rows: ["a - z -", "b - x -", "person x two - -", "person z - - -"]),
    Meeting(
      name: "a rejected record has not made what a later one makes", model: apart, more: "duplicates: reject",
      relationships: [
        "author: { mode: create-missing, find_by: { e: author }, attributes: { name: an },"
          + " relationships: { boss: { find_by: { e: boss } } } }"
      ],
      inputs: [[#"{"k":"b"}"#, #"{"k":"b","boss":"x"}"#, #"{"k":"a","author":"x","an":"one"}"#]],
      query: books(people: "ZPERSON"), rows: ["a - x -", "b - - -", "person x one - -"], rejected: [1]),
    Meeting(
      name: "a record that waits has said something of its target already", model: apart,
      relationships: [author, fans, "sequel: { find_by: { k: sequel } }"],
      inputs: [
        [
          #"{"k":"a"}"#, #"{"k":"b","fans":[{"e":"x","n":"one"}]}"#,
          #"{"k":"a","author":"x","an":"two","sequel":"c"}"#,
        ]
      ], query: books(people: "ZPERSON"), rows: ["a - x -", "b - - -", "c - - -", "person x two - -"]),
    Meeting(
      name: "an element refers to what the list of a repeated record has made", model: lines,
      relationships: [
        "lines: { each: lines, find_by: { no: no }, relationships: { next: { find_by: { no: next } } } }"
      ],
      inputs: [
        [#"{"k":"a","lines":[]}"#, #"{"k":"a","lines":[{"no":1}]}"#, #"{"k":"b","lines":[{"no":2,"next":1}]}"#]
      ],
      query: "SELECT l.ZNO, b.ZK, n.ZNO FROM ZTHING AS l LEFT JOIN ZBOOK AS b ON b.Z_PK = l.ZBOOK"
        + " LEFT JOIN ZTHING AS n ON n.Z_PK = l.ZNEXT ORDER BY 1", rows: ["1 a -", "2 b 1"]),
    Meeting(
      name: "an orphan that an element of an earlier record refers to", model: lines,
      relationships: [
        "fans: { each: fans, orphans: delete, find_by: { e: . } }",
        "lines: { each: lines, find_by: { no: no }, relationships: { person: { find_by: { e: person } } } }",
      ],
      inputs: [
        [#"{"k":"b","fans":["x"]}"#], [#"{"k":"a","lines":[{"no":1,"person":"x"}]}"#, #"{"k":"b","fans":[]}"#],
      ],
      query: "SELECT ZNO, ZPERSON FROM ZTHING UNION ALL SELECT 'person', ZE FROM ZPERSON ORDER BY 1", rows: ["1 -"],
      rejected: [0, 0]),
    Meeting(
      name: "an orphan of an inner list that a repeated record names again", model: lines,
      relationships: [
        "lines: { each: lines, find_in: everywhere, find_by: { no: no }, relationships: { figures: { each: figures,"
          + " orphans: delete, find_in: everywhere, find_by: { l: l }, attributes: { c: c } } } }"
      ],
      inputs: [
        [#"{"k":"b","lines":[{"no":1,"figures":[{"l":"f","c":"one"}]}]}"#],
        [
          #"{"k":"a","lines":[{"no":1,"figures":[]}]}"#, #"{"k":"c","lines":[]}"#,
          #"{"k":"c","lines":[{"no":2,"figures":[{"l":"f"}]}]}"#,
        ],
      ], query: "SELECT f.ZL, f.ZC, l.ZNO FROM ZTHING AS f JOIN ZTHING AS l ON l.Z_PK = f.ZLINE", rows: ["f - 2"],
      rejected: [0, 0]),
    Meeting(
      name: "what goes with an orphan, though a later record takes it away",
      relationships: [author, "fans: { each: fans, orphans: delete, find_by: { e: . } }"],
      inputs: [
        [#"{"k":"a","fans":["x"]}"#, #"{"k":"b","v":"1","author":"x"}"#, #"{"k":"c","fans":["y"]}"#],
        [#"{"k":"a","fans":[]}"#, #"{"k":"b","author":"y"}"#],
      ], rows: ["a - - -", "b - y -", "c - - -", "person y - - -"], rejected: [0, 0]),
    Meeting(
      name: "what goes with an orphan, though the list of a later record takes it away", model: lines,
      relationships: [
        "lines: { each: lines, orphans: delete, find_by: { no: no }, relationships: { figures:"
          + " { each: figures, find_in: everywhere, find_by: { l: l }, attributes: { c: c } } } }"
      ],
      inputs: [
        [#"{"k":"a","lines":[{"no":1,"figures":[{"l":"f","c":"one"}]}]}"#, #"{"k":"b","lines":[{"no":2}]}"#],
        [#"{"k":"a","lines":[]}"#, #"{"k":"b","lines":[{"no":2,"figures":[{"l":"f"}]}]}"#],
      ], query: "SELECT f.ZL, f.ZC, l.ZNO FROM ZTHING AS f JOIN ZTHING AS l ON l.Z_PK = f.ZLINE", rows: ["f - 2"],
      rejected: [0, 0]),
  ]

  @Test("they take effect one after the other", arguments: meetings, [1, 2, 3, 100])
  func order(_ meeting: Meeting, batch: Int) throws {
    let part = "entity: Book\nfind_by: [k]\n\(meeting.more)\nrelationships:\n"
    let found = try BatchEndTests.run(
      meeting.model, part + meeting.relationships.map { "  \($0)\n" }.joined(), meeting.inputs, batch: batch,
      meeting.query)
    #expect(found.rows == meeting.rows && found.rejected == meeting.rejected)
  }

  @Test("what a record refers to is not counted as made by a later one", arguments: [1, 2, 3, 100])
  func counts(batch: Int) throws {
    let folder = try RelationFolder(
      model: """
        model: M
        entities:
          Article:
            attributes: { number: integer64!, code: string }
            relationships: { sequel: { to_one: Article, inverse: before }, before: { to_many: Article, inverse: sequel } }
            unique: [number, code]
        """)
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      rejects: rejects.ndjson
      source: { files: in.ndjson, format: ndjson }
      import:
        entity: Article
        find_by: [number]
        attributes: [code]
        relationships: { sequel: { find_by: { number: sequel } } }
      """, to: "pipeline.yaml")
    // The last one waits for the code, and what it is about is made meanwhile.
    let summary = try folder.run(
      """
      {"number":1,"code":"x"}
      {"number":2}
      {"number":1,"code":"y","sequel":2}
      {"number":2,"sequel":3}
      {"number":3,"code":"x"}
      """, batch: batch)
    #expect(summary.inserted == 2 && summary.updated == 3 && summary.entities["Article"]?.inserted == 3)
  }
}
