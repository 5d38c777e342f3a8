import MergewalkBytes

extension JSONText {
  /// The value on one line, without secrets: quoting could hide one from the search for it.
  var text: String { written(as: .line) { Console.redacted($0) } }

  /// A number written with at most this many digits behind the point.
  static func decimal(_ value: Double, digits: Int) -> JSONText {
    value.isFinite ? .number(Figures.fixed(value, digits: digits)) : .null
  }
}
