import Foundation
import MergewalkTestSupport
import Testing

/// Files of a glob with nothing in them.
@Suite("Files with nothing in them")
struct EmptyFileTests {
  let folder = TemporaryFolder()

  @Test(
    "a guess over a glob with such a file can be linted and run, which warns of it",
    arguments: ["csv", "json", "xml", "ndjson"], ["", "\n\n", "\u{FEFF}"])
  func guessed(format: String, nothing: String) throws {
    let records = [
      "csv": "id,name\n1,a\n2,b\n", "json": "[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":\"b\"}]",
      "xml": "<r><p id=\"1\"><name>a</name></p><p id=\"2\"><name>b</name></p></r>",
      "ndjson": "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n",
    ]
    try folder.write(nothing, to: "part-0.\(format)")
    try folder.write(records[format] ?? "", to: "part-1.\(format)")
    let guess = try Command(["guess", "part-*.\(format)", "--out", "out", "--entity", "Part"], in: folder.path)
    #expect(guess.status == 0 && guess.words.contains("[emptyFile]"), "\(guess.words)")
    let pipeline = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).first {
        $0.hasSuffix(".yaml") && $0 != "model.yaml"
      })
    let lint = try Command(["lint", "out/\(pipeline)"], in: folder.path)
    #expect(lint.status == 0, "\(lint.output)")
    let run = try Command(["run", "out/\(pipeline)", "--json", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try run.object()["inserted"] as? Int == 2)
    let warnings = try run.warnings()
    #expect(warnings.count == 1 && warnings[0].hasPrefix("emptyFile: there is nothing in"), "\(warnings)")
  }

  @Test("without the option they end a run, and so do files that are all empty")
  func refused() throws {
    try folder.write("entities:\n  A:\n    attributes: { id: integer64! }\n    unique: [id]\n", to: "model.yaml")
    try folder.write("", to: "a-0.csv")
    try folder.write("id\n1\n", to: "a-1.csv")
    func status(_ option: String, _ files: String = "a-*.csv") throws -> Int32 {
      try folder.write(
        "pipeline: a\nmodel: model.yaml\nstore: s.sqlite\nsource: { files: '\(files)'\(option) }\n"
          + "import: { entity: A, find_by: id }\n", to: "a.yaml")
      return try Command(["run", "a.yaml", "--quiet"], in: folder.path).status
    }
    #expect(try status("") == 2)
    #expect(try status(", empty_files: refuse") == 2)
    #expect(try status(", empty_files: skip", "a-0.csv") == 2)
    #expect(try status(", empty_files: skip") == 0)
  }

  @Test(
    "text without a header and without a record has no columns to miss: it holds nothing",
    arguments: ["", "\n\n", "\u{FEFF}", "# none\n"])
  func withoutHeader(nothing: String) throws {
    try folder.write(
      "entities:\n  A:\n    attributes: { id: integer64!, name: string }\n    unique: [id]\n", to: "model.yaml")
    try folder.write(nothing, to: "a.csv")
    try folder.write(
      """
      pipeline: a
      model: model.yaml
      store: s.sqlite
      source: { files: a.csv, header: false, comment: "#" }
      import: { entity: A, find_by: { id: "1" }, attributes: { name: "2" } }
      stores: { by: "2" }
      """, to: "a.yaml")
    let lint = try Command(["lint", "a.yaml"], in: folder.path)
    #expect(lint.status == 0, "\(lint.output)")
    let run = try Command(["run", "a.yaml", "--json", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try run.object()["read"] as? Int == 0)
    let family = try Command(["stores", "build", "a.yaml", "--out", "out"], in: folder.path)
    #expect(family.status == 0, "\(family.words)")
  }

  @Test("members of an archive are skipped as files of a glob are, with a warning each, and refused without the option")
  func members() throws {
    try folder.write(
      "entities:\n  A:\n    attributes: { id: integer64!, name: string }\n    unique: [id]\n", to: "model.yaml")
    let files = [
      ("e.csv", ""), ("a.csv", "id,name\n1,a\n2,b\n"), ("f.csv", "\u{FEFF}\n \n"), ("b.csv", "id,name\n3,c\n"),
    ]
    for (name, text) in files { try folder.write(text, to: name) }
    let packed = try Command.shell(
      "tar -cf all.tar e.csv a.csv f.csv b.csv && tar -cf none.tar e.csv f.csv"
        + " && tar -cf large.tar $(for n in $(seq 200); do : > n$n.csv; echo n$n.csv; done)", in: folder.path)
    try #require(packed.status == 0, "\(packed.words)")
    func run(_ option: String, _ files: String = "all.tar", _ input: String = "") throws -> Command {
      try folder.write(
        "pipeline: a\nmodel: model.yaml\nstore: s.sqlite\n"
          + "source: { files: '\(files)', member: '*', format: csv\(option) }\n"
          + "import: { entity: A, find_by: id, attributes: [name] }\n", to: "a.yaml")
      return try Command.shell("\"$MERGEWALK\" run a.yaml --json --again run\(input)", in: folder.path)
    }
    #expect(try run("").status == 2)
    #expect(try run(", empty_files: refuse").status == 2)
    #expect(try run(", empty_files: skip", "none.tar").status == 2)
    // However large an archive without records is, it is skipped beside others.
    let beside = try run(", empty_files: skip", "[al]*.tar")
    #expect(beside.status == 0, "\(beside.words)")
    #expect(try beside.warnings().contains("emptyFile: there is nothing in “large.tar”, and it is skipped"))
    for (files, input) in [("all.tar", ""), ("-", " < all.tar")] {
      let skipping = try run(", empty_files: skip", files, input)
      #expect(skipping.status == 0, "\(skipping.words)")
      #expect(try skipping.object()["read"] as? Int == 3)
      let notes = ["e.csv", "f.csv"].map { "there is nothing in “\(files)/\($0)”, and it is skipped" }
      #expect(try skipping.warnings() == notes.map { "emptyFile: \($0)" })
      for note in notes { #expect(skipping.words.split(separator: note).count == 2, "\(skipping.words)") }
    }
    let guess = try Command(["guess", "all.tar", "--option", "member='*'", "--out", "out"], in: folder.path)
    #expect(guess.status == 0, "\(guess.words)")
    #expect(guess.words.contains("all.tar/f.csv: warning: there is nothing in it"), "\(guess.words)")
    let guessed = try Command(["run", "out/all.yaml", "--json", "--quiet"], in: folder.path)
    #expect(try guessed.status == 0 && guessed.object()["inserted"] as? Int == 3, "\(guessed.words)")
    let preview = try Command(
      ["preview", "all.tar", "--option", "member='*'", "--option", "empty_files=skip", "--format", "csv"],
      in: folder.path)
    #expect(preview.status == 0 && preview.output == "id,name\n1,a\n2,b\n3,c\n", "\(preview.words)")
    #expect(preview.words.contains("there is nothing in “all.tar/e.csv”, and it is skipped [emptyFile]"))
  }
}
