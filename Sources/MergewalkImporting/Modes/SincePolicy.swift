public import MergewalkDiagnostics

/// How an incremental import knows which records are new: by a column that only grows.
///
/// The greatest value of the records of a run is kept in the store; the next run passes over records below it.
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
    /// They are read again: others with the same value may have come since.
    case read
    /// They are passed over.
    case skip
  }
  /// The effect of rejected records on the cursor.
  public enum Rejects: String, Sendable, CaseIterable {
    /// The cursor stays at the first of them, so that it is read again.
    case hold
    /// The cursor goes on; the rejects file has the records, and no run empties it before they were replayed.
    case pass
  }

  /// The column's name.
  public var column: String
  /// The kind of value in the column.
  public var kind = Kind.date
  /// How dates are written.
  public var conversion = ConversionOptions()
  /// Where to start when the store knows no cursor; `nil` for the beginning.
  public var start: CursorValue?
  /// How much is read again before the cursor: seconds of a date, units of a number.
  public var lag: Int64 = 0
  /// The treatment of records whose value equals the cursor.
  public var ties = Ties.read
  /// The effect of rejected records on the cursor; `nil`: they hold it where they can be read again, see
  /// ``rejects(in:)``.
  public var rejects: Rejects?
  /// Where to start this time, whatever the store knows.
  public var override: CursorValue?
  /// Whether what the store knows is forgotten.
  public var isReset = false
  /// Where the policy stands.
  public var position = SourcePosition.file
  /// The positions of its options.
  package var places = OptionPlaces()

  /// Creates a policy for a column of dates.
  public init(column: String) { self.column = column }

  /// The effect of rejected records on the cursor: they hold it, but in mode `insert`, where records read again would
  /// be there twice.
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
        "the cursor passes rejected records, and there is no rejects file that has them: they would be nowhere",
        "name one: “rejects: rejects.ndjson” for the pipeline" + (mode == .insert ? "" : ", or set “rejects: hold”")
      )
    default: nil
    }
  }
}

/// A place in a column that only grows.
public enum CursorValue: Sendable, Hashable, Comparable {
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  /// A whole number.
  case integer(Int64)
  /// A text.
  case text(String)

  /// The order of the column; values of different kinds have none and are as good as equal.
  public static func < (left: CursorValue, right: CursorValue) -> Bool {
    switch (left, right) {
    case (.date(let a), .date(let b)): a < b
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    default: false
    }
  }

  /// The kind of the column that it is from.
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
