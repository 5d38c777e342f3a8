/// `substring`: so many characters from a place on.
struct SubstringStep: StepAction, TextPartStep {
  var from: Int
  var length: Int?

  static let spec = StepSpec(
    "substring", "Part of the text, counted in Unicode scalars.", example: "{ from: 1, length: 3 }",
    types: "text → text",
    remark: "from 1, or from the end when negative",
    fields: [
      FieldSpec(
        "from", .integer, default: "1", "The first character: counted from 1, or from the end as -1, -2 and so on.",
        example: "-4"),
      FieldSpec("length", .count(least: 0), default: "all that follow", "How many.", example: "3"),
    ]
  ) { value, _ in
    SubstringStep(from: value.count(orDefault: "from"), length: value.count("length"))
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard from != 0, from.magnitude <= 1 << 30, length.map({ $0 >= 0 }) ?? true else {
      return compiler.refuse("characters are counted from 1, or from the end with -1, and a length is not negative")
    }
    return compiler.text(input).map { compiler.emit(self, onText: $0) }
  }

  func part(of text: FieldBytes) -> TextPart {
    let first = from > 0 ? from - 1 : max(0, TextScalars.count(text) + from)
    let start = TextScalars.offset(text, of: first)
    guard let length else { return .range(start..<text.count) }
    return .range(start..<start + TextScalars.offset(FieldBytes(rebasing: text[start...]), of: length))
  }
}

extension TransformStep.Action {
  /// Takes a number of characters from a position, counted from 1, or from the end if negative.
  public static func substring(from: Int, length: Int?) -> Self {
    Self("substring", SubstringStep(from: from, length: length))
  }
}
