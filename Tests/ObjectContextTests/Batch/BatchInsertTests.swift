import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Batch inserts")
struct BatchInsertTests {
  @Test("AP53: rows become objects with defaults, versions, keys and relationships") func rows() throws {
    let place = try Workplace(try Models.batchWorks())
    let company = try place.make("Company", "Works")[0]
    var request = BatchInsertRequest(
      "Person",
      rows: [
        ["name": "Ada", "code": 1, "employer": .objectID(company.objectID)],
        ["name": "Bob", "age": 40, "supplier": .objectID(company.objectID)],
        ["name": "Cy", "employer": .objectID(company.objectID), "age": nil],
      ])
    request.resultType = .objectIDs
    let result = try place.context.execute(request)
    #expect(result.insertedCount == 3)
    #expect(result.updatedCount == 0)
    #expect(result.insertedObjectIDs.map(\.primaryKey) == [2, 3, 4])
    #expect(result.insertedObjectIDs.allSatisfy { $0.entity.name == "Person" })
    #expect(try place.context.fetchAll("Person").names() == ["Ada", "Bob", "Cy"])
    #expect(
      try place.rows("SELECT ZNAME, ZAGE, ZCODE, Z_OPT, Z_FOK_EMPLOYER, ZSUPPLIER FROM ZPARTY WHERE Z_PK > 1")
        == ["Ada|7|1|1|2048|null", "Bob|40|null|1|null|1", "Cy|null|null|1|3072|null"])
    #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Party'") == ["4"])
    try place.context.mergeChanges(from: result)
    #expect(try company.objects(forKey: "staff").names() == ["Ada", "Cy"])
    try place.verify()
  }

  @Test("AP53: a closure fills rows until it says that there are no more") func closure() throws {
    let place = try Workplace(try Models.types())
    var request = BatchInsertRequest(
      "Thing",
      properties: ["int16", "double", "float", "string", "boolean", "date", "uri", "uuid", "decimal", "external"])
    request.resultType = .count
    var next = 0
    let result = try place.context.execute(request) { row in
      next += 1
      try row.set(0, integer: Int64(next))
      if next == 3 { return true }
      try row.set(1, integer: 2)
      try row.set(2, double: 0.1)
      try row.set(3, text: "text \(next)")
      try row.set(4, boolean: true)
      try row.set(5, date: 1.5)
      try row.set(6, text: "https://example.org")
      try row.set(7, .uuid(1, 2))
      try row.set(8, integer: 12)
      try row.set(9, .binary([1, 2]))
      return false
    }
    #expect(result.insertedCount == 2)
    let things = try place.context.fetchAll("Thing")
    #expect(things.count == 2)
    let thing = things[1]
    #expect(try thing["int16"] == .integer(2))
    #expect(try thing["double"] == .double(2))
    #expect(try thing["float"] == .double(Double(Float(0.1))))
    #expect(try thing["string"] == .string("text 2"))
    #expect(try thing["boolean"] == .boolean(true))
    #expect(try thing["date"] == .date(1.5))
    #expect(try thing["uri"] == .uri("https://example.org"))
    #expect(try thing["uuid"] == .uuid(1, 2))
    #expect(try thing["decimal"] == .decimal(DecimalNumber(significand: 12, exponent: 0)))
    #expect(try thing["external"] == .binary([1, 2]))
    try place.verify()
  }

  @Test("AP53: a row with the unique values of an object updates it, and the last of several wins") func upsert() throws
  {
    let place = try Workplace(try Models.batchWorks())
    let ada = try place.make("Boss", "Ada")[0]
    try ada.setValue(.integer(1), forKey: "code")
    try ada.setValue(.integer(36), forKey: "age")
    try place.context.save()
    var request = BatchInsertRequest(
      "Person",
      rows: [
        ["code": 1, "name": "Ada L."], ["code": 2, "name": "Bob", "age": 3], ["code": 2, "name": "Bobby"],
        ["name": "nobody"], ["name": "nobody"], ["code": 1, "name": "Ada Lovelace"],
      ])
    request.resultType = .objectIDs
    let result = try place.context.execute(request)
    #expect(result.insertedCount == 3)
    #expect(result.updatedCount == 3)
    #expect(result.updatedObjectIDs == [ada.objectID])
    #expect(
      try place.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZCODE, ZNAME, ZAGE FROM ZPARTY ORDER BY Z_PK")
        == [
          "1|6|3|1|Ada Lovelace|36", "2|5|1|2|Bobby|3", "3|5|1|null|nobody|7", "4|5|1|null|nobody|7",
        ])
    #expect(try ada["name"] == .string("Ada"))
    try place.context.mergeChanges(from: result)
    #expect(try ada["name"] == .string("Ada Lovelace"))
    // What the rows say is what is there: nothing is written, and no version moves.
    let again = try place.context.execute(BatchInsertRequest("Person", rows: [["code": 1, "name": "Ada Lovelace"]]))
    #expect(again == BatchResult())
    #expect(try place.rows("SELECT Z_OPT FROM ZPARTY WHERE Z_PK = 1") == ["3"])
    try place.verify()
  }

  @Test("defaults take part in unique keys, and each chunk is a save")
  func defaultKeys() throws {
    var code = Models.attribute("code", .string)
    code.defaultValue = .string("none")
    var part = Models.entity("Part", attributes: [code, Models.attribute("size", .integer32)])
    part.uniquenessConstraints = [["code"]]
    // Each chunk is a transaction, and others see what it has written: the second one raises the version.
    for (chunk, version) in [(1, 2), (10, 1)] {
      let place = try Workplace(try Models.model(part))
      _ = try place.context.insert(
        BatchInsertRequest("Part", properties: ["size"]), chunkRows: chunk, Self.filling([[1], [2]]))
      #expect(try place.rows("SELECT ZCODE, ZSIZE, Z_OPT FROM ZPART") == ["none|2|\(version)"])
    }
  }

  /// A closure that gives these integers, row by row.
  static func filling(_ rows: [[Int64]]) -> (borrowing BatchRow) throws(BatchError) -> Bool {
    var left = rows.makeIterator()
    return { row throws(BatchError) in
      guard let values = left.next() else { return true }
      do throws(ObjectError) {
        for (i, value) in values.enumerated() { try row.set(i, integer: value) }
      } catch {
        throw .object(error)
      }
      return false
    }
  }

  @Test func `several constraints are judged row by row`() throws {
    var part = Models.entity(
      "Part", attributes: ["a", "b", "c"].map { Models.attribute($0, .integer32) })
    part.uniquenessConstraints = [["a"], ["b", "c"]]
    let place = try Workplace(try Models.model(part))
    // The third row finds the first by b and c, which gives it the a that the fourth one finds.
    let result = try place.context.insert(
      BatchInsertRequest("Part", properties: ["a", "b", "c"]), chunkRows: 100,
      Self.filling([[1, 1, 1], [2, 2, 2], [3, 1, 1], [3, 9, 9], [1, 5, 5]]))
    #expect(result == BatchResult())
    #expect(try place.rows("SELECT ZA, ZB, ZC FROM ZPART ORDER BY Z_PK") == ["3|9|9", "2|2|2", "1|5|5"])
    let error = batchError {
      _ = try place.context.execute(BatchInsertRequest("Part", rows: [["a": 3, "b": 2, "c": 2]]))
    }
    #expect(error?.saveCode == .constraint)
    try place.verify()
  }

  @Test func `each refusal has its code and changes nothing`() throws {
    let place = try Workplace(try Models.batchWorks())
    let company = try place.make("Company", "Works")[0]
    try company.setValue(.integer(5), forKey: "code")
    let desk = try place.context.insert("Desk")
    try place.context.save()
    let missing = try #require(
      place.coordinator.objectID(forURI: "x-coredata://\(company.objectID.storeUUID)/Company/p99"))
    let before = try place.dump()
    let person = ["name": ConstantValue.attribute(.string("Ada"))]
    func code(_ entity: String, _ row: [String: ConstantValue]) -> ObjectError.Code? {
      batchError { _ = try place.context.execute(BatchInsertRequest(entity, rows: [person, row])) }?.objectCode
    }
    #expect(code("Nobody", [:]) == .unknownEntity)
    #expect(code("Party", [:]) == .abstractEntity)
    #expect(code("Person", ["nam": "x"]) == .unknownKey)
    #expect(code("Person", ["children": nil]) == .unknownKey)
    #expect(code("Person", ["name": 1]) == .typeMismatch)
    #expect(code("Person", ["age": 40_000]) == .typeMismatch)
    #expect(code("Person", ["name": ["x"]]) == .typeMismatch)
    #expect(code("Person", ["employer": 1]) == .typeMismatch)
    #expect(code("Person", ["name": .objectID(company.objectID)]) == .typeMismatch)
    #expect(code("Person", ["name": "x", "employer": .objectID(desk.objectID)]) == .wrongEntity)
    #expect(code("Person", ["name": "x", "spouse": .objectID(company.objectID)]) == .wrongEntity)
    #expect(code("Person", ["name": "x", "employer": .objectID(missing)]) == .notFound)
    let invalid = batchError {
      _ = try place.context.execute(BatchInsertRequest("Person", rows: [person, ["age": 3]]))
    }
    #expect(invalid?.saveCode == .validation)
    #expect(invalid?.description == "row 2: Person 3: name is required [validate.missing]")
    let taken = batchError {
      _ = try place.context.execute(BatchInsertRequest("Person", rows: [person, ["name": "x", "code": 5]]))
    }
    #expect(taken?.saveCode == .constraint)
    #expect(taken?.description.contains("Company 1 has the same code") == true)
    struct Stop: Error {}
    let stopped = batchError {
      var count = 0
      _ = try place.context.execute(BatchInsertRequest("Person", properties: ["name"])) { row in
        count += 1
        if count > 5000 { throw Stop() }
        try row.set(0, text: "x")
        return false
      }
    }
    if case .source(let error) = stopped { #expect(error is Stop) } else { Issue.record("\(stopped as Any)") }
    #expect(try place.dump() == before)
    // The sequence goes on behind the keys that were taken.
    _ = try place.context.execute(BatchInsertRequest("Person", rows: [person]))
    try place.verify()
  }

  @Test func `nobody saves into the transaction of a request`() throws {
    let place = try Workplace(try Models.batchWorks())
    let company = try place.context.insert("Company")
    try company.setValue(.string("Works"), forKey: "name")
    var inner: (any Error)?
    var count = 0
    _ = try place.context.execute(BatchInsertRequest("Company", properties: ["name"])) { row in
      do { try place.context.save() } catch { inner = error }
      count += 1
      try row.set(0, text: "x")
      return count > 1
    }
    #expect((inner as? SaveError)?.code == .database)
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME FROM ZPARTY ORDER BY Z_PK") == ["x", "Works"])
    try place.coordinator.close()
    let closed = batchError { _ = try place.context.execute(BatchInsertRequest("Company", rows: [])) }
    #expect(closed?.objectCode == .closed)
  }

  @Test func `the number of statements does not depend on the number of rows`() throws {
    let place = try Workplace(try Models.batchWorks())
    let companies = try place.make("Company", "A", "B")
    var desks: [ManagedObjectID] = []
    for number in 0..<300 {
      let desk = try place.context.insert("Desk")
      try desk.setValue(.integer(Int64(number)), forKey: "number")
      try place.context.obtainPermanentIDs(for: [desk])
      desks.append(desk.objectID)
    }
    try place.context.save()
    func statements(_ codes: Range<Int64>) throws -> [String] {
      let rows = codes.map { code in
        [
          "name": .attribute(.string("P")), "code": .attribute(.integer(code)),
          "employer": .objectID(companies[Int(code) % 2].objectID), "desk": .objectID(desks[Int(code)]),
        ] as [String: ConstantValue]
      }
      return try place.statements { _ = try place.context.execute(BatchInsertRequest("Person", rows: rows)) }
    }
    let few = try statements(0..<3)
    let many = try statements(100..<300)
    #expect(few.map(Self.shape) == many.map(Self.shape))
    #expect(
      few.map(Self.shape) == [
        "BEGIN", "SELECT k.rowid, t.Z_PK, t.Z_ENT FROM mergewalk_keys1_ZPARTY",
        "SELECT k.rowid, t.Z_PK, t.Z_ENT FROM mergewalk_keys1_ZDESK",
        "SELECT k.rowid, t.Z_PK, t.Z_ENT FROM mergewalk_keys1_ZPARTY", "SELECT rows FROM mergewalk_pks_ZDESK",
        "SELECT k.c0, max(t.Z_FOK_EMPLOYER) FROM mergewalk_keys1_ZPARTY", "UPDATE ZDESK", "INSERT INTO ZPARTY",
        "UPDATE Z_PRIMARYKEY", "COMMIT",
      ])
  }

  /// The beginning of a statement, without what depends on values.
  private static func shape(_ sql: String) -> String {
    if let range = sql.firstRange(of: " AS k"), sql.hasPrefix("SELECT") {
      let head = sql[..<range.lowerBound]
      return head.hasPrefix("SELECT t.Z_PK") ? "SELECT rows FROM" + head.split(separator: "FROM").last! : String(head)
    }
    let words = sql.split(separator: " ")
    return words.prefix(words[0] == "UPDATE" ? 2 : words[0] == "INSERT" ? 3 : 1).joined(separator: " ")
  }

  @Test func `a hundred thousand rows take the memory of a chunk`() throws {
    let place = try Workplace(try Models.batchWorks())
    func insert(_ count: Int64) throws -> Int {
      var next: Int64 = 0
      let request = BatchInsertRequest("Person", properties: ["code", "name", "age"])
      let before = try ProcessMemory.peak()
      _ = try place.context.execute(request) { row in
        next += 1
        try row.set(0, integer: next)
        try row.set(1, text: "a name that is longer than a small string \(next)")
        try row.set(2, integer: next % 100)
        return next > count
      }
      return try ProcessMemory.peak() - before
    }
    _ = try insert(10_000)
    // Other tests run at the same time and need memory too, so a peak of theirs is not held against this one.
    var growth = Int.max
    for _ in 0..<5 where growth > 6 * 1024 { growth = min(growth, try insert(110_000)) }
    #expect(growth < 6 * 1024, "the peak grew by \(growth) KiB")
    #expect(try place.rows("SELECT count(*), sum(ZCODE), max(Z_OPT) FROM ZPARTY") == ["110000|6050055000|1"])
    try place.verify()
  }
}
