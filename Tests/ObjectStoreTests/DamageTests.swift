import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Checks of damaged stores")
struct DamageTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  /// A statement that damages a sound store, and the codes that the check must report.
  struct Damage: Sendable, CustomTestStringConvertible {
    var sql: String
    var codes: Set<StoreFinding.Code>
    var testDescription: String { sql }

    init(_ sql: String, _ codes: StoreFinding.Code...) {
      self.sql = sql
      self.codes = Set(codes)
    }
  }

  static let damages: [Damage] = [
    Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Animal'", .maximum),
    Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Bird'", .entityNumbers),
    Damage("UPDATE Z_PRIMARYKEY SET Z_SUPER = 6 WHERE Z_NAME = 'Bird'", .entityNumbers, .rowEntity),
    Damage("UPDATE Z_PRIMARYKEY SET Z_ENT = 77 WHERE Z_NAME = 'Zoo'", .entityNumbers, .rowEntity, .missingTable),
    Damage("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Zebra' WHERE Z_NAME = 'Zoo'", .entityNumbers),
    Damage("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Warden'", .entityNumbers, .rowEntity),
    Damage("UPDATE ZANIMAL SET Z_ENT = 3 WHERE Z_PK = 1", .rowEntity),
    Damage("UPDATE ZANIMAL SET Z_ENT = NULL WHERE Z_PK = 1", .rowEntity),
    Damage("UPDATE ZANIMAL SET Z_OPT = 0 WHERE Z_PK = 1", .rowVersion),
    Damage("UPDATE ZANIMAL SET Z_OPT = NULL WHERE Z_PK = 2", .rowVersion),
    Damage("UPDATE ZANIMAL SET ZKEEPER = 9 WHERE Z_PK = 1", .danglingReference, .referenceEntity),
    Damage("UPDATE ZANIMAL SET Z4PATRONS = 9 WHERE Z_PK = 1", .danglingReference),
    Damage("UPDATE ZANIMAL SET Z4_KEEPER = 4 WHERE Z_PK = 1", .referenceEntity),
    Damage("UPDATE ZANIMAL SET ZKEEPER = NULL WHERE Z_PK = 1", .referenceEntity),
    Damage("UPDATE ZANIMAL SET Z_FOK_KEEPER = NULL WHERE Z_PK = 1", .orderKey),
    Damage("UPDATE ZPERSON SET ZPASS = NULL WHERE Z_PK = 2", .inverse),
    Damage("UPDATE ZPERSON SET ZPASS = 9 WHERE Z_PK = 2", .danglingReference, .inverse),
    Damage("INSERT INTO Z_4FRIENDS VALUES (1, 9)", .joinRow),
    Damage("INSERT INTO Z_4VISITS VALUES (9, 1, 2048)", .joinRow),
    Damage("UPDATE Z_4VISITS SET Z_FOK_6VISITS = NULL", .orderKey),
    Damage("UPDATE ZANIMAL SET ZBORN = '2020-01-01' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZSTATE = 'YES' WHERE Z_PK = 2", .valueType),
    Damage("UPDATE ZANIMAL SET ZNAME = X'00' WHERE Z_PK = 2", .valueType),
    Damage("UPDATE ZANIMAL SET ZTAG = X'00' WHERE Z_PK = 2", .valueType),
    Damage("UPDATE ZANIMAL SET ZLEGS = 40000 WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZSTATE = 2 WHERE Z_PK = 2", .valueType),
    Damage("UPDATE ZANIMAL SET ZPRICE = '1.5x' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZNAME = CAST(X'4CFF' AS TEXT) WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZSCAN = X'0501' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZSCAN = X'0241' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZNAME = NULL WHERE Z_PK = 1", .missingValue),
    Damage("UPDATE ZPASS SET ZOWNER = NULL, Z4_OWNER = NULL; UPDATE ZPERSON SET ZPASS = NULL", .missingValue),
    Damage("UPDATE ZANIMAL SET Z_OPT = 'one' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET Z_OPT = 1.5 WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET Z_ENT = 'one' WHERE Z_PK = 1", .valueType, .rowEntity),
    Damage("UPDATE ZANIMAL SET Z_FOK_KEEPER = 'first' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET Z_FOK_KEEPER = 2048.5 WHERE Z_PK = 1", .valueType),
    Damage("UPDATE ZANIMAL SET ZKEEPER = 'Bob' WHERE Z_PK = 1", .valueType, .danglingReference, .referenceEntity),
    Damage("UPDATE ZANIMAL SET Z4_KEEPER = X'05' WHERE Z_PK = 1", .valueType, .referenceEntity),
    Damage("UPDATE ZANIMAL SET Z4PATRONS = 'Ann' WHERE Z_PK = 1", .valueType, .danglingReference),
    Damage("UPDATE ZANIMAL SET Z4_4PATRONS = 'Person' WHERE Z_PK = 1", .valueType),
    Damage("UPDATE Z_4VISITS SET Z_FOK_6VISITS = 'first'", .valueType),
    Damage("UPDATE Z_4FRIENDS SET REFLEXIVE = 'Bob' WHERE REFLEXIVE = 2", .valueType, .joinRow),
    Damage("UPDATE Z_PRIMARYKEY SET Z_SUPER = 'none' WHERE Z_NAME = 'Zoo'", .valueType),
    Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 'one' WHERE Z_NAME = 'Zoo'", .valueType, .maximum),
    Damage("INSERT INTO ZZOO VALUES (0, 6, 1, 'Graz')", .rowKey),
    Damage("INSERT INTO ZZOO VALUES (-3, 6, 1, 'Graz')", .rowKey),
    Damage("DROP INDEX Z_Animal_UNIQUE_name_born", .missingUniqueIndex),
    Damage("DROP TABLE ZZOO", .missingTable),
    Damage("DROP TABLE Z_4VISITS", .missingTable),
    Damage("ALTER TABLE ZPERSON DROP COLUMN ZNAME", .missingColumn),
    Damage("UPDATE Z_METADATA SET Z_UUID = 'none'", .uuid),
    Damage("DELETE FROM Z_METADATA", .metadata),
    Damage("UPDATE Z_METADATA SET Z_PLIST = X'00'", .metadata),
    Damage("DROP TABLE Z_METADATA", .metadata),
    Damage("CREATE TRIGGER app BEFORE UPDATE ON ZZOO BEGIN SELECT NSFooBar(NEW.ZCITY); END", .addition),
    Damage("CREATE TRIGGER app AFTER INSERT ON ZZOO BEGIN INSERT INTO gone VALUES (NEW.Z_PK); END", .addition),
    Damage("CREATE TRIGGER app AFTER DELETE ON ZZOO BEGIN SELECT OLD.ZCITY = '' COLLATE APPC; END", .addition),
    Damage("CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY)", .history),
    Damage("CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER, ZENTITYPK INTEGER)", .cloud),
  ]

  /// Every kind of relationship, with rows that are in order.
  private func makeStore() throws -> ManagedObjectModel {
    var draft = try Models.zoo().draft
    var pass = EntityDraft(name: "Pass")
    pass.relationships = [Models.toOne("owner", "Person", inverse: "pass")]
    pass.relationships[0].isOptional = false
    var scan = Models.attribute("scan", .binary)
    scan.allowsExternalBinaryDataStorage = true
    draft.entities.append(pass)
    for i in draft.entities.indices where draft.entities[i].name == "Animal" {
      draft.entities[i].attributes.append(scan)
    }
    for i in draft.entities.indices where draft.entities[i].name == "Person" {
      draft.entities[i].relationships.append(Models.toOne("pass", "Pass", inverse: "owner"))
    }
    let model = try ManagedObjectModel(draft)
    let file = try StoreFile.create(path: path, model: model)
    #expect(model.entities.map(\.name) == ["Animal", "Bird", "Pass", "Person", "Warden", "Zoo"])
    for statement in Self.rows { try file.connection.execute(statement) }
    try file.finish()
    return model
  }

  /// Removes both copies of the model.
  private func dropCopy() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    var metadata = try StoreMetadata.read(connection)
    metadata["MergewalkModel"] = nil
    try metadata.write(connection)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
  }

  static let rows = [
    "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPASS) VALUES (1, 4, 1, 'Ann', NULL), (2, 5, 3, 'Bob', 1)",
    "INSERT INTO ZPASS (Z_PK, Z_ENT, Z_OPT, ZOWNER, Z4_OWNER) VALUES (1, 3, 1, 2, 5)",
    "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN, ZKEEPER, Z4_KEEPER, Z_FOK_KEEPER, Z4PATRONS, Z4_4PATRONS)"
      + " VALUES (1, 1, 1, 'Leo', 1, 2, 5, 2048, 1, 4)",
    "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN, ZSTATE, ZTAG)"
      + " VALUES (2, 2, 1, 'Tweety', 1.5, 1, zeroblob(16))",
    "INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT, ZCITY) VALUES (1, 6, 1, 'Wien')",
    "INSERT INTO Z_4FRIENDS VALUES (1, 2), (2, 1)", "INSERT INTO Z_4VISITS VALUES (1, 1, 2048)",
  ]

  @Test("a sound store has no findings")
  func sound() throws {
    let model = try makeStore()
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.findings == [])
    #expect(report.checkedRows == 6)
    let own = try StoreVerifier.verify(path: path)
    #expect(own.findings == [])
    #expect(own.modelSource == .metadata)
    try dropCopy()
    let without = try StoreVerifier.verify(path: path)
    #expect(without.findings.map(\.code) == [.noModel])
    #expect(without.modelSource == .none)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["zoo.sqlite"])
  }

  @Test("each damage is found under its code", arguments: damages)
  func damaged(_ damage: Damage) throws {
    let model = try makeStore()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(damage.sql)
    try connection.close()
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(Set(report.findings.map(\.code)) == damage.codes)
  }

  @Test("a changed hash, digest or checksum is found")
  func hashes() throws {
    let model = try makeStore()
    let original = try StoreMetadata.read(path: path)
    let changes: [(String, PropertyList?, Set<StoreFinding.Code>)] = [
      (StoreMetadata.Key.digest, .string("x"), [.digest]),
      (StoreMetadata.Key.checksum, .string("x"), [.checksum]),
      (StoreMetadata.Key.digest, nil, []),
      (StoreMetadata.Key.frameworkVersion, nil, [.metadata]),
      (StoreMetadata.Key.storeType, .string("XML"), [.metadata]),
      (StoreMetadata.Key.identifiers, nil, [.metadata]),
      (
        StoreMetadata.Key.hashes, .dictionary([PropertyList.Entry("Zoo", .data(Array(repeating: 1, count: 32)))]),
        [.digest, .modelHashes, .entityNumbers]
      ),
      (StoreMetadata.Key.hashes, .dictionary([]), [.metadata, .digest, .modelHashes, .entityNumbers]),
    ]
    for (key, value, codes) in changes {
      var metadata = original
      metadata[key] = value
      let connection = try Connection(path: path, mode: .readWrite)
      try metadata.write(connection)
      try connection.close()
      let report = try StoreVerifier.verify(path: path, model: model)
      #expect(Set(report.findings.map(\.code)) == codes, "\(key)")
    }
  }

  @Test("overwritten pages are reported and never trap")
  func pages() throws {
    let model = try makeStore()
    let whole = try FileContents.read(path)
    let seed = Soak.seed(4102)
    var random = SeededGenerator(seed: seed)
    var unsound = 0
    for _ in 0..<60 {
      var bytes = whole
      for _ in 0..<400 {
        bytes[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      let report = try? StoreVerifier.verify(path: path, model: model)
      if report.map({ !$0.isSound }) ?? true { unsound += 1 }
      _ = try? StoreInfo.read(path: path)
    }
    #expect(unsound > 40, "seed \(seed)")
  }

  @Test("a log beside the store is mentioned and read")
  func log() throws {
    let model = try makeStore()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA locking_mode=EXCLUSIVE; INSERT INTO ZZOO VALUES (9, 6, 1, 'Graz')")
    connection.keepLogOnClose()
    try connection.close()
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(Set(report.findings.map(\.code)) == [.log, .maximum])
    #expect(report.checkedRows == 7)
    #expect(try StoreInfo.read(path: path).entities.last?.objects == 2)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["zoo.sqlite", "zoo.sqlite-wal"])
  }

  @Test("a copy of the model that cannot be read is mentioned")
  func modelCache() throws {
    _ = try makeStore()
    try dropCopy()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("INSERT INTO Z_MODELCACHE VALUES (X'010203')")
    try connection.close()
    #expect(try StoreVerifier.verify(path: path).findings.map(\.code) == [.modelCache, .noModel])
  }

  @Test("what is no store is refused")
  func noStore() throws {
    #expect(try #require(throws: StoreError.self) { try StoreVerifier.verify(path: path) }.code == .notFound)
    try folder.write("no database", to: "zoo.sqlite")
    #expect(try #require(throws: StoreError.self) { try StoreVerifier.verify(path: path) }.code == .notADatabase)
    #expect(try #require(throws: StoreError.self) { try StoreInfo.read(path: path) }.code == .notADatabase)
  }
}
