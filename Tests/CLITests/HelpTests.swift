import Foundation
import MergewalkTestSupport
import Testing

@testable import mergewalk

/// Help of all commands, as a terminal of 80 columns shows it.
@Suite("Help")
struct HelpTests {
  /// One command as `--experimental-dump-help` describes it.
  private struct Entry {
    var path: [String]
    var discussion: String
    var isLeaf: Bool
  }

  private static func commands() throws -> [Entry] {
    let dump = try Command(["--experimental-dump-help"], in: "/").object()
    var found: [Entry] = []
    func walk(_ command: [String: Any], _ path: [String]) {
      let name = command["commandName"] as? String ?? ""
      let inner = (command["subcommands"] as? [[String: Any]] ?? []).filter { $0["commandName"] as? String != "help" }
      let whole = path.isEmpty && name == "mergewalk" ? [] : path + [name]
      found.append(Entry(path: whole, discussion: command["discussion"] as? String ?? "", isLeaf: inner.isEmpty))
      for command in inner { walk(command, whole) }
    }
    walk(dump["command"] as? [String: Any] ?? [:], [])
    return found
  }

  @Test("every command has examples of itself, and no line of its help is wider than 80 columns") func all() throws {
    let commands = try Self.commands()
    #expect(commands.count > 28)
    for command in commands {
      let name = (["mergewalk"] + command.path).joined(separator: " ")
      let help = try Command(command.path + ["--help"], in: "/", environment: ["COLUMNS": "80"])
      #expect(help.status == 0)
      for line in help.output.components(separatedBy: "\n") { #expect(line.count <= 80, "\(name): \(line)") }
      #expect(command.discussion.contains("EXAMPLES\n"), "\(name)")
      #expect(command.discussion.contains("\n  \(name)") || command.discussion.contains("| \(name)"), "\(name)")
      // What is indented was not broken by the parser, which would set the rest of it to the margin.
      let lines = Set(help.output.components(separatedBy: "\n"))
      for line in command.discussion.components(separatedBy: "\n") where line.hasPrefix("  ") {
        #expect(lines.contains(line), "\(name): \(line)")
      }
    }
  }

  @Test("topics fit 80 columns, and help names all of them") func topics() throws {
    let root = try Command(["--help"], in: "/").output
    for topic in HelpTopic.allCases {
      #expect(root.contains(topic.rawValue))
      let help = try Command(["help", topic.rawValue], in: "/")
      #expect(help.status == 0)
      for line in help.output.components(separatedBy: "\n") { #expect(line.count <= 80, "\(topic): \(line)") }
    }
  }

  @Test("commands of the documentation and of help are calls that the parser takes") func calls() throws {
    var lines: Set<String> = []
    let docs = Locations.repository + "/docs/"
    for name in try FileManager.default.contentsOfDirectory(atPath: docs) where name.hasSuffix(".md") {
      let page = try String(contentsOfFile: docs + name, encoding: .utf8)
      for block in page.components(separatedBy: "```sh\n").dropFirst() {
        let text = block.components(separatedBy: "```")[0].replacingOccurrences(of: "\\\n", with: " ")
        lines.formUnion(text.components(separatedBy: "\n"))
      }
    }
    for command in try Self.commands() {
      let text = command.discussion.replacingOccurrences(of: " \\\n", with: " ")
      lines.formUnion(text.components(separatedBy: "\n"))
    }
    let calls = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("mergewalk ") }
    #expect(calls.count > 100)
    // Their files are not there, which is no mistake of usage.
    let folder = TemporaryFolder()
    try folder.write(calls.sorted().joined(separator: "\n") + "\n", to: "calls")
    let run = try Command.shell(
      """
      touch usage
      mergewalk() {
        "$MERGEWALK" "$@" < /dev/null > output 2> words
        [ $? -ne 64 ] || { echo "mergewalk $*"; head -n 1 words; } >> usage
      }
      while IFS= read -r line; do eval "$line" > /dev/null 2>&1; done < calls
      cat usage
      """, in: folder.path)
    #expect(run.status == 0 && run.output == "", "\(run.output)")
  }

  @Test("commands are broken before options, never in quotes") func options() {
    let long =
      "  mergewalk fetch s.sqlite --entity Order --predicate \"placed >= %@ AND customer.email ENDSWITH %@\" --limit 1"
    let lines = HelpText.flow("EXAMPLES\n" + long).components(separatedBy: "\n")
    #expect(
      lines == [
        "EXAMPLES", "  mergewalk fetch s.sqlite --entity Order \\",
        "      --predicate \"placed >= %@ AND customer.email ENDSWITH %@\" --limit 1",
      ])
  }

  @Test("commands of models have one option called --version") func versions() throws {
    for name in ["show", "lint", "hash", "convert", "codegen"] {
      let help = try Command(["model", name, "--help"], in: "/").output
      #expect(help.components(separatedBy: "--version ").count == 2, "\(help)")
      #expect(help.contains("--model-version, --version <name>"))
    }
  }

  @Test("paragraphs flow, commands go on behind a backslash, tables below their meaning") func flow() {
    let command = "  mergewalk run " + String(repeating: "word ", count: 20).trimmingCharacters(in: .whitespaces)
    let table = "  7   " + String(repeating: "word ", count: 20).trimmingCharacters(in: .whitespaces)
    let text = HelpText.flow("One line\nand another.\n\nEXAMPLES\n\(command)\n\(table)\n\nLast.")
    let lines = text.components(separatedBy: "\n")
    #expect(lines.prefix(3) == ["One line and another.", "", "EXAMPLES"])
    #expect(lines[3].hasSuffix(" \\") && lines[3].count <= 80 && lines[4].hasPrefix("      word"))
    #expect(lines[5].hasPrefix("  7   word") && lines[6].hasPrefix("      word"))
    #expect(lines.allSatisfy { $0.count <= 80 } && lines.last == "Last.")
    let joined = lines[3].dropLast(2) + " " + lines[4].drop { $0 == " " }
    #expect(joined == command[...])
  }
}
