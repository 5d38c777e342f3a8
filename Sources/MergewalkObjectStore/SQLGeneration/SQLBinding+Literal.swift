import MergewalkBytes

extension SQLBinding {
  /// The value as SQL writes it.
  package var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    case .real(let value):
      if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
      return value.description
    case .text(let text):
      var quoted = "'"
      for scalar in text.unicodeScalars {
        if scalar == "'" { quoted.unicodeScalars.append(scalar) }
        quoted.unicodeScalars.append(scalar)
      }
      return quoted + "'"
    case .blob(let bytes):
      return "x'" + Hexadecimal.text(bytes, .capital) + "'"
    case .now: return "now()"
    case .list(let values):
      let shown = values.prefix(3).map(\.literal).joined(separator: ", ")
      return values.count > 3 ? "\(shown), … \(values.count) values" : shown
    }
  }
}
