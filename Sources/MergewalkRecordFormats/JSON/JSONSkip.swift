/// Finds the end of a JSON value by its brackets and quotes alone.
struct JSONSkip {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isWord = false

  /// Moves the cursor on; true when it is behind the value.
  ///
  /// A number or a word ends before a comma, a bracket, a quote or white space.
  mutating func run(_ base: UnsafePointer<UInt8>, _ cursor: inout Int, _ end: Int) -> Bool {
    while cursor < end {
      let byte = base[cursor]
      if isInString {
        cursor += 1
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return true }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
        if isWord { return true }
        if byte == UInt8(ascii: "\"") { isInString = true } else { depth += 1 }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return true }
        depth -= 1
        if depth == 0 {
          cursor += 1
          return true
        }
      case UInt8(ascii: ","), 9, 10, 13, 32:
        if depth == 0 { return true }
      default: isWord = depth == 0
      }
      cursor += 1
    }
    return false
  }
}
