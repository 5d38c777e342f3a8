import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk preview")
struct PreviewCommandTests {
  let folder = TemporaryFolder()

  private func preview(_ arguments: String..., input: String = "") throws -> Command {
    try Command(["preview"] + arguments, in: folder.path, input: input)
  }

  private static let people = "id,name,born,active\n1,Ada,1815-12-10,true\n2,\"Hopper, Grace\",1906-12-09,false\n3,,,\n"

  @Test("a table has places, names, types, records and counts")
  func table() throws {
    try folder.write(Self.people, to: "people.csv")
    let command = try preview("people.csv")
    #expect(command.status == 0 && command.words == "")
    #expect(
      command.lines == [
        "line  byte       id  name           born        active",
        "            integer  text           date        boolean",
        "────  ────  ───────  ─────────────  ──────────  ───────",
        "   2    20        1  Ada            1815-12-10  true",
        "   3    42        2  Hopper, Grace  1906-12-09  false",
        "   4    77        3  \"\"             \"\"          \"\"",
        "csv: 3 records read, 0 rejected",
      ])
  }

  @Test("what a document declares for &lt; changes nothing, and libxml2 says nothing about it")
  func predefinedEntities() throws {
    try folder.write("<!DOCTYPE r [<!ENTITY lt 'x'><!ENTITY amp '<'>]><r><i a='1&lt;2 &amp; 3'/></r>", to: "r.xml")
    let command = try preview("r.xml", "--format", "csv")
    #expect(command.status == 0 && command.words == "" && command.lines == ["@a", "1<2 & 3"])
  }

  @Test("--records stops early, and a table stops at ten")
  func records() throws {
    try folder.write("n\n" + (1...30).map { "\($0)\n" }.joined(), to: "numbers.csv")
    #expect(try preview("numbers.csv").lines.last == "csv: the first 10 records read, 0 rejected")
    #expect(try preview("numbers.csv", "--records", "2").lines.count == 6)
    #expect(try preview("numbers.csv", "--records", "all").lines.last == "csv: 30 records read, 0 rejected")
    #expect(try preview("numbers.csv", "--format", "csv").lines.count == 31)
    #expect(try preview("numbers.csv", "--format", "ndjson", "--records", "3").lines.count == 3)
    for wrong in ["0", "-1", "x", ""] { #expect(try preview("numbers.csv", "--records", wrong).status == 64) }
  }

  @Test("CSV has the cells as they are, and a header if the file has names")
  func csv() throws {
    let text = "a,b,c\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n,\"\", sp \n007,é,NULL\n"
    try folder.write(text, to: "cells.csv")
    let command = try preview("cells.csv", "--format", "csv", "--option", "header=true")
    #expect(command.status == 0)
    #expect(command.output == text)
    let none = try preview("cells.csv", "--format", "csv", "--option", "header=false")
    #expect(none.output == text)
    let null = try preview("cells.csv", "--format", "csv", "--option", "null=[NULL]", "--option", "header=true")
    #expect(null.output.hasSuffix("007,é,\n"))
    let names = try preview("cells.csv", "--format", "csv", "--option", "columns=[x, y, z]")
    #expect(names.output == "x,y,z\n" + text)
  }

  @Test("a lone column without a value is written so that it is a record")
  func loneColumn() throws {
    try folder.write("{\"a\": null}\n{\"a\": \"\"}\n{\"a\": 1}\n", to: "lone.ndjson")
    #expect(try preview("lone.ndjson", "--format", "csv").output == "a\n\"\"\n\"\"\n1\n")
  }

  @Test("NDJSON keeps types and members; records of JSON are written as they stand")
  func ndjson() throws {
    try folder.write("a,b\n1,\"x\ty\"\n\"\",NULL\n", to: "cells.csv")
    let cells = try preview("cells.csv", "--format", "ndjson", "--option", "null=NULL", "--option", "header=true")
    #expect(cells.output == "{\"a\":\"1\",\"b\":\"x\\ty\"}\n{\"a\":\"\",\"b\":null}\n")
    try folder.write(
      "[\n  {\"a\": 1.50, \"b\": {\"c\": [1,\n 2]},\t\"d\": \"x  \\\" y\"},\n  {\"late\": true, \"a\": null}\n]",
      to: "document.json")
    let document = try preview("document.json", "--format", "ndjson")
    #expect(
      document.output == "{\"a\":1.50,\"b\":{\"c\":[1,2]},\"d\":\"x  \\\" y\"}\n{\"late\":true,\"a\":null}\n")
    #expect(document.status == 0)
  }

  @Test("members that come later than the first records are a warning in a table and in CSV")
  func lateMembers() throws {
    let filler = (0..<4_000).map { "{\"a\": \($0), \"text\": \"{:}\"}\n" }.joined()
    try folder.write(filler + "{\"a\": 1, \"late\": true}\n", to: "late.ndjson")
    let command = try preview("late.ndjson", "--format", "csv")
    #expect(command.status == 0)
    #expect(
      command.words
        == "late.ndjson:4001:1: warning: a member is not a column, because the first records do not have it;"
        + " --format ndjson shows all [lateMember]\n")
    #expect(try preview("late.ndjson", "--format", "ndjson").words == "")
    #expect(try preview("late.ndjson", "--format", "ndjson").output.hasSuffix("{\"a\":1,\"late\":true}\n"))
  }

  @Test("standard input is looked into, packed or not, and read whole", arguments: ["csv", "ndjson", "json", "gzip"])
  func standardInput(_ kind: String) throws {
    // More than a pipe holds, and than detection looks at.
    let count = 40_000
    let records = (1...count).map { "{\"id\": \($0), \"name\": \"n\($0)\"}" }
    let text: String
    switch kind {
    case "ndjson": text = records.joined(separator: "\n") + "\n"
    case "json": text = "[" + records.joined(separator: ",\n") + "]"
    default: text = "id,name\n" + (1...count).map { "\($0),n\($0)\n" }.joined()
    }
    try folder.write(text, to: "input")
    let pipe = kind == "gzip" ? "gzip -c input" : "cat input"
    let command = try Command.shell(
      "\(pipe) | \"$MERGEWALK\" preview - --format csv --records all", in: folder.path)
    #expect(command.status == 0)
    #expect(command.words == "")
    #expect(command.lines.count == count + 1)
    #expect(command.lines.first == "id,name" && command.lines.last == "\(count),n\(count)")
  }

  @Test(
    "packed standard input that is cut in its first bytes is refused",
    arguments: [
      "\\037", "\\037\\213", "(", "(\\265", "(\\265/", "\\3757z", "B", "BZh", "BZh91AY", "P", "PK", "PK\\003",
    ])
  func cutSignature(_ bytes: String) throws {
    let folder = TemporaryFolder()
    let command = try Command.shell("printf '\(bytes)' | \(Command.path) preview -", in: folder.path)
    #expect(command.status == 2 && command.words.contains("[truncated]"), "\(command.words)")
    #expect(command.words.contains("compression: none") == ["(", "B", "BZh", "P", "PK"].contains(bytes))
    let text = try Command.shell(
      "printf '\(bytes)' | \(Command.path) preview - --option compression=none --option format=csv --option encoding=latin1",
      in: folder.path)
    #expect(text.status == 0, "\(text.words)")
  }

  @Test("a faulty object alone in a file that is named .json is a faulty document; of several lines one is rejected")
  func faultyObject() throws {
    let folder = TemporaryFolder()
    let cases: [(String, Int32)] = [
      (#"{"a": 1,}"#, 2), (#"{"a" 1}"# + "\n\n", 2), (#"{"a": 1"#, 2), (#"{"a": 1}#"#, 2), (#"{"a": 1}"#, 0),
      (#"{"a": 1}"# + "\n" + #"{"a": 2"#, 1), (#"{"a": "\ud800"}"#, 1),
    ]
    for (text, status) in cases {
      try folder.write(text, to: "a.json")
      let command = try Command(["preview", "a.json"], in: folder.path)
      #expect(command.status == status, "\(text): \(command.words)")
    }
  }

  @Test("of a JSON record with very many members 10,000 are columns")
  func manyMembers() throws {
    let members = (0..<12_000).map { "\"k\($0)\": \($0)" }.joined(separator: ", ")
    let command = try preview("-", "--format", "csv", input: "{\(members)}\n")
    #expect(command.status == 0)
    #expect(command.output.hasPrefix("k0,k1,"))
    #expect(command.output.split(separator: "\n").map { $0.split(separator: ",").count } == [10_000, 10_000])
    #expect(command.words.contains("[lateMember]"))
  }

  @Test("how a CSV file is written is detected and said, unless options say it")
  func dialect() throws {
    try folder.write("name;price\n\"a;b\";1,5\nc;2,25\nd;3,0\n", to: "export.csv")
    let command = try preview("export.csv", "--format", "csv")
    #expect(command.output == "name,price\na;b,\"1,5\"\nc,\"2,25\"\nd,\"3,0\"\n")
    #expect(command.words == "export.csv: detected delimiter: semicolon\n")
    let verbose = try preview("export.csv", "--format", "csv", "--verbose")
    #expect(verbose.words.contains("export.csv: delimiter “;”: 4 of 4 records have 2 fields\n"))
    let said = try preview("export.csv", "--format", "csv", "--option", "delimiter=pipe", "--option", "quote=none")
    #expect(said.output.hasPrefix("name;price\n\"\"\"a;b\"\";1,5\"\n"))
    #expect(said.words == "")
    let input = try preview("-", "--format", "csv", input: "name;price\n\"a;b\";1,5\nc;2,25\nd;3,0\n")
    #expect(input.output == command.output)
  }

  @Test("\\N behind a detected escape is null, and elsewhere it is shown as it is")
  func escapedNull() throws {
    let rows = (1...20).map { "\($0),\"say \\\"n\($0)\\\", so\",\\N,x\n" }.joined()
    try folder.write(rows, to: "escaped.csv")
    let escaped = try preview("escaped.csv", "--format", "ndjson", "--records", "all")
    #expect(escaped.status == 0 && escaped.lines.count == 20, "\(escaped.words)")
    #expect(escaped.lines.first?.contains(#"null,"4":"x""#) == true, "\(escaped.lines)")
    try folder.write("id\tname\n1\t\\N\n2\tx\n", to: "plain.tsv")
    #expect(try preview("plain.tsv", "--format", "csv").output == "id,name\n1,\\N\n2,x\n")
  }

  @Test("rejects are named and counted, and the exit code is 1")
  func rejects() throws {
    let rows = (1...40).map { $0.isMultiple(of: 2) ? "\($0)\n" : "\($0),x\n" }.joined()
    try folder.write("a,b\n" + rows, to: "ragged.csv")
    let command = try preview("ragged.csv", "--records", "all", "--option", "short_records=reject")
    #expect(command.status == 1)
    #expect(command.lines.last == "csv: 40 records read, 20 rejected")
    let words = command.words.split(separator: "\n")
    let first = words.first ?? ""
    #expect(first.hasPrefix("ragged.csv:3:2: error: expected 2 fields, found 1; add the missing fields"), "\(first)")
    #expect(first.hasSuffix("; here with “--option short_records=…” [read.fieldCount]"), "\(first)")
    #expect(words.dropFirst().first == "ragged.csv:5:2: error: expected 2 fields, found 1 [read.fieldCount]")
    #expect(words.count == 11 && words.last == "... and 10 more rejects")
  }

  @Test("what was read before a fault is shown, and the exit code is 2")
  func fault() throws {
    try folder.write("[{\"a\": 1}, {\"a\": 2}, {\"a\" 3}]", to: "broken.json")
    let command = try preview("broken.json", "--format", "csv")
    #expect(command.status == 2)
    #expect(command.output == "a\n1\n2\n")
    #expect(command.words.hasPrefix("broken.json:1:"))
    #expect(command.words.hasSuffix("[invalidDocument]\n"))
    try folder.write("", to: "empty.csv")
    for (arguments, code) in [
      (["none.csv"], "unreadableFile"), (["*.none"], "noMatchingFile"),
      (["broken.json", "--option", "records=$.x["], "invalidOption"),
      (["broken.json", "--option", "records=x"], "missingRecords"),
    ] {
      let command = try Command(["preview"] + arguments, in: folder.path)
      #expect(command.status == 2, "\(arguments)")
      #expect(command.words.contains("[\(code)]"), "\(arguments): \(command.words)")
    }
  }

  @Test(
    "wrong options are named, with what was meant",
    arguments: [
      (
        "delimter=x",
        "--option delimter: error: “source” has no field “delimter”; did you mean “delimiter”? [unknownField]"
      ),
      ("delimiter=123456789", "--option delimiter: error: “delimiter” takes 1 to 8 bytes of text"),
      (
        "delimiter=|\"|",
        "--option delimiter: error: “delimiter” contains “quote”; give one of them another character, or leave"
          + " “delimiter” out [invalidOption]"
      ),
      ("null=[a", "--option null: error: "), ("skip_lines=-1", "--option skip_lines: error: “skip_lines” cannot be -1"),
      ("format=cvs", "--option format: error: “format” cannot be “cvs”; did you mean “csv”?"),
      ("encoding=utf-9", "--option encoding: error: there is no encoding “utf-9”"),
      (
        "quote=comma",
        "--option quote: error: “delimiter” and “quote” are the same character; give one of them another character, or"
          + " leave “quote” out [invalidOption]"
      ),
      ("files=x.csv", "--option files: error: “source” has no field “files”"),
    ])
  func options(_ option: String, _ words: String) throws {
    try folder.write(Self.people, to: "people.csv")
    let command = try preview("people.csv", "--option", option)
    #expect(command.status == 2)
    #expect(command.output == "")
    #expect(command.words.hasPrefix(words), "\(command.words)")
  }

  @Test("a delimiter has several bytes, and lies beyond ASCII")
  func longDelimiters() throws {
    for (name, text, option) in [
      ("pipes.csv", "a||b\n1||x|y\n\"2||2\"||z\n", "||"), ("section.csv", "a§b\n1§x|y\n\"2||2\"§z\n", "§"),
      ("blank.csv", "a, b\n1, x|y\n\"2||2\", z\n", ", "), ("t.csv", "a\\tb\n1\\tx|y\n\"2||2\"\\tz\n", "\\t"),
    ] {
      try folder.write(text, to: name)
      let command = try preview(name, "--format", "csv", "--option", "delimiter=\(option)")
      #expect(command.output == "a,b\n1,x|y\n2||2,z\n", "\(command.words)")
    }
  }

  @Test("values of options need no quotes of YAML")
  func optionValues() throws {
    try folder.write("# remark\na|b\n'x|y'|\n", to: "odd.txt")
    let arguments = [
      "preview", "odd.txt", "--format", "csv", "--option", "delimiter=|", "--option", "quote='", "--option",
      "comment=#",
      "--option", "null=", "--option", "header=true",
    ]
    let command = try Command(arguments, in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(command.output == "a,b\nx|y,\n")
    let twice = try preview("odd.txt", "--option", "quote='", "--option", "quote=none")
    #expect(twice.status == 2 && twice.words.contains("it is given twice"))
  }

  @Test("several files are tables one below the other, one CSV if their columns are the same, and any NDJSON")
  func severalFiles() throws {
    try folder.write("a,b\n1,2\n", to: "1.csv")
    try folder.write("b,a\n4,3\n", to: "2.csv")
    let csv = try preview("*.csv", "--format", "csv")
    #expect(csv.output == "a,b\n1,2\n3,4\n")
    #expect(csv.status == 0)
    #expect(try preview("*.csv").lines.filter { $0 == "1.csv" || $0 == "2.csv" } == ["1.csv", "2.csv"])
    try folder.write("a,c\n5,6\n", to: "3.csv")
    let other = try preview(".", "--option", "pattern=*.csv", "--format", "csv")
    #expect(other.status == 2)
    #expect(other.output == "a,b\n1,2\n3,4\n")
    #expect(other.words.contains("[otherColumns]"))
    let ndjson = try preview("*.csv", "--format", "ndjson")
    #expect(ndjson.output == "{\"a\":\"1\",\"b\":\"2\"}\n{\"b\":\"4\",\"a\":\"3\"}\n{\"a\":\"5\",\"c\":\"6\"}\n")
  }

  @Test("a reader that goes away is success, a full device is not")
  func brokenPipe() throws {
    try folder.write("a,b\n" + String(repeating: "some text,more text\n", count: 100_000), to: "large.csv")
    for format in ["table", "csv", "ndjson"] {
      let command = try Command.shell(
        "\"$MERGEWALK\" preview large.csv --records all --format \(format) | head -n 1", in: folder.path)
      #expect(command.status == 0, "\(format)")
      #expect(command.words == "", "\(format)")
      let full = try Command.shell(
        "\"$MERGEWALK\" preview large.csv --records all --format \(format) > /dev/full", in: folder.path)
      #expect(full.status == 2, "\(format)")
      #expect(full.words.contains("[cannotWrite]"), "\(format)")
    }
  }

  @Test("a table fits the terminal, in blocks where it must")
  func terminal() throws {
    try folder.write(Self.people, to: "people.csv")
    for columns in [20, 40, 80] {
      let lines = try Terminal.run(["preview", "people.csv"], in: folder.path, columns: columns)
      #expect(lines.count > 5)
      // The count is one sentence and is not cut.
      for line in lines.dropLast() where !line.hasPrefix("csv: ") {
        #expect(Terminal.width(line) <= max(columns, 31), "\(line)")
      }
    }
  }
}
