struct StripStep: StepAction, TextPartStep {
  var characters: [Unicode.Scalar]

  static let spec = StepSpec(
    FieldSpec("strip", .text, "Removes these characters at both ends.", example: "\"'*\""), types: "text → text"
  ) { value, _ in
    value.text("strip").map { StripStep(characters: Array($0.value.unicodeScalars)) }
  }

  func part(of text: FieldBytes) -> TextPart {
    var start = 0
    var end = text.count
    while start < end {
      let (scalar, length) = TextScalars.scalar(text, at: start)
      guard characters.contains(scalar) else { break }
      start += length
    }
    while end > start {
      var head = end - 1
      while head > start, text[head] & 0xC0 == 0x80 { head -= 1 }
      guard characters.contains(TextScalars.scalar(text, at: head).0) else { break }
      end = head
    }
    return .range(start..<end)
  }
}

extension TransformStep.Action {
  /// Removes these characters at both ends.
  public static func strip(_ characters: String) -> Self {
    Self("strip", StripStep(characters: Array(characters.unicodeScalars)))
  }
}
