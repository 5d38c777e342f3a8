import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Models that SQLite does not take, and indexes of ancestors.
@Suite("Tables of models") struct WideModelTests {
  private let folder = TemporaryFolder()

  private func lint(attributes: Int) throws -> [Diagnostic] {
    let names = (0..<attributes).map { "      a\($0): string\n" }.joined()
    try folder.write(
      "model: M\nentities:\n  Wide:\n    attributes:\n      code: string!\n\(names)    unique: [code]\n", to: "m.yaml")
    try folder.write("code\na\n", to: "in.csv")
    let path = try folder.write(
      "model: m.yaml\nstore: s.sqlite\nsource: in.csv\nimport: { entity: Wide, find_by: [code] }\n", to: "p.yaml")
    return Pipeline.lint(path)
  }

  @Test("an entity of more columns than a table can have is a finding, not a failure of the run")
  func wide() throws {
    // The primary key, the entity, the version and the code are columns too.
    #expect(try lint(attributes: 1996).isEmpty)
    #expect(try ImportSession(Pipeline.read(folder.file("p.yaml")).definition).run().inserted == 1)
    let findings = try lint(attributes: 1997)
    // The store is that of the narrower model.
    #expect(findings.map(\.code) == ["unsuitableStore", "unsuitableEntity"] && findings[1].position.line == 4)
    #expect(findings[1].message.contains("2001 columns") && findings[1].description.utf8.count < 400)
  }

  @Test("an index of an ancestor finds the objects of its descendants")
  func inheritedIndex() throws {
    func lint(_ indexes: String) throws -> [String] {
      try folder.write(
        "model: M\nentities:\n  Base:\n    attributes: { code: string }\n\(indexes)  Middle: { parent: Base }\n"
          + "  Leaf: { parent: Middle, attributes: { name: string } }\n", to: "m.yaml")
      try folder.write("code,name\na,b\n", to: "in.csv")
      let path = try folder.write(
        "model: m.yaml\nstore: s.sqlite\nsource: in.csv\nimport: { entity: Leaf, find_by: [code], attributes: [name] }\n",
        to: "p.yaml")
      return Pipeline.lint(path).map(\.code)
    }
    #expect(try lint("") == ["unindexedKey"])
    #expect(try lint("    indexes: { byCode: [code] }\n") == [])
  }

  @Test("a long statement is cut in a message") func longStatement() {
    let error = SQLiteError(code: 1, message: "too many columns", sql: String(repeating: "x", count: 669_000))
    #expect(error.description.utf8.count < 1200 && error.description.contains("(669000 bytes)"))
  }
}
