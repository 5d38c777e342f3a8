struct CollapseStep: StepAction, NewTextStep {
  static let spec = StepSpec(
    word: "collapse", "Replaces each run of white space with a single space.", types: "text → text",
    remark: "none stays at the ends", CollapseStep())

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    let range = WhiteSpace.trimmed(text)
    // A blank takes the place of at least one byte, so there is no more to write than there was.
    guard let target = buffer.reserve(range.count) else { return false }
    var (index, count) = (range.lowerBound, 0)
    var isSpace = false
    while index < range.upperBound {
      let byte = text[index]
      var length = 1
      var isBlank = byte == 0x20 || byte &- 0x09 < 5
      if byte >= 0x80 {
        let found = TextScalars.scalar(text, at: index)
        length = found.1
        isBlank = found.0.properties.isWhitespace
      }
      if isBlank {
        isSpace = true
      } else {
        if isSpace {
          target[count] = 0x20
          count += 1
          isSpace = false
        }
        for offset in 0..<length { target[count + offset] = text[index + offset] }
        count += length
      }
      index += length
    }
    buffer.take(count)
    return true
  }
}

extension TransformStep.Action {
  /// Replaces each run of white space with one blank, and removes white space at both ends.
  public static var collapse: Self { Self("collapse", CollapseStep()) }
}
