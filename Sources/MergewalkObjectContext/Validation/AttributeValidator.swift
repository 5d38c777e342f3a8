package import MergewalkObjectModel
import MergewalkObjectStore

/// The model's demands on an attribute's values, compiled once for many cells.
///
/// Both ways of writing use it: the columns of an import and the rows of saved objects. Bounds are inclusive; lengths
/// are UTF-16 code units, as Core Data counts characters.
package struct AttributeValidator: Sendable {
  /// The rule for a value, by its type.
  enum Rule: Sendable {
    case integer(minimum: Int64, maximum: Int64, range: ClosedRange<Int64>)
    case real(minimum: Double, maximum: Double)
    case decimal(NumberBounds)
    case date(minimum: Double, maximum: Double)
    case text(TextRule)
    case blob(length: Int?)
    case none
  }

  /// Bounds for numbers that are integers or binary64.
  struct NumberBounds: Sendable {
    var minimum = -Double.infinity
    var maximum = Double.infinity
    var integerMinimum = Int64.min
    var integerMaximum = Int64.max
  }

  let rule: Rule
  let isOptional: Bool
  /// Whether some value of the right type, or its absence, can fail.
  package let canFail: Bool
  /// Demands that cannot be checked, or not fast; whoever plans an import reports them.
  ///
  /// An expression that is malformed matches nothing, and a bound that is not a value of the type is ignored.
  package let problems: [ValidationRuleProblem]

  /// Compiles what `attribute` demands.
  package init(_ attribute: AttributeDescription) {
    isOptional = attribute.isOptional
    // Cells of these types have room for values that the type does not.
    let isNarrow = attribute.type.isInteger && attribute.type != .integer64 || attribute.type == .uuid
    canFail = !attribute.isOptional || !attribute.validation.isEmpty || isNarrow
    let validation = attribute.validation
    var problems: [ValidationRuleProblem] = []
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean:
      let range = attribute.type.integerRange ?? Int64.min...Int64.max
      let bounds = NumberBounds(validation, attribute, &problems)
      rule = .integer(
        minimum: max(range.lowerBound, bounds.integerMinimum), maximum: min(range.upperBound, bounds.integerMaximum),
        range: range)
    case .double, .float:
      let bounds = NumberBounds(validation, attribute, &problems)
      rule = .real(minimum: bounds.minimum, maximum: bounds.maximum)
    case .decimal: rule = .decimal(NumberBounds(validation, attribute, &problems))
    case .date:
      let bounds = NumberBounds(validation, attribute, &problems)
      rule = .date(minimum: bounds.minimum, maximum: bounds.maximum)
    case .string, .uri: rule = .text(TextRule(validation, &problems))
    case .uuid: rule = .blob(length: 16)
    case .binary, .transformable: rule = .blob(length: nil)
    case .undefined, .objectID, .composite: rule = .none
    }
    self.problems = problems
  }

  /// Returns what is wrong with one cell, or `nil` when nothing is.
  ///
  /// `absent` and `failed` cells pass: whoever inserts an object asks again about what stands in an absent cell's
  /// place, and a failed cell has been reported already.
  ///
  /// - Parameter arena: the first byte of the arena that ranges in `payload` refer to; needed for text and blobs.
  /// - Complexity: O(1); for text with a length limit or a pattern O(length).
  package func check(tag: UInt8, payload: UInt64, arena: UnsafeRawPointer?) -> ValidationFailureCode? {
    if tag == CellTag.null { return isOptional ? nil : .missing }
    if tag == CellTag.absent || tag == CellTag.failed { return nil }
    switch rule {
    case .integer(let minimum, let maximum, let range):
      guard tag == CellTag.integer else { return .type }
      return Self.check(Int64(bitPattern: payload), minimum, maximum, range)
    case .real(let minimum, let maximum):
      guard tag == CellTag.real else { return .type }
      return Self.check(Double(bitPattern: payload), minimum, maximum)
    case .decimal(let bounds):
      guard tag == CellTag.integer || tag == CellTag.real else { return .type }
      return Self.check(tag, payload, bounds)
    case .date(let minimum, let maximum):
      guard tag == CellTag.real else { return .type }
      return Self.checkDate(Double(bitPattern: payload), minimum, maximum)
    case .text(let rule):
      guard tag == CellTag.text else { return .type }
      return rule.check(ByteRange(payload: payload), arena)
    case .blob(let length):
      guard tag == CellTag.blob else { return .type }
      return length == nil || length == ByteRange(payload: payload).length ? nil : .type
    case .none: return nil
    }
  }

  @inline(__always)
  static func check(
    _ value: Int64, _ minimum: Int64, _ maximum: Int64, _ range: ClosedRange<Int64>
  ) -> ValidationFailureCode? {
    if value >= minimum, value <= maximum { return nil }
    guard range.contains(value) else { return .type }
    return value < minimum ? .tooSmall : .tooLarge
  }

  @inline(__always)
  static func check(_ value: Double, _ minimum: Double, _ maximum: Double) -> ValidationFailureCode? {
    if value >= minimum, value <= maximum { return nil }
    // SQLite stores not-a-number as NULL, so it is no value at all.
    if value.isNaN { return .type }
    return value < minimum ? .tooSmall : .tooLarge
  }

  @inline(__always)
  static func check(_ tag: UInt8, _ payload: UInt64, _ bounds: NumberBounds) -> ValidationFailureCode? {
    if tag == CellTag.real { return check(Double(bitPattern: payload), bounds.minimum, bounds.maximum) }
    let value = Int64(bitPattern: payload)
    if value < bounds.integerMinimum { return .tooSmall }
    return value > bounds.integerMaximum ? .tooLarge : nil
  }

  @inline(__always)
  static func checkDate(_ value: Double, _ minimum: Double, _ maximum: Double) -> ValidationFailureCode? {
    guard value.isFinite else { return .invalidDate }
    if value >= minimum, value <= maximum { return nil }
    return value < minimum ? .tooSoon : .tooLate
  }
}

/// A demand of the model that cannot be checked, or not in bounded time.
package struct ValidationRuleProblem: Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Sendable, CaseIterable {
    /// The regular expression is malformed or too large.
    case invalidPattern
    /// The regular expression needs backtracking: see ``TextPattern``.
    case slowPattern
    /// A bound is not a value of the attribute's type.
    case invalidBound
  }
  /// The kind of failure.
  package var code: Code
  /// The message: expected, then found.
  package var message: String

  /// Whether values can be checked all the same.
  package var isWarning: Bool { code == .slowPattern }
  package var description: String { message }
}

extension AttributeValidator.NumberBounds {
  /// Takes the bounds of a number or date attribute.
  init(
    _ validation: AttributeValidation, _ attribute: AttributeDescription, _ problems: inout [ValidationRuleProblem]
  ) {
    for (value, isMinimum) in [(validation.minimumValue, true), (validation.maximumValue, false)] {
      guard let value else { continue }
      guard let number = Self.number(value, attribute) else {
        problems.append(
          ValidationRuleProblem(
            code: .invalidBound,
            message: "a bound is not a value of type \(attribute.type.xmlName)"))
        continue
      }
      if isMinimum { setMinimum(value, number) } else { setMaximum(value, number) }
    }
  }

  private mutating func setMinimum(_ value: AttributeValue, _ number: Double) {
    minimum = number
    if case .integer(let number) = value {
      integerMinimum = number
    } else {
      let rounded = minimum.rounded(.up)
      // An integer bound above all integers leaves none.
      integerMinimum = rounded < -0x1p63 ? .min : Int64(exactly: rounded) ?? .max
    }
  }

  private mutating func setMaximum(_ value: AttributeValue, _ number: Double) {
    maximum = number
    if case .integer(let number) = value {
      integerMaximum = number
    } else {
      let rounded = maximum.rounded(.down)
      integerMaximum = rounded >= 0x1p63 ? .max : Int64(exactly: rounded) ?? .min
    }
  }

  /// The bound as a Double; for Float attributes rounded as their values are, so that a bound allows itself.
  private static func number(_ value: AttributeValue, _ attribute: AttributeDescription) -> Double? {
    var number = Double.nan
    switch (value, attribute.type) {
    case (.date(let seconds), .date): number = seconds
    case (_, .date): break
    case (.integer(let integer), _): number = Double(integer)
    case (.double(let double), _): number = double
    case (.decimal(let decimal), _): number = Double("\(decimal.significand)e\(decimal.exponent)") ?? .nan
    default: break
    }
    guard !number.isNaN else { return nil }
    return attribute.type == .float ? Double(Float(number)) : number
  }
}
