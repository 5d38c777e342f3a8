import Foundation
import MergewalkTestSupport
import Testing

/// What the elements of lists name does not go when another import of the run synchronises its entity.
@Suite("Sync of what lists name")
struct SyncListTests {
  private let folder = TemporaryFolder()

  private static let model = """
    entities:
      Book:
        attributes: { k: string!, v: integer32 }
        relationships:
          author: { to_one: Author, inverse: books }
          tags: { to_many: Tag, inverse: books }
          lines: { to_many: Line, inverse: book }
        unique: [k]
      Author: { attributes: { e: string! }, relationships: { books: { to_many: Book, inverse: author } }, unique: [e] }
      Tag: { attributes: { n: string! }, relationships: { books: { to_many: Book, inverse: tags } }, unique: [n] }
      Line:
        attributes: { no: integer16! }
        relationships:
          book: { to_one: Book, inverse: lines }
          figures: { to_many: Figure, inverse: line }
      Figure: { attributes: { l: string! }, relationships: { line: { to_one: Line, inverse: figures } } }
    """

  private func pipeline(options: String, synced entity: String, by key: String) -> String {
    """
    pipeline: p
    model: model.yaml
    store: s.sqlite
    rejects: r.ndjson
    imports:
      - name: books
        source: { files: books.ndjson, format: ndjson }
        import:
          entity: Book
          find_by: [k]
          \(options)
          attributes: { k: k, v: v }
          relationships:
            author: { find_by: { e: e }, missing: reject }
            tags: { each: tags, find_by: { n: . } }
            lines:
              each: lines
              find_by: { no: no }
              relationships: { figures: { each: figures, find_by: { l: . } } }
      - name: others
        source: { files: others.csv, format: csv }
        import: { entity: \(entity), find_by: [\(key)], mode: sync, attributes: { \(key): x } }
    """
  }

  private func night(_ books: String, others: String, query: String) throws -> [String] {
    try folder.write(books, to: "books.ndjson")
    try folder.write("x\n" + others + "\n", to: "others.csv")
    let command = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
    #expect(command.status <= 1, "\(command.words)")
    #expect(try Command(["store", "verify", "s.sqlite"], in: folder.path).status == 0)
    return try PipelineSet.rows(folder.file("s.sqlite"), query)
  }

  @Test(
    "tags of records stay, however the records end",
    arguments: [
      ("", #"{"k":"a","tags":["red"]}"#, ["other", "red"]),
      ("", #"{"k":"a","v":"x","tags":["red"]}"#, ["other", "red"]),
      ("", #"{"k":"a","e":"nobody","tags":["red"]}"#, ["other", "red"]),
      ("", #"{"k":"a","tags":[{"n":"red"}]}"#, ["other", #"{"n":"red"}"#]),
      ("", #"{"k":"a"}"#, ["other"]),
      ("duplicates: first", #"{"k":"a","tags":[]}"# + "\n" + #"{"k":"a","tags":["red"]}"#, ["other", "red"]),
      ("mode: create-missing", #"{"k":"a","tags":["red"]}"#, ["other", "red"]),
      ("where: \"v > 5\"", #"{"k":"a","v":1,"tags":["red"]}"#, ["other"]),
      ("", #"{"k":"b","tags":["new"]}"#, ["new", "other"]),
    ])
  func tags(options: String, books: String, left: [String]) throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write(pipeline(options: "", synced: "Tag", by: "n"), to: "p.yaml")
    let query = "SELECT ZN FROM ZTAG ORDER BY 1"
    let first = try night(#"{"k":"a","v":9,"tags":["red","blue"]}"#, others: "other\ngone", query: query)
    #expect(first == ["blue", "gone", "other", "red"])
    try folder.write(pipeline(options: options, synced: "Tag", by: "n"), to: "p.yaml")
    #expect(try night(books, others: "other", query: query) == left)
  }

  @Test("members that are found among those of their owners stay, in lists of lists, too")
  func members() throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write(pipeline(options: "", synced: "Line", by: "no"), to: "p.yaml")
    let lines = """
      SELECT ifnull(b.ZK, '-') || l.ZNO FROM ZLINE AS l LEFT JOIN ZBOOK AS b ON b.Z_PK = l.ZBOOK ORDER BY 1
      """
    let books = [
      #"{"k":"a","lines":[{"no":1,"figures":["x","y"]},{"no":2}]}"#, #"{"k":"b","lines":[{"no":1,"figures":["x"]}]}"#,
      #"{"k":"c","lines":[{"no":1,"figures":["z"]}]}"#,
    ]
    #expect(
      try night(books.joined(separator: "\n"), others: "9\n8", query: lines) == ["-8", "-9", "a1", "a2", "b1", "c1"])
    // The second is rejected, and the third is not there.
    let second =
      #"{"k":"a","lines":[{"no":1,"figures":["x"]}]}"# + "\n" + #"{"k":"b","v":"x","lines":[{"no":1,"figures":["x"]}]}"#
    #expect(try night(second, others: "9", query: lines) == ["-9", "a1", "b1"])
    try folder.write(pipeline(options: "", synced: "Figure", by: "l"), to: "p.yaml")
    let figures = """
      SELECT ifnull(b.ZK || l.ZNO, '-') || f.ZL FROM ZFIGURE AS f LEFT JOIN ZLINE AS l ON l.Z_PK = f.ZLINE
      LEFT JOIN ZBOOK AS b ON b.Z_PK = l.ZBOOK ORDER BY 1
      """
    // What has no line any more is named by nothing.
    #expect(try night(second, others: "q", query: figures) == ["-q", "a1x", "b1x"])
  }

  @Test("what members name stays although they, what they name and what they refer to are of one hierarchy")
  func oneHierarchy() throws {
    let model = """
      entities:
        Book: { attributes: { k: string!, v: integer32 }, relationships: { lines: { to_many: Line, inverse: book } }, unique: [k] }
        Thing: { abstract: true }
        Part: { parent: Thing, attributes: { p: string! }, unique: [p] }
        Line:
          parent: Thing
          attributes: { no: integer16! }
          relationships:
            book: { to_one: Book, inverse: lines }
            part: { to_one: Part }
            spare: { to_one: Part }
            figures: { to_many: Figure, inverse: line }
        Figure:
          parent: Thing
          attributes: { l: string! }
          relationships: { line: { to_one: Line, inverse: figures } }
      """
    let pipeline = """
      pipeline: p
      model: model.yaml
      store: s.sqlite
      rejects: r.ndjson
      imports:
        - name: books
          source: { files: books.ndjson, format: ndjson }
          import:
            entity: Book
            find_by: [k]
            attributes: { k: k, v: v }
            relationships:
              lines:
                each: lines
                find_by: { no: no }
                relationships:
                  part: { find_by: { p: part } }
                  spare: { find_by: { p: spare } }
                  figures: { each: figures, find_by: { l: . } }
        - name: others
          source: { files: others.csv, format: csv }
          import: { entity: Figure, find_by: [l], mode: sync, attributes: { l: x } }
      """
    try folder.write(model, to: "model.yaml")
    try folder.write(pipeline, to: "p.yaml")
    let query = """
      SELECT ifnull(l.ZNO, '-') || f.ZL FROM ZTHING AS f LEFT JOIN ZTHING AS l ON l.Z_PK = f.ZLINE
      WHERE f.ZL IS NOT NULL ORDER BY 1
      """
    let lines = (1...3).map { #"{"no":\#($0),"part":"p\#($0)","spare":"q\#($0)","figures":["x","y"]}"# }
    let record = #","lines":[\#(lines.joined(separator: ","))]}"#
    let first = try night(#"{"k":"a""# + record, others: "other\ngone", query: query)
    #expect(first == ["-gone", "-other", "1x", "1y", "2x", "2y", "3x", "3y"])
    // The record is rejected.
    let second = try night(#"{"k":"a","v":"x""# + record, others: "other", query: query)
    #expect(second == ["-other", "1x", "1y", "2x", "2y", "3x", "3y"])
  }

  @Test(
    "what an interrupted run made without a key stays when it is resumed",
    .enabled(if: Shim.isThere),
    arguments: [
      ("Line", "no", "SELECT count(*) FROM ZLINE WHERE ZBOOK"),
      ("Book", "k", "SELECT count(*) FROM ZBOOK WHERE ZV = 7"),
      ("Figure", "l", "SELECT count(*) FROM ZFIGURE WHERE ZLINE"),
    ])
  func resumed(synced entity: String, by key: String, query: String) throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write(pipeline(options: "", synced: entity, by: key), to: "p.yaml")
    _ = try night(#"{"k":"a","lines":[{"no":1,"figures":["x"]}]}"#, others: "8\n9", query: query)
    let text = pipeline(options: "mode: insert", synced: entity, by: key)
      .replacing("      find_by: [k]\n", with: "").replacing(
        "rejects: r.ndjson", with: "rejects: r.ndjson\nbatch: { records: 4 }")
    try folder.write(text, to: "p.yaml")
    let books = (0..<60).map { #"{"k":"b\#($0)","v":7,"lines":[{"no":1,"figures":["x"]},{"no":2,"figures":["y"]}]}"# }
    try folder.write(books.joined(separator: "\n"), to: "books.ndjson")
    try folder.write("x\n9\n", to: "others.csv")
    try FileManager.default.copyItem(atPath: folder.file("s.sqlite"), toPath: folder.file("count.sqlite"))
    try folder.write(text.replacing("store: s.sqlite", with: "store: count.sqlite"), to: "count.yaml")
    let arguments = ["--json", "--quiet"]
    let undisturbed = try Command(
      ["run", "count.yaml"] + arguments, in: folder.path, environment: Shim.counting(into: folder.file("count")))
    #expect(undisturbed.status == 0, "\(undisturbed.words)")
    let wanted = try PipelineSet.rows(folder.file("count.sqlite"), query)
    #expect(wanted != ["0"])
    let writes = Int(try String(contentsOfFile: folder.file("count"), encoding: .utf8)) ?? 0
    let killed = try Command(
      ["run", "p.yaml"] + arguments, in: folder.path, environment: Shim.killing(at: writes / 2))
    #expect(killed.status == -9, "\(killed.words)")
    let command = try Command(["run", "p.yaml"] + arguments, in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.object()["resumed_after"] as? Int ?? 0 > 0)
    #expect(try PipelineSet.rows(folder.file("s.sqlite"), query) == wanted)
  }
}
