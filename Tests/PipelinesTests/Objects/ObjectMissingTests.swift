import MergewalkImporting
import Testing

/// References of whole objects that lead nowhere, and become nothing, are counted.
@Suite("Counts of references to objects that are not there")
struct ObjectMissingTests {
  @Test("to-one references and lists that lose something count as missing, once an object")
  func missing() throws {
    let folder = try ObjectFolder(
      [
        ("Tag.ndjson", "{\"_id\":1,\"parent\":9}\n{\"_id\":2,\"parent\":1}\n{\"_id\":3}\n"),
        (
          "Book.ndjson",
          "{\"_id\":1,\"author\":1,\"tags\":[1,8,9]}\n{\"_id\":2,\"author\":1,\"tags\":[2]}\n{\"_id\":3,\"author\":7}\n"
        ), ("Author.ndjson", "{\"_id\":1,\"name\":\"Ada\"}\n"),
      ], options: ", missing: null")
    let summary = try folder.run()
    // A mandatory reference rejects its record.
    #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
    func missing(_ entity: String, _ attribute: String) -> Int {
      summary.fields.first { $0.entity == entity && $0.attribute == attribute }?.replaced[.missing] ?? 0
    }
    #expect(missing("Tag", "parent") == 1)
    #expect(missing("Book", "tags") == 1)
    #expect(missing("Book", "author") == 0)
    #expect(summary.fields.allSatisfy { $0.isBalanced })
  }
}
