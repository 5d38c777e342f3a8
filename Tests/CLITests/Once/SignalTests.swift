import Foundation
import MergewalkSystem
import MergewalkTestSupport
import Testing

/// A command that runs while the test does something else.
final class RunningCommand {
  private let scratch = TemporaryFolder()
  private let process = Process()
  private let input = Pipe()

  /// What is ignored here is ignored by whatever is started, and under `nohup` that is SIGHUP.
  private static let hearsSignals: Void = {
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { Glibc.signal(number, SIG_DFL) }
  }()

  /// Starts the command.
  init(_ arguments: [String], in folder: String) throws {
    Self.hearsSignals
    for name in ["output", "words"] { try scratch.write("", to: name) }
    process.executableURL = URL(fileURLWithPath: Command.path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["PATH": "/usr/bin:/bin"]
    process.standardInput = input
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("output")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("words")))
    try process.run()
  }

  var number: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Writes to its standard input.
  func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Ends its standard input.
  func endInput() throws { try input.fileHandleForWriting.close() }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Whether the command has read everything that was written to its standard input.
  var hasReadAll: Bool {
    var count: Int32 = 0
    return ioctl(input.fileHandleForWriting.fileDescriptor, UInt(FIONREAD), &count) == 0 && count == 0
  }

  /// Whether the command handles a signal itself, as /proc/PID/status says (proc(5)).
  func handles(_ number: Int32) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
    return mask & 1 << UInt64(number - 1) != 0
  }

  /// Writes the beginning of the first line and waits until it is read: then the store is open, and the run waits.
  func waitUntilItReads(_ text: String) throws {
    try write(text)
    #expect(wait { hasReadAll })
  }

  /// Waits until something is so; false when it did not become so within half a minute.
  func wait(for condition: () -> Bool) -> Bool {
    for _ in 0..<600 {
      if condition() { return true }
      usleep(50_000)
    }
    return false
  }

  /// Waits for its end, and returns its exit code (minus the signal's number) and what it wrote.
  func end() throws -> (status: Int32, output: String, words: String) {
    process.waitUntilExit()
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return (
      status, try String(contentsOfFile: scratch.file("output"), encoding: .utf8),
      try String(contentsOfFile: scratch.file("words"), encoding: .utf8)
    )
  }
}

/// The bytes that a run into the store in a folder has planned.
private func planSize(_ folder: String) -> Int {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.filter { $0.contains(".mergewalk-plan-") }.map { name in
    (try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int) ?? 0
  }.reduce(0, +)
}

@Suite("Signals")
struct SignalTests {
  @Test("end a run behind its batch, and the next one goes on", arguments: [SIGINT, SIGTERM])
  func goingOn(number: Int32) throws {
    let shop = try NightShop(seed: 3)
    let night = try shop.night()
    let whole = try shop.night()
    let text = try String(contentsOfFile: night.folder.file("in-1.csv"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = lines.prefix(lines.count / 2).joined(separator: "\n") + "\n"
    let arguments = ["run", "p.yaml", "-", "--json", "--quiet"]

    let command = try RunningCommand(arguments, in: night.folder.path)
    try command.write(head)
    // The command has read what there is and waits for more; its batches are in the plan.
    #expect(command.wait { planSize(night.folder.path) > 10_000 })
    command.signal(number)
    let (status, output, words) = try command.end()
    #expect(status == 4, "\(words)")
    #expect(
      output.contains("\"status\":\"interrupted\"") || output.contains("\"status\": \"interrupted\""), "\(output)")
    // One that is stopped before it comes to anything new leaves the place, and all that belongs to it, as it was.
    let idle = try RunningCommand(arguments, in: night.folder.path)
    try idle.write(head)
    #expect(idle.wait { idle.handles(number) && idle.hasReadAll })
    idle.signal(number)
    #expect(try idle.end().status == 4)

    let next = try Command(arguments, in: night.folder.path, input: text)
    #expect(next.status == 1, "\(next.words)")
    #expect((try next.object()["resumed_after"] as? Int ?? 0) > 0)
    let reference = try Command(arguments, in: whole.folder.path, input: text)
    #expect(try Night.counts(next)["inserted"] == Night.counts(reference)["inserted"])
    let (state, wanted) = (try night.state(), try whole.state())
    #expect(state.tables == wanted.tables && state.rejects == wanted.rejects)
  }

  @Test("end a run into a new store behind its batch, and the next one goes on", arguments: [SIGINT, SIGTERM])
  func newStore(number: Int32) throws {
    let shop = try NightShop(seed: 4, hasStore: false)
    let night = try shop.night()
    let whole = try shop.night()
    let text = try String(contentsOfFile: night.folder.file("in-1.csv"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let arguments = ["run", "p.yaml", "-", "--json", "--quiet"]

    func hidden() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: night.folder.path).filter {
        $0.hasPrefix(".shop.sqlite.mergewalk-")
      }
    }
    let command = try RunningCommand(arguments, in: night.folder.path)
    try command.write(lines.prefix(lines.count / 2).joined(separator: "\n") + "\n")
    // An address of the first records is in the file when their batch is kept.
    let address = try #require(lines.flatMap { $0.split(separator: ",") }.first { $0.contains("@example.com") })
    #expect(
      command.wait {
        ((try? hidden()) ?? []).contains { name in
          let bytes = try? Data(contentsOf: URL(fileURLWithPath: night.folder.file(name)))
          return bytes?.range(of: Data(address.utf8)) != nil
        }
      })
    command.signal(number)
    let (status, output, words) = try command.end()
    #expect(status == 4, "\(words)")
    #expect(output.contains("interrupted"), "\(output)")
    #expect(!FileManager.default.fileExists(atPath: night.folder.file("shop.sqlite")))
    #expect(try !hidden().isEmpty)

    let next = try Command(arguments, in: night.folder.path, input: text)
    #expect(next.status == 1, "\(next.words)")
    #expect((try next.object()["resumed_after"] as? Int ?? 0) > 0)
    #expect(try hidden() == [])
    let reference = try Command(arguments, in: whole.folder.path, input: text)
    // The last batch before the signal was a shorter one.
    let counts = try [next, reference].map { command in
      try Night.counts(command).filter { !["batches", "bytes_read"].contains($0.key) }
    }
    #expect(counts[0] == counts[1])
    let (state, wanted) = (try night.state(), try whole.state())
    for (name, rows) in wanted.tables where name != "Z_METADATA" { #expect(state.tables[name] == rows) }
    #expect(state.isIntact && state.rejects == wanted.rejects)
  }

  @Test("leave nothing of a new store that has nothing yet")
  func nothingYet() throws {
    let night = try NightShop(seed: 3, orders: 100, hasStore: false).night()
    let before = try Set(FileManager.default.contentsOfDirectory(atPath: night.folder.path))
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try command.waitUntilItReads("orderID")
    #expect(try FileManager.default.contentsOfDirectory(atPath: night.folder.path).count > before.count)
    command.signal(SIGTERM)
    #expect(try command.end().status == 4)
    let left = try Set(FileManager.default.contentsOfDirectory(atPath: night.folder.path))
    #expect(left == before, "\(left)")
  }

  @Test("end a run at once the second time")
  func twice() throws {
    let night = try NightShop(seed: 3, orders: 100).night()
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try command.waitUntilItReads("orderID")
    #expect(command.handles(SIGINT) && command.handles(SIGTERM))
    // Both are there before it can do anything about the first; two of one kind would be one.
    command.signal(SIGSTOP)
    command.signal(SIGINT)
    command.signal(SIGTERM)
    command.signal(SIGCONT)
    let status = try command.end().status
    // Which of the two comes second is the system's choice.
    #expect([-SIGINT, -SIGTERM].contains(status))
    #expect(try night.run("--restart").status == 1)
  }
}

@Suite("Several programs and one store", .serialized)
struct ConcurrencyTests {
  /// Runs the pipelines at the same time and returns their exit codes.
  private func together(_ night: Night, _ count: Int, _ arguments: [String]) throws -> [Int32] {
    let commands = try (0..<count).map { number in
      let text = try String(contentsOfFile: night.folder.file("p.yaml"), encoding: .utf8)
      try night.folder.write(
        text.replacing("pipeline: night", with: "pipeline: night\(number)")
          .replacing("rejects.ndjson", with: "rejects-\(number).ndjson"), to: "p\(number).yaml")
      return try RunningCommand(["run", "p\(number).yaml", "--quiet"] + arguments, in: night.folder.path)
    }
    for command in commands { try command.endInput() }
    return try commands.map { try $0.end().status }
  }

  @Test(
    "runs over one store go one after the other or are refused, and no object is made twice", arguments: [true, false])
  func serialised(hasStore: Bool) throws {
    let night = try NightShop(seed: 12, orders: 200, hasStore: hasStore).night()
    let statuses = try together(night, 4, ["--lock-wait", "60s"])
    // Of those that begin to make the same store at the same moment, the first to finish wins; the others go into it.
    #expect(statuses.allSatisfy { $0 == 1 }, "\(statuses)")
    let state = try night.state()
    #expect(state.isIntact)
    let orders = try Command(
      ["fetch", "shop.sqlite", "--entity", "Order", "--columns", "orderID", "--format", "csv"], in: night.folder.path
    ).lines.dropFirst()
    #expect(Set(orders).count == orders.count && !orders.isEmpty)
  }

  @Test("a run that waits in vain names who has the store")
  func busy() throws {
    let night = try NightShop(seed: 12, orders: 60).night()
    let holder = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try holder.write(try String(contentsOfFile: night.folder.file("in-1.csv"), encoding: .utf8))
    #expect(holder.wait { planSize(night.folder.path) > 0 })
    let command = try night.run("--lock-wait", "500ms")
    #expect(command.status == 6, "\(command.words)")
    #expect(
      command.words.contains("process \(holder.number) (mergewalk) is importing into the store"), "\(command.words)")
    holder.signal(SIGKILL)
    _ = try holder.end()
  }

  @Test("a second run that is to make the same store is refused while the first makes it")
  func newStore() throws {
    let night = try NightShop(seed: 12, orders: 60, hasStore: false).night()
    let builder = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: night.folder.path)
    try builder.waitUntilItReads("orderID")
    let command = try night.run("--lock-wait", "200ms")
    #expect(command.status == 6, "\(command.words)")
    #expect(command.words.contains("is building the store"), "\(command.words)")
    builder.signal(SIGKILL)
    _ = try builder.end()
    #expect(try night.run().status == 1)
  }
}
