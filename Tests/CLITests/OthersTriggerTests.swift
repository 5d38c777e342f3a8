import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Rows that something refuses which an app has added to the store: the record is rejected, and nothing else is.
@Suite("Triggers and constraints that an app has added")
struct OthersTriggerTests {
  private let folder = TemporaryFolder()
  private var store: String { folder.file("s.sqlite") }

  private static let model = """
    entities:
      Person: { attributes: { email: string, badge: string }, relationships: { items: { to_many: Item, inverse: owner } } }
      Tag: { attributes: { name: string }, relationships: { items: { to_many: Item, inverse: tags } } }
      Item:
        attributes: { sku: string, amount: int32, note: string }
        relationships:
          owner: { to_one: Person, inverse: items }
          tags: { to_many: Tag, inverse: items }
          next: { to_one: Item, inverse: prior }
          prior: { to_many: Item, inverse: next }
    """
  private static let owner = "owner: { find_by: { email: email }, attributes: { badge: badge } }"
  private static let tags = "tags: { split: \"|\", find_by: { name: tags } }"
  private static func next(_ missing: String) -> String {
    "next: { find_by: { sku: next }, missing: \"\(missing)\", attributes: { note: note } }"
  }

  private func run(
    _ relationships: [String], _ rows: [String], mode: String = "upsert", model: String = model
  ) throws -> Command {
    try folder.write(model, to: "m.yaml")
    try folder.write((["sku,amount,email,badge,tags,next,note"] + rows).joined(separator: "\n") + "\n", to: "in.csv")
    try folder.write(
      """
      pipeline: p
      model: m.yaml
      store: s.sqlite
      source: { files: in.csv }
      import:
        entity: Item
        find_by: [sku]
        mode: \(mode)
        attributes: { amount: amount }
        relationships:
      \(relationships.map { "    \($0)" }.joined(separator: "\n"))
      rejects: { file: r.ndjson }
      """, to: "p.yaml")
    return try Command(["run", "p.yaml", "--json"], in: folder.path)
  }

  private func prepare(_ sql: String) throws {
    #expect(
      try run([Self.owner, Self.tags], ["S,1,s@x,s,x,,", "T,1,t@x,t,x|y,,"]).status == 0)
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.execute(sql)
    try connection.close()
  }

  private func texts(_ sql: String) throws -> String {
    try Connection(path: store, mode: .readOnly).text("SELECT group_concat(t, ' ') FROM (\(sql) ORDER BY 1)") ?? ""
  }

  private func items() throws -> String {
    try texts(
      "SELECT i.ZSKU || '/' || i.ZAMOUNT || ifnull('/' || nullif(i.ZNOTE, ''), '') || ifnull('/' || p.ZEMAIL, '')"
        + " || ifnull('/' || n.ZSKU, '') t FROM ZITEM i LEFT JOIN ZPERSON p ON p.Z_PK = i.ZOWNER LEFT JOIN ZITEM n ON n.Z_PK = i.ZNEXT"
    )
  }
  private func people() throws -> String { try texts("SELECT ZEMAIL || '/' || ZBADGE t FROM ZPERSON") }
  private func links() throws -> String {
    try texts(
      "SELECT i.ZSKU || '/' || t.ZNAME t FROM Z_1TAGS j JOIN ZITEM i ON i.Z_PK = j.Z_1ITEMS"
        + " JOIN ZTAG t ON t.Z_PK = j.Z_3TAGS")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What the trigger is for: `EVENT ON TABLE WHEN CONDITION`.
    var event: String
    var relationships = [OthersTriggerTests.owner]
    var rows: [String]
    var items: String
    var people = "s@x/s t@x/t"
    var links = "S/x T/x T/y"
  }

  private static let cases: [Case] =
    [
      Case(
        testDescription: "a new record", event: "INSERT ON ZITEM WHEN NEW.ZSKU = 'B'",
        rows: ["A,1,a@x,a,,,", "B,2,b@x,b,,,", "C,3,c@x,c,,,"], items: "A/1/a@x C/3/c@x S/1/s@x T/1/t@x",
        people: "a@x/a c@x/c s@x/s t@x/t"),
      Case(
        testDescription: "a changed record", event: "UPDATE ON ZITEM WHEN NEW.ZAMOUNT = 9",
        rows: ["A,1,a@x,a,,,", "S,9,b@x,b,,,", "T,3,t@x,t,,,"], items: "A/1/a@x S/1/s@x T/3/t@x",
        people: "a@x/a s@x/s t@x/t"),
      Case(
        testDescription: "a new target", event: "INSERT ON ZPERSON WHEN NEW.ZEMAIL = 'b@x'",
        rows: ["A,1,a@x,a,,,", "B,2,b@x,b,,,", "C,3,c@x,c,,,"], items: "A/1/a@x C/3/c@x S/1/s@x T/1/t@x",
        people: "a@x/a c@x/c s@x/s t@x/t"),
      Case(
        testDescription: "what a record says of a target", event: "UPDATE ON ZPERSON WHEN NEW.ZBADGE = 'b'",
        rows: ["A,1,a@x,a,,,", "B,2,s@x,b,,,", "C,3,c@x,c,,,"], items: "A/1/a@x C/3/c@x S/1/s@x T/1/t@x",
        people: "a@x/a c@x/c s@x/s t@x/t"),
      Case(
        testDescription: "a pair of a relationship to many",
        event: "INSERT ON Z_1TAGS WHEN NEW.Z_3TAGS = (SELECT Z_PK FROM ZTAG WHERE ZNAME = 'x')",
        relationships: [owner, tags], rows: ["A,1,a@x,a,y,,", "B,2,b@x,b,x|r,,", "C,3,c@x,c,q,,"],
        items: "A/1/a@x C/3/c@x S/1/s@x T/1/t@x", people: "a@x/a c@x/c s@x/s t@x/t",
        links: "A/y C/q S/x T/x T/y"),
    ]
    + ["null", "reject", "create"].flatMap { missing in
      [
        Case(
          testDescription: "what a record says of a later one, \(missing)",
          event: "UPDATE ON ZITEM WHEN NEW.ZNOTE = 'bad'", relationships: [next(missing)],
          rows: ["A,1,,,,B,bad", "B,2,,,,C,fine", "C,3,,,,,"], items: "B/2/C C/3/fine S/1/s@x T/1/t@x"),
        Case(
          testDescription: "what a record says of one of its hierarchy, \(missing)",
          event: "UPDATE ON ZITEM WHEN NEW.ZNOTE = 'bad'", relationships: [next(missing)],
          rows: ["A,1,,,,S,bad", "B,2,,,,C,fine", "C,3,,,,,"], items: "B/2/C C/3/fine S/1/s@x T/1/t@x"),
        Case(
          testDescription: "a reference to a later record, \(missing)",
          event: "UPDATE ON ZITEM WHEN NEW.ZSKU = 'A' AND NEW.ZNEXT IS NOT NULL", relationships: [next(missing)],
          rows: ["A,1,,,,B,", "B,2,,,,C,", "C,3,,,,,"], items: "B/2/C C/3 S/1/s@x T/1/t@x"),
      ]
    }

  @Test(
    "a record whose row a trigger refuses, or leaves out, is rejected, and nothing of it is in the store",
    arguments: cases, ["ABORT, 'no'", "FAIL, 'no'", "IGNORE"])
  func refused(_ refused: Case, action: String) throws {
    try prepare("CREATE TRIGGER app BEFORE \(refused.event) BEGIN SELECT RAISE(\(action)); END")
    let run = try run(refused.relationships, refused.rows)
    #expect(run.status == 1, "\(run.words)")
    #expect(try run.object()["rejected"] as? Int == 1)
    #expect(try run.object()["reject_codes"] as? [String: Int] == ["database.refused": 1])
    #expect(try items() == refused.items)
    #expect(try people() == refused.people)
    #expect(try links() == refused.links)
    let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect(verified.status == 0, "\(verified.output)\(verified.words)")
  }

  @Test(
    "an index and a check of an app reject the record whose row they refuse",
    arguments: [
      "CREATE UNIQUE INDEX app ON ZPERSON (ZBADGE)",
      "ALTER TABLE ZPERSON ADD COLUMN app CHECK (ZBADGE <> 's' OR ZEMAIL = 's@x')",
    ])
  func constraints(_ sql: String) throws {
    try prepare(sql)
    let run = try run([Self.owner], ["A,1,a@x,a,,,", "B,2,b@x,s,,,", "C,3,c@x,c,,,"])
    #expect(run.status == 1, "\(run.words)")
    #expect(try run.object()["rejected"] as? Int == 1)
    #expect(try items() == "A/1/a@x C/3/c@x S/1/s@x T/1/t@x")
    #expect(try people() == "a@x/a c@x/c s@x/s t@x/t")
  }

  @Test("a trigger that rolls back ends the run, which says so, and the store is as it was")
  func rolledBack() throws {
    try prepare("CREATE TRIGGER app BEFORE INSERT ON ZITEM BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    let run = try run([Self.owner], ["S,7,s@x,s,,,", "B,2,b@x,b,,,"])
    #expect(run.status == 2)
    #expect(run.words.contains("a trigger of the store has rolled back the whole run (ROLLBACK): no"), "\(run.words)")
    #expect(try items() == "S/1/s@x T/1/t@x")
    #expect(try people() == "s@x/s t@x/t")
  }

  @Test("what an app's additions need and is not there is told, by runs and by verify", arguments: 0..<3)
  func missing(_ number: Int) throws {
    let (sql, addition) = [
      ("CREATE TRIGGER app BEFORE UPDATE ON ZITEM BEGIN SELECT NSFooBar(NEW.ZSKU); END", "trigger “app” of ZITEM"),
      ("CREATE INDEX app ON ZITEM (NSFooBar(ZSKU))", "index “app” of ZITEM"),
      (
        "CREATE TRIGGER app BEFORE UPDATE ON ZITEM BEGIN SELECT NEW.ZSKU = '' COLLATE NSFooBar; END",
        "trigger “app” of ZITEM"
      ),
    ][number]
    try prepare("SELECT 1")
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.registerFunction("NSFooBar", argumentCount: 1) { $0.return(true) }
    try connection.execute(sql)
    try connection.close()
    // An index is not touched by updates of other columns.
    let run = try run([Self.owner], ["\(number == 1 ? "new" : "S"),7,s@x,s,,,"])
    #expect(run.status == 2)
    let words = "the \(addition) in s.sqlite needs it"
    #expect(run.words.contains("NSFooBar") && run.words.contains(words), "\(run.words)")
    let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect((verified.output + verified.words).contains(words), "\(verified.output)\(verified.words)")
  }

  @Test(
    "objects that a trigger does not let go are denied, the others go",
    arguments: ["ABORT, 'no'", "FAIL, 'no'", "IGNORE"])
  func kept(action: String) throws {
    #expect(try run([Self.owner, Self.tags], ["U,1,u@x,u,y,,", "V,1,v@x,v,,,"]).status == 0)
    try prepare("CREATE TRIGGER app BEFORE DELETE ON ZITEM WHEN OLD.ZSKU = 'T' BEGIN SELECT RAISE(\(action)); END")
    let run = try run([Self.owner], ["S,1,s@x,s,,,"], mode: "sync\n  sync: { ratio: 100% }")
    #expect(run.status == 1, "\(run.words)")
    #expect(try run.object()["deleted"] as? Int == 2)
    #expect(try run.object()["denied"] as? Int == 1)
    #expect(try run.object()["reject_codes"] as? [String: Int] == ["delete.denied": 1])
    #expect(try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8).contains("the store refuses it: "))
    #expect(try items() == "S/1/s@x T/1/t@x")
    #expect(try links() == "S/x T/x T/y")
    let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect(verified.status == 0, "\(verified.output)\(verified.words)")
  }

  @Test("objects that a trigger does not let be marked are denied", arguments: ["ABORT, 'no'", "IGNORE"])
  func unmarked(action: String) throws {
    let model = Self.model.replacing("note: string }", with: "note: string, gone: boolean }")
    let rows = ["A", "B", "C", "D"].map { "\($0),1,a@x,a,,," }
    #expect(try run([Self.owner], rows, model: model).status == 0)
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.execute(
      "CREATE TRIGGER app BEFORE UPDATE ON ZITEM WHEN NEW.ZSKU = 'C' BEGIN SELECT RAISE(\(action)); END")
    try connection.close()
    let mode = "sync\n  sync: { soft_delete: gone, delete: mark, ratio: 100% }"
    let run = try run([Self.owner], ["A,1,a@x,a,,,"], mode: mode, model: model)
    #expect(run.status == 1, "\(run.words)")
    #expect(try run.object()["marked"] as? Int == 2)
    #expect(try run.object()["denied"] as? Int == 1)
    #expect(try texts("SELECT ZSKU || ifnull(ZGONE, 0) t FROM ZITEM") == "A0 B1 C0 D1")
  }
}
