import MergewalkTestSupport
import Testing

/// A store that the repository's orders are imported into.
struct Shop {
  let folder = TemporaryFolder()

  init() throws {
    let run = try Command(
      ["run", Locations.repository + "/pipelines/orders.yaml", "--store", folder.file("shop.sqlite"), "--quiet"],
      in: folder.path)
    #expect(run.status == 0, "\(run.words)")
  }

  /// Runs `mergewalk fetch shop.sqlite` with more arguments.
  func fetch(_ arguments: String..., environment: [String: String] = [:]) throws -> Command {
    try Command(["fetch", "shop.sqlite"] + arguments, in: folder.path, environment: environment)
  }

  /// What a fetch that succeeds without a word writes.
  func rows(_ arguments: String...) throws -> [String] {
    let command = try Command(["fetch", "shop.sqlite"] + arguments, in: folder.path)
    #expect(command.status == 0, "\(arguments): \(command.words)")
    #expect(command.words.isEmpty, "\(command.words)")
    return command.lines
  }

  /// What a fetch that cannot run says.
  func failure(_ arguments: String...) throws -> String {
    let command = try Command(["fetch", "shop.sqlite"] + arguments, in: folder.path)
    #expect(command.status == 2, "\(arguments): \(command.output)")
    #expect(command.output.isEmpty)
    return command.words
  }
}
