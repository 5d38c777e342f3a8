import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Triggers, R-trees and partial indexes of stores")
struct TriggerTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.sqlite") }

  private static let derivedModel = """
    model: Album
    entities:
      Album:
        attributes: { title: string }
        relationships: { photos: { to_many: Photo, inverse: album } }
      Photo:
        attributes:
          name: string
          albumTitle: { type: string, derived: album.title }
          upper: { type: string, derived: "uppercase:(name)" }
        relationships: { album: { to_one: Album, inverse: photos } }
    """

  private static let placeModel = """
    model: Places
    entities:
      Place:
        attributes:
          name: string
          kind: integer16
          latitude: double!
          longitude: double!
          area: { type: undefined, transient: true, user_info: { _NSLocationAttributeDerivedComponents: "latitude, longitude" } }
        relationships: { owner: { to_one: Place, inverse: owned }, owned: { to_many: Place, inverse: owner } }
        indexes:
          byKind: { elements: [kind, name], where: "kind != 0" }
          byOwner: { elements: [owner], where: "owner != nil" }
          named: { elements: [name, { expression: "SELF" }, { expression: "entity" }] }
          many: { elements: [name], where: "kind == 2 OR kind == 4" }
          sums: { elements: [{ expression: "latitude + longitude * 2", descending: true }, { expression: "abs:(kind)" }] }
          some: { elements: [name], where: "kind IN {1, 2, 3} AND latitude BETWEEN {0, 90}" }
          alone: { elements: [kind], alone: true }
    """

  private func model(_ text: String) throws -> ManagedObjectModel {
    try folder.write(text, to: "m.yaml")
    return try ManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
  }

  private func statements(_ kind: String, _ pattern: String = "%") throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    let rows = try connection.prepare("SELECT sql FROM sqlite_schema WHERE type = ?1 AND name LIKE ?2 ORDER BY rowid")
    rows.bind(1, text: kind)
    rows.bind(2, text: pattern)
    var result: [String] = []
    while try rows.step() { result.append(rows.text(0)) }
    return result
  }

  /// A connection that does what Core Data does: it has the functions, and trusts the schema.
  private func application() throws -> Connection {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.registerCoreDataFunctions()
    try connection.trustSpatialIndexes()
    return connection
  }

  @Test("a new store has the triggers of derived attributes in Core Data's wording, and they work")
  func derived() throws {
    try StoreFile.create(path: path, model: try model(Self.derivedModel)).finish()
    let triggers = try statements("trigger")
    #expect(triggers.count == 6)
    let first = """
      CREATE TRIGGER Z_DA_ZPHOTO_Photo_albumTitle_SOURCE_INSERT AFTER INSERT ON ZPHOTO FOR EACH ROW BEGIN UPDATE ZPHOTO \
      SET ZALBUMTITLE = (SELECT ZTITLE FROM ZALBUM WHERE Z_PK = NEW.ZALBUM) WHERE Z_PK = NEW.Z_PK; SELECT \
      NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZPHOTO', Z_ENT, Z_PK, 'albumTitle', ZALBUMTITLE) FROM ZPHOTO \
      WHERE Z_PK = NEW.Z_PK; END
      """
    #expect(triggers.first == first)
    #expect(triggers.contains { $0.contains("_PARAMETER_UPDATE AFTER UPDATE OF ZTITLE ON ZALBUM FOR EACH ROW") })
    let upper = """
      CREATE TRIGGER Z_DA_ZPHOTO_Photo_upper_UPDATE AFTER UPDATE OF ZNAME ON ZPHOTO FOR EACH ROW BEGIN UPDATE ZPHOTO SET \
      ZUPPER = NSCoreDataToUpper(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK; SELECT \
      NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPHOTO', Z_ENT, Z_PK, 'upper', ZUPPER) FROM ZPHOTO WHERE Z_PK = \
      NEW.Z_PK; END
      """
    #expect(triggers.last == upper)
    let app = try application()
    try app.execute(
      "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'a');"
        + "INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZALBUM) VALUES (1, 2, 1, 1)")
    #expect(try app.text("SELECT ZALBUMTITLE FROM ZPHOTO") == "a")
    try app.execute("UPDATE ZALBUM SET ZTITLE = 'b'")
    #expect(try app.text("SELECT ZALBUMTITLE FROM ZPHOTO") == "b")
    try app.close()
    // They are not what an import leaves out.
    let again = try StoreFile.open(path: path, model: try model(Self.derivedModel))
    #expect(again.warnings == [])
    try again.rollBackRun()
  }

  @Test("a new store has R-trees, partial indexes and indexes of expressions")
  func places() throws {
    let file = try StoreFile.create(path: path, model: try model(Self.placeModel))
    #expect(file.schema.warnings == [])
    try file.connection.execute(
      "INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE) VALUES (1, 1, 1, 10, 20), (2, 1, 1, 30, 40)")
    try file.finish()
    let table = """
      CREATE VIRTUAL TABLE Z_RT_Place_area USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, \
      ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)
      """
    #expect(try statements("table", "Z_RT_Place_area") == [table])
    let trigger = """
      CREATE TRIGGER Z_RT_Place_area_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE INTO Z_RT_Place_area \
      (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE \
      ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END
      """
    #expect(try statements("trigger", "%_INSERT") == [trigger])
    let expected: Set<String> = [
      "CREATE INDEX Z_Place_byKind ON ZPLACE (ZKIND COLLATE BINARY ASC, ZNAME COLLATE BINARY ASC) WHERE ZKIND <> 0",
      "CREATE INDEX Z_Place_byOwner ON ZPLACE (ZOWNER COLLATE BINARY ASC) WHERE ZOWNER IS NOT NULL",
      "CREATE INDEX Z_Place_named ON ZPLACE (ZNAME COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC, Z_ENT COLLATE BINARY ASC)",
      "CREATE INDEX Z_Place_many ON ZPLACE (ZNAME COLLATE BINARY ASC) WHERE (ZKIND = 2 OR ZKIND = 4)",
      "CREATE INDEX Z_Place_sums ON ZPLACE ((ZLATITUDE + (ZLONGITUDE * 2)) COLLATE BINARY DESC, ABS(ZKIND) COLLATE BINARY ASC)",
      "CREATE INDEX Z_Place_some ON ZPLACE (ZNAME COLLATE BINARY ASC) WHERE (ZKIND IN (1, 2, 3) AND ZLATITUDE BETWEEN 0 AND 90)",
      "CREATE INDEX Z_Place_alone ON ZPLACE (ZKIND COLLATE BINARY ASC)",
    ]
    #expect(Set(try statements("index", "Z_Place%")) == expected)
    let app = try application()
    #expect(try app.integer("SELECT count(*) FROM Z_RT_Place_area WHERE ZLATITUDE_MIN >= 30") == 1)
    // The copy of the model in the store says the same.
    let read = try #require(try ModelCache.read(app))
    #expect(
      Set(StoreSchema(model: read).indexes.map(\.sql))
        == Set(StoreSchema(model: try model(Self.placeModel)).indexes.map(\.sql)))
    try app.close()
  }

  @Test("R-trees stay right when objects are written, with their triggers and without", arguments: [true, false])
  func kept(hasTriggers: Bool) throws {
    let model = try model(Self.placeModel)
    try StoreFile.create(path: path, model: model).finish()
    if !hasTriggers {
      let app = try application()
      for event in ["INSERT", "UPDATE", "DELETE"] { try app.execute("DROP TRIGGER Z_RT_Place_area_\(event)") }
      try app.close()
    }
    let file = try StoreFile.open(path: path, model: model)
    try file.begin()
    try file.connection.execute(
      "INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE) VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 2), (3, 1, 1, 3, 3);"
        + "UPDATE ZPLACE SET ZLATITUDE = 9 WHERE Z_PK = 2; DELETE FROM ZPLACE WHERE Z_PK = 3")
    try file.finish()
    let app = try application()
    #expect(try app.text("SELECT group_concat(Z_PK || ' ' || ZLATITUDE_MAX) FROM Z_RT_Place_area") == "1 1.0,2 9.0")
    #expect(try statements("trigger").count == (hasTriggers ? 3 : 0))
    try app.close()
  }

  @Test("migrations keep R-trees and triggers, and those of the app that still fit")
  func migrated() throws {
    let old = try model(Self.placeModel)
    try StoreFile.create(path: path, model: old).finish()
    let app = try application()
    try app.execute(
      "INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE, ZKIND) VALUES (1, 1, 1, 10, 20, 3);"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1;"
        + "CREATE TRIGGER ZT_MINE AFTER UPDATE OF ZKIND ON ZPLACE BEGIN UPDATE ZPLACE SET ZNAME = 'k' || NEW.ZKIND"
        + " WHERE Z_PK = NEW.Z_PK; END;"
        + "CREATE TRIGGER ZT_GONE AFTER UPDATE OF ZNAME ON ZPLACE BEGIN UPDATE ZPLACE SET ZEXTRA = 1 WHERE Z_PK = NEW.Z_PK; END"
    )
    try app.close()
    let newText = Self.placeModel.replacing("name: string\n", with: "name: string\n      height: double\n")
    let new = try model(newText)
    #expect(try StoreMigrator.migrate(path: path, to: new).lost.map(\.name) == ["ZT_GONE"])
    let after = try application()
    #expect(try after.integer("SELECT count(*) FROM Z_RT_Place_area WHERE ZLATITUDE_MIN = 10") == 1)
    // What SQLite could not read before either is left to the app.
    try after.execute("DROP TRIGGER ZT_GONE")
    try after.execute("UPDATE ZPLACE SET ZKIND = 5, ZLATITUDE = 11")
    #expect(try after.text("SELECT ZNAME FROM ZPLACE") == "k5")
    #expect(try after.integer("SELECT count(*) FROM Z_RT_Place_area WHERE ZLATITUDE_MIN = 11") == 1)
    #expect(
      try after.text(
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name)")
        == "ZT_MINE,Z_RT_Place_area_DELETE,Z_RT_Place_area_INSERT,Z_RT_Place_area_UPDATE")
    try after.close()
    let bare = try model(
      newText.replacing("latitude, longitude", with: "none").replacing(
        "height: double\n", with: "height: double\n      depth: double\n"))
    try StoreMigrator.migrate(path: path, to: bare)
    #expect(try statements("table", "Z_RT%") == [])
    #expect(try statements("trigger", "Z_RT%") == [])
  }

  @Test("an app's triggers that do not fit go also where those of derived attributes are left alone")
  func migratedBesideDerived() throws {
    let text = Self.derivedModel.replacing("{ title: string }", with: "{ title: string, note: string }")
    try StoreFile.create(path: path, model: try model(text)).finish()
    let app = try application()
    try app.execute(
      "CREATE TABLE app_log (t);"
        + "CREATE TRIGGER ZT_TITLE AFTER INSERT ON ZALBUM BEGIN INSERT INTO app_log VALUES (NEW.ZTITLE); END;"
        + "CREATE TRIGGER ZT_NOTE AFTER INSERT ON ZALBUM BEGIN INSERT INTO app_log VALUES (NEW.ZNOTE); END")
    try app.close()
    #expect(try StoreMigrator.migrate(path: path, to: try model(Self.derivedModel)).lost.map(\.name) == ["ZT_NOTE"])
    #expect(try statements("trigger", "ZT_%").count == 1)
    #expect(try statements("trigger", "Z_DA_%").count == 6)
    let after = try application()
    try after.execute("INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'a')")
    #expect(try after.text("SELECT group_concat(t) FROM app_log") == "a")
    try after.close()
  }

  @Test(
    "triggers of a derived attribute in another wording stay while it does, without a second set",
    arguments: [false, true])
  func otherWording(isChanged: Bool) throws {
    let text = """
      model: Album
      entities:
        Album:
          attributes: { title: string, photoCount: { type: integer32, derived: photos.@count } }
          relationships: { photos: { to_many: Photo, inverse: album } }
        Photo: { attributes: { name: string }, relationships: { album: { to_one: Album, inverse: photos } } }
      """
    let old = try model(text)
    try StoreFile.create(path: path, model: old).finish()
    let app = try application()
    let names = try statements("trigger", "Z_DA_%").compactMap { $0.split(separator: " ").dropFirst(2).first }
    #expect(names.count == 4)
    for name in names { try app.execute("DROP TRIGGER \(name)") }
    // As an app's own store may have them: one for each event, named in another way.
    for (event, row) in [("INSERT", "NEW"), ("DELETE", "OLD"), ("UPDATE OF ZALBUM", "NEW")] {
      try app.execute(
        "CREATE TRIGGER Z_DA_ZPHOTO_Album_photoCount_\(event.prefix(3))X AFTER \(event) ON ZPHOTO BEGIN UPDATE ZALBUM SET "
          + "ZPHOTOCOUNT = (SELECT COUNT(*) FROM ZPHOTO WHERE ZALBUM = \(row).ZALBUM) WHERE Z_PK = \(row).ZALBUM; END")
    }
    try app.close()
    let new = isChanged ? text.replacing("photos.@count", with: "photos.@sum.size") : text
    try StoreMigrator.migrate(
      path: path, to: try model(new.replacing("{ name: string }", with: "{ name: string, size: integer16 }")))
    let after = try application()
    let found = try statements("trigger", "Z_DA_%").map { $0.contains("X AFTER") }
    #expect(found.count(where: { $0 }) == (isChanged ? 0 : 3))
    #expect(found.count(where: { !$0 }) == (isChanged ? 4 : 0))
    try after.execute(
      "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);"
        + "INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZALBUM, ZSIZE) VALUES (1, 2, 1, 1, 5), (2, 2, 1, 1, 7)")
    #expect(try after.integer("SELECT ZPHOTOCOUNT FROM ZALBUM") == (isChanged ? 12 : 2))
    try after.close()
  }

  private static let countModel = """
    model: Counts
    entities:
      Album:
        attributes:
          title: string
          shown:
            { type: integer32, default: 0, user_info: { NSTriggerKey: "(photos.hidden == NO) && (photos.kind != 3)" } }
        relationships: { photos: { to_many: Photo, inverse: album } }
      Photo:
        attributes: { name: string, hidden: boolean, kind: integer16 }
        relationships: { album: { to_one: Album, inverse: photos }, faces: { to_many: Face, inverse: photo } }
      Face:
        attributes:
          name: string
          visible: { type: boolean, default: false, user_info: { NSTriggerKey: "photo.hidden == NO" } }
        relationships: { photo: { to_one: Photo, inverse: faces } }
      Other:
        attributes:
          one: { type: integer32, user_info: { NSTriggerKey: "photos.hidden == NO OR photos.kind == 1" } }
          two: { type: integer32, user_info: { NSTriggerKey: "gone.hidden == NO" } }
          three: { type: integer32, user_info: { NSTriggerKey: "kind ==" } }
    """

  @Test("attributes with a condition of Core Data's are counted: in new stores, by triggers, and in imports")
  func counted() throws {
    let model = try model(Self.countModel)
    let file = try StoreFile.create(path: path, model: model)
    try file.connection.execute(
      """
      INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZSHOWN) VALUES (1, 1, 1, 77), (2, 1, 1, 0);
      INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZHIDDEN, ZKIND, ZALBUM)
        VALUES (1, 4, 1, 0, 1, 1), (2, 4, 1, 1, 1, 1), (3, 4, 1, 0, 3, 1), (4, 4, 1, 0, 2, 1);
      INSERT INTO ZFACE (Z_PK, Z_ENT, Z_OPT, ZPHOTO) VALUES (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 1, NULL);
      """)
    try file.finish()
    #expect(try statements("trigger").count == 14)
    let app = try application()
    let counts = "SELECT (SELECT group_concat(ZSHOWN) FROM ZALBUM) || '/' || (SELECT group_concat(ZVISIBLE) FROM ZFACE)"
    #expect(try app.text(counts) == "2,0/1,0,0")
    try app.execute("UPDATE ZPHOTO SET ZHIDDEN = 0 WHERE Z_PK = 2; UPDATE ZPHOTO SET ZALBUM = 2 WHERE Z_PK = 1")
    #expect(try app.text(counts) == "2,1/1,1,0")
    try app.execute("DELETE FROM ZPHOTO WHERE Z_PK = 4; UPDATE ZFACE SET ZPHOTO = NULL WHERE Z_PK = 1")
    #expect(try app.text(counts) == "1,1/0,1,0")
    try app.execute(
      "INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZHIDDEN, ZKIND, ZALBUM) VALUES (5, 4, 1, 0, 1, 1);"
        + "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (3, 1, 1); UPDATE ZFACE SET ZPHOTO = 5 WHERE Z_PK = 3")
    #expect(try app.text(counts) == "2,1,0/0,1,1")
    try app.close()
    let again = try StoreFile.open(path: path, model: model)
    #expect(again.warnings == [])
    try again.begin()
    try again.connection.execute("UPDATE ZPHOTO SET ZHIDDEN = 1 WHERE Z_PK = 5")
    try again.finish()
    let after = try application()
    #expect(try after.text(counts) == "1,1,0/0,1,0")
    try after.close()
    // A count that a version of the model brings is right from the start, and its triggers are there.
    let newText = Self.countModel.replacing(
      "title: string\n",
      with: "title: string\n      all: { type: integer32, user_info: { NSTriggerKey: \"photos.kind > 0\" } }\n")
    try StoreMigrator.migrate(path: path, to: try self.model(newText))
    let migrated = try application()
    #expect(try migrated.text("SELECT group_concat(ZALL) FROM ZALBUM") == "3,1,0")
    #expect(try migrated.text(counts) == "1,1,0/0,1,0")
    #expect(try statements("trigger").count == 21)
    try migrated.close()
  }

  @Test("counts that need others come after them")
  func dependent() throws {
    let text = """
      model: Chain
      entities:
        A:
          attributes: { n: { type: integer32, user_info: { NSTriggerKey: "bs.m != 0" } } }
          relationships: { bs: { to_many: B, inverse: a } }
        B:
          attributes: { m: { type: integer32, user_info: { NSTriggerKey: "cs.on == YES" } } }
          relationships: { a: { to_one: A, inverse: bs }, cs: { to_many: C, inverse: b } }
        C:
          attributes: { on: boolean }
          relationships: { b: { to_one: B, inverse: cs } }
      """
    let file = try StoreFile.create(path: path, model: try model(text))
    try file.connection.execute(
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 1), (2, 2, 1, 1);"
        + "INSERT INTO ZC (Z_PK, Z_ENT, Z_OPT, ZB, ZON) VALUES (1, 3, 1, 1, 1), (2, 3, 1, 1, 1), (3, 3, 1, 2, 0)")
    try file.finish()
    let app = try application()
    #expect(try app.text("SELECT (SELECT group_concat(ZM) FROM ZB) || '/' || ZN FROM ZA") == "2,0/1")
    try app.close()
  }

  @Test("the time of a save is kept by triggers in Core Data's wording, and its functions of texts are there")
  func times() throws {
    let text = """
      model: Times
      entities:
        Item:
          attributes: { name: string, update: { type: date, derived: "now()" } }
        Base: { attributes: { name: string } }
        Special: { parent: Base, attributes: { at: { type: date, derived: "now()" } } }
      """
    let model = try model(text)
    try StoreFile.create(path: path, model: model).finish()
    // Published with a log of Core Data's statements, which say IF NOT EXISTS.
    let update = """
      CREATE TRIGGER Z_DA_ZITEM_Item_update_UPDATE AFTER UPDATE OF Z_OPT ON ZITEM FOR EACH ROW BEGIN UPDATE ZITEM SET \
      ZUPDATE = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', \
      Z_ENT, Z_PK, 'update', ZUPDATE) FROM ZITEM WHERE Z_PK = NEW.Z_PK; END
      """
    #expect(try statements("trigger").count == 4)
    #expect(try statements("trigger").contains(update))
    // Rows of other entities have no such value.
    #expect(try statements("trigger", "%Special%").allSatisfy { $0.contains("Z_PK = NEW.Z_PK AND Z_ENT IN (2)") })
    let app = try application()
    try app.execute(
      "CREATE TRIGGER Z_DA_OWN AFTER INSERT ON ZITEM BEGIN UPDATE ZITEM SET ZNAME = NSCoreDataCanonical(NEW.ZNAME) || "
        + "NSCoreDataToUpper(NEW.ZNAME) || NSCoreDataToLower(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK; END")
    try app.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'Éa'), (2, 3, 1, NULL)")
    #expect(try app.text("SELECT ZNAME FROM ZITEM") == "eaÉAéa")
    #expect(try app.integer("SELECT count(*) FROM ZITEM WHERE ZUPDATE > 700000000") == 2)
    try app.execute("UPDATE ZITEM SET ZUPDATE = 0; UPDATE ZITEM SET Z_OPT = 2 WHERE Z_PK = 1")
    #expect(try app.integer("SELECT count(*) FROM ZITEM WHERE ZUPDATE > 700000000") == 1)
    try app.close()
  }

  @Test(
    "statements of Photos are made word by word", .enabled(if: Locations.shared != nil),
    arguments: [("Test-Empty-Library-Ventura-13-5", 21, 0), ("Test-RAW-10.15.1", 59, 1)])
  func photos(name: String, count: Int, oldWordings: Int) throws {
    for suffix in ["", "-wal"] {
      let bytes = try FileContents.read(Locations.shared("coredata-more/photos/\(name).sqlite\(suffix)"))
      try folder.write(Array(bytes), to: "store.sqlite" + suffix)
    }
    let model = try StoreModel.find(path: path).model
    let schema = StoreSchema(model: model)
    // All of them, in the same order.
    #expect(try statements("trigger") == schema.triggers.map(\.sql))
    #expect(schema.triggers.count == count)
    #expect(Set(try statements("table", "Z_RT%_boundedByRect")) == Set(schema.spatialIndexes.map(\.createStatement)))
    let indexes = Set(try statements("index", "Z%"))
    // Nothing beyond them: the root of the assets says that its table has no index of entity numbers, a fetch index of one
    // relationship is none, and the copy of the model has no indexes of the attributes' own names.
    let beyond = schema.indexes.filter {
      !indexes.contains($0.sql) && !indexes.contains($0.sql.replacing("WHERE ", with: "WHERE  "))
    }
    #expect(beyond.map(\.sql) == [])
    let special = schema.indexes.filter { !$0.isPlain || $0.columns.contains("Z_ENT") && $0.origin == .fetchIndex }
    #expect(special.count > 0)
    // Up to framework 973 a partial index had two spaces.
    #expect(special.filter { !indexes.contains($0.sql) }.count == oldWordings)
    #expect(
      special.filter { !indexes.contains($0.sql.replacing("WHERE ", with: "WHERE  ")) && !indexes.contains($0.sql) }
        .map(\.sql) == [])
  }
}
