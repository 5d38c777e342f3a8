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

  @Test("a reader that goes away is success")
  func brokenPipe() throws {
    let command = try Command.shell("\"$MERGEWALK\" reference | head -n 1", in: folder.path)
    #expect(command.status == 0)
    #expect(command.output == "### `pipeline`\n")
    #expect(command.words.isEmpty)
  }
}
