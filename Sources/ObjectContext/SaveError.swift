public import ObjectModel
import ObjectStore
import SQLite

/// Why a save did not happen.
public struct SaveError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// Some objects break what the model demands, or may not be deleted.
    case validation
    /// Somebody else changed or deleted a row since it was fetched.
    case conflict
    /// The database refused a row: a uniqueness constraint, for example.
    case constraint
    /// The database failed.
    case database
    /// The store was opened for reading only.
    case readOnly
    /// Objects went on changing each other in `willSave` for 1,000 rounds.
    case unstable
    /// What is behind the store refused the change: its file could not be written, for example.
    case store
  }
  /// What went wrong.
  public let code: Code
  /// What was expected and what was found.
  public let message: String
  /// All findings of a validation.
  public let failures: [ObjectValidationFailure]
  /// The records that somebody else changed or deleted, or that have the same unique values as others.
  public let conflicts: [ManagedObjectID]
  /// What is known of the records that somebody else changed or deleted.
  public let mergeConflicts: [MergeConflict]
  /// What is known of values that must be unique and are not.
  public let constraintConflicts: [ConstraintConflict]
  /// SQLite's extended result code, 0 when SQLite is not the cause.
  public let databaseCode: Int32

  init(
    code: Code, message: String, failures: [ObjectValidationFailure] = [], conflicts: [ManagedObjectID] = [],
    databaseCode: Int32 = 0, mergeConflicts: [MergeConflict] = [], constraintConflicts: [ConstraintConflict] = []
  ) {
    self.code = code
    self.message = message
    self.failures = failures
    self.conflicts = conflicts
    self.mergeConflicts = mergeConflicts
    self.constraintConflicts = constraintConflicts
    self.databaseCode = databaseCode
  }

  /// The message.
  public var description: String { message }

  init(_ error: StoreError) {
    self.init(code: .store, message: error.description, databaseCode: error.cause?.code ?? 0)
  }

  init(_ error: SQLiteError) {
    self.init(
      code: error.isConstraint ? .constraint : .database, message: error.message, databaseCode: error.code)
  }

  init(_ error: ObjectError) {
    self.init(code: .database, message: error.message, databaseCode: error.cause?.code ?? 0)
  }
}
