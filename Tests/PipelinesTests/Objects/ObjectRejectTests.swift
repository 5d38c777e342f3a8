import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// A record that cannot stay, with the code and a part of the message of its reject.
struct BadObject: CustomTestStringConvertible, Sendable {
  let entity: String
  let record: String
  let code: String
  let says: String

  init(_ entity: String, _ record: String, _ code: String, _ says: String) {
    self.entity = entity
    self.record = record
    self.code = code
    self.says = says
  }

  var testDescription: String { "\(code): \(record)" }
}

@Suite("Rejects of whole objects")
struct ObjectRejectTests {
  /// Two authors, two tags and a book that are sound; the bad record comes behind those of its entity.
  static let sound = [
    "Author": "{\"_id\":1,\"name\":\"Ada\",\"pass\":1}\n{\"_id\":2,\"name\":\"Bob\"}\n",
    "Pass": "{\"_id\":1,\"holder\":1}\n", "Tag": "{\"_id\":1}\n{\"_id\":2}\n",
    "Book": "{\"_id\":1,\"author\":1,\"isbn\":\"x\",\"tags\":[1]}\n", "Map": "{\"_id\":5}\n",
  ]

  static let bad = [
    BadObject("Tag", "{}", "value.absent", "the record has no field for Tag._id"),
    BadObject("Tag", "{\"_id\":null}", "value.null", "null is not allowed"),
    BadObject("Tag", "{\"_id\":\"\"}", "value.empty", "an empty field"),
    BadObject("Tag", "{\"_id\":0}", "validate.tooSmall", "\"0\" is below the minimum of Tag._id"),
    BadObject("Tag", "{\"_id\":-4}", "validate.tooSmall", "below"),
    BadObject("Tag", "{\"_id\":1.5}", "value.integer", "not a whole number"),
    BadObject("Tag", "{\"_id\":9223372036854775808}", "value.range", "outside the range"),
    BadObject("Tag", "{\"_id\":[3]}", "value.type", "not a value of type"),
    BadObject("Tag", "{\"_id\":2}", "key.duplicate", "has the key \"2\" for Tag._id"),
    BadObject("Map", "{\"_id\":1}", "key.duplicate", "has the key \"1\" for Map._id"),
    BadObject("Tag", "[1]", "read.notAnObject", "object"),
    BadObject("Author", "{\"_id\":3}", "validate.missing", "Author.name is not optional"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"pages\":\"many\"}", "value.integer", "Book.pages"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"printed\":\"today\"}", "value.number", "Book.printed"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"price\":\"1,5\"}", "value.number", "Book.price"),
    BadObject("Book", "{\"_id\":7}", "validate.missing", "Book.author is not optional"),
    BadObject("Book", "{\"_id\":7,\"author\":null}", "validate.missing", "Book.author"),
    BadObject("Book", "{\"_id\":7,\"author\":0}", "validate.tooSmall", "Book.author"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":3}", "relationship.missingTarget",
      "Book.author refers to Author 3, which does not exist"),
    BadObject("Tag", "{\"_id\":7,\"parent\":8}", "relationship.missingTarget", "Tag.parent refers to Tag 8"),
    BadObject("Tag", "{\"_id\":7,\"source\":5}", "relationship.missingTarget", "Tag.source refers to Book 5"),
    BadObject("Map", "{\"_id\":7,\"Author:shelf\":9}", "relationship.missingTarget", "refers to Author 9"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":1,\"tags\":[1,3]}", "relationship.missingTarget", "Book.tags refers to Tag 3"),
    BadObject(
      "Author", "{\"_id\":3,\"name\":\"\",\"friends\":[1,4]}", "relationship.missingTarget", "refers to Author 4"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"tags\":[1,1]}", "value.identities", "each once"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"tags\":[0]}", "value.identities", "numbers from 1"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":1,\"tags\":[1,]}", "read.invalidJSON",
      "not JSON: a value is expected, but there is “]”"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"tags\":[\"1\"]}", "value.identities", "whole numbers"),
    BadObject("Book", "{\"_id\":7,\"author\":1,\"tags\":{}}", "value.identities", "Book.tags"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":1,\"tags\":[1],\"tags:order\":[1,2]}", "value.identities", "as there are"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":1,\"tags\":[1],\"tags:inverse_order\":\"x\"}", "value.identities", "as there are"),
    BadObject(
      "Author", "{\"_id\":3,\"name\":\"\",\"pass\":1}", "relationship.inverse",
      "Author.pass refers to Pass 1, which does not refer back"),
    BadObject(
      "Book", "{\"_id\":7,\"author\":1,\"isbn\":\"x\"}", "constraint.unique",
      "another object has the value \"x\" for Book.isbn"),
  ]

  @Test("a record that cannot stay is rejected, and nothing else", arguments: bad)
  func rejected(_ bad: BadObject) throws {
    let files = ["Author", "Pass", "Tag", "Book", "Map"].map { entity in
      (name: "\(entity).ndjson", text: (Self.sound[entity] ?? "") + (entity == bad.entity ? bad.record + "\n" : ""))
    }
    let folder = try ObjectFolder(files)
    let summary = try folder.run()
    #expect(summary.rejectCounts == [bad.code: 1])
    #expect(summary.fates == [8, 7, 1])
    #expect(summary.entities.values.reduce(0) { $0 + $1.inserted } == 7)
    #expect(summary.status == .completedWithRejects)
    let rejects = try folder.rejects()
    #expect(rejects.count == 1)
    let reject = try #require(rejects.first)
    #expect(reject["code"] as? String == bad.code)
    #expect((reject["message"] as? String)?.contains(bad.says) == true, "\(reject["message"] ?? "")")
    #expect(reject["raw"] as? String == bad.record)
    #expect((reject["file"] as? String)?.hasSuffix("/\(bad.entity).ndjson") == true)
    let line = (Self.sound[bad.entity] ?? "").split(separator: "\n").count + 1
    #expect(reject["line"] as? Int == line)
    #expect(reject["record"] as? Int == line)
    #expect(try StoreVerifier.verify(path: folder.folder.file("library.sqlite")).findings == [])
    #expect(try folder.rows("SELECT count(*) FROM ZTHING") == ["2"])
  }

  @Test("what refers to a rejected record goes with it, however long the chain")
  func chain() throws {
    let length = 5000
    var text = ""
    for key in 1...length { text += "{\"_id\":\(key),\"parent\":\(key + 1)}\n" }
    text += "{\"_id\":\(length + 10),\"parent\":\(length + 11)}\n{\"_id\":\(length + 11),\"parent\":\(length + 10)}\n"
    let folder = try ObjectFolder([("Tag.ndjson", text)])
    let summary = try folder.run()
    #expect(summary.fates == [length + 2, 2, length])
    #expect(summary.rejectCounts == ["relationship.missingTarget": length])
    // A circle of sound records stays.
    let rows = try folder.rows("SELECT Z_PK, ZPARENT FROM ZTAG ORDER BY Z_PK")
    #expect(rows == ["5010|5011", "5011|5010"])
    #expect(try folder.rejects().count == length)
  }

  @Test("an early reject takes along what refers to it, in other files and through lists")
  func cascade() throws {
    let folder = try ObjectFolder([
      ("Author.ndjson", "{\"_id\":1}\n{\"_id\":2,\"name\":\"Bob\"}\n"),
      ("Book.ndjson", "{\"_id\":1,\"author\":1,\"tags\":[1]}\n{\"_id\":2,\"author\":2,\"tags\":[1]}\n"),
      ("Tag.ndjson", "{\"_id\":1}\n{\"_id\":2,\"about\":1}\n{\"_id\":3,\"parent\":2}\n"),
    ])
    let summary = try folder.run()
    #expect(summary.rejectCounts == ["validate.missing": 1, "relationship.missingTarget": 3])
    #expect(summary.entities.mapValues(\.inserted) == ["Author": 1, "Book": 1, "Tag": 1])
    let raw = try folder.rejects().compactMap { $0["raw"] as? String }
    #expect(
      raw.sorted() == [
        "{\"_id\":1,\"author\":1,\"tags\":[1]}", "{\"_id\":1}", "{\"_id\":2,\"about\":1}", "{\"_id\":3,\"parent\":2}",
      ])
    #expect(try StoreVerifier.verify(path: folder.folder.file("library.sqlite")).findings == [])
  }

  @Test("of two records with one identity the one that was taken is blamed")
  func blamed() throws {
    let folder = try ObjectFolder([
      ("Tag.ndjson", "{\"_id\":1,\"parent\":\"x\"}\n{\"_id\":1,\"parent\":9}\n{\"_id\":1}\n")
    ])
    #expect(try folder.run().rejected == 3)
    let rejects = try folder.rejects()
    #expect(
      rejects.map { "\($0["line"] ?? "") \($0["code"] ?? "")" } == [
        "1 value.integer", "3 key.duplicate", "2 relationship.missingTarget",
      ])
  }

  @Test("with missing: null references to nothing become nothing, where they may")
  func forgiving() throws {
    let folder = try ObjectFolder(
      [
        ("Author.ndjson", "{\"_id\":1,\"name\":\"Ada\",\"pass\":3,\"friends\":[1,2]}\n"),
        (
          "Book.ndjson",
          "{\"_id\":1,\"author\":1,\"tags\":[1,2],\"Author:shelf\":8}\n{\"_id\":2,\"author\":9}\n"
        ), ("Tag.ndjson", "{\"_id\":1,\"about\":2,\"parent\":4}\n"),
      ], options: ", missing: null")
    let summary = try folder.run()
    #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
    #expect(summary.inserted == 3)
    #expect(try folder.rows("SELECT ZABOUT, ZPARENT FROM ZTAG") == ["-|-"])
    #expect(try folder.rows("SELECT ZPASS FROM ZAUTHOR") == ["-"])
    #expect(try folder.rejects().first?["raw"] as? String == "{\"_id\":2,\"author\":9}")
    #expect(try StoreVerifier.verify(path: folder.folder.file("library.sqlite")).findings == [])
  }

  @Test("one reject too many, early or late, and there is no store", arguments: ["\"x\"", "99"])
  func limit(_ parent: String) throws {
    let text = "{\"_id\":1}\n{\"_id\":2,\"parent\":\(parent)}\n{\"_id\":3,\"parent\":\(parent)}\n"
    let folder = try ObjectFolder([("Tag.ndjson", text)], more: ", limit: 1")
    let summary = try folder.run()
    #expect(summary.status == .limitBreached)
    #expect(summary.fates == [3, 1, 2])
    #expect(!folder.hasStore)
    let ratio = try ObjectFolder([("Tag.ndjson", text)], more: ", ratio: 50%")
    #expect(try ratio.run().status == .limitBreached)
    #expect(!ratio.hasStore)
  }

  @Test("a file that cannot be read ends the run, and there is no store")
  func unreadable() throws {
    let folder = try ObjectFolder([("Tag.ndjson", "{\"_id\":1}\n"), ("Map.ndjson", "{\"_id\":1}\n")])
    let error = try #require(throws: ImportError.self) {
      try folder.run { $0.objects[1].inputs = [folder.folder.file("none.ndjson")] }
    }
    #expect(error.code == .cannotRead)
    #expect(!folder.hasStore)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).allSatisfy { !$0.contains("mergewalk-") })
  }
}
