import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkTestSupport
import Testing

/// A program as a transform: friendly ones, and those that die, hang, flood or answer with something else.
@Suite("A program as a transform", .serialized) struct ProcessTests {
  private func data(_ count: Int) -> String {
    "key,name,n\n" + (1...count).map { "k\(1_000_000 + $0),name \($0),\($0)\n" }.joined()
  }

  private static let echo = """
    import sys, json
    for line in sys.stdin:
        record = json.loads(line)
        n = int(record["n"])
        if n % 5 == 0:
            answer = None
        elif n % 7 == 0:
            answer = {"$reject": "seven: “%d”" % n}
        elif n % 3 == 0:
            answer = {}
        else:
            answer = {"name": record["name"].upper(), "score": n / 2}
        print(json.dumps(answer), flush=True)
    """

  private func lines(_ process: String) -> String {
    "process: \(process)\nattributes: { text: name, number: n, real: score }"
  }

  @Test("answers replace, add, skip and reject") func answers() throws {
    let folder = try TransformFolder()
    try folder.folder.write(Self.echo, to: "echo.py")
    let summary = try folder.run(
      lines("{ command: [python3, echo.py], gives: { score: double }, in_flight: 3 }"), data(20))
    #expect((summary.inserted, summary.skipped, summary.rejected) == (14, 4, 2))
    #expect(summary.rejectCounts == ["process.rejected": 2])
    #expect(try folder.rejects() == ["7 process.rejected seven: “7”", "14 process.rejected seven: “14”"])
    #expect(try folder.rows("ZTEXT,ZREAL").prefix(4) == ["NAME 1|0.5", "NAME 2|1.0", "name 3|-", "NAME 4|2.0"])
  }

  @Test("many records and long answers never block") func floods() throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      """
      import sys, json
      for line in sys.stdin:
          sys.stderr.write("x" * 300 + "\\n")
          print(json.dumps({"name": json.loads(line)["name"] + "y" * 2000}), flush=True)
      """, to: "long.py")
    let summary = try folder.run(
      "process: { command: [python3, long.py], columns: [name, n] }\nattributes: { text: name, number: n }",
      data(12_000))
    #expect(summary.inserted == 12_000)
    #expect(try folder.rows("length(ZTEXT)").first == "2006")
  }

  @Test("only records that pass the condition are sent") func sendsWhatPasses() throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      "where: \"n == 1\"\ncolumns: { n: { type: integer } }\nprocess: [sed, -u, 's/name/NAME/2']\nattributes: { text: name }",
      data(3))
    #expect((summary.inserted, summary.skipped) == (1, 2))
    #expect(try folder.rows() == ["NAME 1"])
  }

  @Test("names and values of any kind go there and back") func survivesHardTexts() throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      #"{"key":"1","a.b":"x\ny\"\\ \u2028 é","n":12345678901234567890.5e-3,"t":true,"o":{"a":[1,2]},"z":null}"# + "\n",
      to: "data.ndjson")
    let text = TransformFolder.text(
      """
      process: { command: [cat], columns: ['a\\.b', n, t, o, z, nowhere] }
      attributes: { text: 'a\\.b', other: o, real: n, flag: t, number: { from: z, null_value: 7 }, amount: nowhere }
      """, source: "data.ndjson")
    let summary = try ImportSession(folder.read(text)).run()
    #expect(try folder.rejects() == [])
    #expect(summary.inserted == 1)
    #expect(
      try folder.rows("ZTEXT,ZOTHER,ZREAL,ZFLAG,ZNUMBER,ZAMOUNT")
        == ["x\ny\"\\ \u{2028} é|{\"a\":[1,2]}|1.23456789012346e+16|1|7|-"])
  }

  /// What a hostile program does, and what the error must say.
  static let hostile: [(String, String)] = [
    ("[sh, -c, 'echo first >&2; echo broken >&2; exit 3']", "exit code 3"),
    ("[sh, -c, 'echo first >&2; echo broken >&2; exit 3']", "first / broken"),
    ("[sh, -c, 'kill -9 $$']", "signal 9"),
    ("[no-such-program-anywhere]", "cannot be started"),
    ("[sh, -c, 'read a; echo {}; exit 0']", "answered 1 of 50"),
    ("{ command: [sleep, '60'], timeout: 300ms }", "unanswered for 0.3 s"),
    ("[sh, -c, 'exec >&-; cat > /dev/null']", "answered 0 of 50"),
    ("[sh, -c, 'while read a; do echo not json; done']", "something else than JSON"),
    ("[sh, -c, 'while read a; do echo; done']", "empty line"),
    ("[sh, -c, 'while read a; do echo 5; done']", "something else than JSON"),
    ("[sh, -c, 'while read a; do echo {}; echo {}; done']", "more"),
    ("[sh, -c, 'sed -u s/^.*$/{}/; echo {}']", "more lines"),
    ("[sh, -c, 'while read a; do echo {}; done; exit 9']", "exit code 9"),
    ("{ command: [sh, -c, 'while read a; do echo {}; done; sleep 60'], timeout: 400ms }", "did not end"),
    ("{ command: [sh, -c, 'cat /dev/zero'], line: 64KiB }", "more than 65536 bytes"),
    ("[yes, '{}']", "more lines"),
    ("[sh, -c, 'while read a; do echo \"{\\\"nmae\\\": 1}\"; done']", "“nmae”"),
  ]

  @Test("a hostile program ends the run, and nothing of it is left", arguments: hostile)
  func endsTheRun(process: String, expected: String) throws {
    let folder = try TransformFolder()
    let started = Date()
    do {
      _ = try folder.run("process: \(process)\nattributes: { text: name }", data(50))
      Issue.record("\(process) did not end the run")
    } catch let error as ImportError {
      #expect(error.code == .process)
      #expect(error.message.contains(expected), "\(error.message)")
      let finding = try #require(error.diagnostics.first)
      #expect(finding.path.hasSuffix("pipeline.yaml") && finding.position.line > 1 && finding.position.column > 1)
    }
    #expect(Date().timeIntervalSince(started) < 20)
    #expect(!FileManager.default.fileExists(atPath: folder.folder.file("things.sqlite")))
  }
}
