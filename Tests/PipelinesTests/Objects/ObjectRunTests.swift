import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Whole objects")
struct ObjectRunTests {
  @Test("what a person writes: defaults for what is left out, positions by the order of lists")
  func byHand() throws {
    let folder = try ObjectFolder([
      ("Author.ndjson", #"{"_id": 7, "name": "Ada", "friends": [7]}"# + "\n"),
      (
        "Book.ndjson",
        """
        {"_id": 3, "author": 7, "tags": [2, 1], "price": 12.5, "printed": "2001-01-02"}
        {"_id": 9, "author": 7, "pages": 5, "isbn": null, "Author:shelf": 7, "printed": 0.5}
        {"_id": 4, "author": 7, "tags": "1 2", "isbn": ""}

        """
      ),
      ("Tag.ndjson", "{\"_id\": 1, \"label\": \"a\", \"about\": 9}\n{\"_id\": 2, \"parent\": 2}\n"),
    ])
    let summary = try folder.run()
    #expect(summary.status == .completed)
    #expect(summary.inserted == 6)
    #expect(summary.entities.mapValues(\.inserted) == ["Author": 1, "Book": 3, "Tag": 2])
    #expect(
      try folder.rows("SELECT Z_PK, Z_OPT, ZAUTHOR, Z_FOK_AUTHOR, ZPAGES, ZISBN, ZPRICE, ZPRINTED FROM ZTHING") == [
        "3|1|7|2048|100|-|12.5|86400", "4|1|7|4096|100||-|-", "9|1|7|3072|5|-|-|0.5",
      ])
    let model = try StoreModel.find(path: folder.folder.file("library.sqlite")).model
    let number = try #require(model.entity(named: "Book")).number
    let thing = try #require(model.entity(named: "Thing")).number
    #expect(try folder.rows("SELECT ZABOUT, Z\(thing)_ABOUT FROM ZTAG") == ["9|\(number)", "-|-"])
    let join = try #require(StoreSchema(model: model).joinTables.first { !$0.isReflexive })
    #expect(try folder.rows("SELECT count(*) FROM \(join.name)") == ["4"])
    #expect(try StoreVerifier.verify(path: folder.folder.file("library.sqlite")).findings == [])
    #expect(try folder.rejects().isEmpty)
  }

  @Test("CSV tells the empty text from nothing, and needs no column that may be empty")
  func csv() throws {
    let folder = try ObjectFolder([
      ("Author.csv", "_id,name\n1,\"\"\n2,\"a,b\"\n"), ("Tag.csv", "_id,label,parent\n5,,\n6,\"\",5\n"),
    ])
    #expect(try folder.run().status == .completed)
    #expect(try folder.rows("SELECT Z_PK, ZNAME FROM ZAUTHOR") == ["1|", "2|a,b"])
    #expect(try folder.rows("SELECT Z_PK, ZLABEL, ZPARENT FROM ZTAG") == ["5|-|-", "6||5"])
  }

  @Test("a CSV file without a column that must say something is refused")
  func missingColumn() throws {
    let folder = try ObjectFolder([("Book.csv", "_id,author\n1,1\n")])
    let error = try #require(throws: (any Error).self) { try folder.run() }
    #expect("\(error)".contains("Book.csv has no column pages, which is mandatory or has a default"))
    #expect(!folder.hasStore)
  }

  @Test("an existing store is refused and stays as it is")
  func existing() throws {
    let folder = try ObjectFolder([("Tag.ndjson", "{\"_id\":1}\n")])
    _ = try folder.run()
    let before = FileManager.default.contents(atPath: folder.folder.file("library.sqlite"))
    let error = try #require(throws: ImportError.self) { try folder.run() }
    #expect(error.code == .cannotOpenStore)
    #expect(error.message.contains("objects with identities go into a new store"))
    #expect(FileManager.default.contents(atPath: folder.folder.file("library.sqlite")) == before)
  }

  @Test("a dry run leaves no store")
  func dryRun() throws {
    let folder = try ObjectFolder([("Tag.ndjson", "{\"_id\":1}\n{\"_id\":2,\"parent\":9}\n")])
    let summary = try folder.run { $0.isDryRun = true }
    #expect(summary.status == .dryRun)
    #expect(summary.fates == [2, 1, 1])
    #expect(!folder.hasStore)
  }

  @Test("batches of one record give the same store", arguments: [1, 2, 5, 4096])
  func batches(_ records: Int) throws {
    var tags = ""
    for key in 1...50 { tags += "{\"_id\":\(key),\"parent\":\(51 - key),\"label\":\"t\(key)\"}\n" }
    let folder = try ObjectFolder([("Tag.ndjson", tags)])
    #expect(try folder.run { $0.batchLimit.records = records }.inserted == 50)
    #expect(try folder.rows("SELECT sum(ZPARENT * Z_PK) FROM ZTAG") == ["22100"])
  }
}
