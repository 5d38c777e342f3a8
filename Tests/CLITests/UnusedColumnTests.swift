import Foundation
import MergewalkTestSupport
import Testing

/// Columns that nothing uses, in files that are seen before a run, and in those that only the run reads.
@Suite("Columns that nothing uses")
struct UnusedColumnTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      "entities:\n  A:\n    attributes: { id: integer64!, name: string }\n    unique: [id]\n", to: "model.yaml")
    try folder.write("id,name\n1,a\n2,b\n", to: "a.csv")
    try folder.write("id,name,extra\n3,c,x\n", to: "b.csv")
    try folder.write("extra,id,more,name\ny,4,z,d\n", to: "c.csv")
    let packed = try Command.shell("tar -cf all.tar a.csv b.csv c.csv && gzip -k all.tar", in: folder.path)
    try #require(packed.status == 0, "\(packed.words)")
  }

  private func write(_ source: String) throws {
    try folder.write(
      "pipeline: p\nmodel: model.yaml\nstore: s.sqlite\nsource: { \(source), format: csv }\n"
        + "import: { entity: A, find_by: [id], attributes: [name] }\n", to: "p.yaml")
  }

  /// The lines about such columns.
  private func told(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { $0.hasSuffix(" [unusedColumn]") }
  }

  private static let sources: [(source: String, input: String?, prefix: String)] = [
    ("files: '[abc].csv'", nil, ""), ("files: all.tar, member: '*'", nil, "all.tar/"),
    ("files: all.tar.gz, member: '*'", nil, "all.tar.gz/"), ("files: '-', member: '*'", "all.tar", "-/"),
    ("files: '-', member: '*'", "all.tar.gz", "-/"),
  ]

  @Test("are reported of later files, whatever holds them, once and at one place", arguments: sources.indices)
  func laterFiles(_ index: Int) throws {
    let (source, input, prefix) = Self.sources[index]
    let reading = input.map { " < \($0)" } ?? ""
    try write(source)
    let run = try Command.shell("\"$MERGEWALK\" run p.yaml --json\(reading)", in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try run.object()["inserted"] as? Int == 4)
    let expected = [("b.csv", "extra"), ("c.csv", "more")].map { file, column in
      "“\(prefix)\(file)” has a column that the earlier files do not have, and nothing uses: \(column)"
    }
    let place = "p.yaml:4:18: warning: "
    let lines = expected.map { "\(place)\($0); list under “ignore” what is not needed [unusedColumn]" }
    #expect(told(run.words) == lines)
    let warnings = try run.warnings()
    #expect(warnings == expected.map { "unusedColumn: \($0); list under “ignore” what is not needed" })
    let lint = try Command.shell("\"$MERGEWALK\" lint p.yaml\(reading)", in: folder.path)
    #expect(lint.status == 0 && told(lint.output) == (input == nil ? lines : []), "\(lint.output)")
    // As the hint says.
    try write("\(source), ignore: [extra, more]")
    let again = try Command.shell("\"$MERGEWALK\" run p.yaml --json --again run\(reading)", in: folder.path)
    #expect(try again.status == 0 && again.warnings() == [], "\(again.words)")
    let clean = try Command.shell("\"$MERGEWALK\" lint p.yaml\(reading)", in: folder.path)
    #expect(clean.status == 0 && told(clean.output) == [], "\(clean.output)")
  }

  @Test("are reported of standard input that is one file, unless a contract speaks of new columns")
  func standardInput() throws {
    try write("files: a.csv")
    let run = try Command.shell("\"$MERGEWALK\" run p.yaml - --json < c.csv", in: folder.path)
    #expect(
      try run.warnings() == [
        "unusedColumn: “-” has columns that nothing uses: extra, more; list under “ignore” what is not needed"
      ])
    try write("files: a.csv, contract: { new: discard }")
    let agreed = try Command.shell("\"$MERGEWALK\" run p.yaml - --json --again run < c.csv", in: folder.path)
    #expect(try agreed.status == 0 && agreed.warnings() == [], "\(agreed.words)")
  }

  @Test("cannot be ignored where no file has them", arguments: ["[ab].csv", "all.tar"])
  func misspeltIgnore(_ files: String) throws {
    try write("files: '\(files)', ignore: [extr]" + (files == "all.tar" ? ", member: '*'" : ""))
    let lint = try Command(["lint", "p.yaml"], in: folder.path)
    #expect(lint.status == 1)
    #expect(lint.output.contains(" column “extr” to ignore; did you mean “extra”? [unknownColumn]"), "\(lint.output)")
  }

  @Test("cannot be ignored where no record has them: what only the run reads is a warning at its end", arguments: 1...4)
  func misspeltIgnoreInRun(_ index: Int) throws {
    let (source, input, _) = Self.sources[index]
    try write("\(source), ignore: [extr, more]")
    let reading = input.map { " < \($0)" } ?? ""
    let run = try Command.shell("\"$MERGEWALK\" run p.yaml --json\(reading)", in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(
      try run.warnings().filter { !$0.hasPrefix("unusedColumn") } == [
        "neverMatched: no record has a column “extr” to ignore; did you mean “extra”?"
      ])
    let column = "source: { \(source), ignore: [".count + 1
    #expect(run.words.contains("p.yaml:4:\(column): warning: no record has"), "\(run.words)")
    try write("\(source), ignore: [extra, more]")
    let right = try Command.shell("\"$MERGEWALK\" run p.yaml --json --again run\(reading)", in: folder.path)
    #expect(try right.status == 0 && right.warnings() == [], "\(right.words)")
  }
}
