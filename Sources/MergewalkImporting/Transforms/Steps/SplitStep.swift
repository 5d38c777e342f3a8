import MergewalkObjectModel

/// `split`: one part of the text between separators.
struct SplitStep: StepAction, TextPartStep {
  var separator: [UInt8]
  var take: Int

  static let spec = StepSpec(
    "split", "One part of the text between separators; null if there are fewer parts.",
    example: "{ at: \"-\", take: 2 }", types: "text → text",
    remark: "from 1, or from the end with -1; null when there are fewer",
    fields: [
      FieldSpec("at", .text, required: true, "The separator.", example: "\";\""),
      FieldSpec(
        "take", .integer, default: "1", "Which part: counted from 1, or from the end as -1, -2 and so on.", example: "2"
      ),
    ]
  ) { value, _ in
    value.text("at").map { SplitStep(separator: Array($0.value.utf8), take: value.count(orDefault: "take")) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard !separator.isEmpty else { return compiler.refuse("the separator is empty") }
    guard take != 0, take.magnitude <= 1_000_000 else {
      return compiler.refuse("parts are counted from 1, or from the end with -1")
    }
    return compiler.text(input).map { compiler.emit(self, onText: $0) }
  }

  func part(of text: FieldBytes) -> TextPart {
    separator.withUnsafeBufferPointer { separator in
      if take > 0 { return Self.part(text, separator, take) }
      // From the end: the separators are those that are met from the start, so that both ways split alike.
      var total = 1
      var place = 0
      while let found = TextBytes.find(separator, in: text, from: place) {
        total += 1
        place = found + separator.count
      }
      let number = total + take + 1
      return number > 0 ? Self.part(text, separator, number) : .nothing
    }
  }

  private static func part(_ text: FieldBytes, _ separator: FieldBytes, _ number: Int) -> TextPart {
    var start = 0
    for _ in 1..<number {
      guard let found = TextBytes.find(separator, in: text, from: start) else { return .nothing }
      start = found + separator.count
    }
    return .range(start..<(TextBytes.find(separator, in: text, from: start) ?? text.count))
  }
}

extension TransformStep.Action {
  /// Takes one part of the text between separators, counted from 1, or from the end if negative; null if there is none.
  public static func split(at separator: String, take: Int) -> Self {
    Self("split", SplitStep(separator: Array(separator.utf8), take: take))
  }
}
