public import MergewalkObjectModel
public import MergewalkObjectStore

/// The reason why a save failed.
public struct SaveError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// Some objects violate the model, or may not be deleted.
    case validation
    /// Another context or process changed or deleted a row since it was fetched.
    case conflict
    /// The database refused a row: a uniqueness constraint, for example.
    case constraint
    /// The database failed.
    case database
    /// The store was opened read-only.
    case readOnly
    /// Objects kept changing each other in `willSave` for 1,000 rounds.
    case unstable
    /// The store's file or service refused the change, for example because it could not be written.
    case store
  }
  /// The kind of failure.
  public let code: Code
  /// The message: expected, then found.
  public internal(set) var message: String
  /// All findings of a validation.
  public let failures: [ObjectValidationFailure]
  /// The records that another context or process has changed or deleted, or that have the same unique values as others.
  public let conflicts: [ManagedObjectID]
  /// The records that another context or process has changed or deleted in the meantime.
  public let mergeConflicts: [MergeConflict]
  /// The values that must be unique and are not.
  public let constraintConflicts: [ConstraintConflict]
  /// SQLite's own error, or `nil` when it is not the cause.
  public internal(set) var databaseFailure: DatabaseFailure?

  init(
    code: Code, message: String, failures: [ObjectValidationFailure] = [], conflicts: [ManagedObjectID] = [],
    databaseFailure: DatabaseFailure? = nil, mergeConflicts: [MergeConflict] = [],
    constraintConflicts: [ConstraintConflict] = []
  ) {
    self.code = code
    self.message = message
    self.failures = failures
    self.conflicts = conflicts
    self.mergeConflicts = mergeConflicts
    self.constraintConflicts = constraintConflicts
    self.databaseFailure = databaseFailure
  }

  /// The message.
  public var description: String { message }

  /// Tells errors of SQLite, which are the database's fault or a row's, from anything behind the store.
  init(_ error: StoreError) {
    self.init(
      code: error.cause.map { $0.kind.isConstraint ? .constraint : .database } ?? .store,
      message: error.cause?.message ?? error.description, databaseFailure: error.cause)
  }

  init(_ error: ObjectError) {
    self.init(code: .database, message: error.message, databaseFailure: error.cause?.cause)
  }
}
