public import Diagnostics

/// One step of a transform: takes a column of values and gives another.
///
/// A value that is absent or null stays so, unless a step is made for that (``Action/coalesce(_:)``,
/// ``Action/defaultValue(_:)``, ``Action/when(_:otherwise:)``). What a step cannot do with a value rejects the record,
/// but only when the step's result is used.
public struct TransformStep: Sendable, Hashable {
  /// What the step does.
  public var action: Action
  /// Where it stands.
  public var position: SourcePosition

  /// Creates a step.
  public init(_ action: Action, position: SourcePosition = .file) {
    self.action = action
    self.position = position
  }

  /// What a step does; `docs/transforms.md` describes each.
  public enum Action: Sendable, Hashable {
    /// Removes white space at both ends. Text to text.
    case trim
    /// Removes these characters at both ends. Text to text.
    case strip(String)
    /// Makes one blank of each run of white space, and removes it at both ends. Text to text.
    case collapse
    /// Capitals, by Unicode's full mapping. Text to text.
    case upper
    /// Small letters, by Unicode's full mapping. Text to text.
    case lower
    /// Each word with a capital and small letters. Text to text.
    case capitalise
    /// Letters without their accents. Text to text.
    case unaccent
    /// Every occurrence of a text by another. Text to text.
    case replace(String, with: String)
    /// Every match of a regular expression by a text in which `$1` stands for the first group. Text to text.
    case replacePattern(String, with: String)
    /// The first match of a regular expression, or of a group of it; null when there is none. Text to text.
    case extract(String, group: Int)
    /// One part of the text between separators, from 1, or from the end when negative; null when there is none.
    case split(at: String, take: Int)
    /// So many characters from a place on, from 1, or from the end when negative. Text to text.
    case substring(from: Int, length: Int?)
    /// Fills up to a length in characters. Text to text.
    case pad(to: Int, with: String, atStart: Bool)
    /// A text before the value. Text to text.
    case prepend(String)
    /// A text behind the value. Text to text.
    case append(String)
    /// The value and those of other columns, those that are not there left out. Any types to text.
    case concat([String], with: String)
    /// The number of characters. Text to integer.
    case length
    /// What a table has for the value. Text to text.
    case map(ValueTable, otherwise: Otherwise)
    /// What an object in the store has that is found by the value.
    case lookup(StoreLookup, otherwise: Otherwise)
    /// Computes with a number or another column. Numbers to numbers.
    case arithmetic(Arithmetic, Operand, places: Int?)
    /// The number with the other sign.
    case negate
    /// The number without its sign.
    case absolute
    /// Rounds to so many decimal places. Numbers to the same type.
    case round(places: Int, Rounding)
    /// Moves a date. Date to date.
    case addToDate([DateUnit: Int], zone: Int)
    /// A part of a date. Date to integer.
    case datePart(DatePart, zone: Int)
    /// The start of the day, month ... that the date is in. Date to date.
    case startOf(DateUnit, zone: Int)
    /// Writes a date by a pattern of UTS 35. Date to text.
    case formatDate(String, zone: Int)
    /// Makes a value of another type. Any type to that type.
    case convert(ValueKind)
    /// A digest in hexadecimal digits, or a number that is the same in every run. Text to text or integer.
    case hash(HashFunction)
    /// The first of the value and other columns that is there and not empty.
    case coalesce([String])
    /// A text for a value that is not there or empty.
    case defaultValue(String)
    /// Null for these texts. Any type to the same type.
    case nullIf([String])
    /// The result of the first case that holds; else `otherwise`, or the value itself when that is nil.
    case when([Case], otherwise: Result?)
  }

  /// What a value becomes that a table or the store does not have.
  public enum Otherwise: Sendable, Hashable {
    /// The record is rejected.
    case reject
    /// Nothing.
    case null
    /// The value stays as it is.
    case keep
    /// This text.
    case text(String)
  }

  /// An operation of two numbers.
  public enum Arithmetic: String, Sendable, Hashable, CaseIterable {
    /// The sum.
    case add
    /// The difference.
    case subtract
    /// The product.
    case multiply
    /// The quotient: of decimals rounded half away from zero.
    case divide
    /// The rest of a division of whole numbers or decimals, with the sign of the dividend.
    case modulo
  }

  /// The second number of an operation.
  public enum Operand: Sendable, Hashable {
    /// A number as text.
    case number(String)
    /// A column's values.
    case column(String)
  }

  /// Which way a number is rounded that lies between two.
  public enum Rounding: String, Sendable, Hashable, CaseIterable {
    /// To the nearer; halves away from zero.
    case halfUp = "half_up"
    /// To the nearer; halves to the even one.
    case halfEven = "half_even"
    /// Toward negative infinity.
    case floor
    /// Toward positive infinity.
    case ceiling
    /// Toward zero.
    case truncate
  }

  /// A span of time by which dates are moved or cut.
  public enum DateUnit: String, Sendable, Hashable, CaseIterable {
    /// Calendar years; 29 February becomes the 28th.
    case years
    /// Calendar months; the day is cut to the month's length.
    case months
    /// Seven days.
    case weeks
    /// 24 hours: zones are fixed offsets.
    case days
    /// 60 minutes.
    case hours
    /// 60 seconds.
    case minutes
    /// Seconds.
    case seconds
  }

  /// A number that a date has.
  public enum DatePart: String, Sendable, Hashable, CaseIterable {
    /// The year.
    case year
    /// The month, 1 to 12.
    case month
    /// The day of the month, from 1.
    case day
    /// The hour, 0 to 23.
    case hour
    /// The minute.
    case minute
    /// The whole second.
    case second
    /// The day of the week of ISO 8601: 1 for Monday to 7 for Sunday.
    case weekday
    /// The day of the year, from 1.
    case dayOfYear = "day_of_year"
    /// The quarter, 1 to 4.
    case quarter
    /// The week of ISO 8601, 1 to 53.
    case week
    /// Whole seconds since 1970-01-01 UTC.
    case unix
  }

  /// A hash function.
  public enum HashFunction: String, Sendable, Hashable, CaseIterable {
    /// SHA-256 in 64 hexadecimal digits.
    case sha256
    /// SHA-512 in 128 hexadecimal digits.
    case sha512
    /// SHA-1 in 40 hexadecimal digits; not safe against forgery.
    case sha1
    /// MD5 in 32 hexadecimal digits; not safe against forgery.
    case md5
    /// The first eight bytes of SHA-256 as a whole number: the same in every run and on every machine.
    case stable64
  }

  /// One case of ``Action/when(_:otherwise:)``.
  public struct Case: Sendable, Hashable {
    /// When it holds.
    public var condition: SourceText
    /// What the value becomes.
    public var result: Result

    /// Creates a case.
    public init(_ condition: SourceText, _ result: Result) {
      self.condition = condition
      self.result = result
    }
  }

  /// What a case gives.
  public enum Result: Sendable, Hashable {
    /// This text.
    case text(String)
    /// A column's value.
    case column(String)
    /// Nothing.
    case null
  }
}

/// An entity whose objects are looked up by one attribute for another.
///
/// The objects are read once, when the import begins: those that the run itself makes are not found.
public struct StoreLookup: Sendable, Hashable {
  /// The entity.
  public var entity: String
  /// The attribute that the value is compared with.
  public var findBy: String
  /// The attribute that is given.
  public var take: String

  /// Creates a look-up.
  public init(entity: String, findBy: String, take: String) {
    self.entity = entity
    self.findBy = findBy
    self.take = take
  }
}
