import MergewalkImporting

/// A column that only grows, and how far the records of a run have come in it.
struct ReferenceSince {
  /// What a record's value is.
  enum Moment {
    case none
    case value(CursorValue)
    case failed(String)

    var value: CursorValue? { if case .value(let value) = self { value } else { nil } }
    var isFailure: Bool { if case .failed = self { true } else { false } }
    var failure: String { if case .failed(let code) = self { code } else { "" } }
  }

  private let policy: SincePolicy
  private let stored: CursorValue?
  private let holds: Bool
  private var greatest: CursorValue?
  private var leastRejected: CursorValue?
  private var isUncertain = false
  /// The values of records that an earlier one of the run with their key has turned away.
  private var repeats: [Moment] = []

  /// - Parameter holds: whether a rejected record is to be read again, unless the policy says otherwise.
  init(_ policy: SincePolicy, stored: CursorValue?, holds: Bool) {
    self.policy = policy
    self.stored = stored
    self.holds = policy.rejects.map { $0 == .hold } ?? holds
  }

  func value(of record: ReadRecord) -> Moment {
    let cell = record.cells[policy.column] ?? .absent
    guard let text = cell.spelling, !text.isEmpty else { return .none }
    switch policy.kind {
    case .text: return .value(.text(text))
    case .integer:
      guard ReferencePattern.integer.match(text) != nil else { return .failed("value.integer") }
      return Int64(text).map { .value(.integer($0)) } ?? .failed("value.range")
    case .date:
      switch ReferenceDate.parse(text, policy.conversion) {
      case .value(.date(let seconds)): return .value(.date(seconds))
      case .failed(let code): return .failed(code)
      default: return .none
      }
    }
  }

  /// Whether an earlier run has read a record with this value.
  func isBeforeCursor(_ moment: Moment) -> Bool { isBeforeCursor(moment, from: stored ?? policy.start) }

  private func isBeforeCursor(_ moment: Moment, from start: CursorValue?) -> Bool {
    guard let value = moment.value, let start else { return false }
    var threshold = start
    switch start {
    case .date(let seconds): threshold = .date(seconds - Double(policy.lag))
    case .integer(let number): threshold = .integer(number - policy.lag)
    case .text: break
    }
    return value < threshold || policy.ties == .skip && value == threshold
  }

  mutating func noteSettled(_ value: CursorValue?) {
    guard let value else { return }
    greatest = greatest.map { max($0, value) } ?? value
  }

  mutating func noteRejected(_ value: CursorValue?) {
    guard holds else { return noteSettled(value) }
    guard let value else { return isUncertain = true }
    leastRejected = leastRejected.map { min($0, value) } ?? value
  }

  /// Notes a record that an earlier one of the run with its key has turned away.
  mutating func noteRepeated(_ moment: Moment) { repeats.append(moment) }

  /// What the store is to keep: read again without the record before it, a repeat would count as the first.
  var cursor: CursorValue? {
    guard let settled else { return nil }
    return repeats.allSatisfy { isBeforeCursor($0, from: settled) } ? settled : stored
  }

  private var settled: CursorValue? {
    guard let greatest else { return stored }
    var reached = greatest
    if isUncertain { return stored }
    if let leastRejected, !(greatest < leastRejected) {
      guard policy.ties == .read else { return stored }
      reached = leastRejected
    }
    return stored.map { max($0, reached) } ?? reached
  }
}
