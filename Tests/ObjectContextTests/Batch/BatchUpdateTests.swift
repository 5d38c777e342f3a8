import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Batch updates")
struct BatchUpdateTests {
  typealias Request = BatchUpdateRequest

  /// Companies and people, the latter with ages 10, 20, 30.
  private static func filled() throws -> Workplace {
    let place = try Workplace(try Models.batchWorks())
    let companies = try place.make("Company", "A", "B")
    for (i, kind) in ["Person", "Person", "Boss"].enumerated() {
      let person = try place.context.insert(kind)
      try person.setValue(.string("P\(i)"), forKey: "name")
      try person.setValue(.integer(Int64(10 * (i + 1))), forKey: "age")
      try person.setValue(.integer(Int64(i)), forKey: "code")
      try person.setObject(companies[0], forKey: "supplier")
    }
    try place.context.save()
    return place
  }

  @Test("AP53: constants and expressions, one statement, versions move") func values() throws {
    let place = try Self.filled()
    var request = Request(
      "Person", where: Key("age") > 10,
      set: [
        "age": Key("age") * 2 + 1, "name": Key("supplier.name"), "code": ConstantValue.null,
      ])
    request.resultType = .objectIDs
    var result = BatchResult()
    // Beside them it looks once for what others have added to the tables, as that may leave rows.
    let statements = try place.statements { result = try place.context.execute(request) }
      .filter { !$0.hasPrefix("-- ") && !$0.contains("sqlite_master") }
    #expect(statements.count == 3)
    #expect(statements.first == "BEGIN IMMEDIATE")
    #expect(statements.last == "COMMIT")
    #expect(
      statements[1].hasSuffix(
        "UPDATE ZPARTY SET ZCODE = NULL, ZAGE = mergewalk_batch_value(0, s.v0, s.v2), "
          + "ZNAME = mergewalk_batch_value(1, s.v0, s.v3), Z_OPT = ifnull(ZPARTY.Z_OPT, 0) + 1 FROM s "
          + "WHERE ZPARTY.Z_PK = s.v0 RETURNING Z_PK, Z_ENT"), "\(statements[1])")
    #expect(result.updatedCount == 2)
    #expect(result.updatedObjectIDs.map(\.entity.name).sorted() == ["Boss", "Person"])
    #expect(
      try place.rows("SELECT ZNAME, ZAGE, ZCODE, Z_OPT FROM ZPARTY WHERE Z_PK > 2 ORDER BY Z_PK")
        == ["P0|10|0|1", "A|41|null|2", "A|61|null|2"])
    let person = try place.context.object(with: result.updatedObjectIDs[0])
    #expect(try person["name"] == .string("A"))
    try place.verify()
  }

  @Test func `subentities take part unless they are left out`() throws {
    let place = try Self.filled()
    var request = Request("Person", set: ["age": 1])
    request.includesSubentities = false
    request.resultType = .count
    #expect(try place.context.execute(request).updatedCount == 2)
    request.includesSubentities = true
    #expect(try place.context.execute(request).updatedCount == 3)
    request.resultType = .status
    #expect(try place.context.execute(request) == BatchResult())
    #expect(try place.rows("SELECT ZAGE, Z_OPT FROM ZPARTY WHERE Z_PK > 2 ORDER BY Z_PK") == ["1|4", "1|4", "1|3"])
    try place.verify()
  }

  @Test func `computed values are stored as their type stores them`() throws {
    let place = try Workplace(try Models.types())
    let thing = try place.context.insert("Thing")
    try thing.setValue(.integer(5), forKey: "int32")
    try thing.setValue(.double(2.5), forKey: "double")
    try thing.setValue(.date(100), forKey: "date")
    try thing.setValue(.string("Text"), forKey: "string")
    try place.context.save()
    _ = try place.context.execute(
      Request(
        "Thing",
        set: [
          "int16": Key("double") * 2, "float": Key("double") + 0.1, "decimal": Key("double") * 2,
          "double": Key("int32"),
          "date": Key("date") + 60, "string": Key("string").uppercased, "uri": Key("string").lowercased,
          "int64": ConstantValue.null,
        ]))
    let columns = ["INT16", "FLOAT", "DECIMAL", "DOUBLE", "DATE", "STRING", "URI", "INT64"]
    let list = columns.map { "typeof(Z\($0)), Z\($0)" }.joined(separator: ", ")
    #expect(
      try place.rows("SELECT \(list) FROM ZTHING") == [
        "integer|5|real|2.59999990463257|integer|5|real|5.0|integer|160|text|TEXT|text|text|null|null"
      ])
    try place.verify()
  }

  @Test func `each refusal has its code and changes nothing`() throws {
    let place = try Self.filled()
    let before = try place.dump()
    let none = ConstantValue.null
    func error(_ values: [String: any PredicateOperand]) -> BatchError? {
      batchError { _ = try place.context.execute(Request("Person", set: values)) }
    }
    #expect(
      batchError { _ = try place.context.execute(Request("Nobody", set: ["age": 1])) }?.objectCode == .unknownEntity)
    #expect(error([:])?.predicateCode == .invalidRequest)
    #expect(error(["agee": 1])?.objectCode == .unknownKey)
    #expect(error(["children": none])?.objectCode == .unknownKey)
    #expect(error(["age": "x"])?.objectCode == .typeMismatch)
    #expect(error(["age": 32_768])?.objectCode == .typeMismatch)
    #expect(error(["age": Key("name")])?.objectCode == .typeMismatch)
    #expect(error(["name": Key("supplier")])?.objectCode == .typeMismatch)
    #expect(error(["age": Key("nothing")])?.predicateCode == .unknownKey)
    #expect(error(["age": Key("children.age")])?.predicateCode != nil)
    #expect(error(["supplier": Key("employer")])?.predicateCode == .typeMismatch)
    #expect(error(["spouse": none])?.predicateCode == .invalidRequest)
    #expect(error(["name": none])?.saveCode == .validation)
    let company = try #require(place.id("Company", 1))
    #expect(error(["parent": company])?.objectCode == .wrongEntity)
    let missing = try #require(place.id("Company", 99))
    #expect(error(["supplier": missing])?.objectCode == .notFound)
    let computed = error(["age": Key("age") * 1_100])
    #expect(computed?.description.hasSuffix("is not a value of the attribute's type [validate.type]") == true)
    #expect(error(["age": Key("age") + 0.5])?.saveCode == .validation)
    #expect(error(["name": Key("employer.name")])?.saveCode == .validation)
    #expect(error(["code": 7])?.saveCode == .constraint)
    #expect(try place.dump() == before)
    try place.verify()
  }

  @Test func `a to-one relationship takes an object or none, and its ordered other end grows`() throws {
    let place = try Self.filled()
    let companies = try place.context.fetchAll("Company")
    let people = try place.context.fetchAll("Person")
    try people[1].setObject(companies[1], forKey: "employer")
    try people[2].setObject(companies[0], forKey: "employer")
    try place.context.save()
    var request = Request(
      "Person", set: ["employer": companies[1].objectID, "supplier": ConstantValue.null])
    request.resultType = .objectIDs
    let result = try place.context.execute(request)
    #expect(
      try place.rows("SELECT ZEMPLOYER, Z_FOK_EMPLOYER, ZSUPPLIER FROM ZPARTY WHERE Z_ENT > 4 ORDER BY Z_PK")
        == ["2|3072|null", "2|2048|null", "2|4096|null"])
    try place.context.mergeChanges(from: result)
    #expect(try companies[1].objects(forKey: "staff").names() == ["P1", "P0", "P2"])
    #expect(try companies[0].objects(forKey: "staff").isEmpty)
    #expect(try companies[0].objects(forKey: "clients").isEmpty)
    try place.verify()
  }

  @Test("leaves what changes object by object leave", arguments: Soak.seeds(30, from: 500))
  func agree(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let batch = try Self.filled()
    let plain = try Self.filled()
    for round in 0..<12 {
      let bound = Int64.random(in: 0..<60, using: &random)
      let factor = Int64.random(in: 0..<4, using: &random)
      let company = try #require(batch.id("Company", Int64.random(in: 1...2, using: &random)))
      let isSet = Bool.random(using: &random)
      let kind = Bool.random(using: &random) ? "Person" : "Boss"
      let key = Bool.random(using: &random) ? "employer" : "supplier"
      _ = try batch.context.execute(
        Request(
          kind, where: Key("age") < bound,
          set: ["age": Key("age") % 7 + factor * 10, key: isSet ? ConstantValue.objectID(company) : .null]))
      let target = try plain.context.object(with: try #require(plain.id("Company", company.primaryKey)))
      for object in try plain.context.fetchAll(kind) {
        guard case .integer(let age) = try object["age"], age < bound else { continue }
        // An update writes every row that it is about, a save only those with another value.
        try object.setValue(.integer(-1), forKey: "age")
        try object.setValue(.integer(age % 7 + factor * 10), forKey: "age")
        try object.setObject(isSet ? target : nil, forKey: key)
      }
      try plain.context.save()
      plain.context.reset()
      let columns = "Z_PK, ZAGE, ZNAME, ZEMPLOYER, Z_FOK_EMPLOYER, ZSUPPLIER"
      let query = "SELECT \(columns) FROM ZPARTY ORDER BY Z_PK"
      #expect(try batch.rows(query) == plain.rows(query), "seed \(seed), round \(round)")
    }
    try batch.verify()
  }
}
