import Foundation
import Testing

enum ProcessMemory {
  /// The most memory that was in use at once so far, in KiB.
  ///
  /// Source: Linux, proc(5), `VmHWM`.
  static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(separator: " ")[1]))
  }
}
