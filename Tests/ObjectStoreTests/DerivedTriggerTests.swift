import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Triggers of derived attributes")
struct DerivedTriggerTests {
  private let folder = TemporaryFolder()

  private static let text = """
    model: Albums
    entities:
      Album:
        attributes:
          title: string
          loud: { type: string, derived: "uppercase:(title)" }
          photoCount: { type: integer32, derived: photos.@count }
          total: { type: double, derived: photos.@sum.size }
          tagCount: { type: integer32, derived: tags.@count }
          tagWeight: { type: double, derived: tags.@sum.weight }
          childCount: { type: integer32, derived: children.@count }
          extraCount: { type: integer32, derived: extras.@count }
          loudPlain: { type: string, derived: "lowercase:(loud)" }
          grandTitle: { type: string, derived: parent.parent.title }
          nephews: { type: integer32, derived: parent.children.@count }
          largest: { type: integer32, derived: photos.@max.size }
          smallest: { type: double, derived: photos.@min.size }
          mean: { type: double, derived: photos.@avg.size }
          below: { type: double, derived: children.@sum.photoCount }
          belowBelow: { type: double, derived: children.@sum.below }
          mates: { type: integer32, derived: tags.albums.@count }
        relationships:
          photos: { to_many: Photo, inverse: album }
          tags: { to_many: Tag, inverse: albums }
          parent: { to_one: Album, inverse: children }
          children: { to_many: Album, inverse: parent }
          extras: { to_many: Photo }
      Special:
        parent: Album
        attributes:
          quiet: { type: string, derived: "lowercase:(title)" }
          specialCount: { type: integer32, derived: photos.@count }
          specialWeight: { type: double, derived: tags.@sum.weight }
          parentTitle: { type: string, derived: parent.title }
      Photo:
        attributes:
          name: string
          size: integer32
          twin: { type: string, derived: name }
          albumTitle: { type: string, derived: album.title }
          albumPlain: { type: string, derived: "canonical:(album.title)" }
          albumLoud: { type: string, derived: album.loud }
          twinLoud: { type: string, derived: "uppercase:(twin)" }
          above: { type: string, derived: "uppercase:(album.parent.title)" }
          siblings: { type: integer32, derived: album.photos.@count }
          siblingSize: { type: double, derived: album.photos.@sum.size }
        relationships: { album: { to_one: Album, inverse: photos } }
      Tag:
        attributes:
          weight: double
          albumCount: { type: integer32, derived: albums.@count }
          nearWeight: { type: double, derived: near.@sum.weight }
          photoCount: { type: integer32, derived: albums.photos.@count }
          photoSize: { type: double, derived: albums.photos.@sum.size }
          biggest: { type: integer32, derived: albums.photos.@max.size }
          nearAlbums: { type: double, derived: near.@sum.albumCount }
          further: { type: double, derived: near.near.@sum.weight }
        relationships:
          albums: { to_many: Album, inverse: tags }
          near: { to_many: Tag, inverse: nearBy }
          nearBy: { to_many: Tag, inverse: near }
    """

  private func model() throws -> ManagedObjectModel {
    try folder.write(Self.text, to: "m.yaml")
    return try ManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
  }

  /// What a store has in all its tables of objects and pairs, as one statement a row.
  private func rows(_ path: String, _ schema: StoreSchema, withDerived: Bool) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    defer { try? connection.close() }
    let derived = Set(
      schema.model.entities.flatMap(\.attributes).filter(\.isDerived).map { "Z" + $0.name.uppercased() })
    var result: [String] = []
    let tables = schema.tables.map { ($0.name, $0.columns.map(\.name)) }
    for (table, columns) in tables + schema.joinTables.map({ ($0.name, $0.keyColumns) }) {
      let all = columns.filter { withDerived || !derived.contains($0) }
      let list = all.joined(separator: ", ")
      let values = all.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
      let rows = try connection.prepare("SELECT \(values) FROM \(table) ORDER BY \(columns[0]), \(columns[1])")
      while try rows.step() { result.append("INSERT INTO \(table) (\(list)) VALUES (\(rows.text(0)))") }
    }
    return result
  }

  @Test("what triggers compute is what an import computes, after any statements", arguments: 0..<12)
  func random(seed: UInt64) throws {
    let model = try model()
    let path = folder.file("store.sqlite")
    try StoreFile.create(path: path, model: model).finish()
    let schema = StoreSchema(model: model)
    let (pairs, near) = (try #require(schema.joinTables.first), try #require(schema.joinTables.last))
    #expect(pairs.name != near.name)
    let app = try Connection(path: path, mode: .readWrite)
    try app.registerCoreDataFunctions()
    var random = SeededGenerator(seed: seed)
    var present: [String: [Int]] = ["ZALBUM": [], "ZPHOTO": [], "ZTAG": []]
    var last = 0
    func one(_ table: String) -> String {
      present[table].flatMap { $0.randomElement(using: &random) }.map(String.init) ?? "NULL"
    }
    func maybe(_ table: String) -> String { Int.random(in: 0..<4, using: &random) == 0 ? "NULL" : one(table) }
    func text() -> String { ["NULL", "'É'", "'abC'", "'ß x'", "''"].randomElement(using: &random) ?? "NULL" }
    func number() -> Int { Int.random(in: -3...9, using: &random) }
    func pair(_ join: JoinTable) -> [(String, String)] {
      let first = join.master.ownerColumn.hasSuffix("ALBUMS") ? "ZALBUM" : "ZTAG"
      let second = join.master.targetColumn.hasSuffix("ALBUMS") ? "ZALBUM" : "ZTAG"
      return [(join.master.ownerColumn, one(first)), (join.master.targetColumn, one(second))]
    }
    for step in 1...80 {
      last += 1
      let join = Bool.random(using: &random) ? pairs : near
      let ends = pair(join)
      let known = !ends.contains { $0.1 == "NULL" }
      let condition = ends.map { "\($0) = \($1)" }.joined(separator: " AND ")
      switch Int.random(in: 0..<15, using: &random) {
      case 0, 1:
        try app.execute(
          "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPARENT) VALUES (\(last), \(Int.random(in: 1...2, using: &random)), 1,"
            + " \(text()), \(maybe("ZALBUM")))")
        present["ZALBUM"]?.append(last)
      case 2, 3, 4:
        try app.execute(
          "INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSIZE, ZALBUM, Z1EXTRAS) VALUES (\(last), 3, 1, \(text()), \(number()),"
            + " \(maybe("ZALBUM")), \(maybe("ZALBUM")))")
        present["ZPHOTO"]?.append(last)
      case 5:
        try app.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZWEIGHT) VALUES (\(last), 4, 1, \(number()))")
        present["ZTAG"]?.append(last)
      case 6, 7:
        guard known else { continue }
        try app.execute(
          "INSERT OR IGNORE INTO \(join.name) (\(ends[0].0), \(ends[1].0)) VALUES (\(ends[0].1), \(ends[1].1))")
      case 8: if known { try app.execute("DELETE FROM \(join.name) WHERE \(condition)") }
      case 9:
        try app.execute(
          "UPDATE ZALBUM SET ZTITLE = \(text()), ZPARENT = \(maybe("ZALBUM")) WHERE Z_PK = \(one("ZALBUM"))")
      case 10:
        try app.execute(
          "UPDATE ZPHOTO SET ZSIZE = \(number()), ZNAME = \(text()), ZALBUM = \(maybe("ZALBUM")), Z1EXTRAS = \(maybe("ZALBUM"))"
            + " WHERE Z_PK % 3 = \(number() & 1)")
      case 11: try app.execute("UPDATE ZTAG SET ZWEIGHT = ZWEIGHT + 1 WHERE Z_PK >= \(one("ZTAG"))")
      case 12:
        let key = one("ZPHOTO")
        try app.execute("DELETE FROM ZPHOTO WHERE Z_PK = \(key)")
        present["ZPHOTO"]?.removeAll { "\($0)" == key }
      case 13:
        let key = one("ZTAG")
        for column in near.keyColumns { try app.execute("DELETE FROM \(near.name) WHERE \(column) = \(key)") }
        for column in pairs.keyColumns where !column.hasSuffix("ALBUMS") {
          try app.execute("DELETE FROM \(pairs.name) WHERE \(column) = \(key)")
        }
        try app.execute("DELETE FROM ZTAG WHERE Z_PK = \(key)")
        present["ZTAG"]?.removeAll { "\($0)" == key }
      default:
        let key = one("ZALBUM")
        for (table, column) in [("ZPHOTO", "ZALBUM"), ("ZPHOTO", "Z1EXTRAS"), ("ZALBUM", "ZPARENT")] {
          try app.execute("UPDATE \(table) SET \(column) = NULL WHERE \(column) = \(key)")
        }
        for column in pairs.keyColumns where column.hasSuffix("ALBUMS") {
          try app.execute("DELETE FROM \(pairs.name) WHERE \(column) = \(key)")
        }
        try app.execute("DELETE FROM ZALBUM WHERE Z_PK = \(key)")
        present["ZALBUM"]?.removeAll { "\($0)" == key }
      }
      guard step % 16 == 0 else { continue }
      // The same rows in a new store, whose values are computed when it is finished.
      let other = folder.file("other-\(step).sqlite")
      let file = try StoreFile.create(path: other, model: model)
      for row in try rows(path, schema, withDerived: false) { try file.connection.execute(row) }
      try file.finish()
      #expect(
        try rows(path, schema, withDerived: true) == rows(other, schema, withDerived: true),
        "seed \(seed), step \(step)")
    }
    try app.close()
  }

  @Test("counts are worded as published: over a column of the other table, over a table of pairs")
  func wording() throws {
    let statements = StoreSchema(model: try model()).triggers.map(\.sql)
    let one = "SET ZPHOTOCOUNT = (SELECT IFNULL(COUNT(ZALBUM), 0) FROM ZPHOTO WHERE ZALBUM = NEW.ZALBUM)"
    let many = "SET ZTAGCOUNT = (SELECT IFNULL(COUNT(Z_1ALBUMS), 0) FROM Z_1TAGS WHERE Z_1ALBUMS = NEW.Z_PK)"
    #expect(statements.contains { $0.contains(one) && $0.hasPrefix("CREATE TRIGGER Z_DA_ZPHOTO_Album_photoCount_") })
    #expect(statements.contains { $0.contains(many) && $0.hasPrefix("CREATE TRIGGER Z_DA_ZALBUM_Album_tagCount_") })
    #expect(
      statements.contains {
        $0.hasPrefix("CREATE TRIGGER Z_DA_Z_1TAGS_Album_tagCount_") && $0.contains("AFTER DELETE ON Z_1TAGS")
      })
  }
}
