import MergewalkBytes

extension AttributeValue {
  /// Reads a default or a bound of this type as written in model files.
  ///
  /// Integers may have a zero fraction (`0.0`), Booleans as `YES`, `NO`, `true`, `false`, `1` or `0`; dates are read by
  /// `DateText`. Values of type Float are rounded to binary32.
  ///
  /// - Returns: `nil` if the text has no such meaning, or the type has no textual values (Binary, Transformable, Object
  ///   ID, Composite, Undefined).
  public init?(text: String, type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64:
      if let value = Int64(text) {
        self = .integer(value)
      } else if let decimal = DecimalNumber(text), decimal.exponent >= 0, decimal.exponent < 19,
        let value = Int64(decimal.description)
      {
        self = .integer(value)
      } else {
        return nil
      }
    case .decimal:
      guard let value = DecimalNumber(text) else { return nil }
      self = .decimal(value)
    case .double, .float:
      guard let value = Double(text), value.isFinite else { return nil }
      self = .double(type == .float ? Double(Float(value)) : value)
    case .string:
      self = .string(text)
    case .boolean:
      guard let value = XMLText.boolean(text) else { return nil }
      self = .boolean(value)
    case .date:
      guard let value = DateText.seconds(text) else { return nil }
      self = .date(value)
    case .uuid:
      guard let halves = UUIDText.halves(text) else { return nil }
      self = .uuid(halves.high, halves.low)
    case .uri:
      self = .uri(text)
    case .undefined, .binary, .transformable, .objectID, .composite:
      return nil
    }
  }
}

extension AttributeValue {
  /// The text that ``init(text:type:)`` reads again; `nil` for dates, which model files have as seconds, and for what
  /// they cannot hold.
  var modelText: String? {
    switch self {
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    case .double(let value): value.isFinite ? String(value) : nil
    case .decimal(let value): value.description
    case .string(let text), .uri(let text): text
    case .uuid(let high, let low): UUIDText.text(high, low)
    case .null, .date, .binary: nil
    }
  }
}

/// The spelling of points in time in model files.
package enum DateText {
  /// Reads what `ISODateText` reads; without a zone the time is UTC, so that the same file means the same everywhere.
  ///
  /// - Returns: seconds since 2001-01-01 00:00:00 UTC, or `nil` when the text has another form or names no such time.
  package static func seconds(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { bytes in try? ISODateText.seconds(bytes, defaultOffset: 0) }
  }

  /// Writes a point in time as `YYYY-MM-DDThh:mm:ssZ` when that says it exactly, else `nil`.
  package static func text(_ seconds: Double) -> String? {
    guard let whole = Int64(exactly: seconds), CivilDate.wholeSeconds.contains(whole) else { return nil }
    return CivilTime(secondsSince2001: whole).text + "Z"
  }
}
