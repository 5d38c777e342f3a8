// The C library under one name on every platform: all other files import this module, so that only this one names
// Glibc or Darwin. Where the two differ, Darwin.swift and the functions below hide it.

#if canImport(Darwin)
  @_exported public import Darwin
#else
  @_exported public import Glibc
#endif

/// The greatest resident set of the process so far, in bytes.
///
/// On Linux the figure of `getrusage(2)` begins with that of the process that started this one, which may be large; the
/// high-water mark in `/proc/self/status` does not, and is taken where it can be read.
///
/// Source: `getrusage(2)`, whose `ru_maxrss` counts KiB on Linux and bytes on macOS; `proc_pid_status(5)`.
package func peakResidentBytes() -> Int {
  var usage = rusage()
  #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
  #else
    if let kibibytes = highWaterMark() { return kibibytes * 1024 }
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  #endif
}

#if !canImport(Darwin)
  /// `VmHWM` of `/proc/self/status`, in KiB; `nil` where there is no such file.
  private func highWaterMark() -> Int? {
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // The line is among the first 30.
    let text = [UInt8](unsafeUninitializedCapacity: 4_096) { room, count in
      count = max(0, read(file, room.baseAddress, room.count))
    }
    let name = Array("VmHWM:".utf8)
    guard let line = text.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: name) }) else {
      return nil
    }
    return Int(String(decoding: line.filter { (48...57).contains($0) }, as: UTF8.self))
  }
#endif

extension stat {
  /// What the system says of the file at a path; `nil` when it says nothing, for which `errno` has the reason.
  package init?(path: String, followsLinks: Bool = true) {
    self.init()
    guard (followsLinks ? stat(path, &self) : lstat(path, &self)) == 0 else { return nil }
  }

  /// What the system says of an open file; `nil` when it says nothing.
  package init?(descriptor: Int32) {
    self.init()
    guard fstat(descriptor, &self) == 0 else { return nil }
  }

  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  package var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
