import Foundation
import MergewalkTestSupport
import Testing

@Suite("docs/fetch.md")
struct FetchPageTests {
  /// A command of the page and what the page says that it prints.
  struct Example {
    var command: String
    var output: String
  }

  /// The examples: blocks marked `console`, whose first line is the command.
  static func examples() throws -> [Example] {
    let page = try String(contentsOfFile: Locations.repository + "/docs/fetch.md", encoding: .utf8)
    return page.components(separatedBy: "```console\n$ ").dropFirst().map { block in
      let text = block.components(separatedBy: "\n```")[0]
      let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return Example(command: String(lines[0]), output: lines.count > 1 ? String(lines[1]) : "")
    }
  }

  @Test("every example prints what the page says")
  func examplesAreTrue() throws {
    let shop = try Shop()
    let examples = try Self.examples()
    #expect(examples.count >= 8)
    for example in examples {
      #expect(example.command.hasPrefix("mergewalk fetch "))
      let line = "\"$MERGEWALK\"" + example.command.dropFirst("mergewalk".count) + " 2>&1"
      let command = try Command.shell(line, in: shop.folder.path)
      #expect(command.output == example.output + "\n", "\(example.command)")
    }
  }

  @Test("every option is on the page")
  func options() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/fetch.md", encoding: .utf8)
    let help = try Command(["fetch", "--help"], in: "/").output
    let options = Set(help.matches(of: #/^ +(--[a-z-]+)/#.anchorsMatchLineEndings()).map { String($0.1) })
    #expect(options.count > 15)
    for option in options where option != "--help" && option != "--version" {
      #expect(page.contains("`\(option)"), "\(option)")
    }
  }
}
