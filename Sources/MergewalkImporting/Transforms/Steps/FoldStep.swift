import MergewalkObjectModel

/// `unaccent`, and the form in which texts are compared with options.
struct FoldStep: StepAction, NewTextStep {
  var options: TextFolding.Options

  static let spec = StepSpec(
    word: "unaccent", "Removes the accents of letters.", types: "text → text",
    remark: "canonical decomposition without nonspacing marks: `é` becomes `e`; `ø` and `ß` stay",
    FoldStep(options: .diacriticInsensitive))

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    if TextBytes.areASCII(text), !options.contains(.caseInsensitive) { return buffer.append(text) }
    return TextFolding.fold(text, options).withUnsafeBufferPointer { buffer.append($0) }
  }
}

extension TransformStep.Action {
  /// Removes accents from letters.
  public static var unaccent: Self { Self("unaccent", FoldStep(options: .diacriticInsensitive)) }
}
