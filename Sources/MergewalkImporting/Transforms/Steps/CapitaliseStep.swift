import MergewalkBytes
import MergewalkObjectModel

/// `capitalise`: a word is letters, digits, marks and apostrophes.
struct CapitaliseStep: StepAction, NewTextStep {
  static let spec = StepSpec(
    word: "capitalise", "Capitalises each word.", types: "text → text",
    remark: "the letters after it become small, as with `lower`; words are letters, digits and apostrophes",
    CapitaliseStep())

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    var isInside = false
    var index = 0
    while index < text.count {
      let (scalar, length) = TextScalars.scalar(text, at: index)
      index += length
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        let made = byte.isLetter ? (isInside ? byte | 0x20 : byte & ~0x20) : byte
        guard buffer.append(made) else { return false }
        isInside = byte.isLetter || byte.isDigit || (isInside && byte == UInt8(ascii: "'"))
        continue
      }
      let properties = scalar.properties
      let isFinal = isInside && TextFolding.isFinalSigma(text, at: index - length)
      let made = isFinal ? "\u{3C2}" : isInside ? properties.lowercaseMapping : properties.titlecaseMapping
      guard buffer.append(made) else { return false }
      switch properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
        isInside = true
      case .nonspacingMark, .spacingMark, .enclosingMark: break
      default: isInside = isInside && scalar == "\u{2019}"
      }
    }
    return true
  }
}

extension TransformStep.Action {
  /// Capitalises the first letter of each word and makes the others lower case.
  public static var capitalise: Self { Self("capitalise", CapitaliseStep()) }
}
