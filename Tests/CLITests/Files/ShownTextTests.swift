import Foundation
import MergewalkTestSupport
import Testing

/// What names and messages of others may not do: speak to the terminal, or show a secret.
@Suite("What is shown of others")
struct ShownTextTests {
  private static let evil = "a\u{1B}]0;owned\u{7}\u{9B}2J"

  private func isPlain(_ command: Command) -> Bool {
    !(command.output + command.words).unicodeScalars.contains {
      ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F..<0xA0).contains($0.value)
    }
  }

  @Test("names of files and pipelines are spelt out")
  func names() throws {
    let people = try People()
    try people.input(1...3, age: 2, bad: 1)
    let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(
      text.replacing("pipeline: people", with: #"pipeline: "a\e]0;owned\a\x9B2J""#), to: "\(Self.evil).yaml")
    let store = "\(Self.evil).sqlite"
    for arguments in [
      ["run", "\(Self.evil).yaml", "--store", store, "--rejects", "\(Self.evil).ndjson"],
      ["run", "\(Self.evil).yaml", "--store", store, "--json"],
      ["run", "\(Self.evil).yaml", "--store", store, "--log", "text", "--metrics", "/none/\(Self.evil)"],
      ["lint", "\(Self.evil).yaml"], ["store", "info", store], ["store", "verify", store], ["runs", store],
      ["store", "info", "no\(Self.evil)"], ["preview", "\(Self.evil).csv"], ["rejects", "summary", Self.evil],
      ["export", store, "--out", Self.evil], ["fetch", store, "--entity", Self.evil],
    ] {
      #expect(isPlain(try Command(arguments, in: people.folder.path)), "\(arguments)")
    }
  }

  @Test("a name with a line break begins no line of its own")
  func lineBreaks() throws {
    let people = try People()
    try people.input(1...3, age: 2, bad: 1)
    let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(text.replacing("pipeline: people", with: "pipeline: \"a\\nEVIL\""), to: "p\nEVIL.yaml")
    try people.folder.write("name,age\nx,1\n", to: "c\nEVIL.csv")
    let store = "s\nEVIL.sqlite"
    for arguments in [
      ["run", "p\nEVIL.yaml", "--store", store, "--rejects", "r\nEVIL.ndjson"], ["runs", store],
      ["runs", store, "last"],
      ["store", "info", store], ["store", "verify", store], ["store", "clean", store], ["store", "info", "no\nEVIL"],
      ["explain", "p\nEVIL.yaml", "--store", store], ["export", store, "--out", "o\nEVIL"], ["runs", "no\nEVIL"],
      ["guess", "c\nEVIL.csv", "--out", "g\nEVIL"], ["preview", "c\nEVIL.csv"],
      ["rejects", "summary", "r\nEVIL.ndjson"],
      ["model", "hash", "no\nEVIL"], ["run", "p\nEVIL.yaml", "--store", store, "--log", "text"],
    ] {
      let command = try Command(arguments, in: people.folder.path)
      let lines = (command.output + "\n" + command.words).split(separator: "\n")
      #expect(!lines.contains { $0.hasPrefix("EVIL") }, "\(arguments): \(lines)")
    }
  }

  @Test("a reason that a program gives is shown without secrets")
  func reasons() throws {
    let people = try People()
    try people.input(1...2, age: 2)
    try people.folder.write(
      "import json, os, sys\nfor line in sys.stdin:\n"
        + "    print(json.dumps({'$reject': 'token ' + os.environ['TOKEN'] + ' expired'}), flush=True)\n",
      to: "reject.py")
    try people.pipeline(
      "rejects: r.ndjson\nvariables_used: x".replacing("\nvariables_used: x", with: "")
        + "\nanomalies: { runs: \"${secret:TOKEN}\" }")
    let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(
      text.replacing("attributes: [age]", with: "process: [python3, reject.py], attributes: [age]"), to: "p.yaml")
    let command = try people.run(environment: ["TOKEN": "912345"])
    #expect(command.status == 1, "\(command.words)")
    let rejects = try String(contentsOfFile: people.folder.file("r.ndjson"), encoding: .utf8)
    #expect(rejects.contains("token *** expired"), "\(rejects)")
    #expect(!rejects.contains("912345"))
  }

  @Test("the copying of objects says on one line what does not fit")
  func seeds() throws {
    let people = try People(3)
    try people.folder.write(
      "model: M\nentities:\n  Other:\n    attributes: { email: string!, age: integer64 }\n", to: "m.yaml")
    let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
    try people.folder.write(
      text.replacing("entity: Person", with: "entity: Other").replacing("s.sqlite", with: "t.sqlite"), to: "p.yaml")
    #expect(try people.run().status == 0)
    let command = try people.command("seed", "--from", "s.sqlite", "--store", "t.sqlite")
    #expect(command.status == 2)
    #expect(!command.words.contains(#"\u{A}"#), "\(command.words)")
  }
}
