import Foundation
import MergewalkTestSupport
import Testing

/// What a run says as a warning is in its JSON and its report, under the same code.
@Suite("Warnings in words, in JSON and in the report")
struct WarningAgreementTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      "entities:\n  Person:\n    attributes: { email: string, age: integer64, name: string }\n"
        + "    relationships: { friend: { to_one: Person } }\n", to: "m.yaml")
    try folder.write("{\"email\":\"a\",\"ag\":{\"e\":1}}\n{\"email\":\"b\",\"ag\":{\"e\":2}}\n", to: "in.ndjson")
    try folder.write("", to: "none.ndjson")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: { files: [in.ndjson, in.ndjson, none.ndjson], empty_files: skip }
      import: { entity: Person, find_by: [email], attributes: { age: ag/e, name: '$name' } }
      """, to: "p.yaml")
  }

  /// The codes of the warnings in words, sorted.
  private func printed(_ command: Command) -> [String] {
    command.words.matches(of: #/ warning: .*\[([a-zA-Z]+)\]/#).map { String($0.1) }.sorted()
  }

  private func codes(_ command: Command) throws -> [String] {
    let warnings = try #require(try command.object()["warnings"] as? [[String: Any]])
    return warnings.compactMap { $0["code"] as? String }.sorted()
  }

  private func run(_ arguments: String...) throws -> Command {
    try Command(["run"] + arguments + ["--json", "--set", "NOPE=1"], in: folder.path)
  }

  @Test("have the same codes, whoever finds them and when")
  func run() throws {
    let command = try run("p.yaml", "--report", "r.html")
    #expect(command.status == 0, "\(command.words)")
    let codes = try codes(command)
    #expect(printed(command) == codes, "\(command.words)")
    let expected = ["doubtfulModel", "emptyFile", "neverMatched", "repeatedFile", "unindexedKey", "unusedVariable"]
    #expect(Set(codes).isSuperset(of: expected), "\(codes)")
    // What the first records seem to lack is said once, by the end of the run, which knows; lint says it before.
    #expect(!command.words.contains("absentMember"), "\(command.words)")
    #expect(try Command(["lint", "p.yaml"], in: folder.path).output.contains("[absentMember]"))
    let cure = "neverMatched: no record has “ag/e” (Person.age); names on a way have dots between them: “ag.e”"
    #expect(try command.warnings().contains(cure), "\(command.words)")
    let report = try String(contentsOfFile: folder.file("r.html"), encoding: .utf8)
    for code in codes { #expect(report.contains("[\(code)]"), "\(code)") }
  }

  @Test("a run that fails has them too")
  func failure() throws {
    let command = try run("p.yaml", "--expect-records", "9")
    #expect(command.status == 2)
    #expect(try codes(command) == printed(command), "\(command.words)")
    #expect(try codes(command).contains("unusedVariable"))
  }

  @Test("a run that a limit ends says what none of its records had")
  func breach() throws {
    let text = try String(contentsOfFile: folder.file("p.yaml"), encoding: .utf8)
    let key = text.replacing("find_by: [email]", with: "find_by: { email: emial }")
    try folder.write(key + "\nrejects: { file: r.ndjson, limit: 1 }\n", to: "b.yaml")
    let command = try run("b.yaml")
    #expect(command.status == 3)
    #expect(try codes(command) == printed(command), "\(command.words)")
    let warning = "neverMatched: no record that was read has “emial” (Person.email); did you mean “email”?"
    #expect(try command.warnings().contains(warning), "\(command.words)")
  }

  @Test("a run of whole objects, too")
  func objects() throws {
    #expect(try run("p.yaml").status == 0)
    #expect(try Command(["export", "s.sqlite", "--out", "whole"], in: folder.path).status == 0)
    let command = try run("whole/pipeline.yaml", "--store", "copy.sqlite")
    #expect(command.status == 0, "\(command.words)")
    #expect(try codes(command) == printed(command), "\(command.words)")
    #expect(try codes(command).contains("unusedVariable"))
  }

  @Test("an explanation has them in words and in JSON")
  func explanation() throws {
    let arguments = ["explain", "p.yaml", "--set", "NOPE=1"]
    let object = try Command(arguments + ["--json"], in: folder.path)
    let codes = try codes(object)
    #expect(Set(codes).isSuperset(of: ["doubtfulModel", "repeatedFile", "unindexedKey", "unusedVariable"]), "\(codes)")
    #expect(object.words == "")
    let words = try Command(arguments, in: folder.path).output
    let printed = words.matches(of: #/(?m)^  warning  .*\[([a-zA-Z]+)\]$/#).map { String($0.1) }
    #expect(printed.sorted() == codes, "\(words)")
  }

  @Test("a build of default data says each once, under the code that its JSON has")
  func seed() throws {
    let command = try Command(
      ["seed", "p.yaml", "--store", "seed.sqlite", "--json", "--set", "NOPE=1"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    let runs = try #require(try command.object()["runs"] as? [[String: Any]])
    let warnings = runs.flatMap { $0["warnings"] as? [[String: Any]] ?? [] }
    #expect(printed(command) == warnings.compactMap { $0["code"] as? String }.sorted(), "\(command.words)")
    #expect(printed(command).contains("doubtfulModel"))
  }
}
