import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Schema of an existing store")
struct SchemaAdoptionTests {
  private func page() throws -> StoreSchema {
    var draft = ModelDraft()
    var page = EntityDraft(name: "Page")
    page.attributes = [Models.attribute("title", .string)]
    page.relationships = [
      Models.toMany("links", "Page", inverse: "sources", ordered: true),
      Models.toMany("sources", "Page", inverse: "links"),
    ]
    draft.entities = [page]
    return StoreSchema(model: try ManagedObjectModel(draft))
  }

  private func database(_ statements: [String]) throws -> Connection {
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.execute(
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
    try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (1, 'Page', 0, 0)")
    for statement in statements { try connection.execute(statement) }
    return connection
  }

  private let pages = "CREATE TABLE ZPAGE (ZTITLE VARCHAR, Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)"

  @Test("a store that follows the rules is taken as it is")
  func sameNames() throws {
    let schema = try page()
    let connection = try database(schema.createTableStatements() + schema.createIndexStatements())
    let adapted = try schema.adapted(to: connection)
    #expect(adapted.joinTables == schema.joinTables)
    #expect(adapted.indexes == schema.indexes)
    #expect(adapted.warnings.isEmpty)
  }

  @Test("a join table named after the other end, with a suffix, is found")
  func otherEnd() throws {
    let connection = try database([
      pages, "CREATE TABLE Z_1LINKS (Z_1SOURCES2 INTEGER, Z_1LINKS INTEGER, Z_FOK_1LINKS INTEGER)",
    ])
    let join = try #require(try page().adapted(to: connection).joinTables.first)
    #expect(join.name == "Z_1LINKS")
    let slot = try #require(try page().model.entities[0].relationship(named: "links")?.slot)
    let links = try #require(join.side(entity: 0, slot: slot))
    #expect(links.ownerColumn == "Z_1SOURCES2")
    #expect(links.targetColumn == "Z_1LINKS")
    #expect(links.orderColumn == "Z_FOK_1LINKS")
  }

  @Test("missing tables and columns are named")
  func missing() throws {
    let none = try database([])
    #expect(throws: StoreError.self) { try page().adapted(to: none) }
    let noJoin = try database([pages])
    let joinError = try #require(throws: StoreError.self) { try page().adapted(to: noJoin) }
    #expect(joinError.code == .missingTable)
    let noColumn = try database(["CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)"])
    let columnError = try #require(throws: StoreError.self) { try page().adapted(to: noColumn) }
    #expect(columnError.code == .missingColumn)
    #expect(columnError.message.contains("ZTITLE"))
  }

  @Test("entity numbers come from the store")
  func numbers() throws {
    let schema = try page()
    let connection = try database([
      "UPDATE Z_PRIMARYKEY SET Z_ENT = 7", pages,
      "CREATE TABLE Z_7SOURCES (Z_7LINKS INTEGER, Z_7SOURCES INTEGER, Z_FOK_7LINKS INTEGER)",
    ])
    let adapted = try schema.adapted(to: connection)
    #expect(adapted.entityNumbers == [7])
    #expect(adapted.joinTables.map(\.name) == ["Z_7SOURCES"])
    try connection.execute("DELETE FROM Z_PRIMARYKEY")
    let error = try #require(throws: StoreError.self) { try schema.adapted(to: connection) }
    #expect(error.code == .damagedMetadata)
  }

  @Test("a number that two entities have is refused")
  func sameNumber() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "Leaf"), EntityDraft(name: "Page")]
    let schema = StoreSchema(model: try ManagedObjectModel(draft))
    let connection = try database(schema.createTableStatements())
    // As a tool leaves it that writes tables anew, without their keys.
    try connection.execute(
      "CREATE TABLE anew AS SELECT * FROM Z_PRIMARYKEY; INSERT INTO anew VALUES (1, 'Leaf', 0, 0);"
        + " DROP TABLE Z_PRIMARYKEY; ALTER TABLE anew RENAME TO Z_PRIMARYKEY")
    let error = try #require(throws: StoreError.self) { try schema.adapted(to: connection) }
    #expect(error.code == .damagedMetadata && error.message.contains("gives Leaf and Page the same number, 1"))
  }
}
