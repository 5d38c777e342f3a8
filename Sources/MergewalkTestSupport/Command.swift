import Foundation

/// One run of the built `mergewalk` command.
public struct Command {
  /// The text on standard output.
  public let output: String
  /// The text on standard error.
  public let words: String
  /// Its exit code, or minus the number of the signal that ended it.
  public let status: Int32

  /// The path of the built command: beside the tests, or in `MERGEWALK_COMMAND`.
  public static let path = given ?? built("mergewalk")

  /// The path of a program that was built with the tests.
  public static func built(_ name: String) -> String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// How many times as fast the command is as the one beside the tests, roughly: another one is optimized.
  public static var speed: Int { given == nil ? 1 : 10 }

  private static let given = ProcessInfo.processInfo.environment["MERGEWALK_COMMAND"]

  /// Runs the command to its end in a folder.
  ///
  /// - Parameters:
  ///   - folder: the working directory.
  ///   - environment: variables in addition to `PATH`.
  ///   - input: its standard input.
  public init(
    _ arguments: [String], in folder: String, environment: [String: String] = [:], input: String = ""
  ) throws {
    let environment = environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }
    try self.init(Self.path, arguments, in: folder, environment: environment, input: input)
  }

  /// Runs a shell command line in which `$MERGEWALK` is the command.
  public static func shell(_ line: String, in folder: String) throws -> Command {
    let script = TemporaryFolder()
    let path = try script.write(line, to: "script")
    return try Command(
      "/bin/bash", ["-o", "pipefail", path], in: folder,
      environment: ["PATH": "/usr/bin:/bin", "MERGEWALK": Self.path], input: nil)
  }

  private init(
    _ program: String, _ arguments: [String], in folder: String, environment: [String: String], input: String?
  ) throws {
    let scratch = TemporaryFolder()
    for name in ["output", "words"] { try scratch.write("", to: name) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = environment
    // Files, not pipes: nothing blocks, whatever the command writes.
    if let input {
      try scratch.write(input, to: "input")
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: scratch.file("input")))
    }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("output")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("words")))
    try process.runToItsEnd()
    status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    output = try String(contentsOfFile: scratch.file("output"), encoding: .utf8)
    words = try String(contentsOfFile: scratch.file("words"), encoding: .utf8)
  }

  /// The lines of standard output.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The warnings of a run's JSON result, each as `code: message`.
  public func warnings() throws -> [String] {
    let warnings = try object()["warnings"] as? [[String: Any]] ?? []
    return warnings.map { "\($0["code"] as? String ?? ""): \($0["message"] as? String ?? "")" }
  }

  /// Standard output as one JSON object.
  public func object() throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
    return value as? [String: Any] ?? [:]
  }
}

extension Process {
  /// Runs it and waits.
  ///
  /// One that is still there after ten minutes hangs: it is killed, and its status is minus 9.
  /// A trait that limits the time of a test would also count how long the test waited for its turn.
  fileprivate func runToItsEnd() throws {
    try run()
    let watchdog = DispatchWorkItem { [processIdentifier] in kill(processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: watchdog)
    waitUntilExit()
    watchdog.cancel()
  }
}
