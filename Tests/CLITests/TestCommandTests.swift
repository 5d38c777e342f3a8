import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk test")
struct TestCommandTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: \(Locations.fixtures)/shop/Shop.yaml
      store: shop.sqlite
      source: categories.csv
      import: { entity: Category, find_by: [name] }
      """, to: "pipelines/categories.yaml")
    try write(name: "Home")
  }

  private func write(name: String, to path: String = "pipelines/categories_test.yaml") throws {
    try folder.write(
      """
      pipeline: \(folder.file("pipelines/categories.yaml"))
      cases:
        - name: one category
          input: "name\\nHome\\n"
          expect: { rows: { Category: [{ name: \(name) }] } }
      """, to: path)
  }

  private func test(_ arguments: String..., environment: [String: String] = [:]) throws -> Command {
    try Command(["test"] + arguments, in: folder.path, environment: environment)
  }

  @Test func `the repository's pipelines pass their tests`() throws {
    let command = try Command(["test", Locations.repository + "/pipelines", "--json"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    let object = try command.object()
    #expect(object["failed"] as? Int == 0 && object["broken"] as? Int == 0)
    #expect((object["passed"] as? Int ?? 0) >= 4)
  }

  @Test func `cases that pass are named on standard error, and the exit code is 0`() throws {
    for arguments in [[], ["."], ["pipelines"], ["pipelines/categories_test.yaml"], ["pipelines/*_test.yaml"]] {
      let command = try Command(["test"] + arguments, in: folder.path)
      #expect(command.status == 0 && command.output == "", "\(arguments): \(command.output)")
      #expect(command.words.contains("passed  "))
      #expect(command.words.contains(": one category ("))
      #expect(command.words.hasSuffix("1 case in 1 file: 1 passed\n"))
    }
    let quiet = try test("--quiet")
    #expect(quiet.status == 0 && quiet.words == "" && quiet.output == "")
  }

  @Test func `what differs is on standard output with its place, and the exit code is 1`() throws {
    try write(name: "Away")
    let command = try test("pipelines", "--quiet")
    #expect(command.status == 1)
    #expect(
      command.output.split(separator: "\n") == [
        "pipelines/categories_test.yaml:5:23: error: not expected is the “Category” { name: “Home” } [testDiffers]",
        "pipelines/categories_test.yaml:5:34: error: there is no “Category” { name: “Away” } [testDiffers]",
      ])
    let object = try test("pipelines", "--json").object()
    #expect(object["failed"] as? Int == 1 && object["passed"] as? Int == 0)
    let cases = try #require(object["cases"] as? [[String: Any]])
    #expect(cases.count == 1)
    #expect(cases[0]["name"] as? String == "one category" && cases[0]["line"] as? Int == 3)
    #expect(cases[0]["outcome"] as? String == "failed")
    #expect(
      (cases[0]["findings"] as? [[String: Any]])?.map { $0["code"] as? String } == ["testDiffers", "testDiffers"])
  }

  @Test func `warnings about a file are shown, and keep nothing from running`() throws {
    let pipeline = try String(contentsOfFile: folder.file("pipelines/categories.yaml"), encoding: .utf8)
    try folder.write(pipeline, to: "pipelines/$old/categories.yaml")
    let path = "pipelines/categories_test.yaml"
    let tests = try String(contentsOfFile: folder.file(path), encoding: .utf8)
    try folder.write(tests.replacing(folder.file("pipelines/"), with: "$old/"), to: path)
    let command = try test(path, "--quiet")
    #expect(command.status == 0)
    #expect(
      command.output
        == "\(path):1:11: warning: “$old” is text and no variable; write “${old}” [invalidVariable]\n")
    let object = try test(path, "--json").object()
    #expect((object["findings"] as? [[String: Any]])?.map { $0["severity"] as? String } == ["warning"])
    #expect(object["passed"] as? Int == 1)
    #expect(try test(path, "--filter", "none", "--quiet").status == 2)
  }

  @Test func `what cannot be run is no success`() throws {
    try folder.write("", to: "empty/pipeline.yaml")
    try folder.write("cases: [{ name: a, expct: {} }]", to: "broken/orders_test.yaml")
    try folder.write(
      "pipeline: ../pipelines/categories.yaml\ncases: [{ name: a, expect: { rows: { Ctegory: [] } } }]",
      to: "wrong/a_test.yaml")
    for path in ["empty", "broken", "wrong", "none", "none/*_test.yaml", "empty/pipeline.yaml"] {
      let command = try test(path)
      #expect(command.status == 2, "\(path): \(command.words)")
      #expect(command.output.contains("error: "), "\(path)")
      #expect(try test(path, "--json").status == 2)
    }
    // One of several folders is enough.
    #expect(try test("pipelines", "empty").status == 2)
    #expect(try test("pipelines", "--filter", "no such case").status == 2)
    #expect(try test("pipelines", "--filter", "one").status == 0)
  }

  @Test func `no file stays behind`() throws {
    let command = try test("pipelines", environment: ["TMPDIR": folder.path])
    #expect(command.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipelines"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("pipelines")).sorted() == [
        "categories.yaml", "categories_test.yaml",
      ])
    let closed = try test("pipelines", environment: ["TMPDIR": folder.file("none")])
    #expect(closed.status == 2 && closed.output.contains("TMPDIR"))
  }

  @Test func `lint looks into files with tests`() throws {
    let lint = try Command(["lint", "pipelines/categories_test.yaml"], in: folder.path)
    #expect(lint.status == 0 && lint.words == "1 file with tests: no findings\n", "\(lint.words)")
    try write(name: "[Home]")
    let command = try Command(["lint", "pipelines/categories_test.yaml", "--quiet"], in: folder.path)
    #expect(command.status == 1)
    #expect(command.output.hasPrefix("pipelines/categories_test.yaml:5:42: error: "), "\(command.output)")
  }
}
