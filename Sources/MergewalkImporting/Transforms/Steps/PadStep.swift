/// `pad`: fills a text up to a length, scalar by scalar, as `lpad` and `rpad` of PostgreSQL do, but never cuts the text.
struct PadStep: StepAction, NewTextStep {
  enum Side: String, CaseIterable { case start, end }

  var length: Int
  var filling: [UInt8]
  var side: Side

  /// The greatest number of characters that a text is filled up to.
  private static let greatestLength = 10_000

  static let spec = StepSpec(
    "pad", "Pads the text to a length.", example: "{ to: 8, with: \"0\" }", types: "text → text",
    remark: "up to 10,000 characters; `with: xy` fills 42 up to `xyx42`",
    fields: [
      FieldSpec(
        "to", .count(least: 0), required: true, "The length in characters, at most \(greatestLength).", example: "8"),
      FieldSpec(
        "with", .text, default: "\" \"",
        "The characters to pad with: repeated from the first one, and cut where the length is reached.",
        example: "\"0\""),
      FieldSpec("side", .choice(of: Side.self), default: "start", "Where.", example: "end"),
    ]
  ) { value, _ in
    value.count("to").map {
      PadStep(
        length: $0, filling: Array(value.text(orDefault: "with").utf8),
        side: value.choice(orDefault: "side", as: Side.self))
    }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard length >= 0, length <= Self.greatestLength, !filling.isEmpty else {
      return compiler.refuse("a text is filled up to at most \(Self.greatestLength) characters, with at least one")
    }
    return compiler.text(input).map { compiler.emit(self, onText: $0) }
  }

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    let missing = length - TextScalars.count(text)
    guard missing > 0 else { return buffer.append(text) }
    if side == .end, !buffer.append(text) { return false }
    let done = filling.withUnsafeBufferPointer { filling in
      var index = 0
      for _ in 0..<missing {
        let (_, width) = TextScalars.scalar(filling, at: index)
        guard buffer.append(FieldBytes(rebasing: filling[index..<index + width])) else { return false }
        index += width
        if index >= filling.count { index = 0 }
      }
      return true
    }
    return done && (side == .end || buffer.append(text))
  }
}

extension TransformStep.Action {
  /// Pads to a length in characters.
  public static func pad(to length: Int, with filling: String, atStart: Bool) -> Self {
    Self("pad", PadStep(length: length, filling: Array(filling.utf8), side: atStart ? .start : .end))
  }
}
