extension CivilTime {
  /// `YYYY-MM-DDThh:mm:ss`; years beyond 0000...9999 have a sign and at least six digits (ISO 8601 expanded
  /// representation).
  package var text: String {
    var bytes: [UInt8] = []
    bytes.append(self)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes ``text``, and returns its length: 19 bytes for years 0000...9999, at most 32 for any other one.
  @inlinable
  package func write(to start: UnsafeMutablePointer<UInt8>) -> Int {
    var next = start
    if year >= 0, year <= 9_999 {
      Self.writeTwo(year / 100, to: next)
      Self.writeTwo(year % 100, to: next + 2)
      next += 4
    } else {
      next += writeExpandedYear(to: next)
    }
    next[0] = UInt8(ascii: "-")
    Self.writeTwo(month, to: next + 1)
    next[3] = UInt8(ascii: "-")
    Self.writeTwo(day, to: next + 4)
    next[6] = UInt8(ascii: "T")
    Self.writeTwo(hour, to: next + 7)
    next[9] = UInt8(ascii: ":")
    Self.writeTwo(minute, to: next + 10)
    next[12] = UInt8(ascii: ":")
    Self.writeTwo(second, to: next + 13)
    return next + 15 - start
  }

  @inlinable @inline(__always)
  static func writeTwo(_ number: Int, to start: UnsafeMutablePointer<UInt8>) {
    start[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
    start[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
  }

  /// Writes a sign and at least six digits, which are nine for the greatest seconds that a Double counts one by one.
  @inline(never)
  @usableFromInline func writeExpandedYear(to start: UnsafeMutablePointer<UInt8>) -> Int {
    start[0] = UInt8(ascii: year < 0 ? "-" : "+")
    var rest = year.magnitude
    var width = 6
    while rest >= 1_000_000 {
      rest /= 10
      width += 1
    }
    rest = year.magnitude
    for place in (1...width).reversed() {
      start[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    return 1 + width
  }
}

extension [UInt8] {
  /// Appends ``CivilTime/text``.
  package mutating func append(_ time: CivilTime) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { room in
      guard let start = room.baseAddress else { return }
      append(contentsOf: UnsafeBufferPointer(start: start, count: time.write(to: start)))
    }
  }
}
