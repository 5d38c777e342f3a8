import MergewalkDiagnostics
import Foundation
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Mistakes in lists") struct ListLintTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var text: String
    var code: String
    var part: String
    init(_ text: String, _ code: String, _ part: String) {
      self.text = text
      self.code = code
      self.part = part
    }
    var testDescription: String { text }
  }

  static let mistakes = [
    Mistake("tags: { find_by: { name: tags } }", "unsuitableRelationship", "nothing defines how"),
    Mistake("tags: { split: \";\", find_by: { name: tags }, orphans: delete }", "unsuitableOption", "may have several"),
    Mistake("tags: { split: \";\", find_by: { name: tags }, find_in: owner }", "unsuitableOption", "may have several"),
    Mistake("tags: { split: \";\", find_by: { name: tags }, attributes: [rank] }", "unsuitableOption", "only a key"),
    Mistake("tags: { each: tags, find_by: { name: . }, trim: true }", "unsuitableOption", "no “split”"),
    Mistake("tags: { each: tags, find_by: { name: a..b } }", "unknownColumn", "not a path"),
    Mistake("lines: { each: lines, find_by: [number] }", "invalidOption", "cannot stay"),
    Mistake("lines: { each: lines, find_by: [number], links: add, orphans: delete }", "unsuitableOption", "left out"),
    Mistake(
      "lines: { each: lines, find_by: [number], orphans: delete, relationships: { product: { split: \";\", find_by: [sku] } } }",
      "unsuitableOption", "one object"),
    Mistake("tags: { split: \";\", find_by: { name: tags }, linsk: add }", "unknownField", "links"),
    Mistake(
      "sequel: { find_by: { number: a }, relationships: { sequel: { find_by: { number: b } } } }",
      "unsuitableRelationship", "leads on"),
  ]

  @Test("each is one finding at its place", arguments: mistakes) func lint(_ mistake: Mistake) throws {
    let folder = try RelationFolder()
    try folder.folder.write("", to: "in.ndjson")
    let found = Pipeline.lint(try folder.pipeline(mistake.text))
    #expect(found.map(\.code) == [mistake.code], "\(found)")
    let text = found.map(\.description).joined()
    #expect(text.contains(mistake.part), "\(text)")
    #expect(found.first?.position.line == 9)
  }
}
