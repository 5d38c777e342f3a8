import MergewalkDiagnostics
import MergewalkRecordFormats

/// Facts about the machine and its files.
extension ImportSession {
  /// The bytes of all inputs; 0 when one of them has no known size.
  static func inputBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.fileSize)) }

  /// About how many bytes all inputs hold unpacked; 0 when one of them has no known size.
  static func estimatedBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.estimatedBytes)) }

  private static func sum(_ sizes: [Int?]) -> Int { sizes.contains(nil) ? 0 : sizes.reduce(0) { $0 + ($1 ?? 0) } }

  /// Seconds on a clock that only goes forward.
  static func now() -> Double { SystemClock.monotonic }
}
