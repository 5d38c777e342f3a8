import MergewalkObjectModel
import MergewalkObjectStore

/// The rule for text: its length and its form.
struct TextRule: Sendable {
  /// The least number of UTF-16 code units.
  let minimumLength: Int
  /// The greatest number of UTF-16 code units.
  let maximumLength: Int
  /// The regular expression that the whole text matches.
  let pattern: TextPattern?

  init(_ validation: AttributeValidation, _ problems: inout [ValidationRuleProblem]) {
    minimumLength = validation.minimumLength ?? 0
    maximumLength = validation.maximumLength ?? .max
    guard let expression = validation.regularExpression else {
      pattern = nil
      return
    }
    do throws(TextPatternError) {
      let compiled = try TextPattern(expression)
      pattern = compiled
      if !compiled.isLinear {
        problems.append(
          ValidationRuleProblem(
            code: .slowPattern,
            message: "the regular expression needs backtracking; some texts can take a quarter of a second, and those "
              + "that would take longer are rejected"))
      }
    } catch {
      pattern = .nothing
      problems.append(
        ValidationRuleProblem(
          code: .invalidPattern,
          message: "the regular expression cannot be used: \(error.message)"))
    }
  }

  /// Whether all text passes.
  var isEmpty: Bool { minimumLength <= 0 && maximumLength == .max && pattern == nil }

  @inline(__always)
  func check(_ range: ByteRange, _ arena: UnsafeRawPointer?) -> ValidationFailureCode? {
    let count = range.length
    // A UTF-16 code unit is one to three bytes of UTF-8, so most lengths need no count.
    let isSurelyLongEnough = minimumLength <= 0 || count / 3 >= minimumLength
    if count > maximumLength || !isSurelyLongEnough {
      guard let arena else { return nil }
      let length = TextBytes.utf16Length(bytes(range, arena))
      if length > maximumLength { return .tooLong }
      if length < minimumLength { return .tooShort }
    }
    guard let pattern, let arena else { return nil }
    return pattern.matches(bytes(range, arena)) ? nil : .pattern
  }

  @inline(__always)
  private func bytes(_ range: ByteRange, _ arena: UnsafeRawPointer) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: (arena + range.offset).assumingMemoryBound(to: UInt8.self), count: range.length)
  }
}
