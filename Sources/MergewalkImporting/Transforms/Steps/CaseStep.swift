import MergewalkObjectModel

/// `upper` and `lower`.
struct CaseStep: StepAction, NewTextStep {
  var isUpper: Bool

  static let upper = StepSpec(
    word: "upper", "Converts the text to upper case, by Unicode's rules.", types: "text → text",
    remark: "Unicode's full mapping, without a locale: `ß` becomes `SS`", CaseStep(isUpper: true))

  static let lower = StepSpec(
    word: "lower", "Converts the text to lower case, by Unicode's rules.", types: "text → text",
    remark: "Unicode's full mapping, without a locale: `ΟΔΟΣ` becomes `οδος`", CaseStep(isUpper: false))

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    guard TextBytes.areASCII(text) else {
      let string = String(decoding: text, as: UTF8.self)
      return buffer.append(isUpper ? TextFolding.uppercase(string) : TextFolding.lowercase(string))
    }
    guard let target = buffer.reserve(text.count) else { return false }
    let first = UInt8(ascii: isUpper ? "a" : "A")
    for index in text.indices {
      let byte = text[index]
      target[index] = byte &- first < 26 ? byte ^ 0x20 : byte
    }
    buffer.take(text.count)
    return true
  }
}

extension TransformStep.Action {
  /// Converts to upper case, by Unicode's full mapping.
  public static var upper: Self { Self("upper", CaseStep(isUpper: true)) }
  /// Converts to lower case, by Unicode's full mapping.
  public static var lower: Self { Self("lower", CaseStep(isUpper: false)) }
}
