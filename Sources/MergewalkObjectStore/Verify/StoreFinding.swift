/// A finding of a store check.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// The severity of a finding.
  public enum Severity: String, Sendable, Hashable {
    /// Data is damaged, or Core Data will refuse or misread it.
    case error
    /// It works, but Core Data would have written it differently.
    case warning
    /// Worth knowing.
    case note
  }

  /// The kind of finding; tests and scripts match this.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// SQLite's own check found damage.
    case integrity
    /// A statement failed, or files beside the store cannot be read, so a check could not be made.
    case unreadable
    /// The file differs from Core Data's: page size, auto-vacuum, text encoding.
    case fileFormat
    /// The metadata lacks a key or has one of the wrong type.
    case metadata
    /// The store's identity is not a UUID in upper case.
    case uuid
    /// The digest does not match the version hashes.
    case digest
    /// The checksum does not match the version hashes.
    case checksum
    /// The version hashes are not those of the model.
    case modelHashes
    /// The store's copy of its model cannot be read, or is a copy of another model.
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
    /// Another index of the model is missing: searches are slower.
    case missingIndex
    /// A row has an entity number that does not belong to its table, or that of an abstract entity.
    case rowEntity
    /// A row's key is null or below 1.
    case rowKey
    /// A row's version is null or below 1.
    case rowVersion
    /// A value is stored as another type than that of its attribute or column, or is outside the attribute's range.
    case valueType
    /// A mandatory property has no value: Core Data will refuse to save the object.
    case missingValue
    /// A to-one relationship refers to an object that does not exist in its destination entity.
    case danglingReference
    /// The entity column of a to-one relationship does not match its target.
    case referenceEntity
    /// The two ends of a one-to-one relationship do not refer to each other.
    case inverse
    /// An object in an ordered relationship has no position.
    case orderKey
    /// A row of a join table refers to a missing object.
    case joinRow
    /// There is a log beside the store: the file alone is not the complete store.
    case log
    /// A row names a missing file beside the store.
    case missingFile
    /// Files beside the store that no row names; `store clean` removes them.
    case orphanFile
    /// An earlier process has left an unapplied run into the store.
    case unfinishedRun
    /// Files of a run that are no longer of use are beside the store; `store clean` removes them.
    case outdatedPlan
    /// The store tracks persistent history.
    case history
    /// The store is mirrored to CloudKit.
    case cloud
    /// A trigger, an index or a check that an app has added needs something that only the app has, so writing fails.
    case addition
    /// The model is unknown, so relationships could not be checked.
    case noModel
  }

  /// The severity.
  public let severity: Severity
  /// The kind of finding.
  public let code: Code
  /// The table, if the finding is about one.
  public let table: String?
  /// The message: expected, then found.
  public let message: String
  /// The number of affected rows, if the finding is about rows.
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
  /// The source of the model.
  public enum ModelSource: String, Sendable, Hashable {
    /// From the caller.
    case given
    /// From the copy in the metadata of a store that this project created.
    case metadata
    /// From the copy that Core Data left in the store.
    case cache
    /// None: only checks without a model were made.
    case none
  }

  /// The store's path.
  public let path: String
  /// All findings, in the order of the checks.
  public let findings: [StoreFinding]
  /// The source of the model.
  public let modelSource: ModelSource
  /// The number of rows of entity tables that were checked.
  public let checkedRows: Int

  /// Whether values, references and inverses were checked, which needs a model.
  public let checksRelationships: Bool

  /// Whether there is no error.
  public var isSound: Bool { !findings.contains { $0.severity == .error } }
}
