/// Finds lines that are remarks.
enum CommentEvidence {
  static let prefixes = ["#", "//", "%", "--"]

  /// The prefix that some lines of the text begin with, but not all; nil for none.
  ///
  /// Any but `#` must begin the first line that is not blank.
  static func prefix(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var lines = 0
    var counts = [Int](repeating: 0, count: prefixes.count)
    var isFirst = [Bool](repeating: false, count: prefixes.count)
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 10, bytes[end] != 13 { end += 1 }
      if end > start {
        for (i, prefix) in prefixes.enumerated() where bytes[start..<end].starts(with: prefix.utf8) {
          counts[i] += 1
          if lines == 0 { isFirst[i] = true }
        }
        lines += 1
      }
      start = end + 1
    }
    return prefixes.indices.first { counts[$0] > 0 && counts[$0] < lines && ($0 == 0 || isFirst[$0]) }
      .map { prefixes[$0] }
  }
}
