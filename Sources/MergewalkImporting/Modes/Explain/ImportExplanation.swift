/// A forecast of a run that is not executed: it writes nothing, and reads only the headers of inputs.
public struct ImportExplanation: Sendable, Hashable {
  /// The state of the store.
  public struct Store: Sendable, Hashable {
    /// Its path.
    public var path = ""
    /// Whether it exists; otherwise it will be created.
    public var exists = false
    /// The size of its file, in bytes.
    public var bytes = 0
    /// The size of the write-ahead log beside it, in bytes; 0 for none.
    public var logBytes = 0
    /// Whether an earlier run of the pipeline was interrupted and is resumed by the next one.
    public var hasUnfinishedRun = false
    /// Whether it tracks persistent history.
    public var tracksHistory = false
  }

  /// One file or other input.
  public struct Source: Sendable, Hashable {
    /// Its path.
    public var path: String
    /// Its size in bytes; `nil` if unknown.
    public var bytes: Int?
  }

  /// How the objects of one entity are found and written.
  public struct Node: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The path from the records' own entity, such as `product.category`; empty for that entity itself.
    public var path: String
    /// The mode: how to treat known and unknown keys.
    public var mode: ImportMode
    /// The attributes that identify an object.
    public var findBy: [String]
    /// The attributes and relationships that records fill.
    public var fills: [String]
    /// How objects are found.
    public var strategy: String
    /// The reason, with the counts that decided.
    public var reason: String
    /// The number of stored rows, if it matters.
    public var rows: Int?
    /// The estimated number of records; `nil` if unknown.
    public var expected: Int?
    /// Whether an index covers the key, if that matters.
    public var hasIndex: Bool?
    /// The SQL statements that the run executes.
    public var statements: [Statement]
  }

  /// One SQL statement.
  public struct Statement: Sendable, Hashable {
    /// When it runs: `once`, `each batch`, `new objects`, `changed objects`, `unfound objects`.
    public var when: String
    /// Its text.
    public var sql: String
    /// SQLite's plan for it, one line per step.
    public var plan: [String]
  }

  /// The removal of objects that no record names.
  public struct Removal: Sendable, Hashable {
    /// The treatment of these objects.
    public var deletion: SyncPolicy.Deletion
    /// The query that finds those in scope.
    public var query: Statement
    /// How many objects are in scope now.
    public var inScope: Int?
    /// The maximum number of deletions.
    public var limit: Int?
    /// The maximum share of deletions.
    public var ratio: Double?
    /// The attribute that marks an object as gone.
    public var softDelete: String?
  }

  /// The progress of an incremental import.
  public struct Cursor: Sendable, Hashable {
    /// The column.
    public var column: String
    /// The kind of value in the column.
    public var kind: SincePolicy.Kind
    /// The cursor in the store; `nil` for none.
    public var stored: CursorValue?
    /// Records below are skipped; `nil` for none.
    public var start: CursorValue?
    /// The treatment of records with exactly that value.
    public var ties: SincePolicy.Ties
  }

  /// One import.
  public struct Part: Sendable, Hashable {
    /// Its name; empty for the only one.
    public var name: String
    /// The entity of its records.
    public var entity: String
    /// The mode: how to treat known and unknown keys.
    public var mode: ImportMode
    /// Which of several records with the same key counts.
    public var duplicates: DuplicatePolicy
    /// The format of the records.
    public var format: String
    /// The inputs in their order.
    public var sources: [Source]
    /// The columns that are read.
    public var columns: [String]
    /// The computed columns.
    public var derived: [String]
    /// The condition that records must satisfy; others are skipped.
    public var filter: String?
    /// The program that processes every record.
    public var process: [String]?
    /// The objects to find and write, in processing order.
    public var nodes: [Node]
    /// Its progress, if it is incremental.
    public var cursor: Cursor?
    /// The removal of objects that no record names; `nil` if they stay.
    public var removal: Removal?
  }

  /// A bound of memory.
  public struct Bound: Sendable, Hashable {
    /// The use of the memory: `batches` (three of them), `keys`, `page_cache`, `marks` (of objects that records name).
    public var name: String
    /// The maximum number of bytes.
    public var bytes: Int
  }

  /// The pipeline's name.
  public var pipeline = ""
  /// The store.
  public var store = Store()
  /// How rows are written to the store.
  public var load = LoadWay(.storeExists)
  /// The maximum number of records in a batch.
  public var batchRecords = 0
  /// The maximum size of a batch's input, in bytes.
  public var batchBytes = 0
  /// The uses of memory, each with its upper bound.
  public var memory: [Bound] = []
  /// The rejects file; `nil` if rejects are only counted.
  public var rejectsPath: String?
  /// The maximum number of rejects.
  public var rejectLimit: Int?
  /// The maximum share of rejects.
  public var rejectRatio: Double?
  /// The imports in their order.
  public var parts: [Part] = []
  /// Warnings about the pipeline, its inputs and the store.
  public var warnings: [RunWarning] = []
}
