/// Finds the bytes with a meaning in CSV: delimiter, quote, escape, LF and CR.
///
/// Works in blocks of 64 bytes: vector comparisons make one bit per byte, and the bits are handed out one by one.
///
/// Invariant: `base[0 ..< end + 64]` is readable. A block starts below `end`, so its 64 bytes are within that; bits at
/// and behind `end` are cleared, so the contents of the padding do not matter.
struct SpecialScanner {
  private let base: UnsafeRawPointer
  private let end: Int
  private var blockStart: Int
  private var bits: UInt64 = 0
  private let delimiter: SIMD16<UInt8>
  private let quote: SIMD16<UInt8>
  private let escape: SIMD16<UInt8>

  /// Starts at `start`; a quote or an escape that is not used is given as the delimiter.
  @inline(__always)
  init(_ base: UnsafePointer<UInt8>, from start: Int, end: Int, delimiter: UInt8, quote: UInt8, escape: UInt8) {
    self.base = UnsafeRawPointer(base)
    self.end = end
    self.delimiter = SIMD16(repeating: delimiter)
    self.quote = SIMD16(repeating: quote)
    self.escape = SIMD16(repeating: escape)
    blockStart = start
    if start < end { bits = Self.load(self.base, start, end, self.delimiter, self.quote, self.escape) }
  }

  /// The index of the next special byte, or `end`.
  @inline(__always)
  mutating func next() -> Int {
    while bits == 0 {
      // At the end the block stays where it is, so that any number of calls is harmless.
      if blockStart + 64 >= end { return end }
      blockStart += 64
      bits = Self.load(base, blockStart, end, delimiter, quote, escape)
    }
    let index = blockStart + bits.trailingZeroBitCount
    bits &= bits &- 1
    return index
  }

  /// Forgets special bytes before `index`, which is not before the last one handed out.
  @inline(__always)
  mutating func skip(to index: Int) {
    if index < blockStart + 64 {
      bits &= ~0 << UInt64(max(0, index - blockStart))
    } else if index < end {
      blockStart = index
      bits = Self.load(base, index, end, delimiter, quote, escape)
    } else {
      bits = 0
      blockStart = max(blockStart, end)
    }
  }

  @inline(__always)
  private static func load(
    _ base: UnsafeRawPointer, _ start: Int, _ end: Int, _ delimiter: SIMD16<UInt8>, _ quote: SIMD16<UInt8>,
    _ escape: SIMD16<UInt8>
  ) -> UInt64 {
    let block = base + start
    var bits = quarter(block, delimiter, quote, escape)
    bits |= quarter(block + 16, delimiter, quote, escape) << 16
    bits |= quarter(block + 32, delimiter, quote, escape) << 32
    bits |= quarter(block + 48, delimiter, quote, escape) << 48
    return start + 64 <= end ? bits : bits & ~(~0 << UInt64(end - start))
  }

  @inline(__always)
  private static func quarter(
    _ block: UnsafeRawPointer, _ delimiter: SIMD16<UInt8>, _ quote: SIMD16<UInt8>, _ escape: SIMD16<UInt8>
  ) -> UInt64 {
    let bytes = block.loadUnaligned(as: SIMD16<UInt8>.self)
    let lineFeed: SIMD16<UInt8> = SIMD16<UInt8>(repeating: 10)
    let carriageReturn: SIMD16<UInt8> = SIMD16<UInt8>(repeating: 13)
    // Swift 6.3 makes vector instructions of this form only: operands of concrete type, masks joined as integers
    // (`.|` on masks, and a comparison with `SIMD16(repeating: 10)` in place, become loops over the lanes).
    let words =
      unsafeBitCast(bytes .== delimiter, to: SIMD2<UInt64>.self)
      | unsafeBitCast(bytes .== quote, to: SIMD2<UInt64>.self)
      | unsafeBitCast(bytes .== escape, to: SIMD2<UInt64>.self)
      | unsafeBitCast(bytes .== lineFeed, to: SIMD2<UInt64>.self)
      | unsafeBitCast(bytes .== carriageReturn, to: SIMD2<UInt64>.self)
    // Each byte of the mask is 00 or FF. One bit of each is kept, a different one in each byte, and the multiplication
    // adds the eight bytes up in the highest.
    let low = ((UInt64(littleEndian: words[0]) & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) >> 56
    let high = ((UInt64(littleEndian: words[1]) & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) >> 56
    return low | high << 8
  }
}
