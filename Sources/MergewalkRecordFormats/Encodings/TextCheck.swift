import CMergewalkScan
import MergewalkSystem

/// Finds the first byte of a text that is not valid UTF-8, or is NUL.
///
/// It runs over each byte once as the bytes arrive, with vector instructions where the processor has them, else in
/// steps of 32 over ASCII; a parser only compares one integer per record. Offsets are those of the decoded file.
struct TextCheck {
  /// Everything before this offset, except at `fault`, was checked; it is the start of a code point.
  private(set) var checkedTo = 0
  /// The offset of the first fault at or after the last `resume`, or `Int.max`.
  private(set) var fault = Int.max
  /// The instructions that the processor has.
  private let level: cscan_level

  init(level: cscan_level = .current) { self.level = level }

  /// Goes on over the bytes of a window up to `end`, unless a fault is known already.
  ///
  /// - Parameters:
  ///   - base: the window's first byte, which has the offset `origin` in the file.
  ///   - isLast: nothing follows `end`, so a code point that ends there unfinished is a fault.
  ///   - verified: a part of the file that is known to be valid, from the start of a code point on; its last one may be
  ///     unfinished.
  mutating func advance(
    _ base: UnsafePointer<UInt8>, origin: Int, end: Int, isLast: Bool, verified: Range<Int> = 0..<0
  ) {
    if fault != Int.max { return }
    var i = max(0, checkedTo - origin)
    if verified.contains(origin + i), i < end, base[i] & 0xC0 != 0x80 {
      var to = min(verified.upperBound - origin, end)
      while to > i, base[to - 1] & 0x80 != 0 {
        to -= 1
        if base[to] >= 0xC0 { break }
      }
      i = to
    }
    // Invariant: every load below reads inside [base, base + end).
    while i < end {
      if level != CSCAN_NONE {
        // It stops some time before the fault or the end.
        i += cscan_utf8(level, base + i, end - i)
      } else if i + 32 <= end {
        let raw = UnsafeRawPointer(base + i)
        let low = raw.loadUnaligned(as: SIMD4<UInt64>.self)
        // A byte is suspect if it is NUL or has its high bit set: (byte - 1) has its high bit set in both cases, or
        // a borrow ran into it from a NUL below, which only makes the careful path look at innocent bytes.
        let suspect = (low | (low &- SIMD4(repeating: 0x0101_0101_0101_0101))) & SIMD4(repeating: 0x8080_8080_8080_8080)
        if suspect == SIMD4(repeating: 0) {
          i += 32
          continue
        }
      }
      let stop = min(i + 64, end)
      while i < stop {
        let length = Self.length(base, i, end)
        if length > 0 {
          i += length
        } else if length < 0, !isLast {
          checkedTo = origin + i
          return
        } else {
          fault = origin + i
          checkedTo = origin + i
          return
        }
      }
    }
    checkedTo = origin + i
  }

  /// Looks for faults anew, from `offset` of a window on.
  mutating func resume(_ base: UnsafePointer<UInt8>, from offset: Int, _ window: ParseWindow) {
    resume(at: window.origin + offset)
    advance(base, origin: window.origin, end: window.end, isLast: window.isLast)
  }

  /// The first fault of a record, the bytes from `start` to `stop` of a window; nil when it is text.
  ///
  /// What is before the record, such as a comment, may be anything. Behind a fault the check goes on at `stop`.
  @inline(__always)
  mutating func takeFault(
    _ base: UnsafePointer<UInt8>, from start: Int, to stop: Int, _ window: ParseWindow
  ) -> (code: RecordError.Code, at: Int)? {
    if fault >= window.origin + stop { return nil }
    if fault < window.origin + start { resume(base, from: start, window) }
    if fault >= window.origin + stop { return nil }
    let at = fault - window.origin
    resume(base, from: stop, window)
    return (base[at] == 0 ? .nulByte : .invalidText, at)
  }

  /// Forgets a fault and checks again from `offset` of the file: the record with the fault has been dealt with.
  mutating func resume(at offset: Int) {
    fault = Int.max
    checkedTo = offset
  }

  /// The length of the code point at `i`; 0 if it is wrong, -1 if it is right as far as it goes but cut by `end`.
  ///
  /// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
  @inline(__always)
  static func length(_ base: UnsafePointer<UInt8>, _ i: Int, _ end: Int) -> Int {
    let first = base[i]
    if first < 0x80 { return first == 0 ? 0 : 1 }
    if first < 0xC2 || first > 0xF4 { return 0 }
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    if i + 1 >= end { return -1 }
    let second = base[i + 1]
    let low: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
    let high: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
    if second < low || second > high { return 0 }
    var k = 2
    while k < count {
      if i + k >= end { return -1 }
      if base[i + k] & 0xC0 != 0x80 { return 0 }
      k += 1
    }
    return count
  }
}

extension cscan_level {
  /// The instructions that the processor has, or fewer when `MERGEWALK_SCAN` is set: `none` or `avx2`, for tests.
  static let current: cscan_level = {
    let best = cscan_best_level()
    let wanted: cscan_level? =
      switch getenv("MERGEWALK_SCAN").map({ String(cString: $0) }) {
      case "none": CSCAN_NONE
      case "avx2": CSCAN_AVX2
      default: nil
      }
    return wanted.map { $0.rawValue < best.rawValue ? $0 : best } ?? best
  }()
}
