import Foundation
import MergewalkTestSupport
import Testing

@Suite("Usage")
struct UsageTests {
  let folder = TemporaryFolder()

  @Test(
    "wrong usage exits with 64 and says what is right",
    arguments: [
      ["lint"], ["run"], ["nonsense"], ["run", "a.yaml", "--batch", "0"], ["run", "a.yaml", "--batch", "x"],
      ["run", "a.yaml", "--set", "NAME"], ["run", "a.yaml", "--set", "=x"], ["run", "a.yaml", "--find", "guess"],
      ["run", "a.yaml", "--nonsense"], ["model", "hash"],
      ["model", "convert", "m", "--to", "json"],
    ])
  func usage(_ arguments: [String]) throws {
    let command = try Command(arguments, in: folder.path)
    #expect(command.status == 64)
    #expect(command.output.isEmpty)
    #expect(command.words.contains("Usage: mergewalk"), "\(command.words)")
  }

  @Test(
    "an argument that is too many comes with those that the command takes, in their order",
    arguments: [
      ("export out store.sqlite", "only <store>: “mergewalk export store.sqlite --out out”"),
      ("export store.sqlite out", "only <store>; the folder for the files is named by “--out out”"),
      ("preview a b", "Unexpected argument 'b'; “mergewalk preview” takes only <source>"),
      ("store verify s.sqlite m.yaml", "verify” takes only <store>; a model is named by “--model m.yaml”"),
      ("store verify m.yaml s.sqlite", "only <store>: “mergewalk store verify s.sqlite --model m.yaml”"),
      ("store info a b c", "“mergewalk store info” takes only <store>"),
      ("reference x", "“mergewalk reference” takes no"),
      ("runs a b c", "“mergewalk runs” takes only <store>, then <run>"),
      ("fetch s.sqlite A", "an entity is named by “--entity A”"),
    ])
  func extraArgument(_ line: String, _ says: String) throws {
    let command = try Command(line.split(separator: " ").map(String.init), in: folder.path)
    #expect(command.status == 64)
    #expect(command.words.hasPrefix("Error: ") && command.words.contains(says), "\(command.words)")
  }

  @Test(
    "a hyphen is no name for what is written",
    arguments: [
      ["run", "p.yaml", "--store", "-"], ["run", "p.yaml", "--rejects", "-"], ["run", "p.yaml", "--metrics", "-"],
      ["run", "p.yaml", "--report", "-"], ["seed", "p.yaml", "--store", "-"], ["schema", "--out", "-"],
      ["fetch", "s.sqlite", "--entity", "A", "--output", "-"], ["export", "s.sqlite", "--out", "-"],
      ["guess", "a.csv", "--out", "-"], ["stores", "build", "p.yaml", "--out", "-"],
      ["model", "convert", "m.yaml", "--output", "-"], ["model", "codegen", "m.yaml", "--output", "-"],
      ["rejects", "replay", "r.ndjson", "--pipeline", "p.yaml", "--rejects", "-"],
    ])
  func hyphen(_ arguments: [String]) throws {
    let command = try Command(arguments, in: folder.path)
    #expect(command.status == 64)
    let option = arguments[arguments.count - 2]
    #expect(command.words.contains("\(option) takes a path, not “-”; "), "\(command.words)")
  }

  @Test(
    "an empty path, of a variable of the shell that is not set, is said to be empty, and stands for no folder",
    arguments: [
      "64 guess _", "64 preview _", "64 explain p.yaml --store _", "64 runs _", "64 rejects clean _",
      "64 rejects summary _", "64 stores task _", "64 stores commit _", "2 run _", "2 run p.yaml _", "2 store info _",
      "2 fetch _ --entity A", "2 model show _", "2 seed _ --store s", "1 lint _",
    ])
  func emptyPath(_ line: String) throws {
    let words = line.split(separator: " ").map { $0 == "_" ? "" : String($0) }
    try folder.write("model: M\nentities: { A: { attributes: { a: string } } }\n", to: "m.yaml")
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nsource: a.csv\nimport: { entity: A, mode: insert, attributes: [a] }\n",
      to: "p.yaml")
    try folder.write("a\n1\n", to: "a.csv")
    let command = try Command(Array(words.dropFirst()), in: folder.path)
    #expect(command.status == Int32(words[0]))
    #expect((command.output + command.words).contains("the path is empty: look whether"), "\(command.words)")
  }

  @Test("rejects from standard input give no name to the file of those that are rejected again")
  func replayedInput() throws {
    let command = try Command(["rejects", "replay", "-", "--pipeline", "p.yaml"], in: folder.path)
    #expect(command.status == 64)
    #expect(command.words.contains("need --rejects"), "\(command.words)")
  }

  @Test(
    "a hyphen is no path in a pipeline, whatever folder it is in",
    arguments: ["store", "report", "metrics", "rejects", "model"], ["", "nightly/"])
  func hyphenInPipeline(field: String, place: String) throws {
    try FileManager.default.createDirectory(atPath: folder.file("nightly"), withIntermediateDirectories: true)
    try folder.write("model: M\nentities:\n  A:\n    attributes: { name: string }\n", to: place + "m.yaml")
    try folder.write("name\na\n", to: place + "a.csv")
    var fields = ["model": "m.yaml", "store": "s.sqlite", "source": "a.csv"]
    fields[field] = "'-'"
    let lines = fields.map { "\($0.key): \($0.value)" }.sorted { $0.contains("'-'") && !$1.contains("'-'") }
    try folder.write(
      lines.joined(separator: "\n") + "\nimport: { entity: A, mode: insert, attributes: [name] }\n",
      to: place + "p.yaml")
    let command = try Command(["run", place + "p.yaml"], in: folder.path)
    #expect(command.status == 2)
    let start = "\(place)p.yaml:1:\(field.utf8.count + 3): error: “\(field)” takes a path, but here is “-”"
    #expect(command.words.contains(start), "\(command.words)")
    #expect(!FileManager.default.fileExists(atPath: folder.file(place + "s.sqlite")))
  }

  @Test("a source “./-” is a file, not standard input")
  func fileCalledHyphen() throws {
    try folder.write("model: M\nentities:\n  A:\n    attributes: { name: string }\n", to: "m.yaml")
    try folder.write("name\na\n", to: "-")
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nsource: { files: ./-, format: csv }\n"
        + "import: { entity: A, mode: insert, attributes: [name] }\n", to: "p.yaml")
    let command = try Command(["run", "p.yaml", "--json"], in: folder.path, input: "name\nb\nc\n")
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.object()["inserted"] as? Int == 1)
  }

  @Test(
    "help and version go to standard output",
    arguments: [
      (["--help"], "EXIT CODES"), (["--version"], "mergewalk 0."), ([], "SUBCOMMANDS"),
      (["run", "--help"], "--dry-run"),
      (["lint", "--help"], "EXAMPLES"), (["model", "hash", "--help"], "digest"), (["help", "store"], "verify"),
    ])
  func help(_ arguments: [String], _ text: String) throws {
    let command = try Command(arguments, in: folder.path)
    #expect(command.status == 0)
    #expect(command.output.contains(text))
    #expect(command.words.isEmpty)
  }

  @Test(
    "an argument that is not UTF-8 text is not taken for another one", arguments: ["preview", "guess", "run", "lint"])
  func badArgument(_ name: String) throws {
    let command = try Command.shell(
      "printf 'id\\n1\\n' > $'caf\\xe9.csv'; \"$MERGEWALK\" \(name) $'caf\\xe9.csv'", in: folder.path)
    #expect(command.status == 64)
    #expect(command.output.isEmpty && command.words.contains("“caf\\xE9.csv” is not UTF-8 text"), "\(command.words)")
  }

  @Test("a reader that goes away is success")
  func brokenPipe() throws {
    let command = try Command.shell("\"$MERGEWALK\" reference | head -n 1", in: folder.path)
    #expect(command.status == 0)
    #expect(command.output == "### `pipeline`\n")
    #expect(command.words.isEmpty)
  }

  @Test("completion scripts offer commands and topics behind help, and a group's commands behind its name")
  func completion() throws {
    let command = try Command.shell(
      #"""
      source <("$MERGEWALK" --generate-completion-script bash)
      complete_line() {
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
        _mergewalk mergewalk "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"
      }
      complete_line mergewalk help ex
      complete_line mergewalk help rej
      complete_line mergewalk help store ""
      complete_line mergewalk help run ""
      """#, in: folder.path)
    #expect(command.output == "explain export exit-codes\nrejects\ninfo verify migrate clean\n\n", "\(command.words)")
    let zsh = try Command(["--generate-completion-script", "zsh"], in: folder.path).output
    #expect(zsh.contains("'1:topic:(run explain ") && zsh.contains(" store) compadd info verify migrate clean;;"))
    let fish = try Command(["--generate-completion-script", "fish"], in: folder.path).output
    #expect(fish.contains(#""mergewalk help" -eq 1' -fa 'run explain "#))
    #expect(fish.contains("contains -- store (__mergewalk_tokens -pc)' -fa 'info verify migrate clean'"))
  }
}
