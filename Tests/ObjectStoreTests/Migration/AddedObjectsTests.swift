import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Additions of an app to a store that is migrated")
struct AddedObjectsTests {
  typealias M = Models
  private static let name = M.attribute("name", .string)
  private static let more = M.attribute("more", .date)

  /// Tables of each kind: written anew (A, and D because of its column), changed in place (B), gone (C), renamed (E).
  private func bench() throws -> MigrationBench {
    try MigrationBench(
      [
        EntityDraft("A", [Self.name, M.attribute("old", .string)]), EntityDraft("B", [Self.name]),
        EntityDraft("C", [Self.name]), EntityDraft("D", [Self.name]), EntityDraft("E", [Self.name]),
      ],
      [
        EntityDraft("A", [Self.name]), EntityDraft("B", [Self.name, Self.more]),
        EntityDraft("D", [Self.name, Self.more]), EntityDraft("F", was: "E", [Self.name]),
      ])
  }

  private static let fitting = [
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, a REFERENCES ZA (Z_PK), e REFERENCES ZE (Z_PK), t)",
    "CREATE INDEX notes_t ON notes (t)", "CREATE INDEX a_name ON ZA (ZNAME) WHERE ZA.ZNAME IS NOT NULL",
    "CREATE INDEX b_name ON ZB (ZNAME)", "CREATE INDEX d_name ON ZD (ZNAME)", "CREATE INDEX e_name ON ZE (ZNAME)",
    "CREATE VIEW pairs AS SELECT n.ZNAME, b.ZNAME AS other FROM names n, ZB b",
    "CREATE VIEW names AS SELECT ZNAME FROM ZA", "CREATE VIEW \"q\"\"\u{301}\" AS SELECT ZNAME FROM ZB",
    "CREATE VIEW known_to_app AS SELECT function_of_app(ZNAME) FROM ZA",
    "CREATE TRIGGER a_note AFTER INSERT ON ZA BEGIN INSERT INTO notes (a) VALUES (NEW.Z_PK); END",
    "CREATE TRIGGER names_note INSTEAD OF INSERT ON names BEGIN INSERT INTO notes (t) VALUES (NEW.ZNAME); END",
  ]

  private static let unfit = [
    "CREATE INDEX a_old ON ZA (\"ZOLD\")", "CREATE INDEX Z_B_mine ON ZB (ZNAME)", "CREATE INDEX c_name ON ZC (ZNAME)",
    "CREATE VIEW olds AS SELECT ZOLD FROM ZA",
    "CREATE TRIGGER a_old_note AFTER UPDATE ON ZA BEGIN INSERT INTO notes (t) VALUES (NEW.ZOLD); END",
    "CREATE TRIGGER c_note AFTER INSERT ON ZC BEGIN INSERT INTO notes (t) VALUES (NEW.ZNAME); END",
    "ALTER TABLE ZD ADD COLUMN mine INTEGER",
  ]

  @Test("what still fits is there afterwards and works, and what does not is named")
  func kept() throws {
    let bench = try bench()
    try bench.execute(Self.fitting + Self.unfit)
    let version = ModelVersionList.Version(bench.new, name: "next")
    let planned = try StoreMigrator.plan(path: bench.path, to: version, in: ModelVersionList([]))
    #expect(planned.lost.map(\.name) == ["ZD.MINE"])
    for name in ["index b_name", "view pairs", "trigger a_old_note"] {
      #expect(planned.steps.last?.contains(name) == true, "\(planned.steps)")
    }
    let done = try StoreMigrator.migrate(path: bench.path, to: version, in: ModelVersionList([]))
    #expect(done.steps == planned.steps)
    #expect(
      done.lost.map { "\($0.kind.rawValue) \($0.name)" } == [
        "column ZD.MINE", "index a_old", "index Z_B_mine", "index c_name", "view olds", "trigger a_old_note",
        "trigger c_note",
      ])
    #expect(done.lost.allSatisfy { !$0.message.isEmpty })

    let app = try Connection(path: bench.path, mode: .readWrite)
    let names = try app.text(
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND name GLOB '[a-z]*'"
        + " ORDER BY name)")
    let kept = "a_name,a_note,b_name,d_name,e_name,known_to_app,names,names_note,notes,notes_t,olds,pairs,q\"\u{301}"
    #expect(names == kept)
    let notes = try app.text("SELECT sql FROM sqlite_master WHERE name = 'notes'")
    #expect(notes?.contains("a REFERENCES ZA (Z_PK), e REFERENCES \"ZF\" (Z_PK)") == true, "\(notes ?? "")")
    #expect(try app.text("SELECT tbl_name FROM sqlite_master WHERE name = 'e_name'") == "ZF")
    #expect(try app.integer("SELECT count(*) FROM sqlite_master WHERE sql LIKE '%MERGEWALK_OLD%'") == 0)
    try app.execute("INSERT INTO names VALUES ('x'); SELECT * FROM pairs")
    #expect(try app.integer("SELECT count(*) FROM notes WHERE t = 'x'") == 1)
    try app.close()
    #expect(try StoreVerifier.verify(path: bench.path, model: bench.new).isSound)
  }

  /// What SQLite reads only as the app does: with texts in double quotes, functions that are not here, and views.
  private static let appsOwn = [
    "CREATE TRIGGER text_note AFTER INSERT ON ZB BEGIN INSERT INTO notes VALUES (\"text\" || NEW.\"ZNAME\"); END",
    "CREATE TRIGGER call_note AFTER INSERT ON ZA BEGIN INSERT INTO notes VALUES (function_of_app(NEW.ZNAME, \"a\")); END",
    "CREATE TRIGGER count_note AFTER UPDATE ON ZA BEGIN INSERT INTO notes SELECT upper(count(*)) FROM ZA; END",
    "CREATE TRIGGER view_note AFTER INSERT ON notes BEGIN DELETE FROM notes WHERE t = (SELECT max(ZNAME) FROM names); END",
    "CREATE TRIGGER broken_note AFTER INSERT ON other BEGIN INSERT INTO nowhere VALUES (1); END",
  ]

  /// A name that would be a text, a text that would be a name, and a column that is gone.
  private static let turned = [
    "CREATE TRIGGER old_note AFTER UPDATE ON ZB BEGIN INSERT INTO notes SELECT \"ZOLD\" FROM ZA; END",
    "CREATE TRIGGER more_note AFTER DELETE ON ZB BEGIN INSERT INTO notes SELECT \"ZMORE\" FROM ZB; END",
    "CREATE TRIGGER gone_note AFTER DELETE ON ZA BEGIN INSERT INTO notes VALUES (function_of_app(OLD.ZOLD)); END",
  ]

  @Test("triggers that only the app can run stay word by word, unless what they name is not what it was")
  func readAsTheAppDoes() throws {
    let bench = try bench()
    let tables = ["CREATE TABLE notes (t)", "CREATE TABLE other (t)", "CREATE VIEW names AS SELECT ZNAME FROM ZB"]
    try bench.execute(tables + Self.appsOwn + Self.turned)
    let done = try StoreMigrator.migrate(path: bench.path, to: bench.new)
    #expect(done.lost.map(\.name) == ["old_note", "more_note", "gone_note", "broken_note"])
    #expect(done.lost.map { $0.message.hasPrefix("is not kept") } == [true, true, true, false])
    let app = try Connection(path: bench.path, mode: .readOnly)
    var found: [String] = []
    let rows = try app.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    while try rows.step() { found.append(rows.text(0)) }
    #expect(found == Self.appsOwn)
    #expect(try StoreVerifier.verify(path: bench.path, model: bench.new).isSound)
  }

  @Test("a store that is migrated when it is opened says what it has lost")
  func opened() throws {
    let bench = try bench()
    try bench.execute(Self.fitting + Self.unfit)
    var options = PersistentStoreOptions()
    (options.migratesAutomatically, options.infersMapping) = (true, true)
    for count in [Self.unfit.count, 0] {
      let coordinator = PersistentStoreCoordinator(model: bench.new)
      let store = try coordinator.addStore(type: .sqlite, at: bench.path, options: options)
      #expect(store.lostInMigration.count == count, "\(store.lostInMigration)")
      try coordinator.close()
    }
  }

  @Test("a store to which nothing was added loses nothing")
  func nothingAdded() throws {
    let bench = try bench()
    let done = try StoreMigrator.migrate(path: bench.path, to: bench.new)
    #expect(done.lost == [])
    #expect(done.steps.last?.hasPrefix("write entity numbers") == true, "\(done.steps)")
  }
}
