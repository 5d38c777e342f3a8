import Foundation
import MergewalkTestSupport
import Testing

/// Lists of lists, one-to-one relationships and families, with results that were worked out by hand.
@Suite("Lists within lists, with results worked out by hand")
struct InventedListsTests {
  private let folder = TemporaryFolder()

  private static let model = """
    entities:
      Art:
        attributes: { k: string!, t: string }
        relationships:
          boss: { to_one: Man, inverse: arts }
          chaps: { to_many: Chap, inverse: art, ordered: true, delete: cascade }
          cover: { to_one: Cover, inverse: art, delete: cascade }
          subs: { to_many: Art, inverse: sup }
          sup: { to_one: Art, inverse: subs }
          tags: { to_many: Tag, inverse: arts }
        unique: [k]
      Man:
        attributes: { e: string!, age: integer16 }
        relationships: { arts: { to_many: Art, inverse: boss }, figs: { to_many: Fig, inverse: by } }
        unique: [e]
      Chap:
        attributes: { no: integer16!, p: integer32 }
        relationships:
          art: { to_one: Art, inverse: chaps, required: true }
          figs: { to_many: Fig, inverse: chap, delete: cascade }
      Fig:
        attributes: { l: string!, x: string }
        relationships: { chap: { to_one: Chap, inverse: figs, required: true }, by: { to_one: Man, inverse: figs } }
      Cover: { attributes: { n: string! }, relationships: { art: { to_one: Art, inverse: cover } }, unique: [n] }
      Tag: { attributes: { n: string! }, relationships: { arts: { to_many: Art, inverse: tags } }, unique: [n] }
    """

  private static let nested = """
    entity: Art
    find_by: [k]
    attributes: { k: k, t: t }
    relationships:
      chaps:
        each: chaps
        find_by: [no]
        attributes: { p: p }
        orphans: delete
        relationships:
          figs:
            { each: figs, find_by: { l: l }, attributes: { x: x }, orphans: delete,
              relationships: { by: { find_by: { e: by }, missing: MISSING } } }
    """

  private static let figures = """
    SELECT a.ZK || c.ZNO || f.ZL || ' ' || ifnull(f.ZX, '-') || ' ' || ifnull(m.ZE, '-') FROM ZFIG AS f
    JOIN ZCHAP AS c ON f.ZCHAP = c.Z_PK JOIN ZART AS a ON c.ZART = a.Z_PK LEFT JOIN ZMAN AS m ON f.ZBY = m.Z_PK
    ORDER BY 1
    """
  private static let chapters = """
    SELECT k || ' ' || group_concat(no || ifnull('=' || p, '')) FROM (
    SELECT a.ZK AS k, c.ZNO AS no, c.ZP AS p FROM ZCHAP AS c LEFT JOIN ZART AS a ON c.ZART = a.Z_PK
    ORDER BY a.ZK, c.Z_FOK_ART) GROUP BY k ORDER BY 1
    """

  private func start(_ pipeline: String) throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write("pipeline: p\nmodel: model.yaml\nstore: s.sqlite\nrejects: r.ndjson\n" + pipeline, to: "p.yaml")
  }

  /// Runs the pipeline on lines, and has the store verified.
  private func night(_ lines: String..., counts: [String: Int] = [:]) throws {
    try folder.write(lines.joined(separator: "\n") + "\n", to: "in.txt")
    let command = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
    let object = try command.object()
    for (name, count) in counts { #expect(object[name] as? Int == count, "\(name): \(command.words)") }
    let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect(verified.status == 0, "\(verified.words)")
  }

  private func rows(_ query: String) throws -> [String] { try PipelineSet.rows(folder.file("s.sqlite"), query) }

  @Test("a record is rejected whole for an element of an element, and lists of elements follow the file")
  func missingDeep() throws {
    let indented = Self.nested.replacing("MISSING", with: "reject").replacing("\n", with: "\n      ")
    try folder.write("e\nada\nbob\n", to: "men.csv")
    try start(
      """
      imports:
        - { name: men, source: men.csv, import: { entity: Man, find_by: [e], attributes: { e: e } } }
        - name: arts
          source: { files: in.txt, format: ndjson }
          import:
            \(indented)
      """)
    try night(
      #"{"k":"a","chaps":[{"no":1,"p":5,"figs":[{"l":"x","x":"1","by":"ada"},{"l":"y"}]},{"no":2,"figs":[]}]}"#,
      #"{"k":"b","chaps":[{"no":1,"figs":[{"l":"x","by":"eve"}]}]}"#,
      #"{"k":"c","chaps":[{"no":3,"figs":[{"l":"x","by":"bob"},{"l":"x","x":"again","by":"bob"}]},{"no":1}]}"#,
      counts: ["rejected": 1, "inserted": 4])
    #expect(try rows(Self.figures) == ["a1x 1 ada", "a1y - -", "c3x again bob"])
    #expect(try rows(Self.chapters) == ["a 1=5,2", "c 3,1"])
    // Lists that are not there stay, and others are in the order of the file.
    try night(
      #"{"k":"a","chaps":[{"no":2},{"no":1,"p":6}]}"#, #"{"k":"b","chaps":[]}"#, #"{"k":"c","t":"z"}"#,
      counts: ["inserted": 1, "updated": 2])
    #expect(try rows(Self.chapters) == ["a 2,1=6", "c 3,1"])
    #expect(try rows(Self.figures) == ["a1x 1 ada", "a1y - -", "c3x again bob"])
    try night(
      #"{"k":"a","chaps":[{"no":1,"figs":[{"l":"y","x":"n","by":"bob"}]}]}"#, #"{"k":"c","chaps":null}"#,
      counts: ["updated": 2])
    #expect(try rows(Self.chapters) == ["a 1=6"])
    #expect(try rows(Self.figures) == ["a1y n bob"])
  }

  @Test("an owner that comes again, and its rejected record that is put right", arguments: [1, 100])
  func ownerAgain(batch: Int) throws {
    let indented = Self.nested.replacing("MISSING", with: "create").replacing("\n", with: "\n  ")
    try start("batch: { records: \(batch) }\nsource: { files: in.txt, format: ndjson }\nimport:\n  \(indented)\n")
    try night(
      #"{"k":"a","chaps":[{"no":1,"figs":[{"l":"x"}]},{"no":2,"figs":[{"l":"x"}]}]}"#,
      #"{"k":"a","chaps":[{"no":2,"figs":[{"l":"y","by":"eve"}]},{"no":3}]}"#,
      #"{"k":"a","chaps":[{"no":1,"p":4,"figs":[{"l":"z"}]},{"no":3,"p":"q"}]}"#,
      counts: ["inserted": 1, "updated": 1, "rejected": 1])
    #expect(try rows(Self.chapters) == ["a 2,3"])
    #expect(try rows(Self.figures) == ["a2y - eve"])
    let rejects = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    try folder.write(rejects.replacing(#"\"q\""#, with: "7"), to: "r.ndjson")
    let replay = try Command(["rejects", "replay", "r.ndjson", "--pipeline", "p.yaml"], in: folder.path)
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try rows(Self.chapters) == ["a 1=4,3=7"])
    #expect(try rows(Self.figures) == ["a1z - -"])
  }

  @Test("partners of one-to-one relationships change hands", arguments: [1, 2, 100], ["automatic", "seek", "scan"])
  func oneToOne(batch: Int, find: String) throws {
    try start(
      """
      batch: { records: \(batch) }
      find: \(find)
      source: { files: in.txt, format: csv }
      import: { entity: Art, find_by: [k], attributes: { k: k }, relationships: { cover: { find_by: { n: c } } } }
      """)
    let ends = """
      SELECT a.ZK || ' ' || ifnull(c.ZN, '-') || ' ' || ifnull(b.ZK, '-') FROM ZART AS a
      LEFT JOIN ZCOVER AS c ON a.ZCOVER = c.Z_PK LEFT JOIN ZART AS b ON c.ZART = b.Z_PK ORDER BY 1
      """
    try night("k,c", "a,1", "b,2", "c,1", "d,", "e,3", "b,3")
    #expect(try rows(ends) == ["a - -", "b 3 b", "c 1 c", "d - -", "e - -"])
    // What the third record takes away is nothing any more when the last one says so.
    try night("k,c", "a,1", "c,2", "d,3", "b,", counts: ["updated": 3, "unchanged": 1])
    #expect(try rows(ends) == ["a 1 a", "b - -", "c 2 c", "d 3 d", "e - -"])
    try night("k,c", "a,1", "c,2", "d,3", "b,", counts: ["unchanged": 4])
    // The first takes what the second takes back.
    try night("k,c", "b,1", "a,1", counts: ["unchanged": 2])
    #expect(try rows(ends) == ["a 1 a", "b - -", "c 2 c", "d 3 d", "e - -"])
  }

  @Test("objects list others of their own entity", arguments: [1, 100])
  func children(batch: Int) throws {
    try start(
      """
      batch: { records: \(batch) }
      source: { files: in.txt, format: ndjson }
      import:
        { entity: Art, find_by: [k], attributes: { k: k, t: t },
          relationships: { subs: { each: s, find_by: { k: . } } } }
      """)
    let above =
      "SELECT a.ZK || ' ' || ifnull(b.ZK, '-') FROM ZART AS a LEFT JOIN ZART AS b ON a.ZSUP = b.Z_PK ORDER BY 1"
    try night(#"{"k":"a","s":["b","c"]}"#, #"{"k":"b","t":"bee","s":["c","d"]}"#, #"{"k":"d","s":["a"]}"#)
    #expect(try rows(above) == ["a d", "b a", "c b", "d b"])
    let second = [#"{"k":"d","s":[]}"#, #"{"k":"a","s":["d"]}"#, #"{"k":"b","s":["c"]}"#]
    try night(second[0], second[1], second[2])
    #expect(try rows(above) == ["a -", "b -", "c b", "d a"])
    try night(second[0], second[1], second[2], counts: ["unchanged": 3])
  }
}
