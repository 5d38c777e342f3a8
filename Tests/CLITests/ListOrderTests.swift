import Foundation
import MergewalkTestSupport
import Testing

/// What lists and references say of objects of one entity counts record by record, however many records are imported
/// together, and what a record names is not deleted by its lists.
@Suite("Lists and references in the order of records")
struct ListOrderTests {
  private let folder = TemporaryFolder()

  private static let model = """
    entities:
      Book:
        attributes: { k: string!, v: integer32 }
        relationships:
          author: { to_one: Person, inverse: books }
          lead: { to_one: Person }
          sequel: { to_one: Book }
          related: { to_many: Book, inverse: relatedTo }
          relatedTo: { to_many: Book, inverse: related }
          people: { to_many: Person, inverse: favourites }
          lines: { to_many: Line, inverse: book }
          spares: { to_many: Line, inverse: spareOf }
        unique: [k]
      Person:
        attributes: { e: string!, name: string }
        relationships:
          books: { to_many: Book, inverse: author }
          favourites: { to_many: Book, inverse: people }
          boss: { to_one: Person }
        unique: [e]
      Line:
        attributes: { no: integer16!, t: string }
        relationships:
          book: { to_one: Book, inverse: lines }
          spareOf: { to_one: Book, inverse: spares }
          nxt: { to_one: Line }
          figures: { to_many: Figure, inverse: line }
        unique: [no]
      Figure:
        attributes: { l: string! }
        relationships: { line: { to_one: Line, inverse: figures }, who: { to_one: Person, delete: cascade } }
        unique: [l]
    """

  /// A night whose result must not depend on the size of batches.
  struct Night: Sendable, CustomTestStringConvertible {
    var name: String
    /// The mode, and the relationships, of the import.
    var (mode, relationships): (String, String)
    var (first, second): ([String], [String])
    var (query, rows): (String, [String])
    /// How many records are rejected.
    var rejected = 0

    var testDescription: String { name }
  }

  private static let lines = """
    SELECT l.ZNO || ' ' || ifnull(l.ZT, '-') || ' ' || ifnull(b.ZK, '-') || ' ' || ifnull(s.ZK, '-') || ' '
      || ifnull(n.ZNO, '-') FROM ZLINE AS l LEFT JOIN ZBOOK AS b ON b.Z_PK = l.ZBOOK
      LEFT JOIN ZBOOK AS s ON s.Z_PK = l.ZSPAREOF LEFT JOIN ZLINE AS n ON n.Z_PK = l.ZNXT ORDER BY 1
    """
  private static let people = "SELECT ZE || ' ' || ifnull(ZNAME, '-') FROM ZPERSON ORDER BY 1"
  private static let books = """
    SELECT b.ZK || ' ' || ifnull(b.ZV, '-') || ' ' || ifnull(a.ZE, '-') || ' ' || ifnull(q.ZK, '-') FROM ZBOOK AS b
      LEFT JOIN ZPERSON AS a ON a.Z_PK = b.ZAUTHOR LEFT JOIN ZBOOK AS q ON q.Z_PK = b.ZSEQUEL ORDER BY 1
    """

  static let nights = [
    Night(
      name: "a member that another list of the record names stays", mode: "upsert",
      relationships: """
        spares: { each: spares, find_by: { no: no } }
        lines: { each: lines, find_by: { no: no }, attributes: { t: t }, orphans: delete }
        """,
      first: [#"{"k":"a","lines":[{"no":1,"t":"one"},{"no":2},{"no":3}]}"#],
      second: [#"{"k":"a","lines":[{"no":2}],"spares":[{"no":1}]}"#], query: lines,
      rows: ["1 one - a -", "2 - a - -"]),
    Night(
      name: "a member that an element refers to stays", mode: "upsert",
      relationships: """
        lines:
          each: lines
          find_by: { no: no }
          orphans: delete
          relationships: { nxt: { missing: reject, find_by: { no: nxt } } }
        """,
      first: [#"{"k":"a","lines":[{"no":1},{"no":2}]}"#], second: [#"{"k":"a","lines":[{"no":1,"nxt":2}]}"#],
      query: lines, rows: ["1 - a - 2", "2 - - - -"]),
    Night(
      name: "what goes along with a member of a member, and the record names, is a reason to reject", mode: "upsert",
      relationships: """
        lead: { find_by: { e: lead } }
        lines:
          each: lines
          find_by: { no: no }
          relationships:
            figures: { each: figures, orphans: delete, find_by: { l: l }, relationships: { who: { find_by: { e: who } } } }
        """,
      first: [#"{"k":"a","lead":"x","lines":[{"no":1,"figures":[{"l":"f","who":"x"}]}]}"#],
      second: [#"{"k":"a","lead":"x","lines":[{"no":1,"figures":[]}]}"#], query: people, rows: ["x -"], rejected: 1),
    Night(
      name: "a record is not judged by what a rejected one has done", mode: "upsert",
      relationships: "lines: { each: lines, find_in: owner, mode: update, missing: reject, find_by: { no: no } }",
      first: [], second: [#"{"k":"a","lines":[{"no":2}]}"#, #"{"k":"a","lines":[{"no":3}]}"#], query: lines,
      rows: ["1 - - - -", "3 - a - -"], rejected: 1),
    Night(
      name: "values of elements and of references", mode: "upsert",
      relationships: """
        people: { each: people, find_by: { e: e }, attributes: { name: n } }
        author: { find_by: { e: author }, attributes: { name: an } }
        """,
      first: [], second: [#"{"k":"a","people":[{"e":"x","n":"one"}]}"#, #"{"k":"b","author":"x","an":"two"}"#],
      query: people, rows: ["x two"]),
    Night(
      name: "values of elements and of records", mode: "upsert",
      relationships: "related: { each: related, find_by: { k: k }, attributes: { v: v } }",
      first: [], second: [#"{"k":"a","v":1,"related":[{"k":"x","v":5}]}"#, #"{"k":"x","v":7}"#], query: books,
      rows: ["a 1 - -", "x 7 - -"]),
    Night(
      name: "an element makes what a later record updates", mode: "update",
      relationships: "related: { each: related, find_by: { k: k } }",
      first: [#"{"k":"a"}"#], second: [#"{"k":"a","v":1,"related":[{"k":"x"}]}"#, #"{"k":"x","v":7}"#], query: books,
      rows: ["a 1 - -", "x 7 - -"]),
    Night(
      name: "an element makes what a later record refers to", mode: "upsert",
      relationships: """
        people: { each: people, find_by: { e: e } }
        author: { missing: reject, find_by: { e: author } }
        """,
      first: [], second: [#"{"k":"a","people":[{"e":"x"}]}"#, #"{"k":"b","author":"x"}"#], query: books,
      rows: ["a - - -", "b - x -"]),
    Night(
      name: "an element misses what a later record makes", mode: "upsert",
      relationships: """
        people: { each: people, missing: reject, find_by: { e: e } }
        author: { find_by: { e: author } }
        """,
      first: [], second: [#"{"k":"a","people":[{"e":"x"}]}"#, #"{"k":"b","author":"x"}"#], query: books,
      rows: ["b - x -"], rejected: 1),
    Night(
      name: "an element misses what an element of a later list of an earlier record has made", mode: "upsert",
      relationships: """
        lines: { each: lines, find_by: { no: no }, missing: reject }
        spares: { each: spares, find_by: { no: no } }
        """,
      first: [], second: [#"{"k":"a","spares":[{"no":1}]}"#, #"{"k":"b","lines":[{"no":1}]}"#], query: lines,
      rows: ["1 - b a -"]),
    Night(
      name: "members that are only to be made are taken over", mode: "upsert",
      relationships: "lines: { each: lines, mode: create-missing, find_by: { no: no }, attributes: { t: t } }",
      first: [#"{"k":"b","lines":[{"no":2,"t":"two"}]}"#],
      second: [#"{"k":"a","lines":[{"no":2,"t":"other"}]}"#, #"{"k":"b","lines":[]}"#], query: lines,
      rows: ["2 two a - -"]),
    Night(
      name: "what was missing before a rollback is looked for again", mode: "update",
      relationships: """
        sequel: { missing: "null", find_by: { k: sequel } }
        related: { each: related, find_by: { k: . } }
        lines: { each: lines, orphans: delete, find_by: { no: no } }
        """,
      first: [#"{"k":"a","lines":[{"no":1}]}"#, #"{"k":"b"}"#],
      second: [#"{"k":"a","related":["x"],"lines":[]}"#, #"{"k":"b","sequel":"x","lines":[{"no":1}]}"#], query: books,
      rows: ["a - - -", "b - - x", "x - - -"]),
    Night(
      name: "a reference into the record's own entity misses what an element made", mode: "upsert",
      relationships: """
        related: { each: related, find_by: { k: . } }
        sequel: { missing: "null", find_by: { k: sequel } }
        """,
      first: [], second: [#"{"k":"a","related":["x"]}"#, #"{"k":"b","sequel":"x"}"#], query: books,
      rows: ["a - - -", "b - - x", "x - - -"]),
  ]

  private func pipeline(_ night: Night, mode: String, records: Int, store: String) -> String {
    let relationships = night.relationships.split(separator: "\n").map { "    \($0)\n" }.joined()
    return """
      pipeline: p
      model: model.yaml
      store: \(store)
      rejects: \(store).rejects.ndjson
      batch: { records: \(records) }
      source: { files: b.ndjson, format: ndjson }
      import:
        entity: Book
        find_by: [k]
        mode: \(mode)
        attributes: { k: k, v: v }
        relationships:
      \(relationships)
      """
  }

  private func run(_ text: String, _ records: [String], rejected: Int = 0) throws {
    try folder.write(text, to: "p.yaml")
    try folder.write(records.joined(separator: "\n") + "\n", to: "b.ndjson")
    let command = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
    #expect(command.status == (rejected == 0 ? 0 : 1), "\(command.words)")
    #expect(try command.object()["rejected"] as? Int == rejected)
  }

  @Test("a batch of many records and batches of one give the same", arguments: nights)
  func batches(night: Night) throws {
    try folder.write(Self.model, to: "model.yaml")
    for records in [1, 100] {
      let store = "s\(records).sqlite"
      let plain = night.relationships.replacingOccurrences(of: "missing: reject, ", with: "")
        .replacingOccurrences(of: "mode: update, ", with: "")
      var before = night
      before.relationships = plain
      // Lists that find nothing but members have some to find.
      let lists = #"{"k":"a","lines":[{"no":1},{"no":3}]}"#
      let first = night.relationships.contains("find_in: owner") ? [lists] : night.first
      if !first.isEmpty {
        try run(pipeline(before, mode: "upsert", records: 1, store: store), first.map { $0 })
      }
      try run(pipeline(night, mode: night.mode, records: records, store: store), night.second, rejected: night.rejected)
      let rows = try PipelineSet.rows(folder.file(store), night.query)
      #expect(rows == night.rows, "\(records) records a batch")
      #expect(try Command(["store", "verify", store], in: folder.path).status == 0)
    }
  }

  @Test("records whose names do not meet, or say the same, are imported together")
  func together() throws {
    try folder.write(Self.model, to: "model.yaml")
    let night = Night(
      name: "", mode: "upsert",
      relationships: """
        people: { each: people, find_by: { e: e }, attributes: { name: n } }
        author: { find_by: { e: author }, attributes: { name: an } }
        lead: { missing: "null", find_by: { e: lead } }
        """, first: [], second: [], query: "", rows: [])
    try folder.write(pipeline(night, mode: "upsert", records: 500, store: "s.sqlite"), to: "p.yaml")
    let records = (0..<400).map {
      let people = #"[{"e":"p\#($0)","n":"n\#($0)"}]"#
      return #"{"k":"b\#($0)","v":1,"people":\#(people),"author":"p\#($0 / 2)","an":"n\#($0 / 2)","lead":"q\#($0)"}"#
    }
    try folder.write(records.joined(separator: "\n") + "\n", to: "b.ndjson")
    let command = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try PipelineSet.rows(folder.file("s.sqlite"), "SELECT count(*) FROM ZPERSON") == ["400"])
    // Alone, each record would be looked for by itself.
    #expect(try command.object()["fetches"] as? Int ?? .max < 60)
  }

  @Test("in a second pass nothing is taken from memory that another import's lists have deleted")
  func group() throws {
    let model = """
      entities:
        Book:
          attributes: { k: string!, v: integer32 }
          relationships:
            author: { to_one: Person, inverse: books }
            sequel: { to_one: Book }
            shelf: { to_one: Shelf, inverse: books }
          unique: [k]
        Shelf:
          attributes: { s: string! }
          relationships:
            books: { to_many: Book, inverse: shelf }
            top: { to_one: Book }
            people: { to_many: Person, inverse: shelf }
          unique: [s]
        Person:
          attributes: { e: string! }
          relationships: { books: { to_many: Book, inverse: author }, shelf: { to_one: Shelf, inverse: people } }
          unique: [e]
      """
    let pipeline = """
      pipeline: p
      model: model.yaml
      store: s.sqlite
      rejects: r.ndjson
      imports:
        - name: books
          source: { files: b.ndjson, format: ndjson }
          import:
            entity: Book
            find_by: [k]
            attributes: { k: k, v: v }
            relationships:
              author: { find_by: { e: author } }
              sequel: { missing: "null", find_by: { k: sequel } }
              shelf: { missing: reject, find_by: { s: shelf } }
        - name: shelves
          source: { files: s.ndjson, format: ndjson }
          import:
            entity: Shelf
            find_by: [s]
            relationships:
              top: { missing: reject, find_by: { k: top } }
              people: { each: people, orphans: delete, find_by: { e: . } }
      """
    try folder.write(model, to: "model.yaml")
    try folder.write(#"{"s":"s1","people":["p","q"]}"# + "\n", to: "s.ndjson")
    try run(pipeline, [#"{"k":"x","author":"p"}"#])
    try folder.write(#"{"s":"s1","people":["q"]}"# + "\n", to: "s.ndjson")
    try run(pipeline, [#"{"k":"y"}"#, #"{"k":"x","v":2,"author":"p","sequel":"y"}"#])
    let verify = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect(verify.status == 0, "\(verify.output)")
  }

  private static let synced = """
    pipeline: p
    model: model.yaml
    store: STORE
    rejects: r.ndjson
    batch: { records: 1 }
    imports:
      - name: books
        source: { files: b.ndjson, format: ndjson }
        import:
          entity: Book
          find_by: [k]
          attributes: { k: k, v: v }
          relationships: { lines: { each: lines, find_in: owner, find_by: { no: no } } }
      - name: others
        source: { files: o.ndjson, format: ndjson }
        import: { entity: Line, find_by: [no], mode: sync, attributes: { no: x } }
    """

  @Test("what a rejected record names stays, though a later record's list lets it go", arguments: [1, 100])
  func rejectedNames(records: Int) throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write(#"{"x":9}"# + "\n", to: "o.ndjson")
    let text = Self.synced.replacing("STORE", with: "s.sqlite").replacing("records: 1 ", with: "records: \(records) ")
    try run(text, [#"{"k":"a","lines":[{"no":1},{"no":2}]}"#])
    try run(text, [#"{"k":"a","v":"x","lines":[{"no":1}]}"#, #"{"k":"a","lines":[{"no":2}]}"#], rejected: 1)
    #expect(
      try PipelineSet.rows(folder.file("s.sqlite"), Self.lines) == ["1 - - - -", "2 - a - -", "9 - - - -"])
  }

  @Test("what a record names stays when the run resumes after a later list let it go", .enabled(if: Shim.isThere))
  func resumedNames() throws {
    // A member that was let go is made anew by its owner.
    try folder.write(Self.model.replacing("    unique: [no]\n", with: ""), to: "model.yaml")
    try folder.write(#"{"x":9}"# + "\n", to: "o.ndjson")
    try run(Self.synced.replacing("STORE", with: "base.sqlite"), [#"{"k":"a","lines":[{"no":1},{"no":2}]}"#])
    let more = (0..<20).map { #"{"k":"b\#($0)","v":1}"# }
    let records = [#"{"k":"a","lines":[{"no":1}]}"#, #"{"k":"a","lines":[{"no":2}]}"#] + more
    func copy(_ name: String) throws {
      for suffix in ["", "-mergewalk"] {
        try FileManager.default.copyItem(
          atPath: folder.file("base.sqlite" + suffix), toPath: folder.file(name + suffix))
      }
    }
    let wanted = ["1 - - - -", "2 - a - -", "9 - - - -"]
    try folder.write(records.joined(separator: "\n") + "\n", to: "b.ndjson")
    try copy("count.sqlite")
    try folder.write(Self.synced.replacing("STORE", with: "count.sqlite"), to: "count.yaml")
    let arguments = ["--json", "--quiet"]
    let undisturbed = try Command(
      ["run", "count.yaml"] + arguments, in: folder.path, environment: Shim.counting(into: folder.file("count")))
    #expect(undisturbed.status == 0, "\(undisturbed.words)")
    #expect(try PipelineSet.rows(folder.file("count.sqlite"), Self.lines) == wanted)
    let writes = Int(try String(contentsOfFile: folder.file("count"), encoding: .utf8)) ?? 0
    var resumed = 0
    for part in 2..<6 {
      let store = "s\(part).sqlite"
      try copy(store)
      try folder.write(Self.synced.replacing("STORE", with: store), to: "p.yaml")
      let killed = try Command(
        ["run", "p.yaml"] + arguments, in: folder.path, environment: Shim.killing(at: writes * part / 8))
      #expect(killed.status == -9, "\(killed.words)")
      let command = try Command(["run", "p.yaml"] + arguments, in: folder.path)
      #expect(command.status == 0, "\(command.words)")
      resumed += try command.object()["resumed_after"] as? Int ?? 0
      #expect(try PipelineSet.rows(folder.file(store), Self.lines) == wanted, "killed at \(part) eighths")
    }
    #expect(resumed > 2)
  }
}
