import MergewalkObjectStore

/// One column of values of one type between two steps.
///
/// Payloads are those of cells (text: a range of the batch's bytes); those of decimals are the power of ten, and their
/// digits are in `digits`.
struct Register: Sendable {
  var tags = ContiguousArray<UInt8>()
  var payloads = ContiguousArray<UInt64>()
  /// The significands of decimals; empty for other types.
  var digits = ContiguousArray<Int128>()
  /// Why the step has replaced values: for each record ``FieldTally/Replacement/kept``, or 0; empty when it has not.
  private(set) var replaced = ContiguousArray<UInt8>()

  static let value: UInt8 = CellTag.integer
  static let null: UInt8 = CellTag.null
  static let absent: UInt8 = CellTag.absent
  /// There should be a value, but a step failed; the payload is a ``TransformFailure/Cell``.
  static let failed: UInt8 = CellTag.failed

  /// Makes room for `count` values, which are then to be set.
  mutating func resize(_ count: Int, _ kind: ValueKind) {
    if tags.count != count {
      tags.fill(Self.null, count: count)
      payloads.fill(0, count: count)
    }
    if kind == .decimal, digits.count != count { digits.fill(0, count: count) }
    if !replaced.isEmpty { replaced.removeAll(keepingCapacity: true) }
  }

  /// Says why the value of a record was replaced.
  @inline(never)
  mutating func replace(_ record: Int, _ reason: FieldTally.Replacement) {
    if replaced.isEmpty { replaced.fill(0, count: tags.count) }
    replaced[record] = reason.kept
  }
}

/// Why a step has no result for a record.
enum TransformFailure: UInt8, CaseIterable {
  /// A text does not spell a value of the type that the step takes.
  case value
  /// A number or date is beyond what its type holds.
  case overflow
  case division
  /// A table does not have the value.
  case unmapped
  /// The store has no such object.
  case lookup
  /// The store has several such objects, which have different things to give.
  case doubtfulLookup
  /// Matching took too many steps.
  case pattern
  case tooLong
  case expression

  /// The payload of a failed value: why, and which instruction found it.
  struct Cell {
    let payload: UInt64
    init(_ failure: TransformFailure, instruction: Int) {
      payload = UInt64(failure.rawValue) | UInt64(truncatingIfNeeded: instruction) << 8
    }
    init(payload: UInt64) { self.payload = payload }
    var failure: TransformFailure { TransformFailure(rawValue: UInt8(truncatingIfNeeded: payload)) ?? .expression }
    var instruction: Int { Int(payload >> 8) }
  }

  var code: RejectCode {
    switch self {
    case .value: .transformValue
    case .overflow: .transformOverflow
    case .division: .transformDivision
    case .unmapped: .transformUnmapped
    case .lookup, .doubtfulLookup: .transformLookup
    case .pattern: .transformPattern
    case .tooLong: .transformTooLong
    case .expression: .transformExpression
    }
  }
}
