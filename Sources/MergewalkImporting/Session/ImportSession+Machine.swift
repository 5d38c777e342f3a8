import Glibc
import MergewalkRecordFormats

/// What the machine and its files say.
extension ImportSession {
  /// The bytes of all inputs; 0 when one of them has no known size.
  static func inputBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.fileSize)) }

  /// About how many bytes all inputs hold unpacked; 0 when one of them has no known size.
  static func estimatedBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.estimatedBytes)) }

  private static func sum(_ sizes: [Int?]) -> Int { sizes.contains(nil) ? 0 : sizes.reduce(0) { $0 + ($1 ?? 0) } }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The greatest resident set of the process so far, in bytes.
  static func peakResidentBytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}
