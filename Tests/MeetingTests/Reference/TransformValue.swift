/// A value between the steps of a transform.
enum TransformValue: Equatable {
  case absent
  case null
  case text(String)
  case integer(Int64)
  case decimal(ExactDecimal)
  case date(Double)
  case boolean(Bool)

  /// Whether there is nothing.
  var isMissing: Bool { self == .absent || self == .null }

  /// The exact number; nil for what is none.
  var number: ExactDecimal? {
    switch self {
    case .integer(let number): ExactDecimal(Int128(number))
    case .decimal(let number): number
    case .boolean(let truth): ExactDecimal(truth ? 1 : 0)
    default: nil
    }
  }

  /// The text that the value becomes where a text is wanted.
  var text: String {
    switch self {
    case .absent, .null: ""
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .decimal(let number): number.description
    case .date(let seconds): "\(seconds)"
    case .boolean(let value): "\(value)"
    }
  }
}

/// Why a transform has no result: a code of rejects.
struct TransformFailure: Error {
  var code: String
  /// The column that an expression could not read.
  var column: String?
  init(_ code: String, column: String? = nil) {
    self.code = code
    self.column = column
  }
}
