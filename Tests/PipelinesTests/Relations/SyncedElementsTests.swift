import MergewalkImporting
import MergewalkTestSupport
import Testing

/// What elements of lists name stays when a later import of the pipeline removes what nothing names.
@Suite("Elements and sync") struct SyncedElementsTests {
  private let folder: RelationFolder

  init() throws {
    folder = try RelationFolder(
      model: """
        model: M
        entities:
          Book:
            attributes: { k: string! }
            relationships: { lines: { to_many: Line, inverse: book } }
            unique: [k]
          Line:
            attributes: { no: integer16! }
            relationships:
              book: { to_one: Book, inverse: lines }
              part: { to_one: Part, inverse: lines }
              next: { to_one: Line }
              figures: { to_many: Figure, inverse: line }
          Figure: { attributes: { l: string! }, relationships: { line: { to_one: Line, inverse: figures } } }
          Part: { attributes: { n: string! }, relationships: { lines: { to_many: Line, inverse: part } }, unique: [n] }
        """)
  }

  /// Imports books with some options of their lines, and then synchronizes another entity with one object `u`.
  private func run(
    _ options: String, _ other: String, _ books: [String], batch: Int, more: String = "",
    synced: String = #"{"x":"u"}"#, stop: Int? = nil
  ) throws -> ImportSummary {
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      rejects: rejects.ndjson
      imports:
        - name: books
          source: { files: in.ndjson, format: ndjson }
          import:
            entity: Book
            find_by: [k]
            relationships:
              lines: {
                each: lines, find_by: { no: no }, \(options), relationships: {
                  part: { find_by: { n: part } }, figures: { each: figures, find_by: { l: . } }\(more) } }
        - name: others
          source: { files: o.ndjson, format: ndjson }
          import: { \(other) }
      """, to: "pipeline.yaml")
    try folder.folder.write(synced + "\n", to: "o.ndjson")
    return try folder.run(books.joined(separator: "\n"), batch: batch, stop: stop)
  }

  @Test("what an element finds in an attempt that is rolled back is not named", arguments: [1, 2, 100])
  func rolledBack(batch: Int) throws {
    let figures = "entity: Figure, find_by: [l], mode: sync, attributes: { l: x }"
    _ = try run("orphans: delete", figures, [#"{"k":"a","lines":[{"no":2,"figures":["f"]}]}"#], batch: batch)
    // In one batch the second record would find the line of the first one.
    _ = try run(
      "orphans: delete, find_in: everywhere", figures,
      [#"{"k":"a","lines":[]}"#, #"{"k":"b","lines":[{"no":2,"figures":["f"]}]}"#], batch: batch)
    #expect(
      try folder.rows("SELECT f.ZL, l.ZNO FROM ZFIGURE AS f LEFT JOIN ZLINE AS l ON l.Z_PK = f.ZLINE ORDER BY 1")
        == ["f 2", "u -"])
  }

  @Test("what an element of a rejected record refers to stays, if the record has no object, too", arguments: [1, 2, 9])
  func rejected(batch: Int) throws {
    let parts = "entity: Part, find_by: [n], mode: sync, attributes: { n: x }"
    _ = try run("orphans: delete", parts, [#"{"k":"a","lines":[{"no":1,"part":"t"}]}"#], batch: batch)
    let summary = try run(
      "missing: reject", parts, [#"{"k":"b","lines":[{"no":3,"part":"t"}]}"#, #"{"k":"b"}"#], batch: batch)
    #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
    #expect(try folder.rows("SELECT ZN FROM ZPART ORDER BY 1") == ["t", "u"])
  }

  @Test("what an element of a rejected record names stays, if a later record lets go of it, too", arguments: [1, 2, 9])
  func rejectedBefore(batch: Int) throws {
    let figures = "entity: Figure, find_by: [l], mode: sync, attributes: { l: x }"
    _ = try run("orphans: unlink", figures, [#"{"k":"a","lines":[{"no":2,"figures":["f"]}]}"#], batch: batch)
    let summary = try run(
      "missing: reject", figures,
      [#"{"k":"a","lines":[{"no":2,"figures":["f"]},{"no":3}]}"#, #"{"k":"a","lines":[]}"#], batch: batch)
    #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
    #expect(try folder.rows("SELECT ZL FROM ZFIGURE ORDER BY 1") == ["f", "u"])
  }

  @Test("of several objects with one key a rejected record names the first one, gone or not", arguments: [1, 2, 9])
  func sharedKey(batch: Int) throws {
    let lines = "entity: Line, find_by: [no], mode: sync, attributes: { no: x }"
    func run(_ books: [String]) throws -> ImportSummary {
      try self.run(
        "orphans: delete", lines, books, batch: batch, more: ", next: { find_by: { no: next } }", synced: #"{"x":7}"#)
    }
    _ = try run([#"{"k":"a","lines":[{"no":1}]}"#, #"{"k":"b","lines":[{"no":1}]}"#])
    #expect(try folder.rows("SELECT ZNO FROM ZLINE ORDER BY 1") == ["1", "1", "7"])
    // The list of the second record deletes the line that the first one refers to.
    let summary = try run([#"{"lines":[{"no":5,"next":1}]}"#, #"{"k":"a","lines":[]}"#])
    #expect(summary.rejectCounts == ["key.null": 1] && summary.entities["Line"]?.deleted == 2)
    #expect(try folder.rows("SELECT ZNO FROM ZLINE ORDER BY 1") == ["7"])
  }

  // Batches of one record; in the last one, the second import is stopped.
  private static let stops: [Int?] = [nil, 1, 2, 3, 4]

  @Test("what a rejected record names is the object that it found, wherever the run is stopped", arguments: stops)
  func rejectedThenStopped(stop: Int?) throws {
    func run(_ books: [String], stop: Int? = nil) throws {
      _ = try self.run(
        "orphans: delete", "entity: Line, find_by: [no], mode: sync, attributes: { no: x }", books, batch: 1,
        more: ", next: { find_by: { no: next } }", synced: #"{"x":7}"#, stop: stop)
    }
    try run([#"{"k":"a","lines":[{"no":1}]}"#, #"{"k":"b","lines":[{"no":1}]}"#])
    // A process that looked for line 1 behind the second record would find that of the other book.
    try run([#"{"lines":[{"no":5,"next":1}]}"#, #"{"k":"a","lines":[]}"#, #"{"k":"c"}"#], stop: stop)
    #expect(try folder.rows("SELECT ZNO FROM ZLINE ORDER BY 1") == ["7"])
  }

  @Test("elements that nothing was looked up for have named nothing, wherever the run is stopped", arguments: stops)
  func notLookedUp(stop: Int?) throws {
    let figures = "entity: Figure, find_by: [l], mode: sync, attributes: { l: x }"
    let book = #"{"k":"a","lines":[{"no":2,"figures":["f"]}]}"#
    _ = try run("orphans: delete", figures, [book], batch: 1)
    // Where only new lines are wanted, the figures of one that is there are passed over.
    _ = try run("mode: create-missing", figures, [book, #"{"k":"b"}"#, #"{"k":"c"}"#], batch: 1, stop: stop)
    #expect(try folder.rows("SELECT ZL FROM ZFIGURE ORDER BY 1") == ["u"])
  }

  @Test(
    "records whose key cannot be read are counted once, wherever the run is stopped",
    arguments: [nil, 2, 4, 5] as [Int?])
  func unreadable(stop: Int?) throws {
    let figures = "entity: Figure, find_by: [l], mode: sync, attributes: { l: x }"
    _ = try run("orphans: delete", figures, [#"{"k":"a","lines":[{"no":2,"figures":["f"]}]}"#], batch: 1)
    let summary = try run(
      "links: add", figures, (0..<3).map { #"{"k":"b\#($0)"}"# }, batch: 1, synced: #"{"x":null}\#n{"x":"u"}"#,
      stop: stop)
    let warnings = summary.warnings.filter { $0.code == .nothingDeleted }.map(\.message)
    #expect(warnings.count == 1 && warnings[0].contains("the key of 1 record cannot"))
    #expect(try folder.rows("SELECT ZL FROM ZFIGURE ORDER BY 1") == ["f", "u"])
  }
}
