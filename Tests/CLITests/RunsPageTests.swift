import Foundation
import MergewalkTestSupport
import Testing

/// `runs` of folders and as a page, and what reports say of earlier runs.
@Suite("Pages of runs")
struct RunsPageTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: M
      entities:
        Item:
          attributes: { code: string!, n: integer32 }
          unique: [code]
      """, to: "model.yaml")
  }

  private func run(_ name: String, store: String, _ csv: String, _ more: String...) throws -> Command {
    try folder.write("code,n\n" + csv, to: "in.csv")
    try folder.write(
      """
      pipeline: \(name)
      model: model.yaml
      store: \(store)
      source: in.csv
      import: { entity: Item, find_by: [code], attributes: [n] }
      rejects: { file: '\(name) r&1.ndjson' }
      """, to: "\(name).yaml")
    return try Command(["run", "\(name).yaml", "--quiet"] + more, in: folder.path)
  }

  private func runs(_ arguments: String...) throws -> Command { try Command(["runs"] + arguments, in: folder.path) }

  @Test("a folder stands for all stores in it; the page has each pipeline, how it ended, and links to rejects")
  func page() throws {
    #expect(try run("one", store: "a/s.sqlite", "A,1\n").status == 0)
    #expect(try run("one", store: "a/s.sqlite", "A,x\n").status == 1)
    #expect(try run("two", store: "b/c/t.sqlite", "A,1\n").status == 0)
    // Other files of such a name are not read, and say so.
    let list = try runs(".")
    #expect(list.status == 0 && list.output.contains("two") && list.lines.count == 4, "\(list.output)")
    let object = try runs(".", "--json", "--pipeline", "one")
    #expect(object.output.components(separatedBy: "\"number\"").count == 3, "\(object.output)")
    let made = try runs(".", "--html", "runs.html")
    #expect(made.status == 0, "\(made.words)")
    let page = try String(contentsOfFile: folder.file("runs.html"), encoding: .utf8)
    for part in ["2 pipelines", ">one<", ">two<", "completed with rejects", "a/s.sqlite", "Content-Security-Policy"] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(page.contains("href=\"./one%20r%261.ndjson\""), "links are encoded")
    #expect(!page.contains("<script"))
    try folder.write(String(repeating: "no database ", count: 100), to: "b/u.sqlite-mergewalk")
    let broken = try runs(".", "--html", "runs.html")
    #expect(broken.status == 1 && broken.words.contains("b/u.sqlite: error: "), "\(broken.words)")
    // A page takes the place of a page only.
    try folder.write("mine", to: "notes.txt")
    #expect(try runs(".", "--html", "notes.txt").status == 2)
    #expect(try runs("a", "last").status == 2)
    let empty = TemporaryFolder()
    #expect(try runs(empty.path).words.contains("no run was recorded"))
    #expect(try runs("a/s.sqlite", "--html", "one.html").status == 0)
    // The runs of other pipelines are not denied.
    for place in ["a", "a/s.sqlite"] {
      let other = try runs(place, "--html", "one.html", "--pipeline", "onne")
      #expect(other.status == 2 && other.words.contains("no run of a pipeline “onne” was recorded; did you mean “one”"))
    }
    #expect(try runs(".", "--html", "x.html", "--json").status == 64)
  }

  @Test("a report shows the runs before, never-matched columns, the policies and a link to the rejects")
  func trend() throws {
    #expect(try run("one", store: "s.sqlite", "A,1\n", "--report", "r.html").status == 0)
    func page() throws -> String { try String(contentsOfFile: folder.file("r.html"), encoding: .utf8) }
    #expect(!(try page().contains("Earlier runs")), "there is none")
    #expect(try run("one", store: "s.sqlite", "A,1\nB,2\nB,x\n", "--report", "r.html").status == 1)
    let text = try page()
    for part in [
      "<h2>Earlier runs</h2>", "usually 1", "class=\"run fair last\"",
      "<h2>Policies</h2>",
      "upsert, objects found by code",
      "<td class=\"left\">without limit, kept in a file</td>", "href=\"./one%20r%261.ndjson\"",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!text.contains("Never matched"))
    try folder.write("{\"code\": \"A\", \"n\": 1}\n", to: "in.ndjson")
    try folder.write(
      """
      pipeline: json
      model: model.yaml
      store: j.sqlite
      source: in.ndjson
      import: { entity: Item, find_by: [code], attributes: { n: nn } }
      """, to: "json.yaml")
    let json = try Command(["run", "json.yaml", "--quiet", "--report", "r.html"], in: folder.path)
    #expect(json.status == 0, "\(json.words)")
    #expect(try page().contains("<h2>Never matched</h2>"))
    // Inserts without keys are not repeated by default.
    try folder.write(
      "model: model.yaml\nstore: i.sqlite\nsource: in.ndjson\n"
        + "import: { entity: Item, mode: insert, attributes: { code: code } }\n", to: "insert.yaml")
    #expect(try Command(["run", "insert.yaml", "--quiet", "--report", "r.html"], in: folder.path).status == 0)
    #expect(try page().contains("<td>the same inputs again</td><td class=\"left\">fail</td>"))
  }
}
