import MergewalkBytes
import MergewalkDiagnostics

/// Finds the line and column of byte offsets.
struct LineIndex {
  private let starts: [Int]

  /// - Complexity: O(bytes).
  init(_ bytes: [UInt8]) {
    var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
    for (i, byte) in bytes.enumerated() {
      let isLoneReturn =
        byte == UInt8(ascii: "\r") && !(i + 1 < bytes.count && bytes[i + 1] == UInt8(ascii: "\n"))
      if byte == UInt8(ascii: "\n") || isLoneReturn { starts.append(i + 1) }
    }
    self.starts = starts
  }

  /// - Complexity: O(log lines).
  func position(of offset: Int) -> SourcePosition {
    let line = (1..<starts.count).first(fromWhich: { starts[$0] > offset })
    return SourcePosition(line: line, column: max(0, offset - starts[line - 1]) + 1, byteOffset: offset)
  }
}
