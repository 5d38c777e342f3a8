import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk rejects edit")
struct RejectsEditTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: M
      entities:
        Item:
          attributes: { code: string!, n: integer32!, note: string }
          unique: [code]
      """, to: "model.yaml")
  }

  /// Imports what is bad at first; returns the run's exit code.
  private func run(_ source: String, _ text: String, options: String = "") throws -> Int32 {
    try folder.write(text, to: source)
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: { files: \(source)\(options) }
      import: { entity: Item, find_by: [code], attributes: [n, note] }
      rejects: { file: r.ndjson }
      """, to: "p.yaml")
    return try Command(["run", "p.yaml", "--quiet"], in: folder.path).status
  }

  private func rejects(_ arguments: String...) throws -> Command {
    try Command(["rejects"] + arguments, in: folder.path)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }

  private func items() throws -> [String] {
    try Command(
      ["fetch", "s.sqlite", "--entity", "Item", "--format", "csv", "--sort", "code", "--columns", "code,n,note"],
      in: folder.path
    )
    .lines
  }

  @Test("records of CSV become a table with their columns and the reason, and come back into the dialect of the file")
  func table() throws {
    let text = "code;n;note\nA;1;x\nB;two;\"a;b\"\nC;;\\N\nD;4;5;6\nE;six;gone\n"
    #expect(try run("in.csv", text, options: ", delimiter: \";\", null: '\\N'") == 1)
    let edit = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml")
    #expect(edit.status == 0 && edit.words.contains("r.edit.csv: 4 records"), "\(edit.words)")
    let sheet = try read("r.edit.csv").components(separatedBy: "\n")
    #expect(sheet[0] == "_reject,_reason,code,n,note,_raw")
    #expect(sheet[1].hasPrefix("1,\"\"\"two\"\" is not a whole number"), "\(sheet)")
    #expect(sheet[1].hasSuffix(",B,two,a;b,") && sheet[2].hasSuffix(",C,,\\N,"), "\(sheet)")
    #expect(sheet[3].hasSuffix(",,,,D;4;5;6"), "\(sheet)")
    // Nothing is written over an edit.
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml").status == 2)
    // Put right, put right, put right whole, given up.
    try folder.write(
      ["_reject,_reason,code,n,note,_raw", "1,x,B,2,a;b,", "2,x,C,3,\\N,", "3,x,,,,D;4;5", "4,,,,,"]
        .joined(separator: "\n") + "\n", to: "r.edit.csv")
    let applied = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "r.edit.csv")
    #expect(
      applied.status == 0 && applied.words.contains("3 records changed, 1 given up, 0 as before"), "\(applied.words)")
    let raws = try rejects("show", "r.ndjson", "--raw").output
    #expect(raws.hasPrefix("B;2;\"a;b\"\nC;3;\\N\nD;4;5\n"), "\(raws)")
    let replay = try rejects("replay", "r.ndjson", "--pipeline", "p.yaml")
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try items() == ["code,n,note", "A,1,x", "B,2,a;b", "C,3,", "D,4,5"])
  }

  @Test(
    "sheets come back in UTF-16 and with other delimiters, from sources in UTF-16",
    arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian], [",", ";", "\t"])
  func encodings(_ encoding: String.Encoding, _ delimiter: String) throws {
    let text = try #require("code;n;note\nA;1;größe\nB;x;ü\nC;3;4;ß\n".data(using: .utf16))
    try folder.write([UInt8](text), to: "in.csv")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: { files: in.csv, delimiter: semicolon }
      import: { entity: Item, find_by: [code], attributes: [n, note] }
      rejects: { file: r.ndjson }
      """, to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let rows = [
      ["_reject", "_reason", "code", "n", "note", "_raw"], ["1", "", "B", "2", "äöü", ""],
      ["2", "", "", "", "", delimiter == ";" ? "\"C;3;ß\"" : "C;3;ß"],
    ]
    let sheet = rows.map { $0.joined(separator: delimiter) }.joined(separator: "\r\n") + "\r\n"
    try folder.write([UInt8](try #require(sheet.data(using: encoding))), to: "e.csv")
    let applied = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(applied.status == 0 && applied.words.contains("2 records changed"), "\(applied.words)")
    #expect(try rejects("replay", "r.ndjson", "--pipeline", "p.yaml").status == 0)
    #expect(try items() == ["code,n,note", "A,1,größe", "B,2,äöü", "C,3,ß"])
  }

  @Test("a record of bytes that are no text is not put back with the marks that stand for them")
  func unreadable() throws {
    let bytes = Array("code,n,note\nA,1,gr".utf8) + [0xF6] + Array("n\n".utf8)
    #expect(try run("in.csv", "code,n,note\n") == 0)
    try folder.write(bytes, to: "in.csv")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--out", "e.csv").status == 0)
    let sheet = try read("e.csv")
    try folder.write(sheet.replacingOccurrences(of: "A,1,", with: "A,2,"), to: "e.csv")
    let refused = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(refused.status == 2 && refused.words.contains("replaces bytes that are not text"), "\(refused.words)")
    try folder.write(sheet.replacingOccurrences(of: "\u{FFFD}", with: "ü"), to: "e.csv")
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv").status == 0)
    #expect(try rejects("replay", "r.ndjson", "--pipeline", "p.yaml").status == 0)
    #expect(try items() == ["code,n,note", "A,1,grün"])
  }

  @Test("a sheet that has lost a column changes nothing; rows that are not in it are counted")
  func lostColumn() throws {
    #expect(try run("in.csv", "code,n,note\nA,x,keep\nB,y,me\nC,1,2,3\n") == 1)
    let before = try read("r.ndjson")
    for (sheet, column) in [
      ("_reject,_reason,code,n,_raw\n1,,A,1,\n", "note"), ("_reject,_reason,code,n,Note,_raw\n1,,A,1,keep,\n", "note"),
      ("_reject,_reason,code,n,note\n3,,,,\n", "_raw"),
    ] {
      try folder.write(sheet, to: "e.csv")
      let refused = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
      #expect(refused.status == 2 && refused.words.contains("e.csv:2:1: error: “\(column)”"), "\(refused.words)")
      #expect(try read("r.ndjson") == before)
    }
    try folder.write("_reject,_reason,code,n,note,_raw\n2,,B,2,me,\n", to: "e.csv")
    let applied = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(applied.words.contains("1 record changed, 0 given up, 0 as before, 2 not in the sheet"), "\(applied.words)")
  }

  @Test("a sheet that comes back as it went changes no byte of the rejects file")
  func unchanged() throws {
    #expect(try run("in.csv", "code,n,note\n\" A\",x,\"\"\nB,y,\n\"\u{FEFF}C\",z,\"l1\nl2\"\nD,\"q\"\"q\",  \n") == 1)
    let before = try read("r.ndjson")
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--out", "e.csv").status == 0)
    let command = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(
      command.status == 0 && command.words.contains("0 records changed, 0 given up, 4 as before"), "\(command.words)")
    #expect(try read("r.ndjson") == before)
  }

  @Test("one changed cell leaves the quotes of the others as they were")
  func quotes() throws {
    #expect(try run("in.csv", "code,n,note\nA,x,\"NULL\"\nB,y,NULL\n", options: ", null: [NULL]") == 1)
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--out", "e.csv").status == 0)
    try folder.write(
      try read("e.csv").replacingOccurrences(of: ",A,x,", with: ",A,1,").replacingOccurrences(
        of: ",B,y,", with: ",B,2,"),
      to: "e.csv")
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv").status == 0)
    #expect(try rejects("show", "r.ndjson", "--raw").output == "A,1,\"NULL\"\nB,2,NULL\n")
  }

  @Test("records of JSON become NDJSON with their own members, not texts of JSON")
  func objects() throws {
    let text = "{\"code\": \"A\", \"n\": \"x\", \"note\": \"\\u00e9\\n\"}\n{\"code\": \"B\", \"n\": {}}\nnonsense\n"
    #expect(try run("in.ndjson", text) == 1)
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml").status == 0)
    let sheet = try read("r.edit.ndjson").split(separator: "\n").map(String.init)
    #expect(sheet[0].hasPrefix("{\"_reject\": 1, \"_reason\": "), "\(sheet)")
    #expect(sheet[0].hasSuffix("\"code\": \"A\", \"n\": \"x\", \"note\": \"\\u00e9\\n\"}"), "\(sheet)")
    #expect(sheet[2].hasSuffix("\"_raw\": \"nonsense\"}"), "\(sheet)")
    try folder.write(
      "{\"code\": \"A\", \"_reject\": 1, \"n\": 1, \"note\": \"\\u00e9\\n\"}\n{\"_reject\": 2, \"_reason\": \"\"}\n"
        + "{\"_reject\": 3, \"code\": \"C\", \"n\": 3}\n", to: "r.edit.ndjson")
    let applied = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "r.edit.ndjson")
    #expect(applied.words.contains("2 records changed, 1 given up"), "\(applied.words)")
    #expect(try rejects("replay", "r.ndjson", "--pipeline", "p.yaml").status == 0)
    #expect(try items().count == 4)
  }

  @Test("fixed columns keep their width, and a text that is too long is a finding with its place")
  func fixedWidth() throws {
    let options =
      ", format: fixed-width, widths: { code: 4, n: 5, note: 3 }"
    #expect(try run("in.txt", "A       xabc\n", options: options) == 1)
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--out", "e.csv").status == 0)
    try folder.write("_reject,_reason,code,n,note\n1,,A,12345678,abc\n", to: "e.csv")
    let long = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(
      long.status == 2 && long.words.contains("e.csv:2:1: error: “n”: the column takes one line of 5"), "\(long.words)")
    try folder.write("_reject,_reason,code,n,note\n1,,A,12,abc\n", to: "e.csv")
    #expect(try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv").status == 0)
    #expect(try rejects("show", "r.ndjson", "--raw").output == "A      12abc\n")
  }

  @Test(
    "a sheet with mistakes changes nothing and says where they are",
    arguments: [
      ("_reject,_reason,code,n,note\nx,,A,1,\n", "e.csv:2:1: error: “_reject” is not a line number"),
      ("_reject,_reason,code,n,note\n1,,A,1,\n1,,A,2,\n", "e.csv:3:1: error: line 1 of the rejects file is here twice"),
      ("_reject,_reason,code,n,note\n9,,A,1,\n", "the rejects file has no record in line 9"),
      ("code,n\nA,1\n", "there is no column “_reject”"), ("_reject;_reason;code;n;note\n1;;A;1\n", "e.csv:2"),
    ])
  func mistakes(_ sheet: String, _ words: String) throws {
    #expect(try run("in.csv", "code,n,note\nA,x,\n") == 1)
    let before = try read("r.ndjson")
    try folder.write(sheet, to: "e.csv")
    let command = try rejects("edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", "e.csv")
    #expect(command.status == 2 && command.words.contains(words), "\(command.words)")
    #expect(try read("r.ndjson") == before)
  }

  @Test("clean removes what earlier runs set aside and leaves the last run's rejects and other files")
  func clean() throws {
    #expect(try run("in.csv", "code,n,note\nA,x,\n") == 1)
    let line = try read("r.ndjson")
    let (old, new) = ("r.2001-02-03T040506.789Z.ndjson", "r.2999-02-03T040506.789Z.ndjson")
    for name in [old, new, "r.old.ndjson"] { try folder.write(line, to: name) }
    // A file of that name that holds something else stays.
    try folder.write("mine", to: "r.2001-01-01T000000.000Z.ndjson")
    let dry = try rejects("clean", "r.ndjson", "--dry-run")
    #expect(dry.status == 0 && dry.output == "would remove \(old)\n2 files kept\n", "\(dry.output)")
    let object = try rejects("clean", "r.ndjson", "--json").object()
    #expect(object["removed"] as? [String] == [old] && (object["kept"] as? [String])?.count == 2)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("r.") }.sorted()
    #expect(left == ["r.2001-01-01T000000.000Z.ndjson", new, "r.ndjson", "r.old.ndjson"])
    #expect(try rejects("clean", "r.ndjson", "--older-than", "-1").status == 64)
    #expect(try rejects("clean", "none.ndjson").output == "there are no files of earlier runs\n")
  }
}
