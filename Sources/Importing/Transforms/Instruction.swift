import Diagnostics
import ObjectModel

/// One step of a compiled transform: makes the values of one register from those of others.
struct Instruction: Sendable {
  /// What it does.
  var operation: Operation
  /// The type of the values.
  var kind: ValueKind
  /// What messages call it.
  var name: String
  /// The read column that its values come from, for places in messages; -1 for none.
  var origin: Int
  /// Whether anything is made of its values.
  var isNeeded = true

  init(operation: Operation, kind: ValueKind, name: String, origin: Int) {
    self.operation = operation
    self.kind = kind
    self.name = name
    self.origin = origin
  }

  /// What an instruction does; numbers are those of registers, that is, of the instructions that fill them.
  indirect enum Operation: Sendable {
    /// The texts of a column of the batch.
    case load(column: Int, nulls: [[UInt8]])
    /// One value for all records.
    case constant(Constant)
    /// Reads texts as values.
    case read(Int, FieldReading)
    /// Writes values as texts.
    case print(Int)
    /// Numbers of one type as those of another.
    case cast(Int)
    case text(Int, TextOperation)
    case concat([Int], separator: [UInt8])
    case length(Int)
    case map(Int, ValueTable, MapFallback)
    case lookup(Int, table: Int, MapFallback)
    /// `+ - * /` and the modulus; a quotient of whole numbers is cut toward zero.
    case arithmetic(ExpressionFunction, Int, Int, places: Int?)
    case negate(Int)
    case absolute(Int)
    case round(Int, places: Int, TransformStep.Rounding)
    case addToDate(Int, months: Int, seconds: Int64, zone: Int)
    case datePart(Int, TransformStep.DatePart, zone: Int)
    case startOf(Int, TransformStep.DateUnit, zone: Int)
    case formatDate(Int, DatePattern, zone: Int)
    case hash(Int, TransformStep.HashFunction)
    /// The first that is there and not empty.
    case coalesce([Int])
    case nullIf(Int, ValueTable)
    /// The second where the first holds, else the third.
    case select(condition: Int, Int, Int)
    // Conditions: true or false, never null.
    case compare(ComparisonPredicate.Operator, Int, Int)
    case compareText(ComparisonPredicate.Operator, Int, Int, ComparisonPredicate.Options)
    case isNull(Int)
    case isIn(Int, ValueTable, hasNull: Bool)
    case isInNumbers(Int, [Int64], hasNull: Bool)
    case and([Int])
    case or([Int])
    case not(Int)
    case column(any ColumnOperation)
  }

  enum Constant: Sendable {
    case null
    case text([UInt8])
    case number(payload: UInt64, digits: Int128)
  }

  enum TextOperation: Sendable {
    case trim
    case strip([Unicode.Scalar])
    case collapse
    case upper
    case lower
    case capitalise
    case unaccent
    case canonical
    case replace([UInt8], with: [UInt8])
    case replacePattern(TextSearch)
    case extract(TextSearch, group: Int)
    case split([UInt8], take: Int)
    case substring(from: Int, length: Int?)
    case pad(to: Int, with: [UInt8], atStart: Bool)
    case prepend([UInt8])
    case append([UInt8])
  }

  enum MapFallback: Sendable {
    case reject
    case null
    case keep
    case text([UInt8])
  }
}

/// A column that an expression names.
struct RowColumn: Sendable {
  /// The first part of its name, and the further ones for a dotted path.
  var path: [String]
  /// The register.
  var register: Int
  /// The type of its values.
  var kind: ValueKind
}
