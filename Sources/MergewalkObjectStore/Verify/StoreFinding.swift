/// One thing that a check of a store found.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// How much a finding weighs.
  public enum Severity: String, Sendable, Hashable {
    /// Data are damaged or Core Data will refuse or misread them.
    case error
    /// It works, but not as Core Data would have written it.
    case warning
    /// Worth knowing.
    case note
  }

  /// The kind of finding; tests and scripts match this.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// SQLite's own check found damage.
    case integrity
    /// A statement failed, so a check could not be made.
    case unreadable
    /// The file is not as Core Data makes it: page size, auto-vacuum, text encoding.
    case fileFormat
    /// The metadata lack a key or have one of the wrong type.
    case metadata
    /// The store's identity is no UUID in upper case.
    case uuid
    /// The digest does not belong to the version hashes.
    case digest
    /// The checksum does not belong to the version hashes.
    case checksum
    /// The version hashes are not those of the model.
    case modelHashes
    /// The store's copy of its model cannot be read, or is that of another model.
    case modelCache
    /// An entity number, name or parent in `Z_PRIMARYKEY` is wrong or missing.
    case entityNumbers
    /// `Z_MAX` is below the greatest key in the table: the next object would collide.
    case maximum
    /// A table is missing.
    case missingTable
    /// A column is missing.
    case missingColumn
    /// The index of a uniqueness constraint is missing.
    case missingUniqueIndex
    /// A row has an entity number that does not belong to its table, or that of an abstract entity.
    case rowEntity
    /// A row's version is null or below 1.
    case rowVersion
    /// A value is stored as another type than that of its attribute, or is beyond what the attribute holds.
    case valueType
    /// A mandatory property has no value: Core Data will refuse to save the object.
    case missingValue
    /// A to-one relationship refers to no object of its destination entity.
    case danglingReference
    /// The entity column of a to-one relationship does not say what the object is that it refers to.
    case referenceEntity
    /// The two ends of a one-to-one relationship do not refer to each other.
    case inverse
    /// An object in an ordered relationship has no position.
    case orderKey
    /// A row of a join table refers to no object.
    case joinRow
    /// There is a log beside the store: the file alone is not the whole store.
    case log
    /// A row names a file beside the store that is not there.
    case missingFile
    /// Files beside the store that no row names; `store clean` removes them.
    case orphanFile
    /// An earlier process has left a run into the store that it has not applied.
    case unfinishedRun
    /// The store tracks persistent history.
    case history
    /// The store is mirrored to CloudKit.
    case cloud
    /// The model is not known, so relationships could not be checked.
    case noModel
  }

  /// How much it weighs.
  public let severity: Severity
  /// The kind of finding.
  public let code: Code
  /// The table, if it is about one.
  public let table: String?
  /// The message: expected, then found.
  public let message: String
  /// How many rows are affected, if it is about rows.
  public let rows: Int?

  /// Creates a finding.
  public init(_ severity: Severity, _ code: Code, table: String? = nil, rows: Int? = nil, message: String) {
    self.severity = severity
    self.code = code
    self.table = table
    self.rows = rows
    self.message = message
  }

  /// `severity: table: message [code]`.
  public var description: String {
    "\(severity.rawValue): \(table.map { $0 + ": " } ?? "")\(message) [\(code.rawValue)]"
  }
}

/// The outcome of a check.
public struct StoreReport: Sendable {
  /// Where the description of the data came from.
  public enum ModelSource: String, Sendable, Hashable {
    /// From the caller.
    case given
    /// From the copy in the metadata of a store that this project made.
    case metadata
    /// From the copy that Core Data left in the store.
    case cache
    /// From nowhere: only what needs no model was checked.
    case none
  }

  /// The store's path.
  public let path: String
  /// All findings, in the order of the checks.
  public let findings: [StoreFinding]
  /// Where the model came from.
  public let modelSource: ModelSource
  /// How many rows of entity tables were checked.
  public let checkedRows: Int

  /// Whether values, references and inverses were checked, which takes a model.
  public let checksRelationships: Bool

  /// Whether there is no error.
  public var isSound: Bool { !findings.contains { $0.severity == .error } }
}
