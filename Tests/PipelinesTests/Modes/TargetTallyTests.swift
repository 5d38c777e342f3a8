import Foundation
@testable import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Values for the attributes of an object that the record does not name: they are stored nowhere, and are counted.
@Suite("Counts of values for targets") struct TargetTallyTests {
  /// Posts and their authors.
  private static let model = """
      Author:
        attributes: { email: string, name: string, n: integer64 }
        relationships: { posts: { to_many: Post, inverse: author } }
        unique: [email]
      Post:
        attributes: { k: string! }
        relationships:
          author: { to_one: Author, inverse: posts }
          reply: { to_one: Post, inverse: replies }
          replies: { to_many: Post, inverse: reply }
        unique: [k]
    """

  private static let author = "author: { find_by: { email: author }, attributes: { name: an, n: n } }"
  private static let part = "{ entity: Post, find_by: [k], relationships: { \(author) } }"

  private func field(_ summary: ImportSummary, _ name: String) throws -> FieldTally {
    try #require(summary.fields.first { $0.entity == "Author" && $0.attribute == name })
  }

  @Test("a value for an object that the record does not name is no value that was stored") func empty() throws {
    // Empty text is lost on nobody; of the record that is rejected all values are.
    let csv = "k,author,an,n\n1,a,X,1\n2,,Y,2\n3,,,\n,,Z,4\n4,b,,5\n"
    for batch in [1, 2, 100] {
      let summary = try ShapeFolder(Self.model).run(Self.part, csv, batch: batch, file: "in.csv")
      #expect(summary.inserted == 4 && summary.rejected == 1)
      #expect(try field(summary, "email").replaced == [:], "batch \(batch)")
      #expect(try field(summary, "name").replaced == [.missing: 1], "batch \(batch)")
      #expect(try field(summary, "n").replaced == [.missing: 1, .empty: 1], "batch \(batch)")
      #expect(try field(summary, "name").stored == 3 && field(summary, "n").stored == 2, "batch \(batch)")
      for field in summary.fields { #expect(field.read == 5 && field.rejected == 1 && field.isBalanced) }
    }
  }

  @Test("the object may be null, absent, or named in part") func nameless() throws {
    let lines = "{\"k\":\"1\",\"author\":null,\"an\":\"Y\",\"n\":3}\n{\"k\":\"2\",\"an\":\"Y\"}\n"
    let posts = try ShapeFolder(Self.model)
    let summary = try posts.run(Self.part, lines)
    #expect(try field(summary, "email").replaced == [.absent: 1])
    #expect(try field(summary, "name").replaced == [.missing: 2])
    #expect(try field(summary, "n").replaced == [.missing: 1, .absent: 1])
    let pair = "{ entity: Post, find_by: [k], relationships: { author: { find_by: { email: author, name: an } } } }"
    let parts = try posts.run(pair, "k,author,an\n5,a,X\n6,,Y\n7,b,\n", file: "in.csv")
    #expect(try field(parts, "name").replaced == [.missing: 1])
    #expect(try field(parts, "email").replaced == [.missing: 1])
  }

  @Test("a value for an object that is not there is counted, if the reference may be null") func missing() throws {
    let author = Self.author.replacingOccurrences(of: "attributes", with: "missing: \"null\", attributes")
    for batch in [1, 2, 100] {
      let posts = try ShapeFolder(Self.model)
      try posts.run("{ entity: Author, find_by: [email] }", "email\na\n", file: "in.csv")
      let summary = try posts.run(
        "{ entity: Post, find_by: [k], relationships: { \(author) } }",
        "k,author,an,n\n1,a,X,1\n2,no,Y,\n3,no,,3\n,no,Z,4\n4,,W,5\n", batch: batch, file: "in.csv")
      #expect(summary.inserted == 4 && summary.rejected == 1)
      // The key that leads nowhere is counted as the reference that it is.
      #expect(try field(summary, "email").replaced == [:], "batch \(batch)")
      #expect(summary.fields.first { $0.attribute == "author" }?.replaced == [.missing: 2])
      #expect(try field(summary, "name").replaced == [.missing: 2], "batch \(batch)")
      #expect(try field(summary, "n").replaced == [.missing: 2, .empty: 1], "batch \(batch)")
      for field in summary.fields where field.attribute != "author" { #expect(field.read == 5 && field.isBalanced) }
    }
  }

  @Test("what a cursor passes over names nothing, and is not counted") func passedOver() throws {
    let posts = try ShapeFolder(Self.model)
    func run(_ rows: String) throws -> ImportSummary {
      try posts.run(
        Self.part, "k,author,an,n,seen\n" + rows, file: "in.csv", more: "since: { column: seen, type: integer }")
    }
    _ = try run("1,a,X,1,5\n")
    let summary = try run("2,b,Y,2,1\n3,,Y,2,2\n4,,Z,3,6\n")
    #expect(summary.skipped == 2)
    #expect(try field(summary, "name").replaced == [.missing: 1] && field(summary, "name").read == 1)
  }

  @Test(
    "the counts are those of a count by hand, also of records that wait and of a run that goes on",
    arguments: Soak.seeds(20, long: 60))
  func drawn(number: UInt64) throws {
    let seed = 20_261_130 + number
    var random = SeededGenerator(seed: seed)
    func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    let passes = pick(["one", "two"])
    // Of the authors, “a” is there before.
    let creates = pick([true, false])
    var rows: [[String]] = []
    for _ in 0..<Int.random(in: 20...60, using: &random) {
      rows.append([
        pick([""] + (1..<30).map { "k\($0)" }), pick(["", "", "a", "b"]), pick(["", "Y"]),
        pick(["", "1", "2", "3", "oops"]), pick(["", "p0", "p0", "nowhere"]),
      ])
    }
    let csv = "k,author,an,n,reply\n" + rows.map { $0.joined(separator: ",") + "\n" }.joined()
    var expected: [String: [FieldTally.Replacement: Int]] = ["email": [:], "name": [:], "n": [:]]
    var rejected = 0
    for row in rows {
      if row[0].isEmpty || row[3] == "oops" || row[4] == "nowhere" {
        rejected += 1
        continue
      }
      if row[3].isEmpty { expected["n"]?[.empty, default: 0] += 1 }
      guard row[1].isEmpty || row[1] == "b" && !creates else { continue }
      if !row[2].isEmpty { expected["name"]?[.missing, default: 0] += 1 }
      if !row[3].isEmpty { expected["n"]?[.missing, default: 0] += 1 }
    }
    let limit = pick([1, 3, 7, 1000])
    let label: Comment = "seed \(seed), \(passes), creates \(creates), batch \(limit)"
    func prepare() throws -> (ShapeFolder, ImportDefinition) {
      let posts = try ShapeFolder(Self.model)
      try posts.run("{ entity: Post, find_by: [k] }", "k\np0\n", file: "in.csv")
      try posts.run("{ entity: Author, find_by: [email] }", "email\na\n", file: "in.csv")
      let missing = creates ? "create" : "\"null\""
      let author = Self.author.replacingOccurrences(of: "attributes", with: "missing: \(missing), attributes")
      let definition = try posts.definition(
        """
        { entity: Post, find_by: [k], passes: \(passes), relationships: {
            \(author), reply: { find_by: { k: reply }, missing: reject } } }
        """, csv, batch: limit, file: "in.csv")
      return (posts, definition)
    }
    let ((first, whole), (second, stopped)) = try (prepare(), prepare())
    defer { withExtendedLifetime((first, second)) {} }
    var asked = 0
    let stop = Int.random(in: 1...8, using: &random)
    let part = try ImportSession(stopped).run(shouldStop: {
      asked += 1
      return asked > stop
    })
    let last = part.status == .interrupted ? try ImportSession(stopped).run() : part
    let undisturbed = try ImportSession(whole).run()
    for summary in [undisturbed, last] {
      #expect(summary.rejected == rejected, label)
      for (name, counts) in expected {
        let field = try field(summary, name)
        #expect(field.replaced == counts && field.rejected == rejected && field.isBalanced, label)
      }
    }
  }
}
