import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkSystem
import MergewalkTestSupport
import Testing

@Suite("Objects of a prepared store, copied into another")
struct ObjectCopyTests {
  private let folder = TemporaryFolder()
  private var prepared: String { folder.file("prepared.sqlite") }
  private var store: String { folder.file("store.sqlite") }

  private func objects(_ path: String) throws -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: try StoreInfo.read(path: path).entities.filter { $0.objects > 0 }
        .map { ($0.name, $0.objects) })
  }

  // MARK: Random stores

  @Test(
    "IM16: copied into an empty store, the objects of a random store are all there, equal", arguments: Soak.seeds(30))
  func im16Empty(_ seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    var random = RandomStore(model, seed: seed, texts: RoundTripTests.texts)
    random.hasGaps = false
    try random.make(at: prepared)
    try StoreFile.create(path: store, model: model).finish()
    let result = try ObjectCopy(from: prepared, to: store).run()
    #expect(try StoreComparison.differences(prepared, store) == [], "seed \(seed)")
    #expect(try StoreVerifier.verify(path: store).isSound, "seed \(seed)")
    #expect(try result.entities.mapValues(\.inserted) == objects(prepared), "seed \(seed)")
  }

  @Test("IM16: copied beside other objects, they are the same without them", arguments: Soak.seeds(30, from: 1000))
  func im16Beside(_ seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    var random = RandomStore(model, seed: seed, texts: RoundTripTests.texts)
    random.hasGaps = false
    try random.make(at: prepared)
    var other = RandomStore(model, seed: seed &* 31, texts: RoundTripTests.texts)
    try other.make(at: store, objectsPerEntity: 5)
    let before = try objects(store)
    try FileManager.default.copyItem(atPath: store, toPath: folder.file("before.sqlite"))
    let result = try ObjectCopy(from: prepared, to: store).run()
    #expect(try objects(store) == before.merging(objects(prepared), uniquingKeysWith: +), "seed \(seed)")
    #expect(result.entities.values.allSatisfy { $0.found == 0 && $0.updated == 0 })
    #expect(try StoreVerifier.verify(path: store).isSound, "seed \(seed)")
    // Without the objects that were there, what is left is what was prepared; numbers apart, which a copy closes up.
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.execute("ATTACH '\(folder.file("before.sqlite"))' AS before")
    let schema = StoreSchema(model: model)
    for table in schema.tables {
      try connection.execute("DELETE FROM \(table.name) WHERE Z_PK IN (SELECT Z_PK FROM before.\(table.name))")
    }
    for join in schema.joinTables {
      let keys = join.keyColumns.joined(separator: ", ")
      try connection.execute("DELETE FROM \(join.name) WHERE (\(keys)) IN (SELECT \(keys) FROM before.\(join.name))")
    }
    try connection.close()
    try StoreFile.create(path: folder.file("rest.sqlite"), model: model).finish()
    _ = try ObjectCopy(from: store, to: folder.file("rest.sqlite")).run()
    #expect(try StoreComparison.differences(prepared, folder.file("rest.sqlite")) == [], "seed \(seed)")
  }

  // MARK: Objects that are there

  private static func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = true
    return attribute
  }

  private static func relationship(
    _ name: String, _ destination: String, inverse: String, toMany: Bool = false, ordered: Bool = false
  ) -> RelationshipDescription {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.isOptional = true
    relationship.inverseName = inverse
    relationship.inverseEntityName = destination
    relationship.isToMany = toMany
    relationship.isOrdered = ordered
    relationship.maxCount = toMany ? 0 : 1
    return relationship
  }

  /// List has ordered items and a cover; items have tags, both ordered.
  static func lists(_ change: (inout ModelDraft) -> Void = { _ in }) throws -> ManagedObjectModel {
    var draft = ModelDraft()
    var list = EntityDraft(name: "List")
    list.attributes = [attribute("name"), attribute("note")]
    list.uniquenessConstraints = [["name"]]
    list.relationships = [
      relationship("items", "Item", inverse: "list", toMany: true, ordered: true),
      relationship("cover", "Cover", inverse: "list"),
    ]
    var item = EntityDraft(name: "Item")
    item.attributes = [attribute("name")]
    item.relationships = [
      relationship("list", "List", inverse: "items"),
      relationship("tags", "Tag", inverse: "items", toMany: true, ordered: true),
    ]
    var tag = EntityDraft(name: "Tag")
    tag.attributes = [attribute("name")]
    tag.relationships = [relationship("items", "Item", inverse: "tags", toMany: true)]
    var cover = EntityDraft(name: "Cover")
    cover.attributes = [attribute("name")]
    cover.relationships = [relationship("list", "List", inverse: "cover")]
    draft.entities = [list, item, tag, cover]
    change(&draft)
    return try ManagedObjectModel(draft)
  }

  private func make(_ path: String, _ model: ManagedObjectModel, _ sql: String, marks: [String] = []) throws {
    let file = try StoreFile.create(path: path, model: model)
    try file.connection.execute(sql)
    for mark in marks { try file.markSeed(StoreSeed(identity: mark)) }
    try file.finish()
  }

  private func rows(_ sql: String, _ path: String? = nil) throws -> [String] {
    let connection = try Connection(path: path ?? store, mode: .readOnly)
    let select = try connection.prepare(sql)
    var result: [String] = []
    while try select.step() {
      result.append((0..<select.columnCount).map { select.isNull($0) ? "-" : select.text($0) }.joined(separator: " "))
    }
    return result
  }

  // Numbers of entities: Cover 1, Item 2, List 3, Tag 4.
  static let preparedRows = """
    INSERT INTO ZLIST (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNOTE) VALUES (1, 3, 1, 'fruit', 'new'), (2, 3, 1, 'tools', 'new');
    INSERT INTO ZCOVER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLIST) VALUES (7, 1, 1, 'red', 1);
    UPDATE ZLIST SET ZCOVER = 7 WHERE Z_PK = 1;
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLIST, Z_FOK_LIST) VALUES
      (1, 2, 1, 'apple', 1, 2048), (5, 2, 1, 'pear', 1, 3072), (6, 2, 1, 'hammer', 2, 2048);
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 'sweet'), (2, 4, 1, 'green');
    INSERT INTO Z_2TAGS (Z_2ITEMS, Z_4TAGS, Z_FOK_4TAGS) VALUES (1, 2, 2048), (1, 1, 3072), (5, 1, 2048);
    """
  static let storeRows = """
    INSERT INTO ZLIST (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNOTE) VALUES (4, 3, 2, 'fruit', 'mine');
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLIST, Z_FOK_LIST) VALUES (9, 2, 1, 'fig', 4, 9000);
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (3, 4, 1, 'sweet');
    INSERT INTO Z_2TAGS (Z_2ITEMS, Z_4TAGS, Z_FOK_4TAGS) VALUES (9, 3, 2048);
    """

  /// The items of the lists in order, and their tags in order.
  private func contents() throws -> [String] {
    try rows(
      "SELECT l.ZNAME, i.ZNAME, (SELECT group_concat(n, '+') FROM (SELECT t.ZNAME n FROM Z_2TAGS j JOIN ZTAG t"
        + " ON t.Z_PK = j.Z_4TAGS WHERE j.Z_2ITEMS = i.Z_PK ORDER BY j.Z_FOK_4TAGS))"
        + " FROM ZITEM i JOIN ZLIST l ON l.Z_PK = i.ZLIST ORDER BY l.ZNAME, i.Z_FOK_LIST")
  }

  @Test("IM16: objects that are found are not copied, stay as they are, and get the new ones at the end of their lists")
  func im16Found() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, Self.storeRows)
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = ["List": ["name"], "Tag": ["name"]]
    let result = try copy.run()
    #expect(result.entities["List"]?.inserted == 1)
    #expect(result.entities["List"]?.found == 1)
    #expect(result.entities["Tag"]?.found == 1)
    #expect(result.entities["Item"]?.inserted == 3)
    #expect(
      try contents() == ["fruit fig sweet", "fruit apple green+sweet", "fruit pear sweet", "tools hammer -"])
    #expect(
      try rows("SELECT Z_PK, Z_OPT, ZNAME, ZNOTE, ZCOVER FROM ZLIST ORDER BY 1") == [
        "4 3 fruit mine 1", "5 1 tools new -",
      ])
    #expect(try rows("SELECT Z_PK, ZNAME, ZLIST FROM ZCOVER") == ["1 red 4"])
    #expect(
      try rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1") == ["Cover 1", "Item 12", "List 5", "Tag 4"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("references to objects that are missing or do not refer back are counted, and not copied")
  func dangling() throws {
    let model = try Self.lists()
    let damage = """

      UPDATE ZITEM SET ZLIST = 9 WHERE Z_PK = 6;
      UPDATE ZLIST SET ZCOVER = NULL;
      DELETE FROM ZTAG WHERE Z_PK = 2;
      INSERT INTO Z_2TAGS (Z_2ITEMS, Z_4TAGS, Z_FOK_4TAGS) VALUES (8, 1, 2048);
      """
    try make(prepared, model, Self.preparedRows + damage)
    try StoreFile.create(path: store, model: model).finish()
    let result = try ObjectCopy(from: prepared, to: store).run()
    let counts = result.danglingReferences.map { "\($0.field) \($0.count)" }
    #expect(counts == ["Cover.list 1", "Item.list 1", "Item.tags 2"])
    #expect(try rows("SELECT ZLIST FROM ZCOVER") == ["-"])
    #expect(try rows("SELECT ZNAME, Z_FOK_LIST FROM ZITEM WHERE ZLIST IS NULL") == ["hammer -"])
    #expect(try rows("SELECT count(*) FROM Z_2TAGS") == ["2"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test(
    "IM16: objects that are none of their entities are refused, and the store stays as it is",
    arguments: [
      ("UPDATE ZITEM SET ZNAME = x'61' WHERE Z_PK = 6", "Item.name is stored as another type: 1 value"),
      ("UPDATE ZTAG SET ZNAME = CAST(x'61FF' AS TEXT) WHERE Z_PK = 1", "Tag.name is not UTF-8"),
      ("UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 6", "Item: 1 object of no entity that has objects"),
      ("UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 6", "Item: 1 object of no entity that has objects"),
    ])
  func im16Damaged(_ damage: String, _ reason: String) throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows + "\n" + damage)
    try make(store, model, Self.storeRows)
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let error = #expect(throws: StoreError.self) { try ObjectCopy(from: prepared, to: store).run() }
    #expect(error?.code == .damagedFile)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  @Test("IM16: an update gives found objects the prepared attributes, and writes only what differs")
  func im16Update() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, Self.storeRows)
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = ["List": ["name"], "Tag": ["name"]]
    copy.options.updates = true
    let result = try copy.run()
    #expect(result.entities["List"]?.updated == 1)
    #expect(result.entities["Tag"]?.updated == 0)
    #expect(try rows("SELECT ZNOTE FROM ZLIST WHERE Z_PK = 4") == ["new"])
    #expect(try rows("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 3") == ["1"])
  }

  @Test("IM16: an update keeps and counts mandatory values that an unsound prepared store lacks")
  func im16UpdateKeeps() throws {
    let model = try Self.lists { draft in
      var title = AttributeDescription(name: "title", type: .string)
      title.isOptional = false
      draft.entities[0].attributes.append(title)
    }
    try make(prepared, model, Self.preparedRows + "UPDATE ZLIST SET ZTITLE = 'Tools' WHERE ZNAME = 'tools';")
    try make(store, model, Self.storeRows + "UPDATE ZLIST SET ZTITLE = 'Fruit'")
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = ["List": ["name"], "Tag": ["name"]]
    copy.options.updates = true
    let result = try copy.run()
    #expect(result.keptValues.map { "\($0.field) \($0.count)" } == ["List.title 1"])
    // What may be missing is updated all the same.
    #expect(result.entities["List"]?.updated == 1)
    #expect(try rows("SELECT ZTITLE, ZNOTE FROM ZLIST WHERE Z_PK = 4") == ["Fruit new"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("IM16: a found object that has the other end of a one-to-one relationship keeps it")
  func im16OneToOne() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(
      store, model,
      Self.storeRows
        + "INSERT INTO ZCOVER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLIST) VALUES (2, 1, 1, 'blue', 4);"
        + "UPDATE ZLIST SET ZCOVER = 2 WHERE Z_PK = 4")
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = ["List": ["name"]]
    _ = try copy.run()
    #expect(try rows("SELECT ZCOVER FROM ZLIST WHERE Z_PK = 4") == ["2"])
    #expect(try rows("SELECT Z_PK, ZNAME, ZLIST FROM ZCOVER ORDER BY 1") == ["2 blue 4", "3 red -"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("IM16: a found object that refers to nothing joins the new list that the prepared one is in")
  func im16Joins() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(
      store, model,
      Self.storeRows
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'hammer');"
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLIST, Z_FOK_LIST) VALUES (2, 2, 1, 'apple', 4, 100)")
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = ["List": ["name"], "Item": ["name"]]
    _ = try copy.run()
    #expect(
      try contents() == ["fruit apple green+sweet", "fruit fig sweet", "fruit pear sweet", "tools hammer -"])
    #expect(try rows("SELECT Z_OPT FROM ZITEM ORDER BY Z_PK") == ["2", "1", "1", "1"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("IM16: references name the entity of what they refer to, where the store's model lets others inherit from it")
  func im16NewSubentity() throws {
    try make(prepared, try Self.lists(), Self.preparedRows)
    let larger = try Self.lists { draft in
      var check = EntityDraft(name: "Checklist")
      check.parentName = "List"
      draft.entities.append(check)
    }
    try make(store, larger, "")
    _ = try ObjectCopy(from: prepared, to: store).run()
    #expect(try rows("SELECT DISTINCT Z3_LIST FROM ZITEM") == ["3"])
    #expect(try rows("SELECT Z3_LIST FROM ZCOVER") == ["3"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("IM16: an object that may not be there twice is refused, and the store's bytes stay as they were")
  func im16Refused() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, Self.storeRows)
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let error = #expect(throws: StoreError.self) { _ = try ObjectCopy(from: prepared, to: store).run() }
    #expect(error?.cause?.kind.isConstraint == true)
    #expect(error?.message.contains("which such objects are found") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["prepared.sqlite", "store.sqlite"])
  }

  @Test("rows and pairs that a trigger of the store leaves out are refused", arguments: ["ZTAG", "Z_2TAGS"])
  func leftOut(table: String) throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, "CREATE TRIGGER app BEFORE INSERT ON \(table) BEGIN SELECT RAISE(IGNORE); END")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let error = #expect(throws: StoreError.self) { _ = try ObjectCopy(from: prepared, to: store).run() }
    #expect(error?.message.contains("rows of \(table) were left out by a trigger") == true, "\(error?.message ?? "")")
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  // MARK: Marks that the store has already

  /// What the copy is refused for, and the store is unchanged then; `nil` when it is not refused.
  private func refusal(_ findBy: [String: [String]]) throws -> String? {
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = findBy
    do {
      _ = try copy.run()
      return nil
    } catch {
      #expect(error.code == .alreadyExists, "\(error)")
      #expect(error.message.contains("contains airports, which the store already has"), "\(error)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
      return error.message.split(separator: "(").dropFirst().first.map { String($0.prefix { $0 != ")" }) }
    }
  }

  @Test("IM19: beside a mark that the store has, each entity of which it has objects needs attributes to find them by")
  func im19EachEntity() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows, marks: ["airports", "more"])
    try make(store, model, Self.storeRows, marks: ["airports"])
    #expect(try refusal([:]) == "Item, List, Tag")
    // What finds objects of one entity says nothing of the others.
    #expect(try refusal(["Cover": ["name"]]) == "Item, List, Tag")
    #expect(try refusal(["List": ["name"], "Cover": ["name"]]) == "Item, Tag")
    // The store has no cover, so none comes twice.
    #expect(try refusal(["List": ["name"], "Item": ["name"], "Tag": ["name"]]) == nil)
    #expect(try objects(store) == ["Cover": 1, "Item": 4, "List": 2, "Tag": 2])
    #expect(try StoreMetadata.read(path: store).seeds.map(\.identity) == ["airports", "more"])
  }

  @Test("IM19: attributes to find objects by are inherited, and those of a subentity are its own")
  func im19Inherited() throws {
    let model = try Self.lists { draft in
      var check = EntityDraft(name: "Checklist")
      check.parentName = "List"
      draft.entities.append(check)
    }
    let rows = "INSERT INTO ZLIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'fruit'), (2, 4, 1, 'tools')"
    try make(prepared, model, rows, marks: ["airports", "more"])
    try make(store, model, rows, marks: ["airports"])
    #expect(try refusal(["Checklist": ["name"]]) == "List")
    #expect(try refusal(["List": ["name"]]) == nil)
    #expect(try objects(store) == ["Checklist": 1, "List": 1])
  }

  @Test("IM19: objects without a value to find them by are refused where the store has such objects, too")
  func im19NoValue() throws {
    let model = try Self.lists()
    let rows = "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 'sweet'), (2, 4, 1, NULL)"
    try make(prepared, model, rows, marks: ["airports", "more"])
    try make(store, model, rows, marks: ["airports"])
    #expect(try refusal(["Tag": ["name"]]) == "1 object of Tag without name")
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.execute("DELETE FROM ZTAG WHERE ZNAME IS NULL")
    try connection.close()
    #expect(try refusal(["Tag": ["name"]]) == nil)
    #expect(try objects(store) == ["Tag": 2])
  }

  // MARK: Models

  @Test("IM16: a model that has more takes the objects, with the defaults of what they lack")
  func im16LargerModel() throws {
    try make(prepared, try Self.lists(), Self.preparedRows)
    let larger = try Self.lists { draft in
      // Entities before the others shift their numbers.
      draft.entities.insert(EntityDraft(name: "Album"), at: 0)
      var size = AttributeDescription(name: "size", type: .integer32)
      size.defaultValue = .integer(7)
      size.defaultValueText = "7"
      draft.entities[1].attributes.append(size)
    }
    try make(store, larger, "")
    _ = try ObjectCopy(from: prepared, to: store).run()
    #expect(try rows("SELECT Z_PK, Z_ENT, ZSIZE, ZNAME FROM ZLIST ORDER BY 1") == ["1 4 7 fruit", "2 4 7 tools"])
    #expect(try rows("SELECT count(*) FROM Z_3TAGS") == ["3"])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("IM16: everything that has no place in the store is said at once")
  func im16SmallerModel() throws {
    try make(prepared, try Self.lists(), Self.preparedRows)
    let other = try Self.lists { draft in
      draft.entities.removeAll { $0.name == "Cover" }
      draft.entities[0].relationships.removeAll { $0.name == "cover" }
      draft.entities[0].attributes[1].type = .integer16
      draft.entities[1].attributes.removeAll()
      draft.entities[2].attributes[0].isOptional = false
      draft.entities[2].attributes.append(AttributeDescription(name: "rank", type: .integer16))
    }
    try make(store, other, "")
    let error = #expect(throws: StoreError.self) {
      var copy = ObjectCopy(from: prepared, to: store)
      copy.options.findBy = ["Nothing": ["x"], "Tag": ["weight"]]
      _ = try copy.run()
    }
    #expect(error?.code == .incompatibleModel)
    #expect(
      error?.message == "the prepared objects do not fit the store: "
        + [
          "the prepared store has no entity Nothing, whose objects are to be found",
          "Tag has no stored attribute weight, by which objects are to be found",
          "the store has no entity Cover", "Item.name is not a stored attribute of the store",
          "List.note is Integer 16 in the store, not String", "List.cover is not a stored relationship of the store",
          "Tag.name is mandatory in the store",
          "Tag.rank is mandatory in the store, without a default, and no prepared object has it",
        ].joined(separator: "; "))
  }

  // MARK: External data and logs

  @Test("IM16: files of external data come along with the objects, and with the file")
  func im16External() throws {
    let name = "0A0B0C0D-0000-4000-8000-00000000000F"
    let model = try Self.lists { draft in
      var scan = Self.attribute("scan", .binary)
      scan.allowsExternalBinaryDataStorage = true
      draft.entities[3].attributes.append(scan)
    }
    let cell = "x'02" + name.utf8.map { String($0, radix: 16) }.joined() + "00'"
    try make(prepared, model, "INSERT INTO ZCOVER (Z_PK, Z_ENT, Z_OPT, ZSCAN) VALUES (1, 1, 1, \(cell))")
    try folder.write("many bytes", to: ".prepared_SUPPORT/_EXTERNAL_DATA/\(name)")
    try make(store, model, "")
    #expect(try ObjectCopy(from: prepared, to: store).run().externalFiles == 1)
    let copied = try StoreCopy.copy(prepared, to: folder.file("copy.sqlite"))
    #expect(copied.externalFiles == 1)
    for name in [".store_SUPPORT/_EXTERNAL_DATA/\(name)", ".copy_SUPPORT/_EXTERNAL_DATA/\(name)"] {
      #expect(try String(contentsOfFile: folder.file(name), encoding: .utf8) == "many bytes")
    }
    #expect(try rows("SELECT hex(ZSCAN) FROM ZCOVER") == rows("SELECT hex(ZSCAN) FROM ZCOVER", prepared))
  }

  @Test("IM16: what is in the log of a prepared store is copied too, by both ways")
  func im16Log() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, "")
    let writer = try Connection(path: prepared, mode: .readWrite)
    try writer.execute(
      "PRAGMA wal_autocheckpoint=0; INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (8, 4, 1, 'log')")
    #expect(try StoreInfo.read(path: prepared).logBytes > 0)
    let copied = try StoreCopy.copy(prepared, to: folder.file("copy.sqlite"))
    #expect(!copied.isByteEqual)
    _ = try ObjectCopy(from: prepared, to: store).run()
    for path in [store, folder.file("copy.sqlite")] {
      #expect(try rows("SELECT ZNAME FROM ZTAG ORDER BY 1", path) == ["green", "log", "sweet"])
    }
    #expect(try StoreComparison.differences(folder.file("copy.sqlite"), prepared) == [])
    try writer.close()
  }

  // MARK: Memory and time

  @Test("IM16: a copy of many objects stays within its page cache")
  func im16Memory() async throws {
    let model = try Self.lists()
    try make(
      prepared, model,
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME)"
        + " SELECT i, 2, 1, hex(randomblob(100)) FROM n")
    try make(store, model, "")
    // A process of its own, as others take memory at the same time.
    await #expect(processExitsWith: .success) { [prepared = prepared as String, store = store as String] in
      var copy = ObjectCopy(from: prepared, to: store)
      copy.options.cacheKiB = 1024
      let before = peakResidentBytes()
      _ = try copy.run()
      let taken = peakResidentBytes() - before
      // The code that is paged in counts, too.
      guard taken < 32 << 20 else {
        print("\(taken) bytes")
        exit(1)
      }
    }
    #expect(try StoreComparison.differences(prepared, store) == [])
  }

  @Test("IM16: a journal that a crash left beside a prepared store is played back first, as SQLite does")
  func im16Journal() throws {
    let model = try Self.lists()
    try make(prepared, model, Self.preparedRows)
    try make(store, model, "")
    try folder.write("a journal", to: "prepared.sqlite-journal")
    _ = try ObjectCopy(from: prepared, to: store).run()
    #expect(try rows("SELECT count(*) FROM ZLIST") == ["2"])
    #expect(!FileManager.default.fileExists(atPath: prepared + "-journal"))
    try folder.write("a journal", to: "prepared.sqlite-journal")
    try StoreCopy.copy(prepared, to: folder.file("copy.sqlite"))
    #expect(try StoreComparison.differences(prepared, folder.file("copy.sqlite")) == [])
    #expect(!FileManager.default.fileExists(atPath: prepared + "-journal"))
  }
}
