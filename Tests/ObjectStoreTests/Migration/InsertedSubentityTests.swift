import MergewalkObjectModel
import Testing

/// Columns of equally named attributes move on when an entity comes before theirs.
@Suite("Migrations that shift columns")
struct InsertedSubentityTests {
  typealias M = Models

  private static func entities(_ names: [String]) -> [EntityDraft] {
    [EntityDraft("Base", isAbstract: true)]
      + names.map { EntityDraft($0, parent: "Base", [M.attribute("name", .string), M.attribute("size", .integer32)]) }
  }

  @Test(
    "subentities inserted before, between and after siblings with equal attributes",
    arguments: [
      (["B", "C", "D"], ["A", "B", "C", "D"]), (["B", "D"], ["A", "B", "C", "D", "E"]),
      (["C", "D"], ["A", "B", "C", "D"]),
      (["B", "C", "D"], ["A", "AA", "B", "C", "D"]),
    ])
  func inserted(before: [String], after: [String]) throws {
    let bench = try MigrationBench(Self.entities(before), Self.entities(after))
    let dump = try bench.migrate()
    #expect(dump == bench.before)
  }

  @Test("siblings that change places by their new names")
  func exchanged() throws {
    var new = Self.entities(["B", "C", "D"])
    for (index, name) in [(1, "Z"), (2, "Y"), (3, "X")] {
      new[index].renamingIdentifier = new[index].name
      new[index].name = name
    }
    let bench = try MigrationBench(Self.entities(["B", "C", "D"]), new)
    _ = try bench.migrate()
  }
}
