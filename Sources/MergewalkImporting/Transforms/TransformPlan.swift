/// The work on the columns of every batch between reading and conversion.
struct TransformPlan: Sendable {
  /// The instructions in an order in which each comes behind those that it needs; the i-th fills register i.
  var instructions: [Instruction] = []
  /// How many of them come before other code changes the batch: an external process, a hook.
  var firstPhase = 0
  /// The register of the condition that records must satisfy; nil for none.
  var filter: Int?
  /// The derived columns that instructions fill.
  var outputs: [Output] = []
  /// The columns that other code may change; the derived columns before those of `outputs`.
  var shared: [SharedColumn] = []
  var lookups: [StoreLookup] = []
  /// The process that sees every record, and the path of the file in which it stands.
  var process: ProcessTransform?
  var path = ""
  /// How many of the shared columns the process is given; they are the first.
  var processColumns = 0
  /// The hook that sees every record.
  var hooks = ImportHooks()
  /// The ways in which the source may differ from the pipeline's description.
  var contract: SchemaContract?
  /// The columns that lists are read from.
  var listColumns: [Int] = []

  /// A derived column that a register becomes.
  struct Output: Sendable {
    var register: Int
    /// The derived column, from 0.
    var derived: Int
    /// The fields of the import that it fills.
    var fields: [Int] = []
    /// The register and those that its values come from, the last step first: what may have replaced them.
    var chain: [Int] = []
  }

  /// A column that a process or a hook sees.
  struct SharedColumn: Sendable {
    var name: String
    /// The column in the batch that the value is taken from; -1 for a new one.
    var column: Int
    /// The register that the value is taken from, or -1.
    var register: Int
    /// The derived column, from 0; -1 when it is only seen.
    var derived: Int
  }

  /// The number of derived columns.
  var derivedCount: Int { shared.count + outputs.count }

  /// Whether nothing is done.
  var isEmpty: Bool {
    instructions.isEmpty && shared.isEmpty && outputs.isEmpty && process == nil && !hooks.seesBatches && contract == nil
  }

  /// Whether batches must go through one after the other, on the reader's thread.
  var isOrdered: Bool { process != nil || hooks.seesBatches || contract != nil }
}
