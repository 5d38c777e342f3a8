import Foundation
import MergewalkTestSupport
import Testing

/// The command with its output on a pseudo-terminal.
enum Terminal {
  /// Runs the command and returns the lines that the terminal showed.
  ///
  /// Source: pts(4), ioctl_tty(2).
  static func run(_ arguments: [String], in folder: String, columns: Int) throws -> [String] {
    let text = try shown(arguments, in: folder, columns: columns) { process, terminal in
      process.standardOutput = terminal
      process.standardError = FileHandle.nullDevice
    }
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Runs the command with its standard error on the terminal, and returns all that was written to it.
  ///
  /// - Parameter type: What `TERM` says.
  static func errors(_ arguments: [String], in folder: String, columns: Int, type: String = "") throws -> String {
    try shown(arguments, in: folder, columns: columns, type: type) { process, terminal in
      process.standardOutput = FileHandle.nullDevice
      process.standardError = terminal
    }
  }

  private static func shown(
    _ arguments: [String], in folder: String, columns: Int, type: String = "", _ connect: (Process, FileHandle) -> Void
  ) throws -> String {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // Not in Swift's Glibc: TIOCSPTLCK unlocks the other end, TIOCGPTN is its number.
    var lock: Int32 = 0
    var number: Int32 = 0
    let isReady = ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0
    try #require(isReady)
    defer { close(master) }
    let name = "/dev/pts/\(number)"
    let slave = open(name, O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    let isSized = ioctl(slave, UInt(TIOCSWINSZ), &size) == 0
    try #require(isSized)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Command.path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["PATH": "/usr/bin:/bin", "TERM": type]
    process.standardInput = FileHandle.nullDevice
    connect(process, FileHandle(fileDescriptor: slave))
    try process.run()
    close(slave)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    // The master end fails with EIO when the last slave end is closed.
    while true {
      let count = read(master, &chunk, chunk.count)
      if count <= 0 { break }
      bytes += chunk[..<count]
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The columns that a line takes, with two for the East Asian characters of the fixtures.
  static func width(_ line: String) -> Int {
    line.reduce(0) { width, character in
      let isWide = character.unicodeScalars.contains { (0x2E80...0xFFEF).contains($0.value) || $0.value >= 0x1F300 }
      return width + (isWide ? 2 : 1)
    }
  }
}

/// The greatest memory that a run of the command took.
enum PeakMemory {
  /// Runs the command to its end, and counts what it wrote.
  ///
  /// Source: wait4(2): `ru_maxrss` is in KiB.
  static func run(_ arguments: [String]) throws -> (bytes: Int, lines: Int) {
    var ends: [Int32] = [0, 0]
    let hasPipe = pipe(&ends) == 0
    try #require(hasPipe)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    var words: [UnsafeMutablePointer<CChar>?] = ([Command.path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let isRunning = posix_spawn(&process, Command.path, &actions, nil, &words, environ) == 0
    try #require(isRunning)
    close(ends[1])
    var lines = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(ends[0], &chunk, chunk.count)
      if count <= 0 { break }
      for i in 0..<count where chunk[i] == UInt8(ascii: "\n") { lines += 1 }
    }
    close(ends[0])
    var status: Int32 = 0
    var usage = rusage()
    let hasEnded = wait4(process, &status, 0, &usage) == process
    try #require(hasEnded)
    #expect(status == 0)
    return (usage.ru_maxrss * 1024, lines)
  }
}
