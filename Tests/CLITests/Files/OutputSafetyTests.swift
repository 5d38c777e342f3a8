import Foundation
import MergewalkTestSupport
import Testing

/// Files that a command writes never take the place of what it reads, or of what is something else.
@Suite("Outputs destroy nothing")
struct OutputSafetyTests {
  /// Runs the command, which has to refuse, and checks that no file has changed.
  private func refused(_ people: People, _ arguments: String..., words: String) throws {
    let names = try people.files()
    let before = names.map { try? people.bytes($0) }
    let command = try Command(arguments, in: people.folder.path)
    #expect(command.status == (arguments.first == "lint" ? 1 : 2), "\(arguments): \(command.words)")
    #expect((command.output + command.words).contains(words), "\(arguments): \(command.output)\(command.words)")
    #expect(try people.files() == names, "\(arguments)")
    #expect(names.map { try? people.bytes($0) } == before, "\(arguments)")
  }

  /// Other names for a file of the folder.
  private func names(of file: String, _ people: People) throws -> [String] {
    let files = FileManager.default
    try files.createSymbolicLink(atPath: people.folder.file("soft-\(file)"), withDestinationPath: file)
    try files.linkItem(atPath: people.folder.file(file), toPath: people.folder.file("hard-\(file)"))
    return [file, "./\(file)", people.folder.file(file), "soft-\(file)", "hard-\(file)"]
  }

  @Test("not what the pipeline reads", arguments: ["s.sqlite", "in.csv", "m.yaml", "p.yaml", "base.yaml", "secret"])
  func whatIsRead(file: String) throws {
    let people = try People(10)
    try people.folder.write("memory: { keys: 16MiB }\n", to: "base.yaml")
    try people.folder.write("hunter22\n", to: "secret")
    let base = "include: base.yaml\nanomalies: { runs: \"${file:number}\" }"
    try people.folder.write("12345", to: "number")
    try people.pipeline(base.replacing("number", with: file == "secret" ? "secret" : "number"))
    if file == "secret" { try people.folder.write("12345", to: "secret") }
    for name in try names(of: file, people) {
      try refused(people, "run", "p.yaml", "--rejects", name, words: "unsafeOutput")
      try refused(people, "run", "p.yaml", "--rejects", name, "--dry-run", words: "unsafeOutput")
      try refused(people, "run", "p.yaml", "--report", name, words: "unsafeOutput")
      try refused(people, "run", "p.yaml", "--metrics", name, "--dry-run", words: "unsafeOutput")
      for field in ["rejects", "metrics", "report"] {
        try people.pipeline(
          base.replacing("number", with: file == "secret" ? "secret" : "number") + "\n\(field): \(name)")
        try refused(people, "lint", "p.yaml", words: "p.yaml:8:")
        try refused(people, "run", "p.yaml", words: "unsafeOutput")
      }
      try people.pipeline(base.replacing("number", with: file == "secret" ? "secret" : "number"))
    }
  }

  @Test("nor files beside the store, nor each other")
  func eachOther() throws {
    let people = try People(10)
    for name in ["s.sqlite-wal", "s.sqlite-mergewalk", "./s.sqlite-journal"] {
      try refused(people, "run", "p.yaml", "--report", name, words: "a file of the store")
    }
    try refused(people, "run", "p.yaml", "--report", "out", "--metrics", "./out", words: "would destroy it")
    try refused(people, "run", "p.yaml", "--rejects", "out", "--metrics", "out", words: "would destroy it")
  }

  @Test(
    "nor a file of another kind",
    arguments: ["notes.txt": "call Ann\n", "page.html": "<!DOCTYPE html>\n<p>mine", "x.ndjson": "{\"a\":1}\n"])
  func otherKinds(name: String, text: String) throws {
    let people = try People(10)
    try people.folder.write(text, to: name)
    try people.input(1...3, age: 2, bad: 1)
    for option in ["--rejects", "--report", "--metrics"] {
      try refused(people, "run", "p.yaml", option, name, words: "would take the place of a file")
    }
    try refused(people, "schema", "--out", name, words: "fileExists")
  }

  @Test("nor have compressed files' names, as they are not compressed", arguments: ["x.csv.gz", "X.ZST", "x.zip"])
  func compressedNames(name: String) throws {
    let people = try People(10)
    let reason = "but files are written uncompressed"
    for option in ["--rejects", "--report", "--metrics"] {
      try refused(people, "run", "p.yaml", option, name, words: reason)
    }
    try refused(people, "seed", "p.yaml", "--store", name, words: reason)
    try people.pipeline("rejects: \(name)")
    try refused(people, "lint", "p.yaml", words: "\(reason); name ")
    let before = try people.files()
    for arguments in [
      ["fetch", "s.sqlite", "--entity", "Person", "--format", "csv", "--output"],
      ["fetch", "s.sqlite", "--entity", "Person", "--count", "--output"],
      ["model", "convert", "m.yaml", "--to", "xml", "--output"], ["schema", "--out"], ["runs", "s.sqlite", "--html"],
      ["store", "migrate", "s.sqlite", "--to", "m.yaml", "--backup"],
      ["rejects", "edit", "r.ndjson", "--pipeline", "p.yaml", "--out"],
    ] {
      let command = try Command(arguments + [name], in: people.folder.path)
      #expect(command.status == 64 && command.words.contains("\(name) has the name of"), "\(command.words)")
    }
    #expect(try people.files() == before)
  }

  @Test("what a replay of compressed rejects rejects again gets a name without the compression")
  func againOfCompressed() throws {
    let people = try People(3)
    try people.input(1...3, age: 2, bad: 1)
    #expect(try people.run("--rejects", "r.ndjson").status == 1)
    #expect(try Command.shell("gzip r.ndjson", in: people.folder.path).status == 0)
    let again = try people.command("rejects", "replay", "r.ndjson.gz", "--pipeline", "p.yaml")
    #expect(again.status == 1, "\(again.words)")
    #expect(try people.files().filter { $0.hasPrefix("r.") } == ["r.again.ndjson", "r.ndjson.gz"])
  }

  @Test("but what they wrote themselves")
  func ownKind() throws {
    let people = try People(10)
    try people.input(1...3, age: 2, bad: 1)
    for _ in 0..<2 {
      let command = try people.run("--rejects", "r.ndjson", "--report", "r.html", "--metrics", "m.prom")
      #expect(command.status == 1, "\(command.words)")
      #expect(try people.command("schema", "--out", "schema.json").status == 0)
    }
    #expect(try people.bytes("m.prom").count > 100)
  }

  @Test("and what a stop of the machine leaves of that: a length without bytes", arguments: [1, 700, 100_000])
  func blankFiles(length: Int) throws {
    let people = try People(10)
    try people.input(1...3, age: 2, bad: 1)
    let names = ["rejects": "r.ndjson", "report": "r.html", "metrics": "m.prom"]
    for name in names.values { try people.folder.write([UInt8](repeating: 0, count: length), to: name) }
    let command = try people.run("--rejects", "r.ndjson", "--report", "r.html", "--metrics", "m.prom")
    #expect(command.status == 1, "\(command.words)")
    #expect(try people.bytes("r.ndjson").starts(with: Array("{\"run\":".utf8)))
    // A file that only begins like that may be anything.
    let disk = [UInt8](repeating: 0, count: 70_000) + [1]
    try people.folder.write(disk, to: "m.prom")
    try refused(people, "run", "p.yaml", "--metrics", "m.prom", words: "would take the place of a file")
    #expect(try people.bytes("m.prom") == Data(disk))
  }

  @Test("pipes stay, also where files are replaced: a device is no file either")
  func specialFiles() throws {
    let people = try People(3)
    #expect(mkfifo(people.folder.file("pipe"), 0o600) == 0)
    let seed = try people.command("seed", "p.yaml", "--store", "pipe", "--force")
    #expect(seed.status == 2 && seed.words.contains("which no file replaces"), "\(seed.words)")
    try FileManager.default.createDirectory(atPath: people.folder.file("out"), withIntermediateDirectories: false)
    #expect(mkfifo(people.folder.file("out/Person.ndjson"), 0o600) == 0)
    let export = try people.command("export", "s.sqlite", "--out", "out", "--force")
    #expect(export.status == 2 && export.words.contains("which no file replaces"), "\(export.words)")
    // Nor is there a table of runs beside a pipe.
    let pipeline = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(pipeline.replacing("history: false\n", with: ""), to: "p.yaml")
    #expect(try people.run("--store", "pipe").status == 2)
    #expect(try people.files().filter { $0.hasPrefix("pipe") } == ["pipe"])
    for name in ["pipe", "out/Person.ndjson"] {
      var status = stat()
      #expect(lstat(people.folder.file(name), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO, "\(name)")
    }
  }

  @Test("seed replaces nothing that it reads")
  func seed() throws {
    let people = try People(10)
    for name in ["m.yaml", "in.csv", "p.yaml"] {
      try refused(people, "seed", "p.yaml", "--store", name, "--force", words: "unsafeOutput")
    }
    #expect(try people.command("seed", "p.yaml", "--store", "s.sqlite", "--force").status == 0)
  }

  @Test("export leaves what it reads")
  func export() throws {
    let people = try People(10)
    try FileManager.default.copyItem(atPath: people.folder.file("m.yaml"), toPath: people.folder.file("model.yaml"))
    try refused(
      people, "export", "s.sqlite", "--model", "model.yaml", "--out", ".", "--force", words: "unsafeOutput")
  }
}
