import MergewalkDiagnostics

/// How the objects of one node are to be found, and why.
struct FindDecision {
  /// The chosen plan; see ``Finder``.
  enum Plan: String {
    case none, table, filter, scan, seek, deduplicate
  }

  enum Reason {
    /// Mode `insert` without a key.
    case insertOnly
    /// Several nodes fill one table.
    case sharedTable
    /// Other entities inherit from this one.
    case subentities
    /// The store is new, and the records' own objects are made.
    case newStore
    /// The same, and records that repeat a key are rejected.
    case newKeys
    /// The table has no rows.
    case noRows
    /// The pipeline or the command line says so.
    case asked
    /// The keys fit in memory, and enough records are coming.
    case fewRows
    /// No index covers the key.
    case noIndex
    /// Much of the table is coming.
    case manyRecords
    /// The same, but more rows than the memory holds, and a scan in pieces is possible.
    case partitioned
    /// The same, but a scan in pieces is not possible.
    case tooManyRows
    /// Few records against many rows.
    case fewRecords
  }

  var plan: Plan
  var reason: Reason
  /// The rows that are in the store, when they were counted.
  var rows: Int?
  /// About how many records are coming; `nil` when it is not known.
  var expected: Int?
  /// Whether an index covers the key, when that was asked.
  var hasIndex: Bool?
  /// Whether a scan in pieces goes before the seeks.
  var isPartitioned = false

  init(
    _ plan: Plan, _ reason: Reason, rows: Int? = nil, expected: Int? = nil, hasIndex: Bool? = nil
  ) {
    self.plan = plan
    self.reason = reason
    self.rows = rows
    self.expected = expected
    self.hasIndex = hasIndex
  }

  var search: KeySearch {
    isPartitioned ? .pieces(isDecided: nil) : plan == .table || plan == .scan ? .memory : .store
  }

  /// The name that summaries show.
  var name: String { isPartitioned ? "partitioned scan" : plan.rawValue }

  /// The reason as a sentence, with the counts that decided.
  var sentence: String {
    let rows = rows.map { PrintableText.count($0, "row") } ?? "rows"
    let coming =
      expected.map { "about \(PrintableText.count($0, "record is", "records are")) coming" }
      ?? "the number of records is unknown"
    return switch reason {
    case .insertOnly: "nothing is searched in mode insert without find_by"
    case .sharedTable: "several parts of a record fill this table, so each must see the others' rows"
    case .subentities: "other entities inherit from this one, so objects are looked for in the table"
    case .newStore: "the store is new: keys that were certainly not seen before are new, others wait for an index"
    case .newKeys: "the store is new, and all keys are recorded, as a record that repeats one must leave nothing"
    case .noRows: "there are no rows yet: keys are recorded as objects are created"
    case .asked: "the pipeline or the command line asks for it (\(rows))"
    case .fewRows: "\(rows) fit in memory, and \(coming): all keys are read once"
    case .noIndex: "no index covers find_by, so a look-up would read all \(rows) each time"
    case .manyRecords: "\(rows), and \(coming): one scan is cheaper than a look-up for each"
    case .partitioned:
      "\(rows) are more than the memory for keys holds, and \(coming): table and input are read once in pieces before"
    case .tooManyRows: "\(rows) are more than the memory for keys holds, and the input cannot be read twice"
    case .fewRecords: "\(rows), and only \(coming): a look-up for each by index"
    }
  }
}
