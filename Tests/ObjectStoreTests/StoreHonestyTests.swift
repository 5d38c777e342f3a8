import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Stores as Core Data leaves them, which are not quite as it makes them.
@Suite("Stores that Core Data went on with")
struct StoreHonestyTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.sqlite") }
  typealias M = Models

  private func make(_ entities: [EntityDraft], _ statements: [String] = []) throws -> ManagedObjectModel {
    let model = try MigrationBench.model(entities)
    let file = try StoreFile.create(path: path, model: model)
    for statement in statements { try file.connection.execute(statement) }
    try file.finish()
    return model
  }

  private func change(_ statements: String...) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for statement in statements { try connection.execute(statement) }
    try connection.close()
  }

  @Test("an entity whose row kept its earlier name is known by its number", arguments: [false, true])
  func renamed(withTable: Bool) throws {
    let model = try make(
      [EntityDraft("Fruit", [M.attribute("name", .string)]), EntityDraft("Vase")],
      ["INSERT INTO ZFRUIT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'fig')"])
    try change("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Apple', Z_MAX = 1 WHERE Z_ENT = 1")
    if withTable { try change("ALTER TABLE ZFRUIT RENAME TO ZAPPLE") }
    let file = try StoreFile.open(path: path, model: model)
    #expect(file.schema.table(forRoot: RootIndex(0)).name == (withTable ? "ZAPPLE" : "ZFRUIT"))
    try file.finish()
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.isSound, "\(report.findings)")
    #expect(report.findings.contains { $0.code == .entityNumbers && $0.severity == .note })
    let info = try StoreInfo.read(path: path)
    #expect(info.entities.map(\.name) == ["Fruit", "Vase"])
    #expect(info.entities.map(\.objects) == [1, 0])
    #expect(info.entities.allSatisfy { $0.hash != nil })
  }

  @Test("a row of another entity's name is not taken for an entity that has none")
  func notRenamed() throws {
    let model = try make([EntityDraft("Fruit"), EntityDraft("Vase")])
    try change("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 1", "UPDATE Z_PRIMARYKEY SET Z_ENT = 1 WHERE Z_NAME = 'Vase'")
    #expect(throws: StoreError.self) { try StoreFile.open(path: path, model: model) }
    #expect(try !StoreVerifier.verify(path: path, model: model).isSound)
  }

  @Test("a far side that was never set is a note, one that leads elsewhere an error")
  func oneToOne() throws {
    let rows = [
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 1), (2, 1, 1, NULL)",
      "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, NULL)", "UPDATE Z_PRIMARYKEY SET Z_MAX = 2",
    ]
    let model = try make(
      [
        EntityDraft("A", [], [M.toOne("b", "B", inverse: "a")]),
        EntityDraft("B", [], [M.toOne("a", "A", inverse: "b")]),
      ],
      rows)
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.findings.map(\.code) == [.inverse])
    #expect(report.findings.map(\.severity) == [.note])
    try change("UPDATE ZB SET ZA = 2")
    let wrong = try StoreVerifier.verify(path: path, model: model)
    #expect(wrong.findings.filter { $0.severity == .error }.map(\.code) == [.inverse])
  }

  @Test("a dangling pair of a relationship with itself is a note, of another one an error")
  func joinRows() throws {
    let model = try make(
      [
        EntityDraft("A", [], [M.toMany("like", "A", inverse: "like"), M.toMany("bs", "B", inverse: "as")]),
        EntityDraft("B", [], [M.toMany("as", "A", inverse: "bs")]),
      ],
      [
        "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1",
        "INSERT INTO Z_1LIKE VALUES (1, 9)",
      ])
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.findings.map(\.code) == [.joinRow])
    #expect(report.isSound)
    try change("INSERT INTO Z_1BS VALUES (1, 9)")
    #expect(try !StoreVerifier.verify(path: path, model: model).isSound)
  }

  @Test("without a model nothing is called sound that was not looked at")
  func withoutModel() throws {
    let model = try make([EntityDraft("A")])
    var metadata = try StoreMetadata.read(path: path)
    metadata["MergewalkModel"] = nil
    let connection = try Connection(path: path, mode: .readWrite)
    try metadata.write(connection)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
    let report = try StoreVerifier.verify(path: path)
    #expect(report.isSound)
    #expect(!report.checksRelationships)
    #expect(try StoreVerifier.verify(path: path, model: model).checksRelationships)
  }

  @Test("metadata that say the same keep their bytes")
  func bytes() throws {
    _ = try make([EntityDraft("A")])
    // The same list as another writer would lay it out: every text twice, in another order of objects.
    let connection = try Connection(path: path, mode: .readWrite)
    let row = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try row.step())
    var plist = Array(row.bytes(0))
    row.reset()
    // An object that nobody refers to: other bytes, the same list.
    plist = try withSpareObject(plist)
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    update.bind(1, copying: plist)
    try update.run()
    let metadata = try StoreMetadata.read(connection)
    try metadata.write(connection)
    #expect(try connection.text("SELECT hex(Z_PLIST) FROM Z_METADATA") == hex(plist))
    var changed = metadata
    changed["app"] = .integer(1)
    try changed.write(connection)
    #expect(try connection.text("SELECT hex(Z_PLIST) FROM Z_METADATA") != hex(plist))
    #expect(try StoreMetadata.read(connection)["app"] == .integer(1))
    try connection.close()
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }.joined()
  }

  /// Inserts eight bytes that nothing refers to before the table of offsets.
  private func withSpareObject(_ plist: [UInt8]) throws -> [UInt8] {
    let table = plist.suffix(8).reduce(0) { $0 << 8 | Int($1) }
    var result = plist
    result.insert(contentsOf: [UInt8](repeating: 0x09, count: 8), at: table)
    let moved = table + 8
    for i in 0..<8 { result[result.count - 8 + i] = UInt8(truncatingIfNeeded: moved >> (8 * (7 - i))) }
    return result
  }

  @Test("a checksum is written for framework versions that have one, and kept where it is")
  func checksum() throws {
    let bench = try MigrationBench([EntityDraft("A")], [EntityDraft("A", [M.attribute("more", .date)])])
    let connection = try Connection(path: bench.path, mode: .readWrite)
    var metadata = try StoreMetadata.read(connection)
    #expect(metadata.checksum == nil)
    metadata[StoreMetadata.Key.frameworkVersion] = .integer(1333)
    try metadata.write(connection)
    try connection.close()
    try StoreMigrator.migrate(path: bench.path, to: bench.new)
    let after = try StoreMetadata.read(path: bench.path)
    #expect(after.checksum == bench.new.versionChecksum)
    #expect(after.digest == bench.new.versionHashesDigest)
  }
}
