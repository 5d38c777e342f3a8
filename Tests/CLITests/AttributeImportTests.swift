import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Imports of derived attributes and large values")
struct AttributeImportTests {
  private let folder = TemporaryFolder()

  private func prepare() throws {
    try folder.write(
      """
      model: Album
      entities:
        Album:
          attributes:
            title: string!
            plain: { type: string, derived: "canonical:(title)" }
            size: { type: integer64, derived: "photos.@count" }
            at: { type: date, derived: "now()" }
          relationships: { photos: { to_many: Photo, inverse: album } }
          unique: [title]
        Photo:
          attributes:
            name: string!
            albumTitle: { type: string, derived: album.title }
            image: { type: binary, external_storage: true }
          relationships: { album: { to_one: Album, inverse: photos } }
          unique: [name]
      """, to: "m.yaml")
    try folder.write(
      """
      model: m.yaml
      store: photos.sqlite
      source: { files: photos.csv }
      import:
        entity: Photo
        find_by: [name]
        attributes: { name: name, image: image }
        relationships: { album: { find_by: { title: album } } }
      """, to: "p.yaml")
    try photos([("a", "É", 200_000, 1), ("b", "É", 10, 2), ("c", "Z", 150_000, 3)])
  }

  private func photos(_ rows: [(name: String, album: String, count: Int, seed: UInt8)]) throws {
    let lines = rows.map { row in
      "\(row.name),\(row.album),\(Self.image(row.count, row.seed).base64EncodedString())"
    }
    try folder.write((["name,album,image"] + lines).joined(separator: "\n") + "\n", to: "photos.csv")
  }

  private static func image(_ count: Int, _ seed: UInt8) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(seed)) })
  }

  private func rows(_ sql: String, _ store: String = "photos.sqlite") throws -> [String] {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "null" : statement.text($0) }.joined(separator: "|"))
    }
    return rows
  }

  private func files(_ store: String = "photos") -> [String] {
    let path = folder.file(".\(store)_SUPPORT/_EXTERNAL_DATA")
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  @Test("AP6, AP2: a new store gets its derived values and its files at the end; an existing one with each batch")
  func import_() throws {
    try prepare()
    let first = try Command(["run", "p.yaml"], in: folder.path)
    #expect(first.status == 0, "\(first.words)")
    #expect(first.words.contains("Album.at: ") && !first.words.contains("Album.plain"), "\(first.words)")
    let albums = "SELECT ZTITLE, ZPLAIN, ZSIZE, ZAT IS NULL FROM ZALBUM ORDER BY ZTITLE"
    #expect(Set(try rows(albums)) == ["Z|z|1|1", "É|e|2|1"])
    #expect(try rows("SELECT ZNAME, ZALBUMTITLE FROM ZPHOTO ORDER BY ZNAME") == ["a|É", "b|É", "c|Z"])
    let made = files()
    #expect(made.count == 2)
    let cells = try rows("SELECT substr(CAST(ZIMAGE AS TEXT), 2, 36) FROM ZPHOTO WHERE length(ZIMAGE) = 38")
    #expect(Set(cells) == Set(made))
    let bytes = Set(
      made.map { FileManager.default.contents(atPath: folder.file(".photos_SUPPORT/_EXTERNAL_DATA/\($0)")) })
    #expect(bytes == [Self.image(200_000, 1), Self.image(150_000, 3)])

    try photos([("a", "Z", 200_000, 9), ("c", "Z", 5, 3), ("d", "New", 120_000, 4)])
    let second = try Command(["run", "p.yaml"], in: folder.path)
    #expect(second.status == 0, "\(second.words)")
    #expect(Set(try rows(albums)) == ["Z|z|2|1", "É|e|1|1", "New|new|1|0"])
    #expect(
      try rows("SELECT ZNAME, ZALBUMTITLE FROM ZPHOTO ORDER BY ZNAME") == ["a|Z", "b|É", "c|Z", "d|New"])
    #expect(files().count == 2 && Set(files()).isDisjoint(with: made))
    let verify = try Command(["store", "verify", "photos.sqlite"], in: folder.path)
    #expect(verify.status == 0, "\(verify.words)")
  }

  @Test("AP6: an import gives the same values whether triggers keep them, run beside it, or are missing")
  func triggers() throws {
    try prepare()
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let statements = try rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    #expect(statements.contains { $0.contains("Album_size_") } && statements.contains { $0.contains("Album_plain_") })
    for name in ["none", "more"] {
      try FileManager.default.copyItem(
        atPath: folder.file("photos.sqlite"), toPath: folder.file("\(name).sqlite"))
    }
    let none = try Connection(path: folder.file("none.sqlite"), mode: .readWrite)
    for name in try rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try none.execute("DROP TRIGGER \(name)")
    }
    try none.close()
    // One of the app's own, which still runs, and a count that Core Data would word in another way.
    let more = try Connection(path: folder.file("more.sqlite"), mode: .readWrite)
    try more.execute(
      "CREATE TABLE ZLOG (A INTEGER); CREATE TRIGGER IF NOT EXISTS \"ZT MINE\" AFTER INSERT ON ZALBUM BEGIN INSERT INTO ZLOG"
        + " VALUES (NEW.Z_PK); END; CREATE TRIGGER Z_DA_ZPHOTO_Album_size_OTHER AFTER INSERT ON ZPHOTO BEGIN UPDATE ZALBUM"
        + " SET ZSIZE = ZSIZE + 100 WHERE Z_PK = NEW.ZALBUM; END")
    try more.close()
    try photos([("a", "Z", 10, 9), ("c", "Z", 5, 3), ("d", "New", 12, 4), ("e", "New", 12, 4), ("f", "É", 12, 4)])
    let pipeline = try String(contentsOfFile: folder.file("p.yaml"), encoding: .utf8)
    let albums = "SELECT ZTITLE, ZPLAIN, ZSIZE, Z_OPT FROM ZALBUM ORDER BY ZTITLE"
    let photos = "SELECT ZNAME, ZALBUMTITLE, ZALBUM, Z_OPT FROM ZPHOTO ORDER BY ZNAME"
    for store in ["photos", "none", "more"] {
      try folder.write(pipeline.replacing("photos.sqlite", with: "\(store).sqlite"), to: "\(store).yaml")
      let run = try Command(["run", "\(store).yaml", "--quiet"], in: folder.path)
      #expect(run.status == 0, "\(run.words)")
      #expect(try rows(albums, "\(store).sqlite") == rows(albums), "\(store)")
      #expect(try rows(photos, "\(store).sqlite") == rows(photos), "\(store)")
    }
    #expect(try rows("SELECT count(*) FROM ZLOG", "more.sqlite") == ["1"])
    #expect(Set(try rows("SELECT ZTITLE, ZPLAIN, ZSIZE FROM ZALBUM")) == ["Z|z|2", "É|e|2", "New|new|2"])
    #expect(try rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'") == statements)
  }

  @Test("AP2: a value that is in its file already is not written again")
  func sameAgain() throws {
    try prepare()
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let made = files()
    let photos = "SELECT Z_PK, Z_OPT, hex(ZIMAGE) FROM ZPHOTO ORDER BY Z_PK"
    let before = try rows(photos)
    for arguments in [["--dry-run"], [], ["--direct", "never"], ["--find", "seek"]] {
      let again = try Command(["run", "p.yaml", "--json", "--quiet"] + arguments, in: folder.path)
      let counts = try again.object()
      #expect(counts["updated"] as? Int == 0 && counts["unchanged"] as? Int == 3, "\(arguments): \(again.output)")
      #expect(try rows(photos) == before && files() == made, "\(arguments)")
    }
    // Another last byte, and one byte less.
    var image = Self.image(200_000, 1)
    image[199_999] ^= 1
    for value in [image, Self.image(149_999, 3)] {
      let name = value.count == 200_000 ? "a" : "c"
      try folder.write("name,album,image\n\(name),É,\(value.base64EncodedString())\n", to: "photos.csv")
      let changed = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
      #expect(try changed.object()["updated"] as? Int == 1, "\(name): \(changed.output)")
    }
    #expect(Set(files()).isDisjoint(with: made) && files().count == 2)
  }

  @Test("AP2: a run that is taken back leaves the files as they were")
  func rollback() throws {
    try prepare()
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let before = files()
    try photos([("a", "Z", 200_000, 9), ("d", "New", 120_000, 4)])
    let text = try String(contentsOfFile: folder.file("photos.csv"), encoding: .utf8)
    try folder.write(text + "e,New,not base64!\n", to: "photos.csv")
    try folder.write(
      try String(contentsOfFile: folder.file("p.yaml"), encoding: .utf8) + "\nrejects: { limit: 0 }\n", to: "p.yaml")
    let run = try Command(["run", "p.yaml"], in: folder.path)
    #expect(run.status != 0, "\(run.words)")
    #expect(files() == before)
    #expect(try rows("SELECT ZNAME FROM ZPHOTO ORDER BY ZNAME") == ["a", "b", "c"])
  }

  @Test("AP2, IM18: a seed brings its files, with the same names each time")
  func seed() throws {
    try prepare()
    let one = try Command(["seed", "p.yaml", "--store", "one.sqlite"], in: folder.path)
    #expect(one.status == 0, "\(one.words)")
    #expect(try Command(["seed", "p.yaml", "--store", "two.sqlite", "--quiet"], in: folder.path).status == 0)
    #expect(files("one").count == 2 && files("one") == files("two"))
    let contents = ["one", "two"].map { FileManager.default.contents(atPath: folder.file("\($0).sqlite")) }
    #expect(contents[0] == contents[1] && contents[0] != nil)
    let cells = try rows(
      "SELECT substr(CAST(ZIMAGE AS TEXT), 2, 36) FROM ZPHOTO WHERE length(ZIMAGE) = 38", "one.sqlite")
    #expect(Set(cells) == Set(files("one")))
    try photos([("x", "É", 130_000, 5)])
    let again = try Command(["seed", "p.yaml", "--store", "one.sqlite", "--force"], in: folder.path)
    #expect(again.status == 0, "\(again.words)")
    let former = files("one")
    #expect(former.count == 1 && Set(former).isDisjoint(with: files("two")))
    // A copy of the store has the same folder for its files: they stay, and are named.
    try FileManager.default.copyItem(atPath: folder.file("one.sqlite"), toPath: folder.file("one.db"))
    try photos([("y", "É", 130_000, 6)])
    let shared = try Command(["seed", "p.yaml", "--store", "one.sqlite", "--force"], in: folder.path)
    #expect(shared.status == 0 && shared.words.contains(former[0]), "\(shared.words)")
    #expect(files("one").count == 2 && Set(files("one")).isSuperset(of: former))
  }

  @Test("bytes without the tag of external storage are the value for fetch and export alike")
  func untagged() throws {
    try prepare()
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let connection = try Connection(path: folder.file("photos.sqlite"), mode: .readWrite)
    try connection.execute("UPDATE ZPHOTO SET ZIMAGE = X'0501' WHERE ZNAME = 'b'")
    try connection.close()
    let query = ["--entity", "Photo", "--predicate", "name == 'b'", "--columns", "image", "--format", "ndjson"]
    #expect(try Command(["fetch", "photos.sqlite"] + query, in: folder.path).output == "{\"image\":\"BQE=\"}\n")
    let verify = try Command(["store", "verify", "photos.sqlite"], in: folder.path)
    #expect(verify.status == 0)
    #expect(verify.output.contains("image does not begin with the tag"))
    let export = try Command(["export", "photos.sqlite", "--out", "out", "--quiet"], in: folder.path)
    #expect([export.output, export.words] == ["", ""])
    #expect(
      try Command(["run", "out/pipeline.yaml", "--store", "new.sqlite", "--quiet"], in: folder.path).status == 0)
    #expect(try rows("SELECT hex(ZIMAGE) FROM ZPHOTO WHERE ZNAME = 'b'", "new.sqlite") == ["010501"])
  }

  @Test("an entity with an R-tree and a counting trigger is imported into, and both are right once")
  func spatial() throws {
    try folder.write(
      """
      model: Places
      entities:
        Place:
          attributes:
            name: string!
            latitude: double!
            longitude: double!
            area: { type: undefined, transient: true, user_info: { _NSLocationAttributeDerivedComponents: "latitude, longitude" } }
          unique: [name]
        Count: { attributes: { number: integer64 } }
      """, to: "m.yaml")
    try folder.write(
      """
      model: m.yaml
      store: places.sqlite
      source: { files: places.csv }
      import: { entity: Place, find_by: [name], attributes: { name: name, latitude: lat, longitude: lon } }
      """, to: "p.yaml")
    try folder.write("name,lat,lon\na,1,2\n", to: "places.csv")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 0)
    let app = try Connection(path: folder.file("places.sqlite"), mode: .readWrite)
    try app.execute(
      "INSERT INTO ZCOUNT (Z_PK, Z_ENT, Z_OPT, ZNUMBER) VALUES (1, 1, 1, 0); UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 1;"
        + "CREATE TRIGGER ZT_COUNT AFTER INSERT ON ZPLACE BEGIN UPDATE ZCOUNT SET ZNUMBER = ZNUMBER + 1; END")
    try app.close()
    try folder.write("name,lat,lon\na,1,2\nb,3,4\nc,5,6\n", to: "places.csv")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 0)
    try folder.write("name,lat,lon\nb,7,8\n", to: "places.csv")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 0)
    #expect(
      try rows("SELECT Z_PK, ZLATITUDE_MIN, ZLONGITUDE_MAX FROM Z_RT_Place_area ORDER BY Z_PK", "places.sqlite")
        == rows("SELECT Z_PK, ZLATITUDE, ZLONGITUDE FROM ZPLACE ORDER BY Z_PK", "places.sqlite"))
    #expect(try rows("SELECT ZLATITUDE FROM ZPLACE WHERE ZNAME = 'b'", "places.sqlite") == ["7.0"])
    #expect(try rows("SELECT ZNUMBER FROM ZCOUNT", "places.sqlite") == ["2"])
    #expect(try rows("SELECT rtreecheck('Z_RT_Place_area')", "places.sqlite") == ["ok"])
  }
}
