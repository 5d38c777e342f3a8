import Foundation

/// A library preloaded into the command that counts its writes: it can end the process before the n-th call, let the
/// call fail, or only count.
///
/// So tests reach every point where a process may die or a disk may fill. The campaigns (`scripts/campaigns`) use the
/// same library.
public enum Shim {
  /// The library's path; `nil` if there is no C compiler.
  public static let library: String? = {
    guard let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first(where: isExecutable) else {
      return nil
    }
    do {
      let path = folder.file("shim.so")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: compiler)
      process.arguments = [
        "-O1", "-shared", "-fPIC", "-o", path, Locations.repository + "/scripts/campaigns/shim.c", "-ldl",
      ]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0 ? path : nil
    } catch {
      return nil
    }
  }()

  /// Whether the tests that need it can run.
  public static var isThere: Bool { library != nil }

  /// The environment of a command that is killed before its n-th write.
  public static func killing(at call: Int) -> [String: String] { environment(["SHIM_KILL_AT": "\(call)"]) }

  /// The environment of a command that gets a signal before its n-th write.
  public static func signalling(at call: Int, _ number: Int32) -> [String: String] {
    environment(["SHIM_SIGNAL_AT": "\(call)", "SHIM_SIGNAL": "\(number)"])
  }

  /// The environment of a command that stops before its n-th write until it gets `SIGCONT`.
  public static func stopping(at call: Int) -> [String: String] { environment(["SHIM_STOP_AT": "\(call)"]) }

  /// The environment of a command whose n-th write fails, and all later ones if `stays` is true.
  public static func failing(at call: Int, _ error: Int32, stays: Bool = false) -> [String: String] {
    environment(["SHIM_FAIL_AT": "\(call)", "SHIM_ERRNO": "\(error)", "SHIM_STAYS": stays ? "1" : "0"])
  }

  /// The environment of a command whose writes are counted into a file.
  public static func counting(into path: String) -> [String: String] { environment(["SHIM_COUNT": path]) }

  /// The environment of a command whose writes become lines of a file: the number, the name of the call and the path.
  public static func tracing(into path: String) -> [String: String] { environment(["SHIM_TRACE": path]) }

  /// The environment of a command whose reads are counted into a file.
  public static func countingReads(into path: String) -> [String: String] {
    environment(["SHIM_READS": "1", "SHIM_COUNT": path])
  }

  /// The environment of a command whose n-th read fails.
  public static func failingRead(at call: Int, _ error: Int32) -> [String: String] {
    environment(["SHIM_READS": "1", "SHIM_FAIL_AT": "\(call)", "SHIM_ERRNO": "\(error)"])
  }

  /// The environment of a command whose clock is some days ahead of the machine's.
  public static func ahead(days: Int) -> [String: String] { environment(["SHIM_AHEAD": "\(days * 86_400)"]) }

  /// The environment of a command on a machine that denies it a second thread.
  public static var withoutThreads: [String: String] { environment(["SHIM_NO_THREADS": "1"]) }

  /// The environment of a command on a machine without /proc.
  public static var withoutProc: [String: String] { environment(["SHIM_NO_PROC": "1"]) }

  private static func environment(_ variables: [String: String]) -> [String: String] {
    variables.merging(["LD_PRELOAD": library ?? ""]) { mine, _ in mine }
  }

  private static let folder = TemporaryFolder()

  private static func isExecutable(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }
}
