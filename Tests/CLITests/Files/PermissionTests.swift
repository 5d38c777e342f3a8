import Foundation
import MergewalkTestSupport
import Testing

/// What is made out of a store may be read by nobody who may not read the store.
@Suite("Permissions of what is made out of stores")
struct PermissionTests {
  private func people() throws -> People {
    let people = try People(10, more: "rejects: r.ndjson")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: people.folder.file("s.sqlite"))
    return people
  }

  @Test("reports, metrics, rejects and the table of runs")
  func runs() throws {
    let people = try people()
    try people.input(1...3, age: 2, bad: 2)
    let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(text.replacing("history: false\n", with: ""), to: "p.yaml")
    #expect(try people.run("--report", "r.html", "--metrics", "m.prom").status == 1)
    for name in ["r.html", "m.prom", "r.ndjson", "s.sqlite-mergewalk", "s.sqlite"] {
      #expect(try people.mode(name) == 0o600, "\(name)")
    }
  }

  @Test("rows, exports and copies")
  func copies() throws {
    let people = try people()
    #expect(try people.command("fetch", "s.sqlite", "--entity", "Person", "--output", "rows.csv").status == 0)
    #expect(try people.command("export", "s.sqlite", "--out", "x").status == 0)
    #expect(try people.command("seed", "--from", "s.sqlite", "--store", "copy.sqlite").status == 0)
    for name in ["rows.csv", "x/Person.ndjson", "copy.sqlite"] { #expect(try people.mode(name) == 0o600, "\(name)") }
    #expect(try people.command("seed", "p.yaml", "--store", "s.sqlite", "--force").status == 0)
    #expect(try people.mode("s.sqlite") == 0o600)
  }

  @Test("the backup of a migration")
  func backup() throws {
    let people = try people()
    try people.folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64, note: string }\n"
        + "    unique: [email]\n", to: "m2.yaml")
    let command = try people.command("store", "migrate", "s.sqlite", "--to", "m2.yaml")
    #expect(command.status == 0, "\(command.words)")
    #expect(try people.mode("s.sqlite.backup") == 0o600)
    #expect(try people.mode("s.sqlite") == 0o600)
  }

  @Test("others keep what the store gives them")
  func shared() throws {
    let people = try people()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: people.folder.file("s.sqlite"))
    try people.input(1...3, age: 2)
    #expect(try people.run("--report", "r.html").status == 0)
    #expect(try people.mode("r.html") == 0o644)
  }
}
