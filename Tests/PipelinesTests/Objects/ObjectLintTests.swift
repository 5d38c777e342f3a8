import MergewalkDiagnostics
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Lint of pipelines of objects")
struct ObjectLintTests {
  private func lint(_ pipeline: String) throws -> [String] {
    let folder = TemporaryFolder()
    try folder.write(ObjectFolder.model, to: "model.yaml")
    try folder.write("{\"_id\":1,\"label\":\"a\"}\n", to: "Tag.ndjson")
    try folder.write("{\"id\":1,\"lable\":\"a\"}\n", to: "Odd.ndjson")
    try folder.write("_id,name,nome\n", to: "Author.csv")
    let path = try folder.write(pipeline, to: "pipeline.yaml")
    return Pipeline.lint(path).filter { $0.path == path }.map {
      $0.description.replacingAll(folder.path + "/", with: "")
    }
  }

  static let head = "model: model.yaml\nstore: s.sqlite\n"

  @Test("a pipeline of objects has no findings")
  func sound() throws {
    #expect(try lint(Self.head + "objects:\n  - { entity: Tag, files: Tag.ndjson }\n") == [])
  }

  @Test(
    "a mistake has one finding, at its place",
    arguments: [
      ("objects: Tag\n", "3:10", "wrongType", "“objects” takes a list of mappings"),
      ("objects: []\n", "3:10", "wrongType", "a list of mappings"),
      ("objects: [{ entity: Tag }]\n", "3:11", "missingField", "needs the field “files”"),
      ("objects: [{ files: Tag.ndjson }]\n", "3:11", "missingField", "needs the field “entity”"),
      ("objects: [{ entity: Tog, files: Tag.ndjson }]\n", "3:21", "unknownEntity", "did you mean “Tag”?"),
      ("objects: [{ entity: Thing, files: Tag.ndjson }]\n", "3:21", "unsuitableEntity", "name one of Book, Map"),
      ("objects: [{ entity: Tag, files: none.ndjson }]\n", "3:33", "unreadableFile", "there is no file"),
      ("objects: [{ entity: Tag, files: \"-\" }]\n", "3:33", "invalidOption", "objects are read from files"),
      ("objects: [{ entity: Tag, file: Tag.ndjson, files: Tag.ndjson }]\n", "3:26", "unknownField", "“files”"),
      (
        "objects: [{ entity: Tag, files: Tag.ndjson, missing: create }]\n", "3:54", "invalidOption",
        "“missing” cannot be"
      ),
      (
        "find: seek\nobjects: [{ entity: Tag, files: Tag.ndjson }]\n", "3:1", "invalidOption",
        "“find” has no effect together with"
      ),
      (
        "source: Tag.ndjson\nobjects: [{ entity: Tag, files: Tag.ndjson }]\n", "3:1", "invalidOption",
        "“source” has no effect together with “objects”"
      ),
    ])
  func mistakes(_ rest: String, _ place: String, _ code: String, _ says: String) throws {
    let findings = try lint(Self.head + rest)
    #expect(findings.count == 1, "\(findings)")
    let finding = try #require(findings.first)
    #expect(finding.hasPrefix("pipeline.yaml:\(place): "), "\(finding)")
    #expect(finding.contains("[\(code)]"), "\(finding)")
    #expect(finding.contains(says), "\(finding)")
  }

  @Test("fields that files have not, or that entities have not, are found")
  func fields() throws {
    let findings = try lint(
      Self.head + "objects:\n  - { entity: Tag, files: Odd.ndjson }\n  - { entity: Author, files: Author.csv }\n")
    let texts = findings.map { finding in String(finding.drop { $0 != " " }.dropFirst().prefix { $0 != "[" }) }
    #expect(
      texts == [
        "error: “Odd.ndjson” has no field “_id”; objects have their identity there, a number from 1 ",
        "warning: “Odd.ndjson” has a field “id”, which “Tag” does not have; did you mean “_id”? ",
        "warning: “Odd.ndjson” has a field “lable”, which “Tag” does not have; did you mean “label”? ",
      ])
  }

  @Test("without objects a source and an import are needed")
  func neither() throws {
    #expect(try lint(Self.head).map { $0.contains("needs the field") } == [true, true])
  }
}
