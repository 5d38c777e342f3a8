extension RecordBatch {
  /// The first record whose raw text is a JSON object with other members than the batch has columns for, or nil.
  ///
  /// For batches of JSON records whose columns are top-level members: a record that has a member behind the first
  /// records, from which the columns were taken, has more members than fields.
  ///
  /// - Complexity: O(bytes).
  public var firstSurplusRecord: Int? {
    for record in 0..<recordCount {
      let first = record * columnCount
      var present = 0
      for slot in first..<first + columnCount where states[slot] != FieldState.absent.rawValue { present += 1 }
      if withRawRecord(record, { Self.memberCount($0) }) > present { return record }
    }
    return nil
  }

  /// The number of members of a valid JSON object; 0 for any other JSON text.
  private static func memberCount(_ text: UnsafeRawBufferPointer) -> Int {
    var i = 0
    while i < text.count, text[i] <= 32 { i += 1 }
    guard i < text.count, text[i] == UInt8(ascii: "{") else { return 0 }
    var depth = 0
    var count = 0
    while i < text.count {
      switch text[i] {
      case UInt8(ascii: "\""):
        i += 1
        while i < text.count, text[i] != UInt8(ascii: "\"") { i += text[i] == UInt8(ascii: "\\") ? 2 : 1 }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      // Each member of the object itself has one colon outside strings.
      case UInt8(ascii: ":") where depth == 1: count += 1
      default: break
      }
      i += 1
    }
    return count
  }
}
