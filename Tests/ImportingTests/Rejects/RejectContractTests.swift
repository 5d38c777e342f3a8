import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Every stage that can refuse a record does so with a code, a place and the whole record, once.
@Suite struct RejectContractTests {
  private let folder = TemporaryFolder()

  private func model() throws -> ManagedObjectModel {
    var draft = try ShopModel(itemConstraints: [["serial"]]).build().draft
    for entity in draft.entities.indices where draft.entities[entity].name == "Item" {
      for index in draft.entities[entity].attributes.indices
      where draft.entities[entity].attributes[index].name == "amount" {
        draft.entities[entity].attributes[index].validation.maximumValue = .integer(1000)
      }
    }
    return try ManagedObjectModel(draft)
  }

  private func definition(_ bytes: [UInt8]) throws -> ImportDefinition {
    let input = folder.file("in.csv")
    try Data(bytes).write(to: URL(fileURLWithPath: input))
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("serial"), ShopImport.field("amount")]
    var owner = RelationshipImport(
      name: "owner", target: EntityImport(entityName: "Person", findBy: [ShopImport.field("email")]))
    owner.missing = .reject
    owner.target.mode = .update
    root.relationships = [owner]
    var definition = ImportDefinition(
      name: "contract", model: try model(), storePath: folder.file("s.sqlite"), inputs: [input],
      format: .csv(CSVOptions()), root: root)
    definition.rejects.path = folder.file("r.ndjson")
    return definition
  }

  @Test("decode, parse, convert, validate, find, relate, unique, database: code, place and raw record of each")
  func stages() throws {
    // A store with a person, an item and somebody's trigger.
    var people = try definition(Array("email\na@b.c\n".utf8))
    people.root = EntityImport(entityName: "Person", findBy: [ShopImport.field("email")])
    _ = try ImportSession(people).run()
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .create)
    try connection.execute(
      "CREATE TRIGGER nobody BEFORE INSERT ON ZITEM WHEN NEW.ZSKU = 'T' BEGIN SELECT RAISE(ABORT, 'not today'); END")
    try connection.close()

    var bytes = Array("sku,serial,amount,email\nA,1,1,a@b.c\n".utf8)
    var expected: [(code: String, line: Int, column: Int, offset: Int, raw: [UInt8])] = []
    func add(_ raw: [UInt8], _ code: String, column: Int) {
      let line = expected.count + 3
      expected.append((code, line, column, bytes.count + column - 1, raw))
      bytes += raw + [10]
    }
    func add(_ raw: String, _ code: String, column: Int) { add(Array(raw.utf8), code, column: column) }
    add([66, 44, 0xFF, 44, 49, 44, 97], "read.invalidText", column: 3)
    add("C,2,1", "read.fieldCount", column: 6)
    add("D,3,many,a@b.c", "value.integer", column: 5)
    add("E,4,1001,a@b.c", "validate.tooLarge", column: 5)
    add(",5,1,a@b.c", "key.empty", column: 1)
    add("F,6,1,x@y.z", "relationship.missingTarget", column: 7)
    add("G,1,1,a@b.c", "constraint.unique", column: 3)
    add("T,8,1,a@b.c", "database.refused", column: 1)
    bytes += Array("Z,9,1,a@b.c\n".utf8)

    let summary = try ImportSession(definition(bytes)).run()
    #expect(summary.inserted == 2, "the good records around them are imported")
    #expect(summary.rejected == expected.count)
    #expect(summary.counts.isBalanced)
    #expect(summary.rejectCounts == Dictionary(uniqueKeysWithValues: expected.map { ($0.code, 1) }))
    var lines = try RejectLines(ByteSource(path: folder.file("r.ndjson")))
    var found: [RejectLine] = []
    while let line = try lines.next() { found.append(try line.get()) }
    #expect(found.map(\.code) == expected.map(\.code), "in the order of the file, once each")
    for (line, wanted) in zip(found, expected) {
      #expect(line.sourceLine == wanted.line, "\(wanted.code)")
      #expect(line.sourceColumn == wanted.column, "\(wanted.code)")
      #expect(line.raw == wanted.raw, "\(wanted.code)")
      #expect(line.run == summary.runID && line.file == folder.file("in.csv"), "\(wanted.code)")
      #expect(!line.message.isEmpty && !line.isCut, "\(wanted.code)")
    }
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    for (line, wanted) in zip(text.split(separator: "\n"), expected) {
      let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["byte_offset"] as? Int == wanted.offset, "\(wanted.code)")
    }
    #expect(text.contains("not today"), "what the database said")
  }

  @Test("a record beyond the reader's limit says that its raw text is cut")
  func cut() throws {
    var definition = try definition([])
    var options = NDJSONOptions()
    options.maxRecordBytes = 200
    definition.format = .ndjson(options)
    try Data("{\"sku\": \"\(String(repeating: "x", count: 70_000))\"}\n{\"sku\": \"A\", \"email\": null}\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file("in.csv")))
    let summary = try ImportSession(definition).run()
    #expect(summary.rejectCounts["read.recordTooLong"] == 1)
    var lines = try RejectLines(ByteSource(path: folder.file("r.ndjson")))
    let line = try #require(try lines.next()).get()
    #expect(line.code == "read.recordTooLong")
    #expect(line.isCut)
    #expect(line.raw == Array("{\"sku\": \"\(String(repeating: "x", count: 191))".utf8), "as much as was read of it")
  }
}
