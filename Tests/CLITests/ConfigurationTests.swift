import Foundation
import MergewalkTestSupport
import Testing

@Suite("Configuration")
struct ConfigurationTests {
  private let folder = TemporaryFolder()
  private static let secret = "hunter2-\"quoted\"-and-more"

  /// A pipeline whose every path and name has a secret in it.
  private func write(mode: String = "upsert") throws {
    try folder.write(
      """
      pipeline: "categories ${secret:KEY}"
      model: \(Locations.fixtures)/shop/Shop.yaml
      store: "out/${secret:KEY}.sqlite"
      source: { files: "in/${secret:KEY}.csv", ignore: [size] }
      import: { entity: Category, find_by: [name], mode: \(mode) }
      rejects: "out/${secret:KEY}.ndjson"
      """, to: "p.yaml")
    try folder.write("name,size\nHome,1\n,2\n", to: "in/\(Self.secret).csv")
  }

  private var environment: [String: String] { ["KEY": Self.secret] }

  /// Whether a text has the secret, as it is or as JSON quotes it.
  private func shows(_ text: String) -> Bool { text.contains("hunter2") || text.contains("quoted") }

  @Test func `no command shows a secret`() throws {
    try write()
    let commands = [
      ["lint", "p.yaml"], ["lint", "--json", "p.yaml"], ["run", "p.yaml", "--dry-run"], ["run", "p.yaml"],
      ["run", "p.yaml", "--json"], ["run", "p.yaml", "--log", "json", "--log-level", "trace"],
      ["run", "p.yaml", "--log", "text", "--log-level", "trace", "--json"],
      ["run", "p.yaml", "--metrics", "metrics.prom", "--report", "report.html"],
      ["seed", "p.yaml", "--store", "seed.sqlite"],
      ["seed", "p.yaml", "--store", "seed.sqlite", "--force", "--json"],
    ]
    for command in commands {
      let result = try Command(command, in: folder.path, environment: environment)
      // One of the records is rejected.
      #expect(result.status == (command[0] == "lint" ? 0 : 1), "\(command): \(result.words)")
      #expect(!shows(result.output) && !shows(result.words), "\(command): \(result.output)\(result.words)")
      if command[0] != "lint" { #expect((result.output + result.words).contains("***"), "\(command)") }
    }
    // What is written beside the store is for people too.
    for file in ["metrics.prom", "report.html", "out/\(Self.secret).sqlite-mergewalk"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(file)))
      #expect(!shows(String(decoding: bytes, as: UTF8.self)), "\(file.suffix(20))")
    }
    let rejects = try String(contentsOfFile: folder.file("out/\(Self.secret).ndjson"), encoding: .utf8)
    #expect(rejects.contains("\"file\":\"in/***.csv\""), "\(rejects)")
    #expect(!shows(rejects))
  }

  @Test func `no failure shows a secret`() throws {
    try write(mode: "\"${secret:KEY}\"")
    for command in [
      ["lint", "p.yaml"], ["lint", "--json", "p.yaml"], ["run", "p.yaml"], ["run", "--json", "p.yaml"],
    ] {
      let result = try Command(command, in: folder.path, environment: environment)
      #expect(result.status != 0)
      #expect(!shows(result.output) && !shows(result.words), "\(command): \(result.output)\(result.words)")
    }
    try write()
    // A run that cannot open its store, whose path has the secret.
    try FileManager.default.createDirectory(
      atPath: folder.file("out/\(Self.secret).sqlite"), withIntermediateDirectories: true)
    for command in [["run", "p.yaml"], ["run", "--json", "p.yaml"]] {
      let result = try Command(command, in: folder.path, environment: environment)
      #expect(result.status == 2)
      #expect((result.output + result.words).contains("***"))
      #expect(!shows(result.output) && !shows(result.words), "\(command): \(result.output)\(result.words)")
    }
  }

  @Test func `every command that reads a pipeline hides its secrets`() throws {
    let root = Locations.repository + "/Sources/mergewalk"
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    var count = 0
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
      if text.contains("PipelineFile.read(") { count += 1 }
      // Others read by that one.
      guard text.contains(" Pipeline.read(") else { continue }
      #expect(text.contains("Console.hide("), "\(file)")
      count += 1
    }
    #expect(count >= 5)
  }

  @Test func `paths are relative to the pipeline, those of the command line to the working directory`() throws {
    try folder.write(
      "source: { files: in.csv }\nstore: shop.sqlite\nrejects: rejects.ndjson\n", to: "a/parts/base.yaml")
    try folder.write("name\nHome\n\"\"\n", to: "a/parts/in.csv")
    try folder.write(
      """
      include: parts/base.yaml
      model: \(Locations.fixtures)/shop/Shop.yaml
      import: { entity: Category, find_by: [name] }
      """, to: "a/p.yaml")
    try FileManager.default.createDirectory(atPath: folder.file("b"), withIntermediateDirectories: true)
    #expect(try Command(["run", "../a/p.yaml"], in: folder.file("b")).status == 1)
    #expect(try Command(["run", "../a/p.yaml", "--store", "mine.sqlite"], in: folder.file("b")).status == 1)
    for path in ["a/parts/shop.sqlite", "a/parts/rejects.ndjson", "b/mine.sqlite"] {
      #expect(FileManager.default.fileExists(atPath: folder.file(path)), "\(path)")
    }
    for path in ["a/shop.sqlite", "b/shop.sqlite", "shop.sqlite", "b/rejects.ndjson", "a/mine.sqlite"] {
      #expect(!FileManager.default.fileExists(atPath: folder.file(path)), "\(path)")
    }
  }

  @Test func `findings of included files name them as seen from the working directory`() throws {
    try folder.write("source: { file: in.csv }\n", to: "a/parts/base.yaml")
    try folder.write("include: parts/base.yaml\nmodel: x.yaml\nstore: s\n", to: "a/p.yaml")
    let command = try Command(["lint", "a/p.yaml", "--json"], in: folder.path)
    #expect(
      command.output.contains("\"path\": \"a/parts/base.yaml\", \"line\": 1, \"column\": 11"), "\(command.output)")
  }

  @Test func `lint without a file is no success`() throws {
    #expect(try Command(["lint"], in: folder.path).status == 64)
    #expect(try Command(["lint", "none*.yaml"], in: folder.path).status == 1)
    #expect(try Command(["lint", "."], in: folder.path).status == 1)
    try folder.write("", to: "empty.yaml")
    #expect(try Command(["lint", "empty.yaml"], in: folder.path).status == 1)
  }

  @Test func `the schema goes to standard output or to a file, which is replaced`() throws {
    let schema = try Command(["schema"], in: folder.path)
    #expect(schema.status == 0)
    #expect(try schema.object()["title"] as? String == "A pipeline of mergewalk")
    for _ in 0..<2 { #expect(try Command(["schema", "--out", "new/p.json"], in: folder.path).status == 0) }
    #expect(try String(contentsOfFile: folder.file("new/p.json"), encoding: .utf8) == schema.output)
    let test = try Command(["schema", "--for", "test"], in: folder.path)
    #expect(try test.object()["title"] as? String == "Tests of a pipeline of mergewalk")
    #expect(try Command(["schema", "--for", "model"], in: folder.path).status == 64)
    #expect(try Command(["schema", "--out", "/dev/null/x"], in: folder.path).status == 2)
  }
}
