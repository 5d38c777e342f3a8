import MergewalkBytes

/// The arrays of a batch to which fields of fixed-width text are written.
///
/// Invariant: they have room for the entries that are written.
struct FixedWidthFields {
  let base: UnsafePointer<UInt8>
  let starts: UnsafeMutableBufferPointer<UInt32>
  let lengths: UnsafeMutableBufferPointer<UInt32>
  let states: UnsafeMutableBufferPointer<UInt8>

  @inline(__always)
  func set(_ entry: Int, _ start: Int, _ end: Int, _ state: FieldState) {
    starts[unchecked: entry] = UInt32(truncatingIfNeeded: start)
    lengths[unchecked: entry] = UInt32(truncatingIfNeeded: end - start)
    states[unchecked: entry] = state.rawValue
  }

  func setAbsent(_ entry: Int) { set(entry, 0, 0, .absent) }

  /// Copies an entry to a second column that requested it too.
  func copy(_ from: Int, to: Int) {
    starts[to] = starts[from]
    lengths[to] = lengths[from]
    states[to] = states[from]
  }

  @inline(__always)
  func isBlank(_ index: Int) -> Bool { base[index].isBlank }

  @inline(never)
  func isOne(of tokens: [[UInt8]], _ start: Int, _ end: Int) -> Bool {
    let field = UnsafeBufferPointer(start: base + start, count: end - start)
    return tokens.contains { $0.elementsEqual(field) }
  }
}

/// A place on a line of valid UTF-8 that moves from left to right by characters.
struct CharacterPlace {
  private let base: UnsafePointer<UInt8>
  private let start: Int
  private let stop: Int
  /// On a line of ASCII only, a character is a byte.
  private let isASCII: Bool
  /// The byte it stands at.
  private(set) var offset: Int
  /// The characters before it.
  private var count = 0

  init(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) {
    self.base = base
    self.start = start
    self.stop = stop
    offset = start
    isASCII = Self.isASCII(base, start, stop)
  }

  /// Moves behind the first `characters` of the line, or to its end, and returns where that is; it never goes back.
  @inline(__always)
  mutating func advance(to characters: Int) -> Int {
    if isASCII {
      offset = min(start + characters, stop)
      return offset
    }
    while count < characters, offset < stop {
      offset += 1
      while offset < stop, base[offset] & 0xC0 == 0x80 { offset += 1 }
      count += 1
    }
    return offset
  }

  private static func isASCII(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    var i = start
    var high: UInt64 = 0
    while i + 8 <= stop {
      high |= UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)
      i += 8
    }
    var low: UInt8 = 0
    while i < stop {
      low |= base[i]
      i += 1
    }
    return high & 0x8080_8080_8080_8080 == 0 && low < 0x80
  }
}
