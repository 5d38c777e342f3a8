extension RecordBatch {
  /// The first record whose raw text is a JSON object with members for which the batch has no columns, or nil.
  ///
  /// For batches of JSON records whose columns are top-level members: a record with a member unknown to the first
  /// records, from which the columns were taken, has more members than fields.
  ///
  /// - Complexity: O(bytes).
  public var firstSurplusRecord: Int? {
    for record in 0..<recordCount {
      let first = record * columnCount
      var present = 0
      for slot in first..<first + columnCount where states[slot] != FieldState.absent.rawValue { present += 1 }
      let isSurplus = withRawRecord(record) { raw in
        // A member may stand twice; that is looked at only where it matters.
        Self.members(raw) { _ in } > present && Self.distinctMembers(raw) > present
      }
      if isSurplus { return record }
    }
    return nil
  }

  /// Calls `body` with the name of each member of a record whose raw text is a JSON object, as it is spelt between its
  /// quotes; with nothing for any other record.
  ///
  /// - Complexity: O(bytes of the record).
  package func eachMember(_ record: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    withRawRecord(record) { raw in
      _ = Self.members(raw) { range in
        if range.count >= 2 { body(UnsafeRawBufferPointer(rebasing: raw[range.lowerBound + 1..<range.upperBound - 1])) }
      }
    }
  }

  private static func distinctMembers(_ text: UnsafeRawBufferPointer) -> Int {
    var names: Set<[UInt8]> = []
    _ = members(text) { names.insert(Array(text[$0])) }
    return names.count
  }

  /// The number of members of a valid JSON object; 0 for any other JSON text.
  ///
  /// - Parameter body: Gets the place of each member's name, in its quotes.
  private static func members(_ text: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) -> Int {
    var i = 0
    while i < text.count, text[i] <= 32 { i += 1 }
    guard i < text.count, text[i] == UInt8(ascii: "{") else { return 0 }
    var depth = 0
    var count = 0
    var string = 0..<0
    while i < text.count {
      switch text[i] {
      case UInt8(ascii: "\""):
        let start = i
        i += 1
        while i < text.count, text[i] != UInt8(ascii: "\"") { i += text[i] == UInt8(ascii: "\\") ? 2 : 1 }
        string = start..<min(i + 1, text.count)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ":") where depth == 1:
        // Each member of the object itself has one colon outside strings, behind its name.
        count += 1
        body(string)
      default: break
      }
      i += 1
    }
    return count
  }
}
