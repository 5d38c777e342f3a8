import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Schema of a model")
struct SchemaTests {
  @Test("columns come in Core Data's groups, with entity, order and reverse columns")
  func columnGroups() throws {
    let schema = StoreSchema(model: try Models.zoo())
    #expect(
      schema.createTableStatements() == [
        "CREATE TABLE ZANIMAL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLEGS INTEGER, ZKEEPER INTEGER,"
          + " Z3_KEEPER INTEGER, Z3PATRONS INTEGER, Z3_3PATRONS INTEGER, ZSTATE INTEGER, Z_FOK_KEEPER INTEGER,"
          + " ZBORN TIMESTAMP, ZWEIGHT FLOAT, ZPRICE DECIMAL, ZNAME VARCHAR, ZSTATE1 VARCHAR, ZTAG BLOB, ZPHOTO BLOB )",
        "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE TABLE Z_3FRIENDS ( Z_3FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_3FRIENDS, REFLEXIVE) )",
        "CREATE TABLE Z_3VISITS ( Z_3VISITORS INTEGER, Z_5VISITS INTEGER, Z_FOK_5VISITS INTEGER,"
          + " PRIMARY KEY (Z_3VISITORS, Z_5VISITS) )",
        "CREATE TABLE ZZOO ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCITY VARCHAR )",
      ])
  }

  @Test("indexes have Core Data's names and wording")
  func indexes() throws {
    let schema = StoreSchema(model: try Models.zoo())
    #expect(
      schema.createIndexStatements() == [
        "CREATE INDEX ZANIMAL_ZKEEPER_INDEX ON ZANIMAL (ZKEEPER)",
        "CREATE INDEX ZANIMAL_Z3PATRONS_INDEX ON ZANIMAL (Z3PATRONS)",
        "CREATE INDEX ZANIMAL_Z_ENT_INDEX ON ZANIMAL (Z_ENT)",
        "CREATE INDEX Z_Animal_name ON ZANIMAL (ZNAME COLLATE BINARY ASC)",
        "CREATE INDEX Z_Animal_legs_born ON ZANIMAL (ZLEGS COLLATE BINARY ASC, ZBORN COLLATE BINARY ASC)",
        "CREATE INDEX Z_Animal_byName ON ZANIMAL (ZNAME COLLATE BINARY DESC)",
        "CREATE UNIQUE INDEX Z_Animal_UNIQUE_name_born ON ZANIMAL (ZNAME COLLATE BINARY ASC, ZBORN COLLATE BINARY ASC)",
        "CREATE INDEX ZPERSON_Z_ENT_INDEX ON ZPERSON (Z_ENT)",
        "CREATE INDEX Z_3FRIENDS_REFLEXIVE_INDEX ON Z_3FRIENDS (REFLEXIVE, Z_3FRIENDS)",
        "CREATE INDEX Z_3VISITS_Z_5VISITS_INDEX ON Z_3VISITS (Z_5VISITS, Z_3VISITORS)",
      ])
    #expect(schema.indexes.filter(\.isUnique).map(\.columns) == [["ZNAME", "ZBORN"]])
  }

  @Test("entity and order columns have suffixes of their own, whatever that of the relationship's column")
  func suffixes() throws {
    // As in the store of Apple's Reminders: ZREMINDER to ZREMINDER5, and Z_FOK_REMINDER1 beside ZREMINDER2.
    var thing = EntityDraft(name: "Thing")
    thing.relationships = [Models.toOne("Owner", "Party"), Models.toOne("owner", "Person")]
    var party = EntityDraft(name: "Party")
    var person = EntityDraft(name: "Person")
    person.parentName = "Party"
    var student = EntityDraft(name: "Student")
    student.parentName = "Person"
    var list = EntityDraft(name: "List")
    var parts: [EntityDraft] = []
    for (name, isOrdered) in [("Alarm", false), ("Image", true), ("Note", false), ("Web", true)] {
      var part = EntityDraft(name: name)
      part.parentName = "Thing"
      part.relationships = [Models.toOne("list", "List", inverse: "\(name.lowercased())s")]
      list.relationships.append(Models.toMany("\(name.lowercased())s", name, inverse: "list", ordered: isOrdered))
      parts.append(part)
    }
    party.attributes = [Models.attribute("name", .string)]
    var draft = ModelDraft()
    draft.entities = [thing, party, person, student, list] + parts
    let schema = StoreSchema(model: try ManagedObjectModel(draft))
    func index(_ name: String) throws -> Int { try #require(schema.model.entity(named: name)).index }
    let (one, other) = (schema.entityNumbers[try index("Party")], schema.entityNumbers[try index("Person")])
    #expect(
      schema.table(forRoot: RootIndex(try index("Thing"))).columns.dropFirst(3).map(\.name) == [
        "ZOWNER", "Z\(one)_OWNER", "ZOWNER1", "Z\(other)_OWNER", "ZLIST", "ZLIST1", "ZLIST2", "ZLIST3", "Z_FOK_LIST",
        "Z_FOK_LIST1",
      ])
  }

  @Test("of two indexes whose names differ in case only the first is made, and the schema says so")
  func sameIndexNames() throws {
    var entity = EntityDraft(name: "A")
    var number = Models.attribute("number", .integer16)
    number.isIndexed = true
    entity.attributes = [
      number, Models.attribute("email", .string), Models.attribute("Email", .string),
    ]
    func index(_ name: String, _ property: String) -> FetchIndexDescription {
      FetchIndexDescription(name: name, elements: [FetchIndexDescription.Element(propertyName: property)])
    }
    // `indexed` and a fetch index of the attribute's name are one, which is nothing to tell.
    entity.fetchIndexes = [
      index("number", "number"), index("byFirst", "email"), index("byfirst", "Email"), index("Åre", "number"),
      index("åre", "email"),
    ]
    entity.uniquenessConstraints = [["email"], ["Email"]]
    var draft = ModelDraft()
    draft.entities = [entity]
    let schema = StoreSchema(model: try ManagedObjectModel(draft))
    #expect(
      schema.indexes.map(\.name) == [
        "Z_A_number", "Z_A_email", "Z_A_byFirst", "Z_A_Åre", "Z_A_åre", "Z_A_UNIQUE_email",
      ])
    #expect(schema.warnings.map(\.code) == Array(repeating: .sameIndexName, count: 3))
    #expect(schema.warnings.map(\.property) == ["Email", "byfirst", "Email"])
    #expect(schema.warnings.last?.message.hasSuffix("the store does not refuse equal values") == true)
    let connection = try Connection(path: ":memory:", mode: .create)
    for sql in schema.createTableStatements() + schema.createIndexStatements() { try connection.execute(sql) }
  }

  @Test("SQLite accepts every statement of a schema")
  func statementsRun() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let schema = StoreSchema(model: try Models.zoo())
    for statement in schema.createTableStatements() + schema.createIndexStatements() + schema.bookkeepingStatements() {
      try connection.execute(statement)
    }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL") == 18)
  }

  @Test("columns are found by slot")
  func lookUps() throws {
    let model = try Models.zoo()
    let schema = StoreSchema(model: model)
    let animal = try #require(model.entity(named: "Animal"))
    let bird = try #require(model.entity(named: "Bird"))
    let table = schema.table(forRoot: animal.root)
    let keeper = try #require(animal.relationship(named: "keeper"))
    #expect(table.columnName(slot: keeper.slot) == "ZKEEPER")
    #expect(table.destinationEntityColumn(slot: keeper.slot) == "Z3_KEEPER")
    #expect(table.orderKeyColumn(slot: keeper.slot) == "Z_FOK_KEEPER")
    #expect(table.columnName(slot: try #require(bird.attribute(named: "State")).slot) == "ZSTATE1")
    #expect(table.columnName(slot: try #require(animal.attribute(named: "mood")).slot) == nil)
    let person = try #require(model.entity(named: "Person"))
    let visits = try #require(person.relationship(named: "visits"))
    let join = try #require(schema.joinTable(entity: person.index, slot: visits.slot))
    #expect(join.side(entity: person.index, slot: visits.slot)?.orderColumn == "Z_FOK_5VISITS")
    #expect(join.inverse.ownerColumn == "Z_5VISITS")
    #expect(join.inverse.targetColumn == "Z_3VISITORS")
  }

  @Test("a configuration numbers its own entities only")
  func configurations() throws {
    let model = try Models.zoo()
    let schema = try #require(StoreSchema(model: model, configuration: "Places"))
    #expect(schema.tables.map(\.name) == ["ZZOO"])
    #expect(schema.entityNumbers == [0, 0, 0, 0, 1])
    #expect(StoreSchema(model: model, configuration: "None") == nil)
  }
}
