import Foundation
import MergewalkTestSupport
import Testing

/// The first moments of the command, and machines that lack something.
@Suite("Starting")
struct StartTests {
  @Test("without /proc the command does what it is told", .enabled(if: Shim.isThere))
  func withoutProc() throws {
    let people = try People()
    try people.input(1...3, age: 2)
    let command = try people.run(environment: Shim.withoutProc)
    #expect(command.status == 0, "\(command.words)")
    #expect(command.output.isEmpty, "no help: \(command.output)")
    #expect(try people.count(age: 2) == 3)
    let unknown = try Command(["nonsense"], in: people.folder.path, environment: Shim.withoutProc)
    #expect(unknown.status == 64, "\(unknown.words)")
  }

  @Test("signals before the run has begun end it with 4", arguments: [SIGINT, SIGTERM, SIGHUP])
  func earlySignals(number: Int32) throws {
    let people = try People(4)
    // The pipeline comes through a pipe that somebody holds open: the command waits before it knows what to do.
    let pipe = NamedPipe(people.folder.file("pipe"))
    let command = try RunningCommand(["run", "pipe", "--quiet"], in: people.folder.path)
    #expect(command.wait { command.handles(number) })
    command.signal(number)
    #expect(try command.end().status == 4)
    withExtendedLifetime(pipe) {}
  }

  @Test("a signal ends the wait for a store that somebody has")
  func waiting() throws {
    let night = try NightShop(seed: 12, orders: 60).night()
    let holder = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try holder.waitUntilItReads("order_id")
    let command = try RunningCommand(["run", "p.yaml", "--quiet", "--lock-wait", "1h"], in: night.folder.path)
    #expect(command.wait { command.handles(SIGTERM) })
    command.signal(SIGTERM)
    #expect(try command.end().status == 4)
    holder.signal(SIGKILL)
    _ = try holder.end()
  }

  @Test("the end of the session is a request to stop, also when it is said twice")
  func hangUp() throws {
    let night = try NightShop(seed: 3, orders: 100).night()
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try command.waitUntilItReads("order_id")
    command.signal(SIGSTOP)
    command.signal(SIGTERM)
    command.signal(SIGHUP)
    command.signal(SIGCONT)
    #expect(try command.end().status == 4)
  }

  @Test(
    "a limit of file sizes is a disk that is full, whatever the command is called", arguments: ["mergewalk", "m-1.2"])
  func fileSizes(name: String) throws {
    let people = try People()
    try people.input(1...20_000, age: 2)
    let command = try Command.shell(
      "ln -s $MERGEWALK \(name); (ulimit -f 200; ./\(name) run p.yaml --quiet); status=$?; rm \(name); exit $status",
      in: people.folder.path)
    #expect(command.status == 2, "\(command.words)")
    #expect(command.words.contains("disk has room"), "\(command.words)")
    #expect(try people.files() == ["in.csv", "m.yaml", "p.yaml"])
  }

  @Test("a machine that has no thread left is told of", .enabled(if: Shim.isThere), arguments: ["never", "always"])
  func withoutThreads(direct: String) throws {
    let people = try People(more: "direct: \(direct)")
    try people.input(1...20_000, age: 2)
    let command = try people.run(environment: Shim.withoutThreads)
    #expect(command.status == 2 && command.words.contains("no thread left"), "\(command.status) \(command.words)")
    #expect(try people.files() == ["in.csv", "m.yaml", "p.yaml"])
    let family = try Family()
    try family.write()
    let built = try family.stores(
      "build", "items.yaml", "--out", "out", "--jobs", "2", environment: Shim.withoutThreads)
    // Small stores need none.
    #expect(built.status == 0, "\(built.status) \(built.words)")
    #expect(try family.build("other").status == 0)
    #expect(try family.published("out") == family.published("other"))
  }
}
