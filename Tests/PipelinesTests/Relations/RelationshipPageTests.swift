import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// The examples of the page on relationships and of the cookbook do what the pages say.
@Suite("Pages with examples") struct PageExampleTests {
  static let relationships = PageExamples(page: "relationships.md").examples
  static let recipes = PageExamples(page: "cookbook.md").examples

  @Test("the pages have their examples") func haveExamples() {
    #expect(Self.relationships.count == 6 && Self.recipes.count == 6)
  }

  @Test("every recipe is whole, so that it can be typed as it stands", arguments: recipes)
  func isWhole(_ recipe: PageExamples.Example) { #expect(recipe.whole == recipe.pipeline) }

  @Test("every example gives what the page says, the second time nothing new", arguments: relationships + recipes)
  func run(_ example: PageExamples.Example) throws {
    let folder = TemporaryFolder()
    try folder.write(example.model, to: "model.yaml")
    for file in example.files { try folder.write(file.text, to: file.name) }
    let path = try folder.write(example.whole, to: "pipeline.yaml")
    #expect(Pipeline.lint(path) == [])
    for round in 0..<2 {
      let definition = try Pipeline.read(path).definition
      let summary = try ImportSession(definition).run()
      #expect(summary.rejected == 0)
      #expect(round == 0 || summary.inserted == 0)
      if round > 0, !example.pipeline.contains("mode: update") {
        #expect(summary.unchanged + summary.skipped == summary.read)
      }
      let connection = try Connection(path: definition.storePath, mode: .readOnly)
      defer { try? connection.close() }
      for (name, count) in example.counts {
        var table = "Z" + name.uppercased()
        if name == "pairs" {
          let names =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z\\__%' ESCAPE '\\'"
            + " AND name NOT LIKE 'Z\\_P%' ESCAPE '\\' AND name NOT LIKE 'Z\\_M%' ESCAPE '\\'"
          table = try #require(try connection.text(names))
        }
        #expect(try connection.integer("SELECT count(*) FROM \(table)") == count, "\(name)")
      }
    }
  }
}
