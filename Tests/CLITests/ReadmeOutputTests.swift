import Foundation
import MergewalkTestSupport
import Testing

@Suite("the README's commands")
struct ReadmeOutputTests {
  /// The commands of a block and the block of their output that follows.
  struct Example {
    var commands: String
    var output: String
  }

  static func examples() throws -> [Example] {
    let page = try String(contentsOfFile: Locations.repository + "/README.md", encoding: .utf8)
    return page.matches(of: #/```sh\n(?<commands>(?:(?!```).*\n)+)```\n\n```text\n(?<output>(?:(?!```).*\n)+)```/#).map
    {
      Example(commands: String($0.commands), output: String($0.output.output))
    }
  }

  /// Times, rates and memory differ from run to run.
  static func withoutFigures(_ text: String) -> String {
    text.replacing(#/[0-9.]+ s \([0-9,]+/s, [0-9.]+ MiB of memory\)/#, with: "TIME")
  }

  private static func said(_ commands: String, in folder: TemporaryFolder) throws -> String {
    let start = "exec 2>&1\nmergewalk() { \"$MERGEWALK\" \"$@\"; }\n"
    return try Command.shell(start + commands, in: folder.path).output
  }

  @Test func `every block of commands prints what stands below it, in one fresh folder`() throws {
    let folder = TemporaryFolder()
    let examples = try Self.examples()
    #expect(examples.count == 3)
    for example in examples where !example.commands.contains("make ") {
      #expect(
        try Self.withoutFigures(Self.said(example.commands, in: folder)) == Self.withoutFigures(example.output),
        "\(example.commands)")
    }
  }

  @Test func `make demo prints what the README says`() throws {
    let folder = TemporaryFolder()
    for name in ["fixtures", "pipelines"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: Locations.repository + "/" + name)
    }
    let example = try #require(try Self.examples().first { $0.commands.contains("make demo") })
    let makefile = try String(contentsOfFile: Locations.repository + "/Makefile", encoding: .utf8)
    let recipe = try #require(makefile.firstMatch(of: #/\ndemo: .*\n(?<lines>(?:\t.*\n)+)/#)).lines
    // The first two commands that the recipe runs: the import and the check of the store.
    let commands = recipe.split(separator: "\n").filter { $0.hasPrefix("\t$(MERGEWALK)") }.prefix(2).map {
      $0.dropFirst().replacing("$(MERGEWALK)", with: "mergewalk").replacing("$(DEMO_STORE)", with: "build/shop.sqlite")
    }
    #expect(commands.count == 2)
    // The pipeline's paths lead beside its folder, which is a link here.
    let script = "mkdir build\n" + commands.joined(separator: " --store build/shop.sqlite\n")
    #expect(try Self.withoutFigures(Self.said(script, in: folder)) == Self.withoutFigures(example.output))
  }
}
