import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A store with people, some of whom are employees, in companies.
struct PeopleStore {
  let folder = TemporaryFolder()
  let path: String
  let model: ManagedObjectModel

  static func model(withNickname: Bool = false) throws -> ManagedObjectModel {
    func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
      var attribute = AttributeDescription(name: name, type: type)
      attribute.isOptional = true
      attribute.allowsExternalBinaryDataStorage = name == "photo"
      return attribute
    }
    var company = EntityDraft(name: "Company")
    company.attributes = [attribute("name", .string)]
    company.relationships = [relationship("staff", "Person", "company", many: true)]
    var person = EntityDraft(name: "Person")
    person.attributes = [
      attribute("name", .string), attribute("born", .date), attribute("height", .double), attribute("wealth", .decimal),
      attribute("isNice", .boolean), attribute("token", .uuid), attribute("key", .binary), attribute("photo", .binary),
      attribute("home", .uri), attribute("_id", .integer32),
    ]
    if withNickname { person.attributes.append(attribute("nickname", .string)) }
    person.relationships = [relationship("company", "Company", "staff")]
    var employee = EntityDraft(name: "Employee")
    employee.parentName = "Person"
    employee.attributes = [attribute("salary", .integer64)]
    var draft = ModelDraft()
    draft.entities = [company, person, employee]
    return try ManagedObjectModel(draft)
  }

  init() throws {
    path = folder.file("people.store")
    model = try Self.model()
    try StoreFile.create(path: path, model: model).finish()
    let connection = try Connection(path: path, mode: .readWrite)
    let numbers = Dictionary(
      uniqueKeysWithValues: StoreSchema(model: model).entityNumbers.enumerated().map {
        (model.entities[$0.offset].name, $0.element)
      })
    func number(_ name: String) -> Int { numbers[name] ?? 0 }
    try connection.execute(
      """
      INSERT INTO ZCOMPANY (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, \(number("Company")), 1, 'Acme "Ltd"');
      INSERT INTO ZPERSON
        (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN, ZHEIGHT, ZWEALTH, ZISNICE, ZTOKEN, ZKEY, ZPHOTO, ZHOME, Z_ID, ZCOMPANY, ZSALARY)
      VALUES
        (1, \(number("Person")), 1, 'Ada', 86400.5, 1.7, 0.30000000000000004, 1, x'00112233445566778899aabbccddeeff',
          x'fe', x'01616263', 'https://example.com/a', 77, 1, NULL),
        (5, \(number("Employee")), 1, 'Ben', -1e12, 9e999, 12, 0, NULL, x'', NULL, NULL, NULL, NULL, 4000),
        (3, \(number("Employee")), 1, 'Cid', NULL, 'tall', 'much', 7, x'01', NULL, x'01', NULL, NULL, 1, -1)
      """)
    try connection.close()
  }

  func read(
    _ entity: String = "Person", columns: ColumnRequest = .all, limit: BatchLimit = BatchLimit(),
    _ change: (inout StoreSourceOptions) -> Void = { _ in }
  ) -> DatabaseReading {
    var options = StoreSourceOptions(entity: entity)
    change(&options)
    return DatabaseReading.of(.coreData(options), path, columns: columns, limit: limit)
  }
}

@Suite("Objects of stores")
struct StoreSourceTests {
  private let store: PeopleStore

  init() throws { store = try PeopleStore() }

  @Test("columns are the identity, attributes and to-one relationships, spelt as exports spell them")
  func allColumns() {
    let reading = store.read()
    #expect(
      reading.columns == [
        "_id", "_id:value", "born", "height", "home", "isNice", "key", "name", "photo", "token", "wealth", "company",
      ])
    #expect(
      reading.lines == [
        "1: #1|#77|«2001-01-02T00:00:00.5Z»|#1.7|«https://example.com/a»|?true|«/g==»|«Ada»|«YWJj»"
          + "|«00112233-4455-6677-8899-AABBCCDDEEFF»|#0.30000000000000004|#1",
        "2: #3|∅|∅|«tall»|∅|#7|∅|«Cid»|«»|«AQ==»|«much»|#1",
        "3: #5|∅|#-1000000000000.0|«Infinity»|∅|?false|«»|«Ben»|∅|∅|#12|∅",
      ])
    #expect(reading.failure == nil)
  }

  @Test("subentities come along unless they are left out, and have columns of their own")
  func subentities() {
    #expect(store.read("Employee", columns: .named(["name", "salary"])).lines == ["1: «Cid»|#-1", "2: «Ben»|#4000"])
    #expect(store.read(columns: .named(["name"])) { $0.includesSubentities = false }.lines == ["1: «Ada»"])
    #expect(
      store.read(columns: .named(["salary"])).failure
        == "“salary”: Person has no property salary; Employee, which inherits from it, has one: fetch Employee"
        + " [missingColumn]")
  }

  @Test("key paths lead over to-one relationships")
  func keyPaths() {
    #expect(
      store.read(columns: .named(["name", "company.name", "company"])).lines == [
        "1: «Ada»|«Acme \"Ltd\"»|#1", "2: «Cid»|«Acme \"Ltd\"»|#1", "3: «Ben»|∅|∅",
      ])
    #expect(store.read("Company", columns: .named(["name", "staff.@count"])).lines == ["1: «Acme \"Ltd\"»|#2"])
    #expect(
      store.read("Company", columns: .named(["SELF.name", "self.staff.@count"])).lines == ["1: «Acme \"Ltd\"»|#2"])
    #expect(
      store.read(columns: .named(["company.nam"])).failure
        == "“company.nam”: expected a property of Company, found “nam”; did you mean name? [missingColumn]")
    #expect(store.read(columns: .named(["nme"])).code == .missingColumn)
    #expect(store.read(columns: .named(["."])).code == .missingColumn)
    #expect(store.read("Company", columns: .named(["staff"])).code == .missingColumn)
    #expect(store.read("Company", columns: .named(["staff.name"])).code == .missingColumn)
  }

  @Test("predicates choose, dates and UUIDs stand in quotes")
  func predicates() {
    func names(_ predicate: String) -> [String] {
      store.read(columns: .named(["name"])) { $0.predicate = predicate }.lines
    }
    #expect(names("name BEGINSWITH[c] 'a'") == ["1: «Ada»"])
    #expect(names("born > '2001-01-01' AND company.name CONTAINS 'Ltd'") == ["1: «Ada»"])
    #expect(names("token == '00112233-4455-6677-8899-aabbccddeeff'") == ["1: «Ada»"])
    #expect(names("company == nil") == ["1: «Ben»"])
    #expect(names("name == 'nobody'") == [])
    func failure(_ predicate: String) -> String? {
      store.read(columns: .named(["name"])) { $0.predicate = predicate }.failure
    }
    #expect(failure("name = ")?.hasPrefix("“where” at 1:") == true)
    #expect(failure("name = ")?.hasSuffix("[invalidQuery]") == true)
    #expect(failure("nme == 'x'")?.contains("did you mean name?") == true)
    #expect(failure("born > 'yesterday'")?.contains("expected a date") == true)
    #expect(failure("name == %@")?.hasSuffix("[invalidQuery]") == true)
    #expect(failure("staff.name == 'x'")?.hasSuffix("[invalidQuery]") == true)
  }

  @Test("the order is that of the identities, or as asked for")
  func order() {
    func names(_ sort: String?) -> DatabaseReading { store.read(columns: .named(["name"])) { $0.sort = sort } }
    #expect(names(nil).lines == ["1: «Ada»", "2: «Cid»", "3: «Ben»"])
    #expect(names("name").lines == ["1: «Ada»", "2: «Ben»", "3: «Cid»"])
    #expect(names("-company.name,-name").lines == ["1: «Cid»", "2: «Ada»", "3: «Ben»"])
    #expect(names("-SELF.company.name,-self.name").lines == ["1: «Cid»", "2: «Ada»", "3: «Ben»"])
    #expect(names("-nme").failure?.hasPrefix("“sort” at 1:2: expected a property of Person") == true)
    #expect(names("company").code == .invalidQuery)
  }

  @Test("batches depend on the limit only")
  func limits() {
    let whole = store.read()
    for limit in [BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(bytes: 1)] {
      #expect(store.read(limit: limit) == whole)
    }
  }

  @Test("entities that are not there, and stores of another model, are named")
  func refusals() throws {
    #expect(
      store.read("Persn").failure == "the store has no entity “Persn”; did you mean “Person”? [unknownEntity]")
    let other = try PeopleStore.model(withNickname: true)
    #expect(
      store.read { $0.model = .given(other) }.failure
        == "the store was made with another version of the model: different in both: Employee, Person [unsuitableStore]"
    )
    let model = store.model
    #expect(store.read { $0.model = .given(model) }.lines.count == 3)
    #expect(store.read { $0.model = .file(path: "/nowhere/model.yaml", version: nil) }.code == .unsuitableStore)
    let plain = try TestDatabase("CREATE TABLE t (a)")
    #expect(
      DatabaseReading.of(.coreData(StoreSourceOptions(entity: "Person")), plain.path).failure
        == "the database is not a Core Data store; read its tables with the format sqlite [unsuitableStore]")
    try plain.write(Array("no database".utf8))
    #expect(DatabaseReading.of(.coreData(StoreSourceOptions(entity: "Person")), plain.path).code == .corrupt)
  }

  @Test("a value whose file is gone rejects its record")
  func missingFiles() throws {
    let connection = try Connection(path: store.path, mode: .readWrite)
    let name = "01234567-89AB-CDEF-0123-456789ABCDEF"
    let cell = "02" + name.utf8.map { String($0, radix: 16) }.joined() + "00"
    try connection.execute("UPDATE ZPERSON SET ZPHOTO = x'\(cell)' WHERE Z_PK = 3")
    try connection.close()
    let columns = ColumnRequest.named(["name", "photo"])
    #expect(
      store.read(columns: columns).lines == [
        "1: «Ada»|«YWJj»", "missingFile@2:23 {\"name\":\"Cid\",\"photo\":null}", "3: «Ben»|∅",
      ])
    try store.folder.write("file", to: ".people_SUPPORT/_EXTERNAL_DATA/\(name)")
    #expect(store.read(columns: columns).lines[1] == "2: «Cid»|«ZmlsZQ==»")
  }

  @Test("a store that an app has open is read as of one moment, and nothing is left beside it")
  func openStore() throws {
    let app = try Connection(path: store.path, mode: .readWrite)
    try app.execute("PRAGMA journal_mode = WAL; UPDATE ZPERSON SET ZNAME = 'Eve' WHERE Z_PK = 1")
    var reader = try RecordFormat.coreData(StoreSourceOptions(entity: "Person")).reader(
      source: ByteSource(path: store.path), columns: .named(["name"]), index: 0)
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit(records: 1)))
    #expect(batch.text(0, 0) == "Eve")
    try app.execute("DELETE FROM ZPERSON")
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 2)
    #expect(try !reader.read(into: &batch, limit: BatchLimit()))
    try app.close()
    #expect(store.read().lines == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == ["people.store"])
  }

  @Test("damaged stores end the reading behind the objects before")
  func damage() throws {
    let connection = try Connection(path: store.path, mode: .readWrite)
    try connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM ZPERSON WHERE Z_PK = 1), 1, 'n' || i FROM n
      """)
    let page =
      try connection.integer("SELECT max(pageno) FROM dbstat WHERE name = 'ZPERSON' AND pagetype = 'leaf'") ?? 0
    try connection.close()
    var bytes = FileManager.default.contents(atPath: store.path).map { Array($0) } ?? []
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    for offset in 0..<40 { bytes[(Int(page) - 1) * size + offset] = 0xAA }
    try Data(bytes).write(to: URL(fileURLWithPath: store.path))
    let reading = store.read(columns: .named(["name"]))
    #expect(reading.code == .corrupt)
    #expect(reading.lines.count > 1000)
    #expect(store.read(columns: .named(["name"]), limit: BatchLimit(records: 100)) == reading)
  }
}
