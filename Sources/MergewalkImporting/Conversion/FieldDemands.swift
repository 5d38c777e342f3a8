import MergewalkDiagnostics
import MergewalkObjectModel

/// The constraints of the model on an attribute, for messages: one pointer in each field.
final class FieldDemands: Sendable {
  private let validation: AttributeValidation

  init(_ validation: AttributeValidation) { self.validation = validation }

  /// The limit that a value broke, in brackets, or nothing where the model does not spell one out.
  func limit(_ code: RejectCode) -> String {
    let limit: String? =
      switch code {
      case .validateTooLong: validation.maximumLength.map { "at most \(PrintableText.count($0, "character"))" }
      case .validateTooShort: validation.minimumLength.map { "at least \(PrintableText.count($0, "character"))" }
      case .validateTooLarge, .validateTooLate: validation.shownMaximum.map { "at most \($0)" }
      case .validateTooSmall, .validateTooSoon: validation.shownMinimum.map { "at least \($0)" }
      case .validatePattern: validation.regularExpression
      default: nil
      }
    return limit.map { " (\($0))" } ?? ""
  }
}
