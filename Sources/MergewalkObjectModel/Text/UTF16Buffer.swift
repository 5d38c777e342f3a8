import CMergewalkICU

/// A text in UTF-16, the form that ICU works on, with room that is used again.
struct UTF16Buffer: ~Copyable {
  /// The code units; only the first ``count`` are the text.
  private(set) var units: [UInt16] = []
  /// The number of code units of the text.
  private(set) var count = 0

  /// ICU counts in 32 bits; texts beyond this are cut by their callers.
  static let greatestCount = 0x1000_0000

  /// One of ICU's functions that fill a buffer and say how much room they need.
  typealias Function = (UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt16>?, Int32, inout Int32) -> Int32

  /// Takes UTF-8; what is not well formed becomes U+FFFD.
  mutating func set(_ bytes: UnsafeBufferPointer<UInt8>) {
    precondition(bytes.count <= Self.greatestCount, "the caller cuts texts that are longer than ICU can count")
    // Each code unit takes at least one byte.
    reserve(bytes.count)
    var status: Int32 = 0
    count = bytes.withMemoryRebound(to: CChar.self) { source in
      units.withUnsafeMutableBufferPointer { target in
        Int(
          mergewalk_fromUTF8(
            source.baseAddress, Int32(source.count), target.baseAddress, Int32(target.count), &status))
      }
    }
    if status > 0 { count = 0 }
  }

  /// Becomes what a function makes of another text.
  mutating func set(_ function: Function, of source: borrowing UTF16Buffer) {
    var status: Int32 = 0
    set(function, of: source, status: &status)
  }

  /// Becomes what a function makes of another text, or empty when the function fails, with its status.
  mutating func set(_ function: Function, of source: borrowing UTF16Buffer, status: inout Int32) {
    reserve(source.count + source.count / 2 + 16)
    for _ in 0..<2 {
      status = 0
      let needed = source.units.withUnsafeBufferPointer { from in
        units.withUnsafeMutableBufferPointer { to in
          Int(function(from.baseAddress, Int32(source.count), to.baseAddress, Int32(to.count), &status))
        }
      }
      count = status > 0 ? 0 : needed
      guard status == Int32(mergewalk_bufferOverflow) else { return }
      reserve(needed)
    }
  }

  /// Leaves out nonspacing marks (general category Mn).
  mutating func removeMarks() {
    units.withUnsafeMutableBufferPointer { text in
      var kept = 0
      var index = 0
      while index < count {
        let unit = text[index]
        var value = UInt32(unit)
        var width = 1
        if unit & 0xFC00 == 0xD800, index + 1 < count, text[index + 1] & 0xFC00 == 0xDC00 {
          value = 0x10000 + (value & 0x3FF) << 10 + UInt32(text[index + 1] & 0x3FF)
          width = 2
        }
        // No mark comes before U+0300.
        if value < 0x300 || mergewalk_category(Int32(value)) != Int32(mergewalk_nonspacingMark) {
          for offset in 0..<width { text[kept + offset] = text[index + offset] }
          kept += width
        }
        index += width
      }
      count = kept
    }
  }

  /// Appends the text's UTF-8.
  func append(to output: inout [UInt8]) {
    guard count > 0 else { return }
    var room = count * 3
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: room))
    var status: Int32 = 0
    output.withUnsafeMutableBufferPointer { target in
      let free = UnsafeMutableBufferPointer(rebasing: target[start...])
      free.withMemoryRebound(to: CChar.self) { bytes in
        units.withUnsafeBufferPointer { source in
          room = Int(
            mergewalk_toUTF8(source.baseAddress, Int32(count), bytes.baseAddress, Int32(bytes.count), &status))
        }
      }
    }
    if status > 0 { room = 0 }
    output.removeLast(output.count - start - room)
  }

  /// Calls `body` with the code units.
  borrowing func withUnits<Result>(_ body: (UnsafeBufferPointer<UInt16>) -> Result) -> Result {
    units.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }

  private mutating func reserve(_ capacity: Int) {
    if units.count < capacity || units.isEmpty {
      units = [UInt16](repeating: 0, count: max(capacity, 64))
    }
  }
}
