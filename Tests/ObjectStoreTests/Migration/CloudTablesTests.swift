import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// Stores mirrored to CloudKit: the statements of their tables are those that others have published.
@Suite("Stores mirrored to CloudKit")
struct CloudTablesTests {
  typealias M = Models

  private static let statements = [
    "CREATE TABLE ANSCKRECORDMETADATA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER,"
      + " ZENTITYPK INTEGER, ZNEEDSUPLOAD INTEGER, ZENCODEDRECORDASSET INTEGER, ZRECORDZONE INTEGER,"
      + " ZSYSTEMFIELDSASSET INTEGER, ZCKRECORDNAME VARCHAR )",
    "CREATE UNIQUE INDEX Z_NSCKRecordMetadata_UNIQUE_entityId_entityPK ON ANSCKRECORDMETADATA"
      + " (ZENTITYID COLLATE BINARY ASC, ZENTITYPK COLLATE BINARY ASC)",
    "CREATE TABLE ANSCKRECORDMETADATASYSTEMFIELDSASSET ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
    "CREATE TABLE ANSCKMIRROREDRELATIONSHIP ( Z_PK INTEGER PRIMARY KEY, ZCDENTITYNAME VARCHAR,"
      + " ZRELATIONSHIPNAME VARCHAR )",
    "INSERT INTO Z_PRIMARYKEY VALUES (17012, 'NSCKRecordMetadata', 0, 99)",
  ]

  /// Puts a row for each of two keys of each of these numbers into the tables, called `number/key`.
  private func mirror(_ path: String, _ numbers: [Int]) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for statement in Self.statements { try connection.execute(statement) }
    for number in numbers {
      for key in [1, 2] {
        let asset = number * 10 + key
        try connection.execute("INSERT INTO ANSCKRECORDMETADATASYSTEMFIELDSASSET VALUES (\(asset), 17013, 1)")
        try connection.execute(
          "INSERT INTO ANSCKRECORDMETADATA (Z_ENT, ZENTITYID, ZENTITYPK, ZSYSTEMFIELDSASSET, ZCKRECORDNAME)"
            + " VALUES (17012, \(number), \(key), \(asset), '\(number)/\(key)')")
      }
    }
    try connection.close()
  }

  private func rows(_ path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    let select = try connection.prepare(sql)
    var result: [String] = []
    while try select.step() { result.append(select.text(0)) }
    try connection.close()
    return result
  }

  @Test(
    "entity numbers move, exchange places and go; nothing becomes another entity's",
    arguments: [
      // Up by one; two entities go; a row about no entity would become D's.
      (["B", "C", "E", "F"], ["A", "B", "C", "D"], [(1, 2), (2, 3)]),
      // Down.
      (["A", "B", "C"], ["B", "C"], [(2, 1), (3, 2)]),
      // None moves, and the last one goes.
      (["A", "B"], ["A"], [(1, 1)]),
    ] as [([String], [String], [(Int, Int)])])
  func numbers(old: [String], new: [String], moves: [(Int, Int)]) throws {
    func drafts(_ names: [String]) -> [EntityDraft] { names.map { EntityDraft($0, [M.attribute("name", .string)]) } }
    let bench = try MigrationBench(drafts(old), drafts(new))
    try mirror(bench.path, Array(1...old.count) + [old.count + 1, 77])
    let notes = try StoreVerifier.verify(path: bench.path).findings.filter { $0.code == .cloud }
    #expect(notes.contains { $0.message.contains("4 rows of the tables for CloudKit are about entities") }, "\(notes)")
    _ = try bench.migrate()
    let expected = moves.flatMap { old, new in [1, 2].map { "\(old)/\($0) is \(new)/\($0)" } }.sorted()
    let found = try rows(
      bench.path, "SELECT ZCKRECORDNAME || ' is ' || ZENTITYID || '/' || ZENTITYPK FROM ANSCKRECORDMETADATA")
    #expect(found.sorted() == expected)
    let assets = "SELECT count(*) FROM ANSCKRECORDMETADATASYSTEMFIELDSASSET"
    #expect(try rows(bench.path, assets) == ["\(expected.count)"])
    #expect(try rows(bench.path, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 17012") == ["99"])
    #expect(try StoreVerifier.verify(path: bench.path).findings.filter { $0.code == .cloud }.count == 1)
  }

  @Test("entities that exchange their names exchange their numbers")
  func exchanged() throws {
    let old = [EntityDraft("A", [M.attribute("name", .string)]), EntityDraft("B", [M.attribute("size", .integer32)])]
    let new = [
      EntityDraft("A", was: "B", [M.attribute("size", .integer32)]),
      EntityDraft("B", was: "A", [M.attribute("name", .string)]),
    ]
    let bench = try MigrationBench(old, new)
    try mirror(bench.path, [1, 2])
    _ = try bench.migrate()
    let names = try rows(bench.path, "SELECT ZCKRECORDNAME FROM ANSCKRECORDMETADATA ORDER BY ZENTITYID, ZENTITYPK")
    #expect(names == ["2/1", "2/2", "1/1", "1/2"])
  }

  @Test("pairs of many-to-many relationships go with the relationship")
  func pairs() throws {
    func drafts(_ isKept: Bool) -> [EntityDraft] {
      [
        EntityDraft(
          "A", [M.attribute("name", .string)],
          [M.toMany("bs", "B", inverse: "as")] + (isKept ? [M.toMany("others", "B", inverse: "owners")] : [])),
        EntityDraft(
          "B", [M.attribute("name", .string)],
          [M.toMany("as", "A", inverse: "bs")] + (isKept ? [M.toMany("owners", "A", inverse: "others")] : [])),
      ]
    }
    let bench = try MigrationBench(drafts(true), drafts(false))
    try mirror(bench.path, [1, 2])
    let connection = try Connection(path: bench.path, mode: .readWrite)
    try connection.execute(
      "INSERT INTO ANSCKMIRROREDRELATIONSHIP (ZCDENTITYNAME, ZRELATIONSHIPNAME) VALUES ('A', 'bs'), ('A', 'others'),"
        + " ('B', 'as'), ('B', 'owners')")
    try connection.close()
    _ = try bench.migrate()
    let left = "SELECT ZCDENTITYNAME || '.' || ZRELATIONSHIPNAME FROM ANSCKMIRROREDRELATIONSHIP ORDER BY 1"
    #expect(try rows(bench.path, left) == ["A.bs", "B.as"])
  }
}
