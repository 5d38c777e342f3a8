public import MergewalkDiagnostics

/// The column by which an incremental import recognises new records: its values only grow.
///
/// The greatest value of the records of a run is kept in the store; the next run skips records below it.
public struct SincePolicy: Sendable, Hashable {
  /// The kind of value in the column.
  public enum Kind: String, Sendable, CaseIterable {
    /// Points in time.
    case date
    /// Whole numbers.
    case integer
    /// Texts, compared by their bytes.
    case text
  }
  /// The treatment of records whose value equals the cursor.
  public enum Ties: String, Sendable, CaseIterable {
    /// They are read again: others with the same value may have arrived since.
    case read
    /// They are skipped.
    case skip
  }
  /// The effect of rejected records on the cursor.
  public enum Rejects: String, Sendable, CaseIterable {
    /// The cursor stays at the first of them, so that it is read again.
    case hold
    /// The cursor advances; the rejects file has the records, and no run empties it before they have been replayed.
    case pass
  }

  /// The column's name.
  public var column: String
  /// The kind of value in the column.
  public var kind = Kind.date
  /// The format of dates.
  public var conversion = ConversionOptions()
  /// The starting value if the store has no cursor; `nil` for the beginning.
  public var start: CursorValue?
  /// The amount to read again before the cursor: seconds of a date, units of a number.
  public var lag: Int64 = 0
  /// The treatment of records whose value equals the cursor.
  public var ties = Ties.read
  /// The effect of rejected records on the cursor; `nil`: they hold it if they can be read again, see ``rejects(in:)``.
  public var rejects: Rejects?
  /// The starting value for this run, regardless of the store's cursor.
  public var override: CursorValue?
  /// Whether to discard the store's cursor.
  public var isReset = false
  /// The position of the policy.
  public var position = SourcePosition.file
  package var places = OptionPlaces()

  /// Creates a policy for a column of dates.
  public init(column: String) { self.column = column }

  /// The effect of rejected records on the cursor: they hold it, except in mode `insert`, where records read again
  /// would be inserted twice.
  public func rejects(in mode: ImportMode) -> Rejects { rejects ?? (mode == .insert ? .pass : .hold) }

  /// Why a rejected record would be lost, or others imported twice; `nil` when neither can happen.
  ///
  /// - Parameter hasFile: whether there is a rejects file.
  func problem(in mode: ImportMode, hasFile: Bool) -> (message: String, hint: String)? {
    switch rejects(in: mode) {
    case .hold where mode == .insert:
      (
        "a rejected record that holds the cursor is read again with all records after it, which mode “insert” would insert twice",
        "set “rejects: pass”, and name a rejects file; or use mode “upsert”"
      )
    case .pass where !hasFile:
      (
        "the cursor passes rejected records, and no rejects file keeps them: they would be lost",
        "name one: “rejects: rejects.ndjson” for the pipeline" + (mode == .insert ? "" : ", or set “rejects: hold”")
      )
    default: nil
    }
  }
}

/// A value of a column that only grows.
public enum CursorValue: Sendable, Hashable, Comparable {
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  /// A whole number.
  case integer(Int64)
  /// A text.
  case text(String)

  /// The order of the column; values of different kinds are unordered and count as equal.
  public static func < (left: CursorValue, right: CursorValue) -> Bool {
    switch (left, right) {
    case (.date(let a), .date(let b)): a < b
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    default: false
    }
  }

  /// The kind of its column.
  public var kind: SincePolicy.Kind {
    switch self {
    case .date: .date
    case .integer: .integer
    case .text: .text
    }
  }

  /// The value before this one by a distance; texts have no distances.
  func lowered(by distance: Int64) -> CursorValue {
    switch self {
    case .date(let seconds): .date(seconds - Double(distance))
    case .integer(let number):
      .integer(number.subtractingReportingOverflow(distance).overflow ? .min : number - distance)
    case .text: self
    }
  }
}
