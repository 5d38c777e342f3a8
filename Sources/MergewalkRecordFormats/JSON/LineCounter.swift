import MergewalkDiagnostics

/// Counts the lines of a text as a parser moves over it.
struct LineCounter {
  /// The line at the place reached, from 1.
  private(set) var line = 1
  /// The offset in the file of that line's first byte.
  private(set) var lineStart: Int

  /// Starts at the start of a file's first line.
  init(at offset: Int) { lineStart = offset }

  /// Moves over `base[start..<stop]`, where `base` has the offset `origin` in the file.
  @inline(__always)
  mutating func advance(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, origin: Int) {
    var i = start
    if stop - start >= 128 {
      let (count, last, end) = Self.lineFeeds(base, start, stop)
      line += count
      if count > 0 { lineStart = origin + last + 1 }
      i = end
    }
    while i + 8 <= stop {
      // A byte of `ends` is 0x80 where the text has a line feed: the sums do not carry from byte to byte.
      let word = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self).littleEndian ^ 0x0A0A_0A0A_0A0A_0A0A
      let low = (word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
      let ends = ~(low | word | 0x7F7F_7F7F_7F7F_7F7F)
      if ends != 0 {
        line += ends.nonzeroBitCount
        lineStart = origin + i + 8 - ends.leadingZeroBitCount / 8
      }
      i += 8
    }
    while i < stop {
      if base[i] == 10 {
        line += 1
        lineStart = origin + i + 1
      }
      i += 1
    }
  }

  /// How many line feeds stand in whole blocks of 32 bytes, the place of the last one, and where the blocks end.
  private static func lineFeeds(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int
  ) -> (count: Int, last: Int, end: Int) {
    var i = start
    var count = 0
    while i + 32 <= stop {
      // One sum for each of 32 bytes; 255 blocks do not overflow them.
      var sums = SIMD4<UInt64>()
      let end = min(stop - 31, i + 255 * 32)
      while i < end {
        let block = UnsafeRawPointer(base + i).loadUnaligned(as: SIMD4<UInt64>.self) ^ (0x0A0A_0A0A_0A0A_0A0A as UInt64)
        let low = (block & (0x7F7F_7F7F_7F7F_7F7F as UInt64)) &+ (0x7F7F_7F7F_7F7F_7F7F as UInt64)
        sums &+= ~(low | block | (0x7F7F_7F7F_7F7F_7F7F as UInt64)) &>> (7 as UInt64)
        i += 32
      }
      for lane in 0..<4 {
        let pairs = (sums[lane] & 0x00FF_00FF_00FF_00FF) + (sums[lane] >> 8 & 0x00FF_00FF_00FF_00FF)
        count += Int((pairs &* 0x0001_0001_0001_0001) >> 48)
      }
    }
    var last = i - 1
    if count > 0 {
      while base[last] != 10 { last -= 1 }
    }
    return (count, last, i)
  }

  /// The column of a place on the line, in bytes from 1.
  func column(at offset: Int) -> Int { offset - lineStart + 1 }

  /// The position of `base[offset]`, which is at or behind the place reached, `base[reached]`.
  func position(_ base: UnsafePointer<UInt8>, _ reached: Int, _ offset: Int, origin: Int) -> SourcePosition {
    var copy = self
    copy.advance(base, reached, offset, origin: origin)
    return SourcePosition(line: copy.line, column: copy.column(at: origin + offset), byteOffset: origin + offset)
  }
}
